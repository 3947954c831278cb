"""Notifications of kind `Studio`, which the studio sends to many users (studio#notifications).

A row says how far each is. Each batch locks the row, so that a stop takes effect before the next
one.
"""

from typing import Final, NamedTuple

from msgspec import UNSET, Raw, structs

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store.fragments import BEFORE, Numbered
from contentsvc.store.notifications.notifications import Appended
from contentsvc.wire.notifications import StudioNotification

_OVER: Final = "coalesce(expires <= extract(epoch from clock_timestamp()), false)"
_SENDING: Final = f"state = 'telling' and not {_OVER}"
_COLUMNS: Final = f"""
    id, topic, unix(created) as created, author as by,
    case when state = 'telling' and {_OVER} then 'done' else state end as state,
    told, muted, failed
"""
_TODAY: Final = "(clock_timestamp() at time zone 'utc')::date"


class Text(NamedTuple):
    """A notification to send: the topic, the data as JSON, and until when in Unix seconds.
    `service`: a service account sends it."""

    topic: str
    data: str
    expires: int | None
    service: bool


@found("""
    insert into studio_notifications (id, topic, data, expires, author, service)
    values (:id, :topic, :data, :expires, :author, :service)
    on conflict (id) do nothing
    returning true
""")
async def insert(
    tx: Db, id: str, topic: str, data: str, expires: int | None, author: str, service: bool
) -> bool:
    """Store a notification to send. False if the id is known already."""


@many(f"""
    select number, {_COLUMNS}, case when :data then data end as data
    from studio_notifications where number < {BEFORE}
    order by number desc limit :limit
""")
async def _all(
    db: Db, before: int | None, limit: int, data: bool
) -> list[Numbered[StudioNotification]]:
    """All, the newest first."""


async def all(
    db: Db, before: int | None, limit: int, data: bool
) -> list[Numbered[StudioNotification]]:
    """All, the newest first, with their data or without."""
    rows = await _all(db, before, limit, data)
    return [row._replace(item=_shown(row.item)) for row in rows]


@maybe(f"select {_COLUMNS}, null as data from studio_notifications where id = :id")
async def _get(db: Db, id: str) -> StudioNotification | None:
    """One of them."""


async def get(db: Db, id: str) -> StudioNotification | None:
    """One of them."""
    row = await _get(db, id)
    return None if row is None else _shown(row)


def _shown(row: StudioNotification) -> StudioNotification:
    """What is in its data goes as it is stored."""
    return structs.replace(row, data=Raw(str(row.data).encode()) if row.data else UNSET)


@found(f"""
    update studio_notifications set state = 'stopped' where id = :id and {_SENDING} returning true
""")
async def stop(tx: Db, id: str) -> bool:
    """Notify nobody else. False if nobody else would have been notified."""


@maybe(f"""
    select topic, data, expires, service from studio_notifications where id = :id and {_SENDING}
    for no key update
""")
async def lock(tx: Db, id: str) -> Text | None:
    """Lock one for a batch. None if nobody is notified of it any more."""


@none("""
    update studio_notifications
    set told = told + :notified, muted = muted + :muted, failed = failed + :failed,
        state = case when :done then 'done' else state end
    where id = :id
""")
async def count(tx: Db, id: str, notified: int, muted: int, failed: int, done: bool) -> None:
    """Add the counts of a batch, and whether it was the last."""


@none("update studio_notifications set state = 'done' where id = :id and state = 'telling'")
async def end(tx: Db, id: str) -> None:
    """Note that it is over, unless it was stopped."""


@many("""
    select asked.id from unnest(:users::uuid[]) as asked (id)
    where not exists (select from users u where u.id = asked.id)
""")
async def unknown(db: Db, users: list[str]) -> list[str]:
    """Those of these users who do not exist."""


@one("select coalesce(max(number), 0) from follows where followed = :user")
async def last_follow(db: Db, user: str) -> int:
    """The number up to which those who follow the user belong to their followers of now."""


@maybe("""
    select coalesce((select max(e.number) from challenge_entries e where e.challenge_id = c.id), 0)
    from challenges c where c.id = :challenge
""")
async def last_entry(db: Db, challenge: str) -> int | None:
    """The same of the entries of a challenge. None if there is no such challenge."""


# The clock that a registration begins by and that of the notification are the same.
@many("""
    select u.id from users u
    where u.id > :after
      and u.created <= (select created from studio_notifications where id = :notification)
    order by u.id limit :limit
""")
async def everybody(db: Db, notification: str, after: str, limit: int) -> list[str]:
    """The next users who had registered when it was stored, by their ids."""


@many("""
    select f.follower from follows f
    where f.followed = :user and f.follower > :after and f.number <= :upto
    order by f.follower limit :limit
""")
async def followers(db: Db, user: str, upto: int, after: str, limit: int) -> list[str]:
    """The next followers of a user, up to this follow number, by their ids."""


@many("""
    select distinct e.author_id from challenge_entries e join users u on u.id = e.author_id
    where e.challenge_id = :challenge and e.number <= :upto and not e.hidden
      and e.author_id > :after
    order by e.author_id limit :limit
""")
async def entrants(db: Db, challenge: str, upto: int, after: str, limit: int) -> list[str]:
    """The next authors of active entries of a challenge, up to this number, by their ids."""


@many(f"""
    with counter as (
        insert into notification_counters as c
            (user_id, seq, unread, newest, studio_day, studio_told)
        -- All take their locks in one order.
        select u.id, 1, 1, numbered_id(1, gen_random_uuid()), {_TODAY}, (:most > 0)::integer
        from users u where u.id = any((select :users::uuid[])::uuid[]) order by u.id
        on conflict (user_id) do update
        set seq = c.seq + 1, unread = c.unread + 1,
            newest = numbered_id(c.seq + 1, excluded.newest), previous = c.newest,
            studio_day = case when :most > 0 then excluded.studio_day else c.studio_day end,
            studio_told = excluded.studio_told + case
                when :most = 0 or c.studio_day = excluded.studio_day then c.studio_told else 0 end
        where not c.muted && :mutes::text[]
          and (:most = 0 or c.studio_day is distinct from excluded.studio_day
               or c.studio_told < :most)
        returning user_id, seq, newest as id, previous, clock_timestamp() as created
    ), stored as (
        insert into notifications (user_id, seq, id, kind, data, created)
        select user_id, seq, id, 'Studio', :data, created from counter
    )
    select user_id, seq, id, unix(created) as created, previous from counter
""")
async def notify(
    tx: Db, users: list[str], data: str, mutes: list[str], most: int
) -> list[Appended]:
    """Store a notification of kind `Studio`, this JSON, for each of these users who exist, have
    muted none of the `mutes`, and have had less than `most` on this UTC day. With 0 it neither
    counts nor is limited."""


@one("""
    select count(*) from notification_counters
    where user_id = any((select :users::uuid[])::uuid[]) and muted && :mutes::text[]
""")
async def muting(db: Db, users: list[str], mutes: list[str]) -> int:
    """How many of these users have muted one of the `mutes`."""
