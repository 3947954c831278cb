"""A bus in memory, with a clock of the test's, and what can go wrong with one."""

from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.defer import Deferred

from contentsvc.framework.core.timers import timer
from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.bus import ANSWER
from contentsvc.store.processes import DEAD, SUSPECT, Others, Report


class Clock(Protocol):
    """Tells the time."""

    def seconds(self) -> float: ...


class Exchange:
    """What all ends have in common."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.ends: list[MemoryBus] = []
        self.seen: dict[str, float] = {}
        """When each process was last heard of."""

    def publish(self, payload: str) -> None:
        """Have all hear it."""
        for end in self.ends:
            end.hear(payload)

    def others(self, id: str) -> Others:
        """How all but one of the processes are."""
        now = self.clock.seconds()
        if now - min(self.seen.values()) < SUSPECT - 3:
            return Others(len(self.seen) - 1, 0, 3.0)  # none will be suspect soon
        ages = [now - seen for other, seen in self.seen.items() if other != id]
        silent = sum(SUSPECT <= age <= DEAD for age in ages)
        left = [SUSPECT - age for age in ages if age < SUSPECT]
        return Others(len(left), silent, min(left, default=SUSPECT))


class MemoryBus:
    """One end. `reactor` is its process's."""

    def __init__(self, exchange: Exchange, reactor: Any) -> None:
        self._exchange = exchange
        self._reactor = reactor
        self._heard: Callable[[str], None] | None = None
        self._lost: Callable[[], None] | None = None
        self._waiting: Deferred[None] | None = None
        self.mute = False
        """Whether nothing comes through, and nobody says so."""
        self.refused = False
        """Whether it cannot be opened."""

    async def open(self, heard: Callable[[str], None], lost: Callable[[], None]) -> None:
        if self.refused:
            raise Unavailable("too many connections")
        self._heard, self._lost, self.mute = heard, lost, False
        self._exchange.ends.append(self)

    async def send(self, payloads: list[str]) -> None:
        await self._answer()
        for payload in payloads:
            self._exchange.publish(payload)

    async def heartbeat(self, report: Report) -> Others:
        await self._answer()
        self._exchange.seen[report.id] = self._exchange.clock.seconds()
        return self._exchange.others(report.id)

    async def leave(self, id: str) -> None:
        await self._answer()
        self._exchange.seen.pop(id, None)

    def close(self) -> None:
        lost, self._lost = self._lost, None
        if lost is not None:
            self._heard = None
            self._exchange.ends.remove(self)
            if self._waiting is not None:
                waiting, self._waiting = self._waiting, None
                waiting.errback(Unavailable("the connection is closed"))
            lost()

    def hear(self, payload: str) -> None:
        """A payload comes."""
        if self._heard is not None and not self.mute:
            self._heard(payload)

    async def _answer(self) -> None:
        if self._lost is None:
            raise Unavailable("the connection is closed")
        if self.mute:
            self._waiting = Deferred()
            with timer(self._reactor, ANSWER, self.close):
                await self._waiting
