"""Finds out that a process has frozen: it has not ended, and does nothing any more.

Each second it asks every process for a sign of life, over the pipe between them. A process whose
reactor turns gives it at once. One that is stopped, or hangs in a call that does not return, gives
none; nor does one that is busy in one turn, but that ends within seconds.
"""

from typing import Protocol

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

SILENCE = 10
"""Seconds without a sign of life after which a process that has given one before is killed."""
START = 60
"""Seconds that a process may take to its first one."""
DEATH = 5
"""Seconds after which a killed process that has not ended is not waited for: the system itself
holds it, in a call to a disk that does not answer."""

log = Logger()


class Watched(Protocol):
    """A process; the ticks are those of `Watchdog.tick`.

    `heard` is the tick of its last sign of life or of its start, `alive` whether it has given one,
    and `killed` the tick in which it was killed, None before.
    """

    heard: int
    alive: bool
    killed: int | None

    def ask(self) -> None:
        """Ask for a sign of life."""

    def kill(self, silence: int) -> None:
        """End it with a signal that it cannot ignore, after so many seconds of silence."""

    def abandon(self) -> None:
        """It was killed and does not end. Called once."""


class Watchdog:
    """Counts seconds in `tick`, and in them the silence of `processes`.

    The count stands still while this process does, so that a stall of its own (a suspended
    machine, SIGSTOP) is not taken for the silence of others.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self.tick = 0
        self.processes: set[Watched] = set()
        self._loop = LoopingCall(self._look)
        self._loop.clock = reactor

    def start(self) -> None:
        """Begin to ask."""
        self._loop.start(1.0, now=False).addErrback(
            lambda failure: log.failure("The watchdog stopped", failure)
        )

    def stop(self) -> None:
        """Ask no more. Does nothing if it has stopped."""
        if self._loop.running:
            self._loop.stop()

    def _look(self) -> None:
        self.tick += 1
        for process in list(self.processes):
            silence = self.tick - process.heard
            if process.killed is not None:
                if self.tick == process.killed + DEATH:
                    process.abandon()
            # A sign that was asked for in the last tick may be a tick old.
            elif silence > (SILENCE if process.alive else START):
                process.killed = self.tick
                process.kill(silence - 1)
            else:
                process.ask()
