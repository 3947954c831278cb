"""A command in the process of its test, on the reactor of the test. A process of its own would need
seconds for its imports alone; the tests that are about one start one."""

import io
import sys
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread, deferToThread
from twisted.trial.unittest import TestCase

from contentsvc.command import cli, content_commands

T = TypeVar("T")


class Done(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


async def run_here(case: TestCase, *words: str, given: str = "") -> Done:
    """Run `contentsvc` with these words, and with `given` as its standard input."""
    out, err = io.StringIO(), io.StringIO()
    patches = [
        case.patch(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()))),
        case.patch(sys, "stdout", out),
        case.patch(sys, "stderr", err),
        case.patch(content_commands, "on_reactor", _on_reactor),
    ]
    try:
        status = await deferToThread(status_of, words)
    finally:
        for patch in patches:
            patch.restore()
    return Done(status, out.getvalue(), err.getvalue())


def status_of(words: tuple[str, ...]) -> int:
    """The exit status of the command with these words."""
    try:
        return cli.main(words)
    except SystemExit as ended:
        return int(ended.code or 0)


def _on_reactor(act: Callable[[Any], Awaitable[T]]) -> T:
    acted: T = blockingCallFromThread(reactor, lambda: Deferred.fromCoroutine(act(reactor)))
    return acted
