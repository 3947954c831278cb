"""`contentsvc legal log`: what an operator owes the public of decisions (notices#the-log)."""

import argparse
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

from msgspec import json

from contentsvc.command.database import database
from contentsvc.command.terminal import CommandError, day, say_json
from contentsvc.config import Settings
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.query import Db
from contentsvc.store.moderation import legal_log
from contentsvc.store.moderation.legal_log import Entry, Place


def add(
    commands: Any,
    common: argparse.ArgumentParser,
    command: Callable[..., argparse.ArgumentParser],
) -> None:
    """Add the command."""
    made = commands.add_parser(
        "legal", help="report what moderators have decided", parents=[common]
    )
    log = command(
        made.add_subparsers(metavar="COMMAND", required=True),
        "log",
        run,
        "print decisions, appeals, notices and months, a JSON line of each",
    )
    about = "day, in UTC, such as 2026-11-22"
    log.add_argument(
        "--from", dest="first", metavar="DATE", required=True, help=f"the first {about}"
    )
    log.add_argument("--to", dest="last", metavar="DATE", required=True, help=f"the last {about}")


def run(settings: Settings, arguments: argparse.Namespace) -> None:
    """Print the lines, in the order in which what they are about began."""
    first, last = day("--from", arguments.first), day("--to", arguments.last)
    if first > last:
        raise CommandError("--from must not be after --to")
    start = int(datetime(first.year, first.month, first.day, tzinfo=UTC).timestamp())

    async def write(db: Db) -> None:
        months = await legal_log.months(db, first.isoformat(), last.isoformat())
        async for entry in _entries(db, start, last.isoformat()):
            while months and months[0].created * 1_000_000 <= entry.at:
                _say_month(*months.pop(0))
            say_json(entry.line)
        for month in months:
            _say_month(*month)

    with database(settings, existing=True) as dsn:
        in_transaction(dsn, write)


async def _entries(db: Db, start: int, last: str) -> AsyncIterator[Entry]:
    """All entries since a moment in Unix seconds, a part at a time."""
    place = Place(start * 1_000_000, 0, "")
    while found := await legal_log.page(db, place, last):
        for entry in found:
            yield entry
        place = found[-1].place


def _say_month(month: str, created: int, users: int) -> None:
    line = {"type": "month", "id": month, "created": created, "users": users}
    say_json(json.encode(line).decode())
