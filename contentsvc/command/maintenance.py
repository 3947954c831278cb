"""`contentsvc maintenance`: closes the service for players, and opens it again
(docs/guides/maintenance.md)."""

import argparse
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from contentsvc.command.database import database
from contentsvc.command.terminal import CommandError, is_text, moment, say
from contentsvc.config import Settings
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.query import Db
from contentsvc.store import service

MOST: Final = 1024
"""Characters of a message."""


def add(
    commands: Any,
    common: argparse.ArgumentParser,
    command: Callable[..., argparse.ArgumentParser],
) -> None:
    """Add it and its own commands, with the `common` options; `command` makes one."""
    made = commands.add_parser(
        "maintenance", help="close the service for players, or open it", parents=[common]
    )
    into = made.add_subparsers(metavar="COMMAND", required=True)
    close = command(into, "on", _close, "refuse requests of players")
    close.add_argument(
        "--until", metavar="TIME", help="when it ends by itself, as 2026-11-22T18:00:00Z"
    )
    close.add_argument("--message", metavar="TEXT", help="what players are told")
    close.add_argument("--reads", action="store_true", help="answer what only reads")
    command(into, "off", _open, "answer requests of players again")


def _close(settings: Settings, arguments: argparse.Namespace) -> None:
    """Close it, or change what is said about it."""
    until = None if arguments.until is None else _time(arguments.until)
    message = arguments.message or None
    if message is not None and (len(message) > MOST or not is_text(message)):
        raise CommandError(f"--message must be UTF-8 text of at most {MOST} characters")

    async def turn_on(db: Db) -> None:
        if not await service.turn_on(db, until, message, arguments.reads):
            raise CommandError(f"--until {arguments.until}: this time has passed")

    with database(settings, existing=True) as dsn:
        in_transaction(dsn, turn_on)
    what = "Requests of players that write" if arguments.reads else "All requests of players"
    end = "contentsvc maintenance off" if until is None else moment(until)
    say(f"{what} are refused within two seconds, until {end}.")


def _open(settings: Settings, arguments: argparse.Namespace) -> None:
    """Open it."""

    with database(settings, existing=True) as dsn:
        was_on = in_transaction(dsn, service.turn_off)
    say("The service opens within two seconds." if was_on else "The service was not closed.")


def _time(text: str) -> int:
    """Unix seconds, floored, of a time of ISO 8601; without an offset it is of UTC. Raises
    CommandError."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            found = found.replace(tzinfo=UTC)
        return int(found.astimezone(UTC).timestamp() // 1)
    except (ValueError, OverflowError):
        raise CommandError(
            f"--until {text}: write a time of ISO 8601, such as 2026-11-22T18:00:00Z"
        ) from None
