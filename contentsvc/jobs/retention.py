"""Deletes old notifications, expired sessions, and whatever else has grown too old.

Each kind of data has a job. Every process tries every half minute, or every ten minutes; the
database lets one process work at a time. A round checks the logs of a thousand users, and the next
round continues with the next thousand. With a million users, each log's turn comes three times a
day.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple

from twisted.logger import Logger

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.runner import Job
from contentsvc.store import processes, retention
from contentsvc.store.events import events
from contentsvc.store.moderation import decisions, old_reports
from contentsvc.store.social import removal

EVERY = 30.0
"""Seconds between two rounds."""
RARELY = 600.0
"""Seconds between two rounds of what nobody misses or waits for, which an index finds by its age: a
round that finds nothing costs the database most."""
PAUSE = 0.2
"""Seconds between two batches of a round, in which others can use the database and the files."""
MARGIN = 24 * 3600
"""Seconds for which a session is stored after its last refresh token has expired. It is more than
the life of an access token, for which the end of a session matters."""

log = Logger()


class Deleted(NamedTuple):
    """What a batch has deleted, and whether there may be more."""

    rows: int
    again: bool


class Deletion:
    """Deletes one kind of data, `what`, batch by batch. A line in the log says how many went."""

    def __init__(self, what: str, delete: Callable[[], Awaitable[Deleted]]) -> None:
        self._what = what
        self._delete = delete
        self._total = 0

    async def run(self) -> float | None:
        """Delete a batch."""
        deleted = await self._delete()
        self._total += deleted.rows
        if deleted.again:
            return PAUSE
        if self._total:
            # Log: so much old data has gone. Do: nothing, see
            # docs/guides/data.md#automatic-deletion.
            log.info("Deleted {what}: {total}", what=self._what, total=self._total)
            self._total = 0
        return None


class Notifications:
    """The walk over the users' logs, for notifications older than `days`."""

    def __init__(self, db: Db, days: int) -> None:
        self._db = db
        self._days = days
        self._start = retention.FIRST

    async def delete(self) -> Deleted:
        """Delete a batch."""
        step = await retention.trim_notifications(self._db, self._days, self._start)
        if step.ours:
            self._start = step.next or retention.FIRST
        return Deleted(step.deleted, step.again)


def notes(db: Db, trim: Callable[[Db], Awaitable[int]]) -> Callable[[], Awaitable[Deleted]]:
    """What deletes a batch of NOTES rows with a statement."""

    async def delete() -> Deleted:
        rows = await trim(db)
        return Deleted(rows, rows == retention.NOTES)

    return delete


def often(what: str, delete: Callable[[], Awaitable[Deleted]]) -> Job:
    """The job that deletes this kind of data each EVERY seconds."""
    return Job(f"delete {what}", EVERY, Deletion(what, delete).run)


def rarely(what: str, delete: Callable[[], Awaitable[Deleted]]) -> Job:
    """The job that deletes this kind of data each RARELY seconds."""
    return Job(f"delete {what}", RARELY, Deletion(what, delete).run)


def of_accounts(db: Db) -> list[Job]:
    """What is deleted of sessions, names and mails."""

    async def sessions() -> Deleted:
        batch = await retention.trim_sessions(db, MARGIN)
        return Deleted(batch.sessions, batch.tokens == retention.TOKENS)

    return [
        rarely("expired sessions", sessions),
        rarely("names of users who have left", notes(db, retention.trim_departures)),
        rarely("names that users had before", notes(db, retention.trim_former_names)),
        rarely("notes of ended tokens", notes(db, retention.trim_grants)),
        rarely("old portal codes", notes(db, retention.trim_portal_codes)),
        rarely("old mails", notes(db, retention.trim_mails)),
    ]


def of_content(db: Db) -> list[Job]:
    """What is deleted of the notes of who was notified."""
    revisions = notes(db, retention.trim_subscription_tellings)
    return [
        rarely("notes of who was told of dependencies", notes(db, retention.trim_tellings)),
        rarely("notes of who was told of revisions", revisions),
    ]


def of_social(db: Db) -> list[Job]:
    """What is deleted of messages that were taken away."""

    async def messages() -> Deleted:
        rows = await removal.forget(db)
        return Deleted(rows, rows == removal.BATCH)

    return [rarely("texts of messages that were taken away", messages)]


def of_notifications(db: Db, days: int) -> list[Job]:
    """The deletion of notifications older than so many days; 0: none."""
    if not days:
        return []
    studio = notes(db, partial(retention.trim_studio_notifications, days=days))
    return [
        often("old notifications", Notifications(db, days).delete),
        rarely("old notifications of the studio", studio),
    ]


def of_events(db: Db, days: int) -> list[Job]:
    """The deletion of events older than so many days; 0: none."""

    async def delete() -> Deleted:
        rows = await events.trim(db, days)
        return Deleted(rows, rows == events.TRIMMED)

    return [rarely("old events", delete)] if days else []


def of_reports(db: Database, reports_days: int, notices_days: int) -> list[Job]:
    """The deletion of reports that were closed so many days ago, and of who has sent notices that
    are older than so many days; 0: none."""
    found = []
    if reports_days:

        async def closed() -> Deleted:
            async with db.transaction() as tx:
                return Deleted(*await old_reports.delete(tx, reports_days))

        found.append(rarely("closed reports", closed))
    if notices_days:
        erase = notes(db, partial(old_reports.erase_notices, days=notices_days))
        found.append(rarely("who has sent notices", erase))
    return found


def of_moderation(db: Db) -> list[Job]:
    """What is deleted of decisions that nobody can appeal any more."""
    return [rarely("facts of old decisions", notes(db, decisions.forget_facts))]


def of_service(db: Db) -> list[Job]:
    """What is deleted that belongs to no domain."""

    async def dead() -> Deleted:
        return Deleted(await processes.forget_dead(db), False)

    return [
        often("processes that have died", dead),
        rarely("notes of limits", notes(db, retention.trim_rate_limits)),
    ]
