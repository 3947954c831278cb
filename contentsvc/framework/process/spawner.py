"""A worker's process, between the parent's supervision and its pipes."""

import signal
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from tempfile import TemporaryFile
from typing import Any

from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.runner.procmon import LoggingProtocol
from zope.interface import implementer

from contentsvc.framework.process.pipes import ALIVE, ASK, SERVES, Asking, Garbled, Reader
from contentsvc.framework.process.watchdog import DEATH, Watchdog
from contentsvc.framework.process.worker import FILES, HANDED, LISTENING, READY

log = Logger()


@implementer(IReactorTime)
class Spawner:
    """The reactor as ProcessMonitor sees it. It gives spawned processes the descriptors of a
    worker, and has them watched.

    `report` is called with a worker's name and process number, and with None when the worker
    serves, or with the reason when it has ended. `abandon` is called with the name of a worker that
    was killed and has not ended. `asking` gets the questions to each worker that has given a sign
    of life, by its name. `started` counts the processes of each worker's number.
    `handed` has the files of each worker's settings, as Files packs them.
    """

    def __init__(
        self,
        reactor: Any,
        port: Any,
        watchdog: Watchdog,
        *,
        piped: bool,
        report: Callable[[str, int, str | None], None],
        abandon: Callable[[str], None],
        asking: dict[str, Asking],
        started: Counter[int],
        handed: Mapping[str, bytes],
    ) -> None:
        self._reactor = reactor
        self._port = port
        self._outputs: tuple[Any, Any] = ("r", "r") if piped else (1, 2)
        self.watchdog = watchdog
        self.report = report
        self.abandon = abandon
        self.asking = asking
        self._started = started
        self._handed = handed
        self.seconds = reactor.seconds
        self.callLater = reactor.callLater
        self.getDelayedCalls = reactor.getDelayedCalls

    def spawnProcess(
        self,
        protocol: LoggingProtocol,
        executable: str,
        args: list[str],
        env: dict[str, str],
        **others: Any,
    ) -> Any:
        output, errors = self._outputs
        self._started[int(protocol.name.partition(".")[0])] += 1
        process = _Process(protocol, self)
        descriptors = {0: "w", 1: output, 2: errors, LISTENING: self._port.fileno(), READY: "r"}
        with TemporaryFile() as file:
            if files := self._handed.get(protocol.name):
                file.write(files)
                file.flush()
                descriptors[FILES] = file.fileno()
                env = {**env, HANDED: "1"}
            # Ctrl-C and the end of the terminal concern the parent only. A blocked signal stays
            # blocked across exec, so the worker is protected from the first moment.
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
            try:
                return self._reactor.spawnProcess(
                    process, executable, args, env=env, childFDs=descriptors
                )
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Process(ProcessProtocol):
    """The link between a worker's process and ProcessMonitor's protocol for it."""

    transport: Any
    alive = False
    killed: int | None = None

    def __init__(self, monitored: LoggingProtocol, spawner: Spawner) -> None:
        self._monitored = monitored
        self._spawner = spawner
        self._pid = 0
        self._asking = Asking(self._write)
        self._reader = Reader()
        self.heard = spawner.watchdog.tick

    def connectionMade(self) -> None:
        self._pid = self.transport.pid
        self._monitored.makeConnection(self.transport)
        self._spawner.watchdog.processes.add(self)

    def childDataReceived(self, childFD: int, data: bytes) -> None:
        if childFD != READY:
            self._monitored.childDataReceived(childFD, data)
            return
        self.heard = self._spawner.watchdog.tick
        try:
            for word in self._reader.words(data):
                self._said(word)
        except Garbled as error:
            # Log: something else in the worker writes to the pipe between them. Do: report it.
            log.error(
                "{who} writes nonsense to its parent: {error}",
                who=who(self._monitored.name, self._pid),
                error=error,
            )
            self._reader = Reader()

    def _said(self, word: bytes) -> None:
        if word == ALIVE:
            self.alive = True
            self._spawner.asking[self._monitored.name] = self._asking
        elif word == SERVES:
            if not self.alive:
                # The worker is of an older release, which does not answer. Do not kill it for that.
                self._spawner.watchdog.processes.discard(self)
            self._spawner.report(self._monitored.name, self._pid, None)
        else:
            self._asking.heard(word)

    def _write(self, question: bytes) -> None:
        with suppress(KeyError):  # the worker is ending and has closed the pipe
            self.transport.writeToChild(0, question)

    def ask(self) -> None:
        """Ask the worker for a sign of life."""
        self._write(ASK)

    def kill(self, silence: int) -> None:
        """Kill the worker: it is frozen."""
        # Log: the worker was frozen. The parent starts another. Do: look at the machine: disk,
        # memory, debuggers.
        log.error(
            "{who} has given no sign of life for {silence} s: killing it",
            who=who(self._monitored.name, self._pid),
            silence=silence,
        )
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")

    def abandon(self) -> None:
        """Replace the worker: the system does not let it end."""
        # Log: the system cannot end the worker, for example in a call to a broken disk. Another
        # takes its place. Do: look at the machine's disks.
        log.error(
            "{who} still exists {n} s after it was killed, because the system holds it",
            who=who(self._monitored.name, self._pid),
            n=DEATH,
        )
        self._spawner.abandon(self._monitored.name)

    def processEnded(self, reason: Failure) -> None:
        self._spawner.watchdog.processes.discard(self)
        if self._spawner.asking.get(self._monitored.name) is self._asking:
            del self._spawner.asking[self._monitored.name]
        self._asking.ended()
        self._monitored.processEnded(reason)
        how: Any = reason.value
        by = f"signal {how.signal}" if how.signal is not None else f"status {how.exitCode}"
        self._spawner.report(self._monitored.name, self._pid, by)


def who(name: str, pid: int) -> str:
    """A worker's name in the log."""
    return f"Worker {name.partition('.')[0]} (process {pid})"
