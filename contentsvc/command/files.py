"""`contentsvc files`: what files take, whether they are all there, and how they move to another
place."""

import argparse
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from uuid import uuid4

import msgspec
from msgspec import structs

from contentsvc.command.database import database
from contentsvc.command.status import ATTENTION, line
from contentsvc.command.terminal import CommandError, say, say_json, size, some
from contentsvc.config import Settings
from contentsvc.framework.config.kinds import seconds
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.query import Db
from contentsvc.store.files import folders, inventory
from contentsvc.store.files.inventory import Sum, Totals, User, UserTotals

SETTINGS = ("files", "s3_endpoint", "s3_region", "s3_style", "s3_content_bucket", "s3_media_bucket")
"""The settings that say where files lie."""
ANSWER = 30.0
"""Seconds that `check` waits for an answer of an S3 store."""

T = TypeVar("T")


class Usage(Totals):
    """All that `contentsvc files usage` knows: also what counts for users, and the largest."""

    counted: UserTotals
    largest: list[User]


async def measure(db: Db) -> Usage:
    """What files take."""
    totals = structs.asdict(await inventory.totals(db))
    counted, largest = await inventory.user_totals(db), await inventory.largest(db)
    return Usage(**totals, counted=counted, largest=largest)


def lines(usage: Usage) -> list[str]:
    """The lines for a reader."""
    counted = usage.counted
    found = [
        line("Content bucket", _sum(usage.content)),
        line("Media bucket", _sum(usage.media)),
        line("Not published", _sum(usage.unclaimed)),
        line("Without bytes", some(usage.missing, "file")),
        line("Being deleted", some(usage.collecting, "file")),
        line("Blocked", f"{usage.blocked:,} digests, still being deleted: {usage.clearing:,}"),
        line("Users with files", f"{counted.users:,}, {size(counted.bytes)} count for them"),
        line("Not sent yet", some(counted.pending, "file")),
    ]
    for user in usage.largest:
        pending = f", pending: {user.pending:,}" if user.pending else ""
        taken = f"{size(user.bytes)}, {some(user.files, 'file')}"
        found.append(f"  {user.username}: {taken}{pending}")
    return found


def _sum(found: Sum) -> str:
    return f"{some(found.files, 'file')}, {size(found.bytes)}"


def add(commands: Any, command: Callable[..., Any], *parents: Any) -> None:
    """Add the commands to a parser. `command` adds one of them."""
    use = command(commands, "usage", _usage, "print what files take")
    use.add_argument("--json", action="store_true", help="print it as a JSON object")
    check = command(commands, "check", _check, "compare the database with the file store", *parents)
    check.add_argument("--sums", action="store_true", help="read all files, and compare digests")
    check.add_argument("--repair", action="store_true", help="repair what can be repaired")
    check.add_argument(
        "--timeout",
        type=_seconds,
        default=ANSWER,
        metavar="SECONDS",
        help="how long an S3 store may take for an answer (default: %(default)g)",
    )
    check.add_argument("--json", action="store_true", help="print it as a JSON object")
    command(commands, "adopt", _adopt, "take the folder as it is for that of the files", *parents)
    move = command(
        commands, "import", _import, "copy all files from one place to the other", *parents
    )
    for option, dest, what in (
        ("--from", "source", "where the files are"),
        ("--to", "target", "where they are to be"),
    ):
        move.add_argument(option, dest=dest, choices=("local", "s3"), required=True, help=what)
    move.add_argument(
        "--sums", action="store_true", help="read what is there already, and compare digests"
    )


def _seconds(text: str) -> float:
    try:
        return seconds(1, 3600)(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _usage(settings: Settings, arguments: argparse.Namespace) -> None:
    with database(settings, existing=True) as dsn:
        found = in_transaction(dsn, measure)
    if arguments.json:
        say_json(msgspec.json.encode(found).decode())
    else:
        say(*lines(found))


def _check(settings: Settings, arguments: argparse.Namespace) -> int:
    if settings.files == "external":
        raise CommandError("files is external: the service knows nothing of where files lie")
    from contentsvc.command.file_stores import place
    from contentsvc.command.files_check import Check, Problem

    async def check(reactor: Any, db: Any) -> int:
        here = place(reactor, settings, settings.files, arguments.timeout)
        progress = _progress(reactor)
        report = _Report(progress, as_json=arguments.json, repaired=arguments.repair)

        def found(problem: Problem) -> None:
            report.add(problem._asdict(), _WORDS[problem.kind].format(**problem._asdict()))

        try:
            await here.start(db, new=False)
            if arguments.sums:
                progress.total = (await inventory.stored(db)).bytes
            checked = await Check(
                reactor,
                db,
                here,
                found,
                progress,
                sums=arguments.sums,
                repair=arguments.repair,
            ).run()
        finally:
            progress.close()
            await here.stop()
        foreign = f", not the service's own: {checked.foreign:,}" if checked.foreign else ""
        report.end(
            checked._asdict(),
            f"Files: {checked.known:,}, in the store: {checked.lying:,}{foreign}",
        )
        return ATTENTION if report.count and not arguments.repair else 0

    return _with_database(settings, check)


_WORDS = {
    "missing": "missing: {path}",
    "unknown": "unknown: {path}, {lying} bytes",
    "size": "wrong size: {path} has {lying} bytes instead of {known}",
    "sum": "wrong digest: {path}",
    "blocked": "blocked: {path} is there again, {lying} bytes",
    "smaller": "smaller image missing: {path}",
}


def _adopt(settings: Settings, arguments: argparse.Namespace) -> None:
    if settings.files != "local":
        raise CommandError(f"files is {settings.files}: there is no folder")
    from contentsvc.framework.storage.folder import Folder

    folder = Folder(settings.files_folder)

    async def adopt(db: Db) -> str | None:
        await folders.lock(db)
        known = await folders.folder(db)
        if known is not None and folder.id() == known and folder.whole():
            return None
        # A new id: what was the folder before is it no longer, wherever it turns up.
        made = folder.prepare(str(uuid4()))
        await folders.keep(db, made)
        return made

    with database(settings, existing=True) as dsn:
        made = in_transaction(dsn, adopt)
    if made is None:
        say(f"{folder.root} is the folder of this service's files already.")
    else:
        say(f"{folder.root} is the folder of this service's files from now on, id {made}.")
        say("To see which files are not there: contentsvc files check")


def _import(settings: Settings, arguments: argparse.Namespace) -> int:
    source, target = arguments.source, arguments.target
    if source == target:
        raise CommandError("--from and --to are the same place")
    from contentsvc.command.file_stores import place
    from contentsvc.command.files_check import Problem
    from contentsvc.command.files_import import Import

    async def bring(reactor: Any, db: Any) -> int:
        here, there = place(reactor, settings, source), place(reactor, settings, target)
        progress = _progress(reactor)
        wrong = 0

        def found(problem: Problem) -> None:
            nonlocal wrong
            wrong += 1
            progress.say(f"not copied, {_WORDS[problem.kind].format(**problem._asdict())}")

        try:
            await here.start(db, new=False)
            await there.start(db, new=True)
            done = await Import(
                reactor, db, here, there, found, progress, sums=arguments.sums
            ).run()
        finally:
            progress.close()
            await here.stop()
            await there.stop()
        say(
            f"Copied {some(done.files, 'file')}, {size(done.bytes)}. "
            f"{done.there:,} were there already. {wrong:,} could not be copied."
        )
        say(*_NEXT.format(target=target).split("\n"))
        return ATTENTION if wrong else 0

    return _with_database(settings, bring)


_NEXT = """To serve the files from there:
  1. Stop all daemons.
  2. Run this command again. It copies the files that have come meanwhile.
  3. Set files = "{target}", and start the daemons.
  4. Run contentsvc files check."""


class _Report:
    """Prints problems as they are found: a line each, or one JSON object for all."""

    def __init__(self, progress: Any, *, as_json: bool, repaired: bool) -> None:
        self.count = 0
        self._progress = progress
        self._as_json = as_json
        self._repaired = repaired

    def add(self, members: dict[str, Any], text: str) -> None:
        """One more problem."""
        if self._as_json:
            self._json(f"{',' if self.count else _OPEN}{msgspec.json.encode(members).decode()}")
        else:
            self._print(f"{text}{' (repaired)' if self._repaired else ''}")
        self.count += 1

    def end(self, members: dict[str, Any], text: str) -> None:
        """That is all."""
        if self._as_json:
            rest = members | {"count": self.count, "repaired": self._repaired}
            opened = "" if self.count else _OPEN
            self._json(f"{opened}],{msgspec.json.encode(rest).decode()[1:]}")
        else:
            problems = "repaired" if self._repaired else "problems"
            self._print(f"{text}, {problems}: {self.count:,}")

    def _print(self, text: str) -> None:
        self._progress.say(text, sys.stdout)

    def _json(self, text: str) -> None:
        self._progress.close()
        say_json(text)


_OPEN = '{"problems":['


def _progress(reactor: Any) -> Any:
    from contentsvc.command.progress import Progress

    return Progress(sys.stderr, reactor.seconds)


def _with_database(settings: Settings, act: Callable[[Any, Any], Awaitable[T]]) -> T:
    """The result of `act`, which is called with a reactor and the database."""
    from contentsvc.command.reactor import on_database

    with database(settings, existing=True) as dsn:
        return on_database(dsn, act)
