"""Tells users that what they keep has changed (library §1)."""

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.store.content import library_audience as audience
from contentsvc.store.tasks import AuthorLeft, LibraryChanged
from contentsvc.wire.notifications import Notification, SubscriptionUpdated


async def library_changed(tx: Db, task: LibraryChanged, place: str | None, most: int) -> Batch:
    """The next subscribers of a content. `place` is the number of the last one of the batch
    before."""
    if place is None and await audience.is_superseded(tx, task):
        return Batch([], None)
    if place is None and task.unsettled:
        await audience.await_changes(tx, task.content)
    revision = task.revision
    after, told = int(place or 0), revision is not None
    rows = await audience.keepers(tx, task.content, after, task.upto, told, task.before, most)
    batch: list[tuple[str, Notification]] = []
    if revision is not None:
        updated = SubscriptionUpdated(content=task.content, revision=revision)
        batch = [(row.user_id, updated) for row in rows if row.due]
    last = str(rows[-1].number) if len(rows) == most else None
    return Batch(batch, last, libraries=[row.user_id for row in rows if row.concerned])


async def author_left(tx: Db, task: AuthorLeft, place: str | None, most: int) -> Batch:
    """The next subscribers of an author's content. `place` has the numbers of the content and of
    the subscription of the last one of the batch before."""
    content, after = map(int, (place or "0 0").split())
    rows = await audience.keepers_of_author(tx, task.author, content, after, most)
    last = f"{rows[-1].content} {rows[-1].number}" if len(rows) == most else None
    return Batch([], last, libraries=list(dict.fromkeys(row.user_id for row in rows)))
