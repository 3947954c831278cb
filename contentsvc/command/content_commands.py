"""`contentsvc publish`, `contentsvc fetch` and `contentsvc sync`: what they share."""

import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool

from contentsvc.client import Client, ClientError
from contentsvc.client.errors import ApiError
from contentsvc.client.files.local import Progress as Step
from contentsvc.command import terminal
from contentsvc.command.progress import Progress
from contentsvc.command.reactor import on_reactor
from contentsvc.command.terminal import CommandError, say_error, size
from contentsvc.command.watch import SignIn

ASKED = 10 * 1024**3
"""Bytes of a content beyond which somebody is asked whether they are to come."""
_INTERRUPTED = 130
_NOTHING_THERE = {"not_found", "files_external", "http_404", "http_405", "http_501"}
"""Codes of a path that the service, or another web server, does not have."""


def run(url: str, sign_in: SignIn | None, act: Callable[[Client, Any], Awaitable[int]]) -> int:
    """The exit status of `act`, which gets a client and the reactor: 0 if all was done, 1 after an
    error, of which one line is on stderr, 130 if it was interrupted."""

    async def done(reactor: Any) -> int:
        async with Client(reactor, url) as client:
            try:
                if sign_in is not None:
                    await sign_in(client)
                return await act(client, reactor)
            except ApiError as error:
                if error.code in _NOTHING_THERE:
                    await _elsewhere(client, url)
                raise

    try:
        return on_reactor(done)
    except KeyboardInterrupt:
        say_error("interrupted; the same command goes on from here")
        return _INTERRUPTED
    except (ClientError, CommandError, OSError) as error:
        say_error(words(error))
        return 1


def blocking(reactor: Any, act: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
    """What this gives, which may take long, as with a disk: in a thread."""
    return deferToThreadPool(reactor, reactor.getThreadPool(), act, *arguments)


async def _elsewhere(client: Client, url: str) -> None:
    """Raises CommandError if the service is not there, or has no operations for files."""
    try:
        await client.files.get_storage()
    except ApiError:
        try:
            await client.health.check_liveness()
        except ApiError:
            raise CommandError(f"there is no contentsvc at {url}") from None
        raise CommandError(
            "the service does not keep files: its operator keeps them elsewhere"
        ) from None


def words(error: Exception) -> str:
    """An error in one line."""
    text = " ".join(str(error).split())
    if isinstance(error, ApiError):
        problem = error.problem
        for name in ("used", "limit"):
            if isinstance(number := problem.get(name), int):
                # Bytes, or a number of files, which is never so large.
                text += f" ({name}: {size(number) if number >= 1024 * 1024 else number})"
    return text


def agree(name: str, needed: int, most: int | None, *, asks: bool) -> None:
    """Raises CommandError if a content of this name needs more bytes on the disk than somebody
    wants: more than `most`, or without it more than ASKED, unless whoever sits at the terminal says
    so when the command `asks`."""
    limit = ASKED if most is None else most
    if needed <= limit:
        return
    what = f"{name} needs {size(needed)}"
    if most is not None:
        raise CommandError(f"{what}, and --most-bytes is {size(most)}")
    if not asks or not terminal.agrees(f"{what}. Fetch it?"):
        raise CommandError(f"{what}; give --most-bytes {needed} to fetch it")


class Bar:
    """The progress of several files, as one."""

    def __init__(self) -> None:
        self._progress = Progress(sys.stderr, time.monotonic)
        self._done: dict[Path, int] = {}

    def __enter__(self) -> Callable[[Step], None]:
        return self.step

    def __exit__(self, *raised: object) -> None:
        self._progress.close()

    def step(self, step: Step) -> None:
        """A file is so far."""
        if step.file not in self._done:
            self._progress.total += step.total
        before = self._done.get(step.file, 0)
        self._done[step.file] = step.done
        self._progress.more(step.done - before)
