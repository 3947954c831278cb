"""Notifications: the log that both REST and the socket read (spec §4.11, §6).

Each list in a statement is in a select of its own, so that Postgres cannot see how long it is.
Otherwise Postgres makes a new plan for each length, each time, which takes longer than the read.
"""

from typing import NamedTuple

from msgspec import Struct

from contentsvc.db.errors import Refused
from contentsvc.db.lanes import WHOLE
from contentsvc.db.query import Db, found, many, maybe, one
from contentsvc.db.statement import Batch
from contentsvc.store.fragments import state


class Stored(Struct):
    """A notification's row. `data` is the kind as JSON text, with its tag."""

    user_id: str
    seq: int
    id: str
    created: int
    read: bool
    data: str


class Placed(NamedTuple):
    """A row that answers one of several questions: the one at `place`."""

    place: int
    row: Stored


class Following(Stored):
    """A notification's row, and the id of the one before it: None if there is none, or if it is
    unknown."""

    previous: str | None


class Appended(NamedTuple):
    """The members of a new notification's row besides its data. `previous` is that of Following."""

    user_id: str
    seq: int
    id: str
    created: int
    previous: str | None


class State(NamedTuple):
    """The beginning and the end of a user's log. Retention has deleted the numbers up to `trimmed`.
    `id` is the id of the newest, `at` the id of the requested number: None if there is no such
    row."""

    newest: int
    id: str | None
    trimmed: int
    unread: int
    at: str | None


class Standing(NamedTuple):
    """The end of a log that has changed since it was last seen. `at` is the id of the requested
    number."""

    user_id: str
    newest: int
    id: str | None
    trimmed: int
    at: str | None


@maybe(
    """
    with call as (
        select *, row_number() over log as nth, lag(id) over log as before,
               count(*) over (partition by user_id) as more
        from (
            select *, gen_random_uuid() as id
            from unnest((select :recipient::uuid[]), (select :kind::text[]), (select :data::text[]))
                 with ordinality as call (user_id, kind, data, n)
        ) call
        window log as (partition by user_id order by n)
    ), counter as (
        insert into notification_counters as c (user_id, seq, unread, newest)
        -- All take their locks in one order.
        select user_id, more, more, id from call
        where nth = more and exists (select from users u where u.id = call.user_id)
        order by user_id
        on conflict (user_id) do update
        set seq = c.seq + excluded.seq, unread = c.unread + excluded.unread,
            newest = excluded.newest, previous = c.newest
        returning user_id, seq, previous, clock_timestamp() as created
    ), numbered as materialized (
        select n, user_id, c.seq - more + nth as seq, id, kind, data, c.created,
               coalesce(before, c.previous) as previous
        from call join counter c using (user_id)
    ), stored as (
        insert into notifications (user_id, seq, id, kind, data, created)
        select user_id, seq, id, kind, data, created from numbered
    )
    select n, user_id, seq, id, unix(created) as created, previous from numbered
    """,
    batch=Batch(("recipient",)),
)
async def _append(db: Db, recipient: str, kind: str, data: str) -> Appended | None:
    """Append one notification. None if there is no such user.

    The lock on the counter's row gives numbers and times the order of the commits.
    """


async def insert(db: Db, recipient: str, kind: str, data: str) -> Following:
    """Append one.

    Raises Refused `notification_counters_user` where there is no such user.
    """
    row = await _append(db, recipient, kind, data)
    if row is None:
        raise Refused("notification_counters_user")
    user, seq, id, created, previous = row
    return Following(user, seq, id, created, False, data, previous)


@many("""
    select coalesce(c.seq, 0) as newest, last.id, coalesce(c.trimmed, 0) as trimmed,
           coalesce(c.unread, 0) as unread, n.id as at
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
""")
async def states(db: Db, users: list[str], seqs: list[int]) -> list[State]:
    """The present end of the log of each of `users`, in their order, and the notification with the
    number at the same place in `seqs`. Users may repeat."""


@many("""
    select asked.user_id, coalesce(c.seq, 0) as newest,
           (select n.id from notifications n where n.user_id = c.user_id and n.seq = c.seq) as id,
           coalesce(c.trimmed, 0) as trimmed, n.id as at
    from unnest((select :users::uuid[]), (select :seqs::bigint[]), (select :ids::uuid[]))
         as asked (user_id, seq, id)
    left join lateral (
        select * from notification_counters c where c.user_id = asked.user_id offset 0
    ) c on true
    left join lateral (
        select id from notifications n
        where n.user_id = asked.user_id and n.seq = asked.seq offset 0
    ) n on true
    where coalesce(c.seq, 0) <> asked.seq or n.id is distinct from asked.id
""")
async def moved(
    db: Db, users: list[str], seqs: list[int], ids: list[str | None]
) -> list[Standing]:
    """Those of `users` whose newest notification does not have the number and id at the same place
    in `seqs` and `ids`."""


@many("""
    select n.user_id, n.seq, n.id, unix(n.created) as created, n.read, n.data, n.previous
    from unnest((select :users::uuid[]), (select :afters::bigint[])) as behind (user_id, seq)
    cross join lateral (
        select *, lag(id) over (order by seq) as previous from notifications n
        where n.user_id = behind.user_id and n.seq >= behind.seq
        order by n.seq limit :limit + 1
    ) n
    where n.seq > behind.seq
    order by n.user_id, n.seq
    limit :limit
""")
async def after(db: Db, users: list[str], afters: list[int], limit: int) -> list[Following]:
    """For each of `users`, the rows above the number at the same place in `afters`. The `previous`
    of the first is the id of that number itself."""


@many("""
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
""")
async def _paged(
    db: Db, users: list[str], afters: list[int], rows: int, size: int
) -> list[Placed]:
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


@many(
    """
    select user_id, seq, id, unix(created) as created, read, data from notifications
    where user_id = :user::uuid and seq > :after::bigint
      and (:since::float8 is null or unix(created) > :since::float8)
    order by seq
    limit :limit::bigint
    """,
    together=True,
)
async def listed(
    db: Db, user: str, after: int, since: float | None, limit: int
) -> list[Stored]:
    """The user's first `limit` notifications after the number `after`, in order. `since` is in Unix
    seconds; None is no limit."""


@maybe("select trimmed from notification_counters where user_id = :user")
async def trimmed(db: Db, user: str) -> int | None:
    """The number up to which retention has deleted. None if the user has no counter."""


@many("""
    select user_id, seq, id, created, read, data from (
        select page.*, sum(octet_length(data)) over (order by seq) - octet_length(data) as before
        from (
            select user_id, seq, id, unix(created) as created, read, data from notifications
            where user_id = :user and seq > :after
              and (:since::float8 is null or unix(created) > :since)
            order by seq limit :limit
        ) page
    ) page
    where before < :bytes
    order by seq
""")
async def page(
    db: Db, user: str, after: int, since: float | None, limit: int, bytes: int
) -> list[Stored]:
    """The same, but no more once they have this many `bytes`."""


@one(
    f"""
    select {state("row(seq, id, read, created, kind, octet_length(data))")}
    from notifications
    where user_id = :user and seq > :after
      and (:since::float8 is null or unix(created) > :since)
    """,
    lane=WHOLE,
)
async def listed_state(db: Db, user: str, after: int, since: float | None) -> str:
    """A value that changes whenever the result of `listed` does, whatever its limit. Of a row, only
    `read` changes, and `data` when it is emptied."""


@maybe("select seq from notifications where user_id = :user and id = :notification")
async def number(db: Db, user: str, notification: str) -> int | None:
    """The sequence number of one of the user's notifications."""


@found("""
    with changed as (
        update notifications set read = :read
        where user_id = :user and id = :notification and read <> :read
        returning 1
    ), counter as (
        update notification_counters
        set unread = unread + case when :read then -1 else 1 end
        where user_id = :user and exists (select from changed)
    )
    select from notifications where user_id = :user and id = :notification
""")
async def mark(db: Db, user: str, notification: str, read: bool) -> bool:
    """Set the read flag of one notification. False if the user has no such notification."""


@found("""
    with upto as (
        select seq from notifications where user_id = :user and id = :notification
    ), changed as (
        update notifications n set read = true from upto
        where n.user_id = :user and n.seq <= upto.seq and not n.read
        returning 1
    ), counter as (
        update notification_counters
        set unread = unread - (select count(*) from changed)
        where user_id = :user and exists (select from changed)
    )
    select from upto
""")
async def mark_up_to(db: Db, user: str, notification: str) -> bool:
    """Set the read flag of this notification and all before it. False if there is no such one."""
