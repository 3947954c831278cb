"""Notifies users of what the studio has to say: its notifications, and that its announcements have
changed (studio#notifications)."""

from collections.abc import Awaitable, Callable
from math import ceil
from typing import NamedTuple

from attrs import define, field
from msgspec import UNSET, Raw

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.push.notifier import data_of
from contentsvc.store import tasks
from contentsvc.store.fragments import NIL
from contentsvc.store.notifications import announcements, studio_notifications
from contentsvc.store.notifications.notifications import Following
from contentsvc.wire.base import tag_of
from contentsvc.wire.notifications import OF_TOPIC, Studio

ANNOUNCEMENTS_EVERY = 3.0
"""Seconds between two checks while one fails. Otherwise the check for all that waits begins it."""
READS = 200
"""Clients of a process that read the announcements in one second, all in all."""


def within(sockets: int) -> int:
    """The seconds within which the clients of this many sockets shall read, each at random."""
    return max(1, ceil(sockets / READS))


@define(eq=False)
class AnnouncementWatch:
    """Notifies all sockets when the announcements have changed: `notify` sends them the seconds
    within which they shall read, and there are `sockets` of them.

    Each process checks by itself. So nothing is lost with a process or with the bus, and
    announcements that begin or end by the clock need no further mechanism.
    """

    _db: Db
    _sockets: Callable[[], int]
    _notify: Callable[[int], Awaitable[None]]
    state: str | None = field(default=None, init=False)
    """What the last check has found."""

    async def run(self) -> None:
        """Check. The first check notifies nobody: clients that have connected read after that.
        Raises what the database raises."""
        before, self.state = self.state, await announcements.state_of_all(self._db)
        if before is not None and before != self.state:
            await self._notify(within(self._sockets()))


class StudioLimits(NamedTuple):
    """How many notifications of service accounts a user may get in a UTC day, 0 for any number, and
    which topics go to those too who have muted them."""

    per_day: int = 0
    unmutable: frozenset[str] = frozenset()


async def studio_notification(
    tx: Db, task: tasks.StudioNotification, place: str | None, most: int, *, limits: StudioLimits
) -> Batch:
    """The next users of the audience. `place` is the id of the last one of the batch before."""
    id = task.notification
    text = await studio_notifications.lock(tx, id)
    if text is None:
        await studio_notifications.end(tx, id)
        return Batch([], None)
    users = await _next(tx, task, place or NIL, most)
    topic, expires = text.topic, UNSET if text.expires is None else text.expires
    data = data_of(Studio(topic=topic, data=Raw(text.data.encode()), expires=expires))
    mutes = [] if topic in limits.unmutable else [tag_of(Studio), OF_TOPIC + topic]
    per_day = limits.per_day if text.service else 0
    rows = await studio_notifications.notify(tx, users, data, mutes, per_day)
    notified = {row.user_id for row in rows}
    left = [user for user in users if user not in notified]
    muted = await studio_notifications.muting(tx, left, mutes) if left else 0
    last = users[-1] if len(users) == most else None
    await studio_notifications.count(tx, id, len(rows), muted, len(left) - muted, last is None)
    stored = [
        Following(row.user_id, row.seq, row.id, row.created, False, data, row.previous)
        for row in rows
    ]
    return Batch([], last, stored)


async def _next(tx: Db, task: tasks.StudioNotification, after: str, most: int) -> list[str]:
    match task.audience, task.of:
        case "everybody", _:
            return await studio_notifications.everybody(tx, task.notification, after, most)
        case "followers", str(user):
            return await studio_notifications.followers(tx, user, task.upto, after, most)
        case "entrants", str(challenge):
            return await studio_notifications.entrants(tx, challenge, task.upto, after, most)
    return [user for user in task.users if user > after][:most]
