"""Tells those who have reported something what admins have decided (extensions §7)."""

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.moderation import reports
from contentsvc.wire.notifications import ReportResolved


async def reports_resolved(
    tx: Db, task: tasks.ReportsResolved, place: str | None, most: int
) -> Batch:
    """The next reporters. `place` is the number of the last report whose reporter was told."""
    notification = ReportResolved(subject=task.subject, outcome=task.outcome)
    after = task.after if place is None else int(place)
    rows = await reports.reporters(tx, task.number, after, task.upto, most)
    last = str(rows[-1].number) if len(rows) == most else None
    return Batch([(row.user_id, notification) for row in rows], last)
