"""What users do with their notifications: read flags, deletions, mutes (notifications#read-flags).

The row, number and id of a deleted notification stay. Each statement locks the rows first, in their
order, and the counter last.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, maybe
from contentsvc.store.notifications.notifications import by_id
from contentsvc.wire.notifications import NotificationState

BATCH = 1000
"""Rows that one statement changes: some milliseconds of work, during which the user's other changes
and, at its end, the user's new notifications wait."""

_EMPTY = """kind = 'Deleted', data = '{"kind":"Deleted"}', read = true"""
"""A notification without what it said."""


class Reached(NamedTuple):
    """How far a statement has come: `upto` is the number that was asked for, `last` the number of
    the last row that was changed, `changed` how many were."""

    upto: int
    last: int
    changed: int


@maybe(
    """
    select seq as newest, trimmed + 1 as oldest, unread from notification_counters
    where user_id = :user::uuid
    """,
    together=True,
)
async def state(db: Db, user: str) -> NotificationState | None:
    """The ends of the user's log. None if there was no notification yet."""


_ASKED = f"asked as materialized ({by_id(':user', ':notification')})"


@maybe(f"""
    with {_ASKED}, changed as (
        update notifications set read = :read
        where user_id = :user and seq = (select seq from asked)
          and read <> :read and kind <> 'Deleted'
        returning 1
    ), counter as (
        update notification_counters
        set unread = unread + case when :read then -1 else 1 end, changes = changes + 1
        where user_id = :user and exists (select from changed)
    )
    select exists (select from changed) as changed from notifications
    where user_id = :user and seq = (select seq from asked) and kind <> 'Deleted'
""")
async def mark(db: Db, user: str, notification: str, read: bool) -> bool | None:
    """Set the read flag of one notification. Gives whether it changed; None if the user has no such
    notification."""


@found(f"""
    with {_ASKED}, old as materialized (
        select seq, read from notifications
        where user_id = :user and seq = (select seq from asked) and kind <> 'Deleted'
        for update
    ), gone as (
        update notifications n set {_EMPTY}
        from old where n.user_id = :user and n.seq = old.seq
    ), counter as (
        update notification_counters c
        set unread = unread - (select count(*) from old where not read), changes = changes + 1,
            -- Up to the first one that is still there. A statement may see too few deletions of
            -- others, never too many.
            deleted = greatest(c.deleted, coalesce(
                (select n.seq - 1 from notifications n
                 where n.user_id = :user and n.seq > c.deleted and n.kind <> 'Deleted'
                   and n.seq <> (select seq from old)
                 order by n.seq limit 1),
                (select n.seq from notifications n where n.user_id = :user
                 order by n.seq desc limit 1)
            ))
        where user_id = :user and exists (select from old)
    )
    select from old
""")
async def delete(db: Db, user: str, notification: str) -> bool:
    """Delete one notification. False if the user has none with this id, or no more."""


def _up_to(condition: str) -> str:
    """Common table expressions: `upto` has the number of the notification with an id, or a number
    that is at most the newest; `old` the first rows up to it with this condition, locked."""
    return f"""
    upto as materialized (
        ({by_id(":user", ":notification::uuid")})
        union all
        select least(:number::bigint, seq) from notification_counters
        where user_id = :user and :number::bigint is not null
    ), old as materialized (
        select n.seq, n.read from notifications n
        where n.user_id = :user and n.seq <= (select seq from upto) and {condition}
          and n.seq > greatest(:after::bigint, (
              select c.deleted from notification_counters c where c.user_id = :user
          ))
        order by n.seq limit :rows
        for update
    ), reached as materialized (
        select upto.seq as upto, coalesce(max(old.seq), 0) as last, count(old.seq) as changed,
               count(old.seq) filter (where not old.read) as unread
        from upto left join old on true
        group by upto.seq
    )"""


def after_all(changed: str) -> str:
    """A condition that is always true, and has Postgres change the rows before it locks the
    counter. Otherwise it does so afterwards, while the user's new notifications wait."""
    return f"(select count(*) from {changed}) is not null"


@maybe(f"""
    with {_up_to("not n.read and n.kind <> 'Deleted'")}, marked as (
        update notifications n set read = true
        from old where n.user_id = :user and n.seq = old.seq
        returning 1
    ), counter as (
        update notification_counters c set unread = c.unread - r.unread, changes = c.changes + 1
        from reached r
        where c.user_id = :user and r.changed > 0 and {after_all("marked")}
    )
    select upto, last, changed from reached
""")
async def mark_up_to(
    db: Db, user: str, notification: str | None, number: int | None, after: int, rows: int
) -> Reached | None:
    """Set the read flags of the first `rows` unread notifications after the number `after`, up to
    the one with this id or number. None if the user has no such one."""


@maybe(f"""
    with {_up_to("n.kind <> 'Deleted'")}, gone as (
        update notifications n set {_EMPTY}
        from old where n.user_id = :user and n.seq = old.seq
        returning 1
    ), counter as (
        update notification_counters c
        set unread = c.unread - r.unread, changes = c.changes + (r.changed > 0)::int,
            deleted = greatest(c.deleted, case when r.changed < :rows then r.upto else r.last end)
        from reached r
        where c.user_id = :user and (r.changed > 0 or c.deleted < r.upto) and {after_all("gone")}
    )
    select upto, last, changed from reached
""")
async def delete_up_to(
    db: Db, user: str, notification: str | None, number: int | None, after: int, rows: int
) -> Reached | None:
    """Delete the first `rows` notifications after the number `after`, up to the one with this id or
    number, in the order of their numbers. None if the user has no such one."""


@maybe("select muted from notification_counters where user_id = :user")
async def muted(db: Db, user: str) -> list[str] | None:
    """The kinds that the user has muted. None if the user has no counter."""


@found("""
    insert into notification_counters as c (user_id, seq, unread)
    select id, 0, 0 from users where id = :user
    on conflict (user_id) do update set muted = c.muted
    returning 1
""")
async def lock_muted(tx: Db, user: str) -> bool:
    """Lock the user's mutes until the transaction ends. False if there is no such user."""


@found("""
    insert into notification_counters (user_id, seq, unread, muted)
    select id, 0, 0, :kinds::text[] from users where id = :user
    on conflict (user_id) do update set muted = excluded.muted
    returning 1
""")
async def mute(db: Db, user: str, kinds: list[str]) -> bool:
    """Mute these kinds, and no others. False if there is no such user.

    What commits afterwards is of none of these kinds: the insert tests them under the lock of the
    counter's row.
    """
