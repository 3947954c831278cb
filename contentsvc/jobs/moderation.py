"""Notifies those who have reported something of what admins have decided, and takes away what a
user has made, for a moderator (moderation#moderation)."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import json

from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import put_all
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.fragments import LAST, NIL
from contentsvc.store.moderation import audit_log, clearance, reports
from contentsvc.store.moderation.clearance import Place
from contentsvc.wire.notifications import (
    CommentRemoved,
    ContentSuspended,
    Notification,
    ReportResolved,
)

CLEARED_AT_ONCE: Final = 50
"""Content whose rows a batch locks at once."""

_Notices = list[tuple[str, Notification]]


async def reports_resolved(
    tx: Db, task: tasks.ReportsResolved, place: str | None, most: int
) -> Batch:
    """The next reporters, with what admins have decided. `place` is the number of the last report
    whose reporter was notified."""
    notification = ReportResolved(subject=task.subject, outcome=task.outcome)
    after = task.after if place is None else int(place)
    rows = await reports.reporters(tx, task.number, after, task.upto, most)
    last = str(rows[-1].number) if len(rows) == most else None
    return Batch([(row.user_id, notification) for row in rows], last)


async def user_clearance(tx: Db, task: tasks.UserClearance, place: str | None, most: int) -> Batch:
    """The next batch of what a user has made, which a moderator takes away. `place` names the part
    that it is of, and has the numbers of a Place. The last one notes what was done, if anything
    was."""
    parts = [part for part in _CLEARED if part in task.what]
    name, *numbers = (place or parts[0]).split()
    reached = Place(*map(int, numbers)) if numbers else Place(LAST, LAST)
    notices, reached, done = await _CLEARED[name](tx, task, reached, min(most, CLEARED_AT_ONCE))
    later = parts[parts.index(name) + 1 :]
    if not done or later:
        next = " ".join([later[0] if done else name, *map(str, reached)])
        return Batch(notices, next)
    counts = {"content": reached.content, "comments": reached.comment}
    counts = {**counts, "collections": reached.collection}
    if any(counts.values()):
        asked = {each: counts[each] for each in parts}
        actor = audit_log.OPERATOR if task.admin is None else (task.admin, task.service)
        given = task.user, task.reason, json.encode(asked).decode()
        await audit_log.record_counted(tx, *actor, "user_cleared", "user", *given)
    return Batch(notices, None)


async def _clear_contents(
    tx: Db, task: tasks.UserClearance, place: Place, most: int
) -> tuple[_Notices, Place, bool]:
    rows = await clearance.next_contents(tx, task.user, place.contents, most)
    locked = await clearance.lock(tx, [row.content for row in rows])
    before = {content.id: content.before for content in locked}
    suspended = await clearance.suspend(tx, task.admin, [*before])
    actor = task.admin or NIL
    await put_all(
        tx,
        [
            tasks.DependencyChanged(
                dependency=one.id, status=one.status, actor=actor, by_author=False
            )
            for one in suspended
            if one.used
        ],
    )
    kept = [one.id for one in suspended if one.kept]
    await put_all(tx, [tasks.LibraryChanged(content=one, before=before[one]) for one in kept])
    notices: _Notices = [
        (task.user, ContentSuspended(content=one.id, reason=task.reason)) for one in suspended
    ]
    reached = place._replace(content=place.content + len(suspended))
    if rows:
        reached = reached._replace(contents=rows[-1].number)
    return notices, reached, len(rows) < most


async def _clear_comments(
    tx: Db, task: tasks.UserClearance, place: Place, most: int
) -> tuple[_Notices, Place, bool]:
    rows = await clearance.next_comments(tx, task.user, place.comments, most)
    await clearance.lock(tx, sorted({row.content for row in rows}))
    removed = await clearance.remove(tx, task.admin, [row.number for row in rows])
    notices: _Notices = [
        (task.user, CommentRemoved(content=one.content, comment=one.comment, reason=task.reason))
        for one in removed
    ]
    reached = place._replace(comment=place.comment + len(removed))
    if rows:
        reached = reached._replace(comments=rows[-1].number)
    return notices, reached, len(rows) < most


async def _clear_collections(
    tx: Db, task: tasks.UserClearance, place: Place, most: int
) -> tuple[_Notices, Place, bool]:
    gone = await clearance.delete_collections(tx, task.user)
    done = gone < clearance.COLLECTIONS
    if done and await clearance.hide_favourites(tx, task.user):
        gone += 1
    return [], place._replace(collection=place.collection + gone), done


_CLEARED: dict[
    str,
    Callable[[Db, tasks.UserClearance, Place, int], Awaitable[tuple[_Notices, Place, bool]]],
] = {"content": _clear_contents, "comments": _clear_comments, "collections": _clear_collections}
"""What is taken away, in this order. Each gives the notifications of a batch, the place that it has
reached, and whether that is the end."""
