"""The entries of design challenges (challenges#entries).

Entering and leaving lock the content first, then the challenge. So what they have read of both
stays true until they commit. Triggers count the entries (schema/functions/ tally_entries.sql) and
hide them with their content (schema/functions/hide_entries.sql).
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.connection_bulkhead import SEARCHES
from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import (
    AUTHOR,
    INFO,
    SEEN,
    Numbered,
    infos_within,
    seen,
    shown_status,
    status_of,
)
from contentsvc.wire.content import ContentInfo


class Candidate(NamedTuple):
    """What decides whether a content may enter."""

    author_id: str
    type: str
    status: str
    visibility: str


class EntryState(NamedTuple):
    """The state of a challenge for a content. `types` is None for all; `entered` says whether the
    content is in."""

    state: str
    types: list[str] | None
    entered: bool


class Top(NamedTuple):
    """An entry in the order of `bound`, the lower bound of its votes, then of entering."""

    bound: float
    number: int
    item: ContentInfo | None


@maybe(f"""
    select c.author_id, c.type, {shown_status(status_of("c"))} as status, c.visibility
    from contents c
    where c.id = :content and {seen()}
    for no key update
""")
async def lock_content(
    db: Db, content: str, caller: str | None, moderate: bool
) -> Candidate | None:
    """Lock the status of a content until the transaction ends. None if the caller cannot see the
    content."""


@maybe("""
    with challenge as materialized (
        select id, opens, closes, closed, types from challenges where id = :challenge for share
    )
    select challenge_state(opens, closes, closed) as state, types,
           exists (
               select from challenge_entries e
               where e.content_id = :content and e.challenge_id = challenge.id
           ) as entered
    from challenge
""")
async def lock_challenge(db: Db, challenge: str, content: str) -> EntryState | None:
    """Lock a challenge until the transaction ends: nobody can change or close it. None if there is
    no such challenge."""


_ENTERED = noting(
    "ChallengeEntered",
    "author_id",
    "challenge",
    "challenge_id",
    rows="entered",
    data="json_build_object('entry', content_id)",
)


@none(f"""
    with entered as (
        insert into challenge_entries (challenge_id, content_id, author_id)
        values (:challenge, :content, :author)
        returning *
    )
    {_ENTERED}
""")
async def enter(db: Db, challenge: str, content: str, author: str) -> None:
    """Enter an active content that is not in. Both are locked."""


@found("""
    delete from challenge_entries where content_id = :content and challenge_id = :challenge
    returning true
""")
async def leave(db: Db, challenge: str, content: str) -> bool:
    """Take a content out. False if it is not in."""


_NEWEST: Final = f"""
    select e.number, {INFO}
    from challenge_entries e
    join contents c on c.id = e.content_id
    {AUTHOR}
    where e.challenge_id = o.id and {SEEN} and c.visibility = 'public'
      and e.number < :before
    order by e.number desc limit :limit
"""


@many(f"""
    select d.*
    from challenges o
    left join lateral ({infos_within(_NEWEST, "number", "number desc")}) d on true
    where o.id = :challenge
    order by d.number desc
""")
async def newest(
    db: Db, challenge: str, caller: str | None, moderate: bool, before: float, limit: int
) -> list[Numbered[ContentInfo | None]]:
    """The entries that the caller may see, the last to enter first: those before the number
    `before`. No row at all if there is no such challenge."""


@many(
    infos_within(
        f"""
    select d.bound, d.number, {INFO}
    from challenges o left join lateral (
        select wilson(c.up, c.down) as bound, e.number, c.id
        from challenge_entries e join contents c on c.id = e.content_id
        where e.challenge_id = o.id and {seen()} and c.visibility = 'public'
          and (wilson(c.up, c.down), e.number) < (:bound::float8, :before::bigint)
        order by 1 desc, 2 desc limit :limit
    ) d on true
    left join contents c on c.id = d.id
    {AUTHOR}
    where o.id = :challenge
    """,
        "bound, number",
        "bound desc, number desc",
    ),
    lane=SEARCHES,
    replica=True,
)
async def top(
    db: Db,
    challenge: str,
    caller: str | None,
    moderate: bool,
    bound: float,
    before: float,
    limit: int,
) -> list[Top]:
    """The same, those with the best votes first: after the entry with this `bound` and the number
    `before`."""
