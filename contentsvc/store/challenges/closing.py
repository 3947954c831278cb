"""The closing of design challenges, and what it grants (challenges#closing).

One transaction closes a challenge and grants all its rewards. It reads the entries as they are at
that moment, and waits for no content: an entry that is being hidden counts or does not.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, many, none, one
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import LEAVING


class Outcome(NamedTuple):
    """A user who has taken part, whether they have won, and their newest entry: of those that have
    won, if there are any."""

    user_id: str
    won: bool
    content_id: str


_CLOSE = """
    with active as materialized (
        select number, content_id, author_id from challenge_entries
        where challenge_id = :challenge and not hidden and author_id <> all({leaving})
    ), there as materialized (
        -- An author may be leaving just now.
        select id from users where id = any(array(select author_id from active))
        order by id for key share
    ), {winners}, done as (
        update challenges
        set closed = clock_timestamp(),
            winners = array(select content_id from won order by number)
        where id = :challenge and {known}
        returning id, closed, winners
    ), noted as ({noted}), granted as (
        insert into challenge_rewards (challenge_id, user_id, won, content_id, earned)
        select done.id, reward.author_id, reward.won, reward.content_id, done.closed
        from done cross join (
            (select distinct on (author_id) author_id, false as won, content_id
             from active join there on id = author_id order by author_id, number desc)
            union all
            (select distinct on (author_id) author_id, true, content_id
             from won join there on id = author_id order by author_id, number desc)
        ) reward
        order by reward.won
    )
"""
_NOTED = noting(
    "ChallengeClosed",
    "{actor}",
    "challenge",
    "id",
    rows="done",
    data="json_build_object('winners', winners)",
)


def _close(winners: str, known: str, actor: str) -> str:
    noted = _NOTED.format(actor=actor)
    return _CLOSE.format(leaving=LEAVING, winners=winners, known=known, noted=noted)


_CHOSEN = """
    unknown as materialized (
        select w.id from unnest(:winners::uuid[]) as w (id)
        where not exists (select from active where content_id = w.id)
    ), won as materialized (
        select number, content_id, author_id from active
        where content_id = any(:winners::uuid[])
    )
"""
_VOTED = """
    won as materialized (
        select number, content_id, author_id from (
            select a.*, rank() over (order by wilson(c.up, c.down) desc) as place
            from active a join contents c on c.id = a.content_id
            where c.up > 0
        ) voted
        where place = 1
    )
"""


@one(f"""
    {_close(_CHOSEN, "not exists (select from unknown)", ":actor::uuid")}
    select array(select distinct id::text from unknown) as unknown
""")
async def close(db: Db, actor: str, challenge: str, winners: list[str]) -> list[str]:
    """Close a challenge that is locked, with these winners. Gives those that are no active entries;
    if there are any, nothing has changed."""


@none(f"{_close(_VOTED, 'true', 'null::uuid')} select from done")
async def close_by_votes(db: Db, challenge: str) -> None:
    """Close a challenge that is locked. The winners are the entries with the highest lower bound of
    their votes; none if there are no up-votes."""


OPEN = "closed is null and judging = 'votes'"
"""Which challenges close by themselves, once their time is over."""
WAITING = f"exists (select from challenges where {OPEN} and closes <= unix(now()))"
"""Whether some are to close by themselves."""
_READY = f"{OPEN} and closes <= unix(clock_timestamp())"


@many(f"select id from challenges where {_READY} order by closes limit 100")
async def ready(db: Db) -> list[str]:
    """The challenges whose time is over, which are ready to close by themselves."""


@found(f"""
    with challenge as materialized (
        select * from challenges where id = :challenge for update
    )
    select from challenge where {_READY}
""")
async def lock_ready(db: Db, challenge: str) -> bool:
    """Lock a challenge if it is still ready to close by itself. False if it is not."""


@many("""
    select user_id, bool_or(won) as won, (array_agg(content_id order by won desc))[1] as content_id
    from challenge_rewards
    where challenge_id = :challenge and user_id > :after
    group by user_id order by user_id limit :limit
""")
async def outcomes(db: Db, challenge: str, after: str, limit: int) -> list[Outcome]:
    """What the users have won or taken part with, in the order of their ids, after this one.
    Rewards that were taken away count too: they were granted."""
