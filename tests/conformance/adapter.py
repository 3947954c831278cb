"""The adapter of a client: a process that reads commands and writes answers and events, each one
line of JSON (clients/README.md)."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.protocols.basic import LineReceiver

from tests.support.daemon import ROOT


class Lost(Exception):
    """The process ended before it answered."""


class _Lines(LineReceiver):
    delimiter = b"\n"
    MAX_LENGTH = 1 << 20

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self.lineReceived = take


class Adapter(ProcessProtocol):
    """A running adapter. `events` are those that it has told and that nobody has taken."""

    def __init__(self, reactor: Any, command: list[str]) -> None:
        self.events: list[dict[str, Any]] = []
        self.errors = b""
        self.ended: Deferred[None] = Deferred()
        self._answers: dict[int, Deferred[dict[str, Any]]] = {}
        self._lines = _Lines(self._line)
        self._changed: list[Deferred[None]] = []
        self._number = 0
        reactor.spawnProcess(self, command[0], command, env=os.environ, path=str(ROOT))

    async def ask(self, command: str, **given: Any) -> dict[str, Any]:
        """The answer to a command: {"result"} or {"error"}. Raises Lost."""
        self._number += 1
        answer: Deferred[dict[str, Any]] = Deferred()
        self._answers[self._number] = answer
        line = {"id": self._number, "do": command, "with": given}
        self.transport.write(json.encode(line) + b"\n")
        return await answer

    async def heard(self) -> None:
        """Wait for the next event."""
        self._changed.append(Deferred())
        await self._changed[-1]

    async def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")
        await self.ended

    # Of the process.

    def outReceived(self, data: bytes) -> None:
        self._lines.dataReceived(data)

    def errReceived(self, data: bytes) -> None:
        self.errors += data

    def processEnded(self, reason: Any) -> None:
        waiting = [*self._answers.values(), *self._changed]
        self._answers.clear()
        self._changed.clear()
        self.ended.callback(None)
        for each in waiting:
            each.errback(Lost(self.errors.decode(errors="replace")))

    def _line(self, line: bytes) -> None:
        said = json.decode(line, type=dict[str, Any])
        if "event" not in said:
            self._answers.pop(said["id"]).callback(said)
            return
        self.events.append(said)
        changed, self._changed = self._changed, []
        for each in changed:
            each.callback(None)
