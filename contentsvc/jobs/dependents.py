"""Tells the authors of dependents what happened to a content (extensions §1)."""

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.store.content import dependents
from contentsvc.store.fragments import NIL
from contentsvc.store.tasks import DependencyChanged
from contentsvc.wire.notifications import DependencyStatus


async def dependency_changed(
    tx: Db, task: DependencyChanged, place: str | None, most: int, *, reach: int = dependents.MOST
) -> Batch:
    """The next authors, each with the newest of their dependents. `place` is the last author of the
    batch before."""
    given = task.dependency, task.actor, task.by_author
    rows = await dependents.authors(tx, *given, place or NIL, most, reach)
    batch = [
        (
            row.author_id,
            DependencyStatus(
                dependency=task.dependency,
                status=task.status,
                content=row.newest,
                contents=row.contents,
            ),
        )
        for row in rows
        if row.due
    ]
    return Batch([*batch], rows[-1].author_id if len(rows) == most else None)
