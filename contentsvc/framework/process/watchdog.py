"""Notices frozen processes: they have not ended, but do nothing any more.

Each second it asks every process for a sign of life, over the pipe between them. A process whose
reactor turns answers at once. A process that is stopped, or hangs in a call that does not return,
does not answer. Nor does one that is busy in a single turn, but such a turn ends within seconds.
"""

from typing import Protocol

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

SILENCE = 10
"""Seconds of silence after which a process is killed, if it has given a sign of life before."""
START = 60
"""Seconds that a process may take until its first sign of life."""
DEATH = 5
"""Seconds after which nobody waits any longer for a killed process to end: the system holds it, for
example in a call to a disk that does not answer."""

log = Logger()


class Watched(Protocol):
    """A process. Its ticks are those of `Watchdog.tick`.

    `heard` is the tick of its last sign of life or of its start. `alive` says whether it has given
    a sign. `killed` is the tick in which it was killed, None before.
    """

    heard: int
    alive: bool
    killed: int | None

    def ask(self) -> None:
        """Ask for a sign of life."""

    def kill(self, silence: int) -> None:
        """Kill it, after so many seconds of silence."""

    def abandon(self) -> None:
        """Replace it: it was killed and has not ended. Called once."""


class Watchdog:
    """Counts seconds in `tick`, and the silence of `processes` in those seconds.

    The count stops while this process itself is stopped. So its own stall (a suspended machine,
    SIGSTOP) does not count as the silence of others.
    """

    def __init__(self, reactor: IReactorTime) -> None:
        self.tick = 0
        self.processes: set[Watched] = set()
        self._loop = LoopingCall(self._check)
        self._loop.clock = reactor

    def start(self) -> None:
        """Begin to ask the processes."""
        self._loop.start(1.0, now=False).addErrback(
            lambda failure: log.failure("The watchdog stopped", failure)
        )

    def stop(self) -> None:
        """Stop asking. Does nothing if it has stopped."""
        if self._loop.running:
            self._loop.stop()

    def _check(self) -> None:
        self.tick += 1
        for process in list(self.processes):
            silence = self.tick - process.heard
            if process.killed is not None:
                if self.tick == process.killed + DEATH:
                    process.abandon()
            # The answer to the last question may be a tick old.
            elif silence > (SILENCE if process.alive else START):
                process.killed = self.tick
                process.kill(silence - 1)
            else:
                process.ask()
