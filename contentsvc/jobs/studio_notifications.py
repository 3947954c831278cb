"""Tells what the studio notifies many of (studio §4)."""

from typing import NamedTuple

from msgspec import UNSET, Raw

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.push.notifier import data_of
from contentsvc.store import tasks
from contentsvc.store.fragments import NIL
from contentsvc.store.notifications import studio_notifications as store
from contentsvc.store.notifications.notifications import Following
from contentsvc.wire.base import tag_of
from contentsvc.wire.notifications import OF_TOPIC, Studio


class Limits(NamedTuple):
    """How many notifications of service accounts a user may get in a UTC day, 0 for any number, and
    which topics are told to those too who have muted them."""

    per_day: int = 0
    unmutable: frozenset[str] = frozenset()


async def studio_notification(
    tx: Db, task: tasks.StudioNotification, place: str | None, most: int, *, limits: Limits
) -> Batch:
    """The next users of the audience. `place` is the id of the last one of the batch before."""
    id = task.notification
    text = await store.hold(tx, id)
    if text is None:
        await store.end(tx, id)
        return Batch([], None)
    users = await _next(tx, task, place or NIL, most)
    topic, expires = text.topic, UNSET if text.expires is None else text.expires
    data = data_of(Studio(topic=topic, data=Raw(text.data.encode()), expires=expires))
    mutes = [] if topic in limits.unmutable else [tag_of(Studio), OF_TOPIC + topic]
    rows = await store.tell(tx, users, data, mutes, limits.per_day if text.service else 0)
    told = {row.user_id for row in rows}
    left = [user for user in users if user not in told]
    muted = await store.muting(tx, left, mutes) if left else 0
    last = users[-1] if len(users) == most else None
    await store.count(tx, id, len(rows), muted, len(left) - muted, last is None)
    stored = [
        Following(row.user_id, row.seq, row.id, row.created, False, data, row.previous)
        for row in rows
    ]
    return Batch([], last, stored)


async def _next(tx: Db, task: tasks.StudioNotification, after: str, most: int) -> list[str]:
    match task.audience, task.of:
        case "everybody", _:
            return await store.everybody(tx, task.notification, after, most)
        case "followers", str(user):
            return await store.followers(tx, user, task.upto, after, most)
        case "entrants", str(challenge):
            return await store.entrants(tx, challenge, task.upto, after, most)
    return [user for user in task.users if user > after][:most]
