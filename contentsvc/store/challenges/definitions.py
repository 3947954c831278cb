"""Design challenges: challenges#definition.

The database's clock decides the state of a challenge (schema/functions/challenge_state.sql). The
row's lock orders what comes at once: entering and leaving take it FOR SHARE, closing and deleting
FOR UPDATE.
"""

from typing import NamedTuple

from msgspec import structs

from contentsvc.framework.db.query import Db, many, maybe, one
from contentsvc.store.fragments import LEAVING, seen
from contentsvc.wire.challenges import ChallengeCreate


class ChallengeRow(NamedTuple):
    """A challenge as the caller may see it. Its rewards are JSON text, without the ids of their
    emblems; times are Unix seconds."""

    id: str
    name: str
    ordinal: int
    description: str
    theme: str
    win: str
    win_emblem: str
    participate: str
    participate_emblem: str
    opens: int | None
    closes: int | None
    types: list[str] | None
    judging: str
    state: str
    entries: int
    winners: list[str]


class Replaced(NamedTuple):
    """Whether a definition may be replaced, and whether the new one `differs` from it."""

    may: bool
    differs: bool


class ChallengeState(NamedTuple):
    """The state of a challenge, and its winners."""

    state: str
    winners: list[str]


def _shown(which: str) -> str:
    """Gives ChallengeRows."""
    return f"""
    with own as materialized (
        -- What is not public does not count for anybody.
        select e.challenge_id, count(*) as hidden
        from challenge_entries e
        where e.hidden and e.author_id = :caller and not e.withheld
        group by e.challenge_id
    ), leaving as materialized (
        -- They are not hidden yet. No index has the authors of entries, and the planner cannot see
        -- that there are next to none.
        select e.challenge_id, count(*) as entries
        from contents x cross join lateral (
            select challenge_id from challenge_entries
            where content_id = x.id and not hidden offset 0
        ) e
        where x.author_id = any({LEAVING})
        group by e.challenge_id
    )
    select c.id, c.name, c.ordinal, c.description, c.theme,
           c.win::text, c.win_emblem, c.participate::text, c.participate_emblem,
           c.opens, c.closes, c.types, c.judging,
           challenge_state(c.opens, c.closes, c.closed) as state,
           (coalesce(t.entries, 0) - case when :moderate then coalesce(t.withheld, 0)
                                     else coalesce(t.hidden, 0) - coalesce(own.hidden, 0)
                                          + coalesce(leaving.entries, 0) end
           )::integer as entries,
           array(
               select w.id::text from unnest(c.winners) with ordinality as w (id, place)
               join contents k on k.id = w.id
               where {seen("k")} and k.visibility = 'public'
               order by w.place
           ) as winners
    from challenges c
    left join challenge_tallies t on t.challenge_id = c.id
    left join own on own.challenge_id = c.id
    left join leaving on leaving.challenge_id = c.id
    {which}
    """


_COLUMNS = ", ".join(field.name for field in structs.fields(ChallengeCreate))
_GIVEN = f"select {_COLUMNS} from json_populate_record(null::challenges, :definition)"


@one(f"insert into challenges ({_COLUMNS}) {_GIVEN} returning id")
async def create(db: Db, definition: ChallengeCreate) -> str:
    """Insert a challenge. Gives its id."""


@maybe(f"""
    with held as materialized (
        select id, closed is null as may, {_COLUMNS}
        from challenges where id = :challenge for no key update
    ), given as ({_GIVEN}), changed as (
        update challenges set ({_COLUMNS}) = (select {_COLUMNS} from given)
        where id = (select id from held where may)
    )
    -- As jsonb, so that two texts of the same rewards are the same.
    select may,
           (select to_jsonb(d) from (select {_COLUMNS} from held) d) is distinct from
           (select to_jsonb(d) from (select {_COLUMNS} from given) d) as differs
    from held
""")
async def replace(db: Db, challenge: str, definition: ChallengeCreate) -> Replaced | None:
    """Replace the definition, unless the challenge is closed. None if there is no such
    challenge."""


@maybe("""
    select array[win -> 'emblem' ->> 'image', participate -> 'emblem' ->> 'image']
    from challenges where id = :challenge
    for no key update
""")
async def images(tx: Db, challenge: str) -> list[str] | None:
    """The paths of the images of a challenge's emblems. It stays as it is until the transaction
    ends. None if there is no such challenge."""


@maybe(_shown("where c.id = :challenge"))
async def get(db: Db, challenge: str, caller: str | None, moderate: bool) -> ChallengeRow | None:
    """One challenge."""


@many(_shown("order by c.ordinal, c.id"))
async def all(db: Db, caller: str | None, moderate: bool) -> list[ChallengeRow]:
    """Every challenge, by ordinal."""


@maybe("""
    with challenge as materialized (
        select opens, closes, closed, winners from challenges where id = :challenge for update
    )
    select challenge_state(opens, closes, closed) as state, winners::text[] as winners
    from challenge
""")
async def lock(db: Db, challenge: str) -> ChallengeState | None:
    """Lock a challenge until the transaction ends: nobody else can change, enter, leave or close
    it. None if there is no such challenge."""


@one("""
    with gone as (
        delete from challenges
        where id = :challenge
          and not exists (select from challenge_entries where challenge_id = :challenge)
        returning id
    )
    select exists (select from gone)
""")
async def delete(db: Db, challenge: str) -> bool:
    """Delete a challenge that is locked. False if it has entries, hidden ones included."""
