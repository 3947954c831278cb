"""Notifications: the log that both REST and the socket read (spec §4.11, §6)."""

from typing import NamedTuple

from contentsvc.store.query import Db, many, maybe, one


class Stored(NamedTuple):
    """A notification's row. `data` is the kind as JSON text, its tag included."""

    user_id: str
    seq: int
    id: str
    created: int
    read: bool
    data: str


class Placed(NamedTuple):
    """A row that answers one of several questions: that at `place`."""

    place: int
    user_id: str
    seq: int
    id: str
    created: int
    read: bool
    data: str


class State(NamedTuple):
    """Where a user's log begins and ends; `oldest` is newest + 1 when it is empty."""

    newest: int
    oldest: int
    unread: int


class Newest(NamedTuple):
    """A user's highest sequence number."""

    user_id: str
    seq: int


@one("""
    with counter as (
        insert into notification_counters as c (user_id, seq, unread) values (:recipient, 1, 1)
        on conflict (user_id) do update set seq = c.seq + 1, unread = c.unread + 1
        returning user_id, seq
    )
    insert into notifications (user_id, seq, kind, data, created)
    select user_id, seq, :kind, :data, clock_timestamp() from counter
    returning user_id, seq, id, unix(created) as created, read, data
""")
async def insert(db: Db, recipient: str, kind: str, data: str) -> Stored:
    """Append one. The counter's row lock makes the order of numbers that of commits.

    Raises Refused `notification_counters_user` where there is no such user.
    """


@many("""
    select coalesce(c.seq, 0) as newest,
           coalesce((select min(n.seq) from notifications n where n.user_id = asked.user_id),
                    coalesce(c.seq, 0) + 1) as oldest,
           coalesce(c.unread, 0) as unread
    from unnest(:users::uuid[]) with ordinality as asked (user_id, place)
    left join notification_counters c on c.user_id = asked.user_id
    order by asked.place
""")
async def states(db: Db, users: list[str]) -> list[State]:
    """Where the log of each of `users` stands now, in their order; they may repeat."""


@many("""
    select n.user_id, n.seq, n.id, unix(n.created) as created, n.read, n.data
    from unnest(:users::uuid[], :afters::bigint[]) as behind (user_id, seq)
    cross join lateral (
        select * from notifications n
        where n.user_id = behind.user_id and n.seq > behind.seq
        order by n.seq limit :limit
    ) n
    order by n.user_id, n.seq
    limit :limit
""")
async def after(db: Db, users: list[str], afters: list[int], limit: int) -> list[Stored]:
    """For each of `users` the rows above the number at the same place in `afters`."""


@many("""
    select asked.place, n.user_id, n.seq, n.id, unix(n.created) as created, n.read, n.data
    from unnest(:users::uuid[], :afters::bigint[]) with ordinality as asked (user_id, seq, place)
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
    """For each place in `users` and `afters` the rows above that number, at most `rows`, and
    none once they have `size` bytes; a page without rows is the end."""
    found: list[list[Stored]] = [[] for _ in users]
    for row in await _paged(db, users, afters, rows, size):
        found[row.place - 1].append(Stored(*row[1:]))
    return found


@many("select user_id, seq from notification_counters where user_id = any(:users::uuid[])")
async def newest(db: Db, users: list[str]) -> list[Newest]:
    """The highest number of each of `users` that has one."""


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
    db: Db, user: str, after: int, since: float | None, limit: int | None
) -> list[Stored]:
    """The user's notifications in order; `since` in Unix seconds, no limit if None."""


@maybe("select seq from notifications where user_id = :user and id = :notification")
async def number(db: Db, user: str, notification: str) -> int | None:
    """The sequence number of one of the user's notifications."""


@maybe("""
    with changed as (
        update notifications set read = :read
        where user_id = :user and id = :notification and read <> :read
        returning 1
    ), counter as (
        update notification_counters
        set unread = unread + case when :read then -1 else 1 end
        where user_id = :user and exists (select from changed)
    )
    select true from notifications where user_id = :user and id = :notification
""")
async def mark(db: Db, user: str, notification: str, read: bool) -> bool | None:
    """Set the read flag of one; None where the user has no such notification."""


@maybe("""
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
    select true from upto
""")
async def mark_up_to(db: Db, user: str, notification: str) -> bool | None:
    """Set the read flag of this one and all before it; None where there is no such one."""
