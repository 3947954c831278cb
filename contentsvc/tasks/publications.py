"""Tells an author's followers of what was published (extensions §1)."""

from contentsvc.db.query import Db
from contentsvc.store import tasks
from contentsvc.store.content import publication_audience
from contentsvc.tasks.steps import Batch
from contentsvc.wire.notifications import ContentPublished, Notification, RevisionPublished


async def content_published(
    tx: Db, task: tasks.ContentPublished, place: str | None, most: int
) -> Batch:
    """The next followers, with the new content."""
    notification = ContentPublished(author=task.author, content=task.content)
    return await _followers(tx, task, place, most, notification)


async def revision_published(
    tx: Db, task: tasks.RevisionPublished, place: str | None, most: int
) -> Batch:
    """The next followers, with the new revision."""
    notification = RevisionPublished(
        author=task.author, content=task.content, revision=task.revision
    )
    return await _followers(tx, task, place, most, notification)


async def _followers(
    tx: Db,
    task: tasks.ContentPublished | tasks.RevisionPublished,
    place: str | None,
    most: int,
    notification: Notification,
) -> Batch:
    """`place` is the follow number of the last one who was told."""
    rows = await publication_audience.followers(
        tx, task.author, task.content, int(place or 0), task.upto, most
    )
    last = str(rows[-1].number) if len(rows) == most else None
    return Batch([(row.user_id, notification) for row in rows], last)
