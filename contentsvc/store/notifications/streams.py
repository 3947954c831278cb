"""The logs of notifications, as sockets read them: for many users at once (notifications#delivery).

Each list in a statement is in a select of its own, so that Postgres cannot see how long it is.
Otherwise Postgres makes a new plan for each length, each time, which takes longer than the read.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many
from contentsvc.store.notifications.notifications import Following, Stored

_LANE = "notifications reads"
"""The lane of those who read the same rows by REST."""


class Aged(Following):
    """A row, and its age in seconds."""

    age: float


class Placed(NamedTuple):
    """A row that answers one of several questions: the one at `place`."""

    place: int
    row: Stored


class State(NamedTuple):
    """The beginning and the end of a user's log. Retention has deleted the numbers up to `trimmed`.
    `id` is the id of the newest, `at` the id of the requested number: None if there is no such
    row. `changes` counts the changes of read flags and the deletions."""

    newest: int
    id: str | None
    trimmed: int
    unread: int
    changes: int
    at: str | None


class StreamEnd(NamedTuple):
    """The end of a log that has changed since it was last seen. `at` is the id of the requested
    number. `changes` is that of State."""

    user_id: str
    newest: int
    id: str | None
    trimmed: int
    changes: int
    at: str | None


class Tally(NamedTuple):
    """How many notifications a user has not read, up to the newest. `changes` is that of State."""

    user_id: str
    newest: int
    unread: int
    changes: int


@many(
    """
    select coalesce(c.seq, 0) as newest, last.id, coalesce(c.trimmed, 0) as trimmed,
           coalesce(c.unread, 0) as unread, coalesce(c.changes, 0) as changes, n.id as at
    from unnest((select :users::uuid[]), (select :seqs::bigint[]))
         with ordinality as asked (user_id, seq, place)
    left join lateral (
        select * from notification_counters c where c.user_id = asked.user_id offset 0
    ) c on true
    left join lateral (
        select id from notifications n where n.user_id = c.user_id and n.seq = c.seq offset 0
    ) last on true
    left join lateral (
        select id from notifications n
        where n.user_id = asked.user_id and n.seq = asked.seq offset 0
    ) n on true
    order by asked.place
    """,
    lane=_LANE,
)
async def states(db: Db, users: list[str], seqs: list[int]) -> list[State]:
    """The present end of the log of each of `users`, in their order, and the notification with the
    number at the same place in `seqs`. Users may repeat."""


_AT = """(
    select n.id from notifications n where n.user_id = asked.user_id and n.seq = asked.seq
)"""


@many(
    f"""
    select asked.user_id, coalesce(c.seq, 0) as newest,
           (select n.id from notifications n where n.user_id = c.user_id and n.seq = c.seq) as id,
           coalesce(c.trimmed, 0) as trimmed, coalesce(c.changes, 0) as changes, {_AT} as at
    from unnest(
        (select :users::uuid[]), (select :seqs::bigint[]), (select :ids::uuid[]),
        (select :changes::bigint[])
    ) as asked (user_id, seq, id, changes)
    left join lateral (
        select * from notification_counters c where c.user_id = asked.user_id offset 0
    ) c on true
    where coalesce(c.seq, 0) <> asked.seq or coalesce(c.changes, 0) <> asked.changes
          -- The counter knows the id of nearly every log. To look it up takes as long as all else.
          or c.newest is distinct from asked.id and {_AT} is distinct from asked.id
    """,
    lane=_LANE,
)
async def moved(
    db: Db, users: list[str], seqs: list[int], ids: list[str | None], changes: list[int]
) -> list[StreamEnd]:
    """Those of `users` whose newest notification does not have the number and id at the same place
    in `seqs` and `ids`, or whose count of `changes` is another."""


@many(
    """
    select asked.user_id, coalesce(c.seq, 0) as newest, coalesce(c.unread, 0) as unread,
           coalesce(c.changes, 0) as changes
    from unnest((select :users::uuid[])) as asked (user_id)
    left join lateral (
        select * from notification_counters c where c.user_id = asked.user_id offset 0
    ) c on true
    """,
    lane=_LANE,
)
async def tallies(db: Db, users: list[str]) -> list[Tally]:
    """How many notifications each of `users` has not read. None is named twice."""


@many(
    """
    select n.user_id, n.seq, n.id, unix(n.created) as created, n.read, n.data, n.previous,
           extract(epoch from clock_timestamp() - n.created)::float8 as age
    from unnest((select :users::uuid[]), (select :afters::bigint[])) as behind (user_id, seq)
    cross join lateral (
        select *, lag(id) over (order by seq) as previous from notifications n
        where n.user_id = behind.user_id and n.seq >= behind.seq
        order by n.seq limit :limit + 1
    ) n
    where n.seq > behind.seq
    order by n.user_id, n.seq
    limit :limit
    """,
    lane=_LANE,
)
async def after(db: Db, users: list[str], afters: list[int], limit: int) -> list[Aged]:
    """For each of `users`, the rows above the number at the same place in `afters`. The `previous`
    of the first is the id of that number itself."""


@many(
    """
    select asked.place, n.user_id, n.seq, n.id, unix(n.created) as created, n.read, n.data
    from unnest((select :users::uuid[]), (select :afters::bigint[]))
         with ordinality as asked (user_id, seq, place)
    cross join lateral (
        select *, sum(octet_length(data)) over (order by seq) - octet_length(data) as before
        from (
            select * from notifications n
            where n.user_id = asked.user_id and n.seq > asked.seq
            order by n.seq limit :rows
        ) following
    ) n
    where n.before < :size
    order by asked.place, n.seq
    """,
    lane=_LANE,
)
async def _paged(db: Db, users: list[str], afters: list[int], rows: int, size: int) -> list[Placed]:
    """The rows of `pages`, each with its place, from 1."""


async def pages(
    db: Db, users: list[str], afters: list[int], rows: int, size: int
) -> list[list[Stored]]:
    """For each place in `users` and `afters`, the rows above that number: at most `rows`, and no
    more once they have `size` bytes. A page without rows is the end."""
    found: list[list[Stored]] = [[] for _ in users]
    for row in await _paged(db, users, afters, rows, size):
        found[row.place - 1].append(row.row)
    return found


@many("""
    select u.id from unnest((select :users::uuid[])) as u (id)
    where exists (select from subscriptions s where s.user_id = u.id)
""")
async def subscribers(db: Db, users: list[str]) -> list[str]:
    """Those of these users who have subscriptions (content#library-map)."""
