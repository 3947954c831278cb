"""`contentsvc service add`: an account for a program of the studio (studio#service-accounts)."""

import argparse
from collections.abc import Callable
from typing import Any, Final
from uuid import uuid4

from msgspec import ValidationError, convert

from contentsvc.command.database import database
from contentsvc.command.terminal import CommandError, is_text, say
from contentsvc.config import Settings
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.roles import SCOPES
from contentsvc.store.accounts import service_accounts
from contentsvc.tokens import new_secret, secret_hash
from contentsvc.wire.accounts import ServiceAccountBody

_DAY: Final = 24 * 3600
_MOST_DAYS: Final = 36_500


def add(
    commands: Any,
    common: argparse.ArgumentParser,
    command: Callable[..., argparse.ArgumentParser],
) -> None:
    """Add the command."""
    service = commands.add_parser("service", help="add a service account", parents=[common])
    made = command(
        service.add_subparsers(metavar="COMMAND", required=True),
        "add",
        run,
        "add an account for a program, and print its id and a secret",
    )
    made.add_argument("name", metavar="NAME")
    made.add_argument(
        "--scope",
        dest="scopes",
        metavar="S",
        action="extend",
        nargs="+",
        choices=[*SCOPES],
        required=True,
        help=f"what it may do: {', '.join(SCOPES)}; several are possible",
    )
    made.add_argument("--expires", metavar="DAYS", type=int, help="after so many days it ends")


def run(settings: Settings, arguments: argparse.Namespace) -> None:
    """Print only the id and the secret."""
    name, days = arguments.name, arguments.expires
    if days is not None and not 1 <= days <= _MOST_DAYS:
        raise CommandError(f"--expires {days}: write a number of days from 1 to {_MOST_DAYS}")
    expires = None if days is None else int(WallClock().seconds()) + days * _DAY
    body = {"name": name, "scopes": arguments.scopes}
    try:
        convert(body, ServiceAccountBody)
    except ValidationError:
        raise _wrong_name() from None
    if not is_text(name):
        raise _wrong_name()
    id, value = str(uuid4()), new_secret()

    async def make(db: Db) -> None:
        scopes = [scope for scope in SCOPES if scope in arguments.scopes]
        await service_accounts.insert(db, id, name, name.casefold(), scopes, expires)
        await service_accounts.add_secret(db, id, secret_hash(value))

    with database(settings) as dsn:
        try:
            in_transaction(dsn, make)
        except Refused as refused:
            if refused.constraint != "service_accounts_name":
                raise
            raise CommandError(f"another service account has the name {name}") from None
    say(f"{id} {value}")


def _wrong_name() -> CommandError:
    return CommandError("a name must have 1 to 64 characters, and not be blank")
