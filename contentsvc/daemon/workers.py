"""`--workers N`: one process holds the port, and N ordinary daemons share it.

The parent runs the embedded Postgres, generates the keys, updates the schema, binds the port, and
supervises the workers. It serves nobody. Besides its settings, a worker inherits these descriptors:

| descriptor |                                                                         |
|------------|-------------------------------------------------------------------------|
| 0          | a pipe on which the parent asks for a sign of life, each second. Its    |
|            | end means that the parent has gone                                      |
| 1, 2       | the parent's own, or pipes to its log if that is not standard output    |
| 3          | the listening socket                                                    |
| 4          | a pipe on which the worker says that it serves, and that it is alive    |
"""

import math
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec.structs import replace
from twisted.internet import tcp
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import Factory, ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.runner.procmon import LoggingProtocol, ProcessMonitor
from zope.interface import implementer

from contentsvc import config
from contentsvc.config import ConfigError, Settings
from contentsvc.daemon.sequence import Sequence
from contentsvc.daemon.watchdog import DEATH, Watchdog
from contentsvc.daemon.worker import ALIVE, ASK, LISTENING, READY, SERVES, VARIABLE
from contentsvc.timers import cancel, timer
from contentsvc.tokens import Keys

FIRST_PAUSE, LAST_PAUSE = 0.5, 30.0
"""Seconds before a worker that ended before it served is started again. They double each time. A
worker that has served is started again at once."""
START = 60.0
"""Seconds that a new worker may take until it serves. If it takes longer, its predecessor stays."""
LATE = 15.0
"""Seconds after drain_timeout at which a worker that has not ended is killed."""
FIXED = ("listen", "database", "data_dir", "workers")
"""Settings of the parent. A rolling restart does not change them."""

log = Logger()


class Workers(Sequence):
    """The parent process.

    `read` gives the present settings, and raises ConfigError. `command` starts a worker. `piped`
    says that a worker's output goes into this process's log. `announce` is called once with the
    port, when the first worker serves it.
    """

    def __init__(
        self,
        reactor: Any,
        read: Callable[[], Settings],
        endpoint: Any,
        *,
        command: list[str],
        piped: bool,
        announce: Callable[[Any], None],
    ) -> None:
        super().__init__(reactor, read())
        self._read = read
        self._endpoint = endpoint
        self._command = command
        self._piped = piped
        self._announce = announce
        self._dsn = ""
        self._port: Any = None
        self._monitor: Any = None
        self._watchdog = Watchdog(reactor)
        self._current: dict[int, str] = {}
        self._given: dict[str, Settings] = {}
        self._generation = 0
        self._wanted: set[str] = set()
        self._serving: set[str] = set()
        self._waiters: list[Deferred[None]] = []
        self._rolling = self._again = self._stopping = False

    async def start_parts(self) -> None:
        settings = self._settings
        self._dsn = settings.database or await self._embedded()
        Keys.load_or_generate(settings.keys_path)
        await self._migrate(self._dsn)
        holder = Factory()
        holder.noisy = False
        port = self._port = await self._endpoint.listen(holder)
        if not isinstance(port, tcp.Port):
            raise ConfigError(f"listen {settings.listen}: workers cannot share this endpoint")
        # The parent never accepts. Clients wait in the backlog until a worker serves.
        port.stopReading()
        self._undo.append(self._close)
        spawner: Any = _Spawner(
            self._reactor,
            port,
            self._watchdog,
            piped=self._piped,
            tell=self._told,
            abandon=self._abandon,
        )
        monitor: Any = ProcessMonitor(spawner)
        self._monitor = monitor
        monitor.minRestartDelay, monitor.maxRestartDelay = FIRST_PAUSE, LAST_PAUSE
        # A worker that has not served has failed to start, however long ago that was.
        monitor.threshold = math.inf
        monitor.killTime = settings.drain_timeout + LATE
        monitor.startService()
        self._watchdog.start()
        for number in range(1, settings.workers + 1):
            self._current[number] = self._add(number, settings)

    async def _close(self) -> None:
        self._stopping = True
        # Not with Twisted's stopListening first: it shuts the socket down for the workers too.
        self._port.socket.close()
        await self._port.stopListening()
        self._monitor.stopService()
        self._happened()
        await self._until(lambda: not self._monitor.protocols)
        self._watchdog.stop()

    # One worker. ProcessMonitor knows each worker, and each of its successors, by another name.

    def _add(self, number: int, settings: Settings) -> str:
        self._generation += 1
        name = f"{number}.{self._generation}"
        own = replace(settings, workers=1, database=self._dsn, secret_file=settings.keys_path)
        environ = {k: v for k, v in os.environ.items() if not k.startswith("CONTENTSVC_")}
        environ |= config.variables(own) | {VARIABLE: str(number)}
        self._wanted.add(name)
        self._given[name] = settings
        self._monitor.addProcess(name, self._command, env=environ)
        return name

    def _remove(self, name: str) -> None:
        """Let the worker drain and end."""
        self._wanted.discard(name)
        self._given.pop(name, None)
        self._monitor.removeProcess(name)
        cancel(self._monitor.restart.pop(name, None))

    def _told(self, name: str, pid: int, reason: str | None) -> None:
        """A worker serves (`reason` is None), or has ended."""
        who = _who(name, pid)
        if reason is None:
            log.info("{who} is ready", who=who)
            self._serving.add(name)
            self._monitor.timeStarted[name] = -math.inf
            self._announce(self._port)
            self._announce = _nothing
        else:
            self._serving.discard(name)
            if self._stopping or name not in self._wanted:
                log.info("{who} has ended", who=who)
            else:
                log.warn("{who} ended unexpectedly: {reason}", who=who, reason=reason)
        self._happened()

    def _abandon(self, name: str) -> None:
        """Replace a worker that was killed and does not end.

        It will get the signal when the system lets it go, and does nothing more before that.
        """
        for number, current in list(self._current.items()):
            if current == name and not self._stopping:
                self._current[number] = self._add(number, self._given[name])
                self._remove(name)

    def _happened(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.callback(None)

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            waiter: Deferred[None] = Deferred()
            self._waiters.append(waiter)
            await waiter

    # All workers, one after the other.

    def replace_workers(self) -> None:
        """Begin a rolling restart. If one is running, another follows it."""
        if self._rolling:
            self._again = True
        elif self._current and not self._stopping:
            self._rolling = True
            Deferred.fromCoroutine(self._replace_all()).addBoth(self._rolled)

    def _rolled(self, result: object) -> None:
        self._rolling = False
        if isinstance(result, Failure):
            log.failure("The rolling restart failed", result)
        if self._again:
            self._again = False
            self.replace_workers()

    async def _replace_all(self) -> None:
        try:
            settings = self._read_again()
        except ConfigError as error:
            log.error("No rolling restart: {error}", error=error)
            return
        log.info("Rolling restart: replacing the workers one by one")
        for number in sorted(self._current):
            successor = self._add(number, settings)
            if not await self._serves(successor):
                if not self._stopping:
                    log.error("Rolling restart given up: the new worker does not start")
                    self._remove(successor)
                return
            predecessor, self._current[number] = self._current[number], successor
            self._remove(predecessor)
            await self._gone(predecessor)
        log.info("Rolling restart done: all workers are new")

    def _read_again(self) -> Settings:
        settings = self._read()
        kept = {name: getattr(self._settings, name) for name in FIXED}
        changed = [name for name in FIXED if getattr(settings, name) != kept[name]]
        if changed:
            log.warn(
                "Changes to these settings need a full restart: {names}", names=", ".join(changed)
            )
        return replace(settings, **kept)

    async def _gone(self, name: str) -> None:
        await self._until(lambda: name not in self._monitor.protocols)

    async def _serves(self, name: str) -> bool:
        """Wait until the worker serves. False if it ends first, takes too long, or everything
        stops."""
        deadline = self._reactor.seconds() + START
        with timer(self._reactor, START, self._happened):
            await self._until(
                lambda: (
                    name in self._serving
                    or name not in self._monitor.protocols
                    or self._stopping
                    or self._reactor.seconds() >= deadline
                )
            )
        return name in self._serving and not self._stopping


@implementer(IReactorTime)
class _Spawner:
    """The reactor as ProcessMonitor sees it. It gives spawned processes the descriptors of a
    worker, and has them watched.

    `tell` is called with a worker's name and process number, and with None when the worker serves,
    or with the reason when it has ended. `abandon` is called with the name of a worker that was
    killed and has not ended.
    """

    def __init__(
        self,
        reactor: Any,
        port: Any,
        watchdog: Watchdog,
        *,
        piped: bool,
        tell: Callable[[str, int, str | None], None],
        abandon: Callable[[str], None],
    ) -> None:
        self._reactor = reactor
        self._port = port
        self._outputs: tuple[Any, Any] = ("r", "r") if piped else (1, 2)
        self._watchdog = watchdog
        self._tell = tell
        self._abandon = abandon
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
        process = _Process(protocol, self._watchdog, self._tell, self._abandon)
        descriptors = {0: "w", 1: output, 2: errors, LISTENING: self._port.fileno(), READY: "r"}
        # Ctrl-C and the end of the terminal concern the parent only. A blocked signal stays blocked
        # across exec, so the worker is protected from the first moment.
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

    def __init__(
        self,
        monitored: LoggingProtocol,
        watchdog: Watchdog,
        tell: Callable[[str, int, str | None], None],
        abandon: Callable[[str], None],
    ) -> None:
        self._monitored = monitored
        self._watchdog = watchdog
        self._tell = tell
        self._abandon = abandon
        self._pid = 0
        self.heard = watchdog.tick

    def connectionMade(self) -> None:
        self._pid = self.transport.pid
        self._monitored.makeConnection(self.transport)
        self._watchdog.processes.add(self)

    def childDataReceived(self, childFD: int, data: bytes) -> None:
        if childFD != READY:
            self._monitored.childDataReceived(childFD, data)
            return
        self.heard = self._watchdog.tick
        self.alive = self.alive or ALIVE in data
        if SERVES in data:
            if not self.alive:
                # The worker is of an older release, which does not answer. Do not kill it for that.
                self._watchdog.processes.discard(self)
            self._tell(self._monitored.name, self._pid, None)

    def ask(self) -> None:
        """Ask the worker for a sign of life."""
        with suppress(KeyError):  # the worker is ending and has closed the pipe
            self.transport.writeToChild(0, ASK)

    def kill(self, silence: int) -> None:
        """Kill the worker: it is frozen."""
        log.error(
            "{who} has given no sign of life for {silence} s: killing it",
            who=_who(self._monitored.name, self._pid),
            silence=silence,
        )
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")

    def abandon(self) -> None:
        """Replace the worker: the system does not let it end."""
        log.error(
            "{who} still exists {n} s after it was killed, because the system holds it",
            who=_who(self._monitored.name, self._pid),
            n=DEATH,
        )
        self._abandon(self._monitored.name)

    def processEnded(self, reason: Failure) -> None:
        self._watchdog.processes.discard(self)
        self._monitored.processEnded(reason)
        how: Any = reason.value
        by = f"signal {how.signal}" if how.signal is not None else f"status {how.exitCode}"
        self._tell(self._monitored.name, self._pid, by)


def _who(name: str, pid: int) -> str:
    return f"Worker {name.partition('.')[0]} (process {pid})"


def _nothing(port: object) -> None:
    pass
