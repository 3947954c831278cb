"""Notifications: the log that both REST and the socket read (notifications#list,
notifications#kinds).

Sockets read it for many users at once: see contentsvc.store.notifications.streams. How
users change it: see contentsvc.store.notifications.flags.
"""

from typing import NamedTuple

from msgspec import Struct

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.framework.db.statement import Batch
from contentsvc.store.fragments import state


class Stored(Struct):
    """A notification's row. `data` is the kind as JSON text, with its tag."""

    user_id: str
    seq: int
    id: str
    created: int
    read: bool
    data: str


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


class Sent(NamedTuple):
    """The same, of the `n`th notification that was sent, from 1."""

    n: int
    user_id: str
    seq: int
    id: str
    created: int
    previous: str | None


def _after(after: str, user: str) -> str:
    """The condition that a notification comes after this number, and is not deleted. It does not
    read the deleted ones at the beginning of the log."""
    return f"""seq > greatest({after}, (
            select c.deleted from notification_counters c where c.user_id = {user}
        )) and kind <> 'Deleted'"""


def by_id(user: str, notification: str) -> str:
    """The query for the number of a user's notification with an id: by the number in the id, or by
    the index of those whose id has none."""
    numbered = "('x' || left({}::text, 8))::bit(32)::bigint"
    return f"""
        select seq from notifications
        where user_id = {user} and id = {notification} and seq = {numbered.format(notification)}
        union all
        select seq from notifications
        where user_id = {user} and id = {notification} and {numbered.format("id")} <> seq
        limit 1
    """


_APPEND = """
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
        select user_id, more, more, numbered_id(more, id) from call
        where nth = more and exists (select from users u where u.id = call.user_id)
        order by user_id
        on conflict (user_id) do update
        set seq = c.seq + excluded.seq, unread = c.unread + excluded.unread,
            newest = numbered_id(c.seq + excluded.seq, excluded.newest), previous = c.newest
        where c.muted = '{}'
        returning user_id, seq, previous, clock_timestamp() as created
    ), numbered as materialized (
        select n, user_id, c.seq - more + nth as seq, numbered_id(c.seq - more + nth, id) as id,
               kind, data, c.created,
               coalesce(numbered_id(c.seq - more + nth - 1, before), c.previous) as previous
        from call join counter c using (user_id)
    ), stored as (
        insert into notifications (user_id, seq, id, kind, data, created)
        select user_id, seq, id, kind, data, created from numbered
    )
    select n, user_id, seq, id, unix(created) as created, previous from numbered
"""


_APPEND_ONE = """
    select 1 as n, user_id, seq, id, created, previous
    from notify_user(:recipient, :kind, :data)
    where user_id is not null
"""


@maybe(_APPEND, batch=Batch(("recipient",)), lone=_APPEND_ONE)
async def _append(db: Db, recipient: str, kind: str, data: str) -> Appended | None:
    """Append one notification. None if there is no such user, or if they have muted this kind; of
    several together, if they have muted any.

    The lock on the counter's row gives numbers and times the order of the commits. A lone one is
    schema/functions/notify_user.sql.
    """


async def insert(db: Db, recipient: str, kind: str, data: str) -> Following | None:
    """Append one. None if the user has muted this kind.

    Raises Refused `notification_counters_user` where there is no such user.
    """
    row = await _append(db, recipient, kind, data)
    if row is None:
        # Few have muted anything.
        rows = await insert_many(db, [recipient], [kind], [data])
        if rows:
            return rows[0]
        if not await _exists(db, recipient):
            raise Refused("notification_counters_user")
        return None
    user, seq, id, created, previous = row
    return Following(user, seq, id, created, False, data, previous)


@found("select from users where id = :user")
async def _exists(db: Db, user: str) -> bool:
    """Whether there is such a user."""


# All take their locks in one order.
@many("""
    select n, (notified).user_id, (notified).seq, (notified).id, (notified).created,
           (notified).previous
    from (
        select n, notify_user(user_id, kind, data) as notified
        from (
            select *
            from unnest((select :recipient::uuid[]), (select :kind::text[]), (select :data::text[]))
                 with ordinality as call (user_id, kind, data, n)
            order by user_id, n
        ) call
        offset 0
    ) call
    where (notified).user_id is not null
""")
async def _append_many(
    db: Db, recipient: list[str], kind: list[str], data: list[str]
) -> list[Sent]:
    """Append these; those of one user in their order. There is no row for users who do not exist or
    have muted the kind."""


async def insert_many(
    db: Db, recipients: list[str], kinds: list[str], datas: list[str]
) -> list[Following]:
    """Append one for each of these recipients, in one statement. A recipient who is named several
    times gets them in this order. Those who do not exist, or have muted the kind, are left out."""
    return [
        Following(user, seq, id, created, False, datas[n - 1], previous)
        for n, user, seq, id, created, previous in await _append_many(db, recipients, kinds, datas)
    ]


@many(
    f"""
    select user_id, seq, id, unix(created) as created, read, data from notifications
    where user_id = :user::uuid and {_after(":after::bigint", ":user::uuid")}
      and (:since::float8 is null or unix(created) > :since::float8)
    order by seq
    limit :limit::bigint
    """,
    together=True,
)
async def listed(db: Db, user: str, after: int, since: float | None, limit: int) -> list[Stored]:
    """The user's first `limit` notifications after the number `after`, in order, without those that
    the user has deleted. `since` is in Unix seconds; None is no limit."""


@none("""
    select from notification_counters where user_id = any(:users) order by user_id
    for no key update
""")
async def lock(tx: Db, users: list[str]) -> None:
    """Lock the counters of these users, which the transaction then changes in whatever order."""


@maybe("select trimmed from notification_counters where user_id = :user")
async def trimmed(db: Db, user: str) -> int | None:
    """The number up to which retention has deleted. None if the user has no counter."""


@many(f"""
    select user_id, seq, id, created, read, data from (
        select page.*, sum(octet_length(data)) over (order by seq) - octet_length(data) as before
        from (
            select user_id, seq, id, unix(created) as created, read, data from notifications
            where user_id = :user and {_after(":after", ":user")}
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
    where user_id = :user and {_after(":after", ":user")}
      and (:since::float8 is null or unix(created) > :since)
    """,
    lane=WHOLE,
)
async def listed_state(db: Db, user: str, after: int, since: float | None) -> str:
    """A value that changes whenever the result of `listed` does, whatever its limit. Of a row that
    is listed, only `read` changes."""


@maybe(by_id(":user", ":notification"))
async def number(db: Db, user: str, notification: str) -> int | None:
    """The sequence number of one of the user's notifications, deleted ones too."""
