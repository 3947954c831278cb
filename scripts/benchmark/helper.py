"""A process that helps the benchmark: it answers each line that it gets, until its input ends."""

import contextlib
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.stdio import StandardIO
from twisted.protocols.basic import LineOnlyReceiver

from .processes import ROOT


class HelperError(Exception):
    """A helper ended; what it said is above."""


class Helper:
    """A helper, running `module` of this package with these arguments."""

    def __init__(self, module: str, *arguments: str) -> None:
        self._process: Any = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", f"scripts.benchmark.{module}", *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def ask(self, line: bytes) -> bytes:
        """Its answer. Raises HelperError."""
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        answer: bytes = self._process.stdout.readline()
        if not answer:
            raise HelperError("a load generator ended; what it said is above")
        return answer

    def stop(self) -> None:
        """End it; its sockets are closed."""
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def serve(obey: Callable[[bytes], Awaitable[bytes]]) -> None:
    """Run the reactor of a helper until its input ends, or a line is obeyed with an error."""
    StandardIO(_Lines(obey))
    reactor.run()


class _Lines(LineOnlyReceiver):
    """Standard input and output."""

    delimiter = b"\n"
    MAX_LENGTH = 1 << 20

    def __init__(self, obey: Callable[[bytes], Awaitable[bytes]]) -> None:
        self._obey = obey

    def lineReceived(self, line: bytes) -> None:
        answered: Deferred[bytes] = ensureDeferred(self._obey(line))
        answered.addCallbacks(self.sendLine, self._failed)

    def _failed(self, failure: Any) -> None:
        failure.printTraceback(file=sys.stderr)
        self.connectionLost()

    def connectionLost(self, reason: Any = None) -> None:
        with contextlib.suppress(Exception):
            reactor.stop()
