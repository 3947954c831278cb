"""`contentsvc status`: what an operator wants to know at a glance."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from msgspec import Struct, structs

from contentsvc.command.database import database
from contentsvc.command.terminal import CommandError, day, moment, say, size, some, span
from contentsvc.config import Settings
from contentsvc.framework.core import build
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.query import Db
from contentsvc.store import daily_totals, processes, service
from contentsvc.store import status as store
from contentsvc.store.events import webhooks
from contentsvc.store.processes import Process
from contentsvc.store.schema_definition import names, newer
from contentsvc.store.service import Maintenance
from contentsvc.store.status import Count, Failure, Oldest, Reported, Waiting
from contentsvc.store.tasks import DeliverWebhook, SendMail
from contentsvc.wire.base import tag_of
from contentsvc.wire.moderation import DayStatistics

ATTENTION = 2
"""The exit status where something needs the operator."""
SILENT = 15
"""Seconds after its last report when a process may be dead."""
EXACT = 10_000
"""Most users, and most subjects with open reports, that are counted."""
SAMPLE = 1000
"""Users whose logs are read for the oldest notification."""
_OFF = 'OFF, because files is not set: write files = "local", "s3" or "external"'
SHOWN = 10
"""Tasks that are shown of those that fail."""
_MAILS = tag_of(SendMail)
_OTHERS = [_MAILS, tag_of(DeliverWebhook)]
"""The queues that have lines of their own."""


class Outbox(Waiting):
    """Tasks other than mails and webhooks. `failures` are some of those that fail."""

    failures: list[Failure]


class Mails(Struct):
    """How many mails wait, the age of the oldest, and how many the mail server has put off."""

    waiting: int
    oldest: int
    put_off: int


class WebhookFailure(Struct):
    """A webhook that fails since then, in Unix seconds, or was turned off, and why."""

    id: str
    turned_off: bool
    since: int | None
    error: str | None


class Webhooks(Struct):
    """How many webhooks there are, how many fail, and how many the service has turned off.
    `failures` are some of both."""

    hooks: int
    failing: int
    turned_off: int
    failures: list[WebhookFailure]


class Status(Struct):
    """All that `contentsvc status` knows. `version` has the commit of this build where that is
    known. `missing` are the migrations that this version needs and
    the database lacks, `unknown` those that a newer version has applied. `outbox`, `mails`,
    `webhooks`, `reports`, `users` and `oldest_notification` are None where the schema is too old to
    have them.
    `maintenance` is None while the service is open.
    `files` is the setting of this name, and `files_off` says that it is `external` only because it
    is not set. `restoring` says why nothing may use the database, while it is being restored; no
    more than its size is known then. Times and ages are in seconds."""

    version: str
    postgres: str
    bytes: int
    files: str
    files_off: bool
    missing: list[str]
    unknown: list[str]
    processes: list[Process] = []
    users: Count | None = None
    outbox: Outbox | None = None
    mails: Mails | None = None
    webhooks: Webhooks | None = None
    reports: Reported | None = None
    maintenance: Maintenance | None = None
    oldest_notification: Oldest | None = None
    restoring: str | None = None

    @property
    def running(self) -> list[Process]:
        """The processes that have reported lately."""
        return [process for process in self.processes if process.seen <= SILENT]

    @property
    def exit_status(self) -> int:
        """0 if nothing needs the operator, else ATTENTION."""
        fails = any(process.failing for process in self.running)
        waits = self.outbox is not None and self.outbox.failing > 0
        hooks = self.webhooks is not None and bool(self.webhooks.failures)
        broken = self.restoring is not None or self.missing
        return ATTENTION if broken or fails or waits or hooks else 0


async def look(db: Db, files: str, *, files_off: bool, restoring: str | None = None) -> Status:
    """The present status. `files` and `files_off` are what the settings say. If `restoring` says
    why, no table is read."""
    server = await store.server(db)
    readable = restoring is None
    applied = await store.applied(db) if server.has_upgrades and readable else []
    found = Status(
        version=build.name(),
        postgres=server.version,
        bytes=server.bytes,
        files=files,
        files_off=files_off,
        restoring=restoring,
        missing=[name for name in names() if name not in applied and readable],
        unknown=newer(applied),
    )
    if not readable:
        return found
    if server.has_processes:
        found.processes = await processes.listed(db)
    if server.has_tasks:
        waiting = await store.waiting(db, _OTHERS, False)
        failures = await store.failures(db, _OTHERS, SHOWN)
        found.outbox = Outbox(**structs.asdict(waiting), failures=failures)
        mails = await store.waiting(db, [_MAILS], True)
        found.mails = Mails(mails.rows, mails.oldest, mails.failing)
    if server.has_webhooks:
        rows = await webhooks.failing(db, SHOWN)
        found.webhooks = Webhooks(
            *await webhooks.totals(db), failures=[WebhookFailure(*row) for row in rows]
        )
    if server.has_reports:
        found.reports = await store.reported(db, EXACT)
    if server.has_maintenance:
        found.maintenance = await service.present(db)
    if server.has_logs:
        found.users = await store.users(db, EXACT)
        found.oldest_notification = await store.oldest_notification(db, SAMPLE)
    return found


def lines(status: Status) -> Iterator[str]:
    """The lines for a reader."""
    yield line("Version", status.version)
    if status.restoring is not None:
        yield line("Schema", f"restoring: {status.restoring}")
    elif status.missing == names() and status.outbox is None:
        yield line("Schema", "none yet")
    elif status.missing:
        yield line("Schema", f"migrations missing: {', '.join(status.missing)}")
    else:
        newer = f"; from a newer version: {', '.join(status.unknown)}" if status.unknown else ""
        yield line("Schema", f"current{newer}")
    yield line("Database", f"{size(status.bytes)}, Postgres {status.postgres}")
    yield line("Files", _OFF if status.files_off else status.files)
    if status.maintenance is not None:
        yield line("Maintenance", _maintenance(status.maintenance))
    yield line("Processes", str(len(status.running) or "none"))
    for process in status.processes:
        silent = f", silent for {span(process.seen)}" if process.seen > SILENT else ""
        yield (
            f"  {process.host} {process.pid}: version {process.version}, "
            f"up {span(process.up)}, sockets {process.sockets}, users {process.users}{silent}"
        )
        for failing in process.failing:
            yield f"    cannot {failing.name} since {moment(failing.since)}: {failing.error}"
    yield line("Sockets", str(sum(process.sockets for process in status.running)))
    if status.users is not None:
        connected = sum(process.users for process in status.running)
        about = "about " if status.users.estimated else ""
        yield line("Users", f"{about}{status.users.count:,}, connected: {connected}")
    yield from _queues(status)
    if status.reports is not None:
        yield line("Reports", _reports(status.reports))
    if status.oldest_notification is not None:
        yield line("Oldest notification", _oldest(status.oldest_notification))


def _maintenance(found: Maintenance) -> str:
    until = "" if found.until is None else f" until {moment(found.until)}"
    reads = ", reads are answered" if found.reads else ""
    says = "" if found.message is None else f": {found.message}"
    return f"on since {moment(found.started)}{until}{reads}{says}"


def _queues(status: Status) -> Iterator[str]:
    if status.outbox is not None:
        yield from _outbox(status.outbox)
    if status.mails is not None:
        yield line("Mails", _mails(status.mails))
    if status.webhooks is not None:
        yield from _webhooks(status.webhooks)


def _outbox(outbox: Outbox) -> Iterator[str]:
    rows = f"{some(outbox.rows, 'row')}, the oldest {span(outbox.oldest)} old"
    failing = f", failing: {outbox.failing:,}" if outbox.failing else ""
    yield line("Outbox", rows + failing if outbox.rows else "empty")
    for row in outbox.failures:
        yield (
            f"  {row.kind}, {span(row.age)} old, failed {row.tries} times, "
            f"again in {span(row.again)}: {row.failure}"
        )


def _mails(mails: Mails) -> str:
    if not mails.waiting:
        return "none wait"
    put_off = f", put off: {mails.put_off:,}" if mails.put_off else ""
    return f"{some(mails.waiting, 'mail')} to send, the oldest {span(mails.oldest)} old{put_off}"


def _webhooks(found: Webhooks) -> Iterator[str]:
    failing = f", failing: {found.failing:,}" if found.failing else ""
    off = f", turned off: {found.turned_off:,}" if found.turned_off else ""
    yield line("Webhooks", f"{found.hooks:,}{failing}{off}" if found.hooks else "none")
    for hook in found.failures:
        state = "turned off" if hook.turned_off else "failing"
        since = "" if hook.since is None else f", failing since {moment(hook.since)}"
        since = since if hook.turned_off else since.removeprefix(", failing")
        yield f"  {hook.id}: {state}{since}: {hook.error or ''}"


def _reports(reports: Reported) -> str:
    if not reports.subjects:
        return "none open"
    subjects = f"{'over ' if reports.more else ''}{some(reports.subjects, 'subject')}"
    return f"open for {subjects}, the oldest {span(reports.oldest)} old"


def _oldest(oldest: Oldest) -> str:
    if oldest.created is None:
        return "none"
    only = f" (of {SAMPLE:,} users)" if oldest.estimated else ""
    return f"{moment(oldest.created)}{only}"


def line(name: str, value: str) -> str:
    """One number of many, under each other."""
    return f"{name + ':':<21}{value}"


_YEAR = timedelta(days=365)


def add(command: argparse.ArgumentParser) -> None:
    """Add its options."""
    command.add_argument("--csv", action="store_true", required=True, help="as CSV, with a header")
    command.add_argument("--from", dest="first", metavar="DAY", help="the first day, in UTC")
    command.add_argument("--to", dest="last", metavar="DAY", help="the last day; by default today")


def run(settings: Settings, arguments: argparse.Namespace) -> None:
    """Print the numbers of each day; by default those of the last 366 days."""
    last = datetime.now(UTC).date() if arguments.last is None else day("--to", arguments.last)
    first = last - _YEAR if arguments.first is None else day("--from", arguments.first)
    if first > last:
        raise CommandError("--from must not be after --to")

    async def read(db: Db) -> list[DayStatistics]:
        return await daily_totals.of_days(db, first.isoformat(), last.isoformat())

    with database(settings, existing=True) as dsn:
        found = in_transaction(dsn, read)
    rows = [structs.astuple(one) for one in found]
    say(*(",".join(map(str, row)) for row in (DayStatistics.__struct_fields__, *rows)))
