"""Tells an author's followers of what was published (extensions §1)."""

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.content import publication_audience
from contentsvc.wire.notifications import ContentPublished, Notification, RevisionPublished


async def published(
    tx: Db, task: tasks.Publication, place: str | None, most: int, *, within: int = 0
) -> Batch:
    """The next followers, with what was published; only those who were seen `within` so many days,
    0: all. `place` is the follow number of the last one of the batch before."""
    after = int(place or 0)
    if place is None and isinstance(task, tasks.ContentPublished):
        await publication_audience.begin(tx, task.author, task.content)
    rows = await publication_audience.followers(
        tx, task.author, task.content, after, task.upto, within, most
    )
    last = str(rows[-1].number) if len(rows) == most else None
    notification = notification_of(task)
    return Batch([(row.user_id, notification) for row in rows if row.due], last)


def notification_of(task: tasks.Publication) -> Notification:
    """What followers are told."""
    if isinstance(task, tasks.RevisionPublished):
        return RevisionPublished(author=task.author, content=task.content, revision=task.revision)
    return ContentPublished(author=task.author, content=task.content)
