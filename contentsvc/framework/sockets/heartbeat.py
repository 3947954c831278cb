"""Pings for idle sockets, and an end for silent ones (docs/interface/socket.md).

One timer serves all sockets. A timer and a payload for each socket would need more memory than the
rest of an idle socket.
"""

from collections import deque
from collections.abc import Iterable
from typing import Protocol

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from contentsvc.framework.core.timers import NextTurn

INTERVAL = 15
"""Seconds between the pings to one socket."""
BATCH = 100
"""Most sockets to ping in one turn of the reactor: many that connected at once get their pings at
once."""
SILENCE = 25
"""Seconds without a byte from the client after which a socket is cut off."""

log = Logger()


class Pinged(Protocol):
    """A socket. `heard` is the tick at which its last byte came in. `turn` is the tick of its
    opening, modulo INTERVAL."""

    turn: int
    heard: int

    def ping(self) -> None:
        """Ask for a sign of life."""

    def drop(self) -> None:
        """Cut the connection, without a close."""


class Heartbeat:
    """Counts seconds in `tick`. The tick stops while the process stalls, so that a stall does not
    seem to be the silence of clients."""

    def __init__(self, reactor: IReactorTime, sockets: Iterable[Pinged]) -> None:
        self.tick = 0
        self._sockets = sockets
        self._due: deque[Pinged] = deque()
        self._rest = NextTurn(reactor, self._go_on)
        self._loop = LoopingCall(self._beat)
        self._loop.clock = reactor

    def start(self) -> None:
        """Begin to tick, once a second."""
        self._loop.start(1.0, now=False).addErrback(
            lambda failure: log.failure("The heartbeat stopped", failure)
        )

    def stop(self) -> None:
        """Stop ticking. Does nothing if it has stopped."""
        if self._loop.running:
            self._loop.stop()
        self._due.clear()
        self._rest.cancel()

    def _beat(self) -> None:
        self.tick += 1
        last, turn = self.tick - SILENCE, self.tick % INTERVAL
        # Not while iterating over the set: to drop a socket removes it from the set.
        self._due.extend(each for each in self._sockets if each.heard <= last or each.turn == turn)
        if not self._rest.asked:
            self._go_on()

    def _go_on(self) -> None:
        for _ in range(min(BATCH, len(self._due))):
            socket = self._due.popleft()
            if socket.heard <= self.tick - SILENCE:
                socket.drop()
            else:
                socket.ping()
        if self._due:
            self._rest.ask()
