"""`contentsvc statistics`: what happened on each day, for a table (studio#statistics)."""

import argparse
from datetime import UTC, date, datetime, timedelta

from msgspec import structs

from contentsvc.command.database import database
from contentsvc.command.terminal import CommandError, say
from contentsvc.config import Settings
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.query import Db
from contentsvc.store import daily_totals
from contentsvc.wire.moderation import DayStatistics

_YEAR = timedelta(days=365)


def add(command: argparse.ArgumentParser) -> None:
    """Add its options."""
    command.add_argument("--csv", action="store_true", required=True, help="as CSV, with a header")
    command.add_argument("--from", dest="first", metavar="DAY", help="the first day, in UTC")
    command.add_argument("--to", dest="last", metavar="DAY", help="the last day; by default today")


def run(settings: Settings, arguments: argparse.Namespace) -> None:
    """Print the numbers of each day; by default those of the last 366 days."""
    last = datetime.now(UTC).date() if arguments.last is None else _day("--to", arguments.last)
    first = last - _YEAR if arguments.first is None else _day("--from", arguments.first)
    if first > last:
        raise CommandError("--from must not be after --to")

    async def read(db: Db) -> list[DayStatistics]:
        return await daily_totals.of_days(db, first.isoformat(), last.isoformat())

    with database(settings, existing=True) as dsn:
        found = in_transaction(dsn, read)
    rows = [structs.astuple(day) for day in found]
    say(*(",".join(map(str, row)) for row in (DayStatistics.__struct_fields__, *rows)))


def _day(option: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise CommandError(f"{option} {text}: write a day such as 2026-11-22") from None
