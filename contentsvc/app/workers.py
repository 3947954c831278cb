"""`--workers N`: one process holds the port, and N ordinary daemons share it.

The parent runs the embedded Postgres, generates the keys, updates the schema, binds the port, and
supervises the workers. It serves nobody. Besides its settings, a worker inherits these descriptors:

| descriptor |                                                                         |
|------------|-------------------------------------------------------------------------|
| 0          | a pipe on which the parent asks: see contentsvc.framework.process.pipes. Its end   |
|            | means that the parent has gone                                          |
| 1, 2       | the parent's own, or pipes to its log if that is not standard output    |
| 3          | the listening socket                                                    |
| 4          | a pipe on which the worker answers, and says that it serves             |
"""

import math
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from twisted.internet import tcp
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.runner.procmon import ProcessMonitor

from contentsvc import config
from contentsvc.app import reload
from contentsvc.app.from_settings import try_store
from contentsvc.app.lifecycle import Lifecycle
from contentsvc.app.metric_values import Source
from contentsvc.app.reload import Present
from contentsvc.app.worker_status import WorkerStatus
from contentsvc.config import ConfigError, Settings
from contentsvc.framework.core.timers import cancel, timer
from contentsvc.framework.process.pipes import Asking
from contentsvc.framework.process.spawner import Spawner, who
from contentsvc.framework.process.watchdog import Watchdog
from contentsvc.framework.process.worker import VARIABLE
from contentsvc.tokens import Keys

FIRST_PAUSE, LAST_PAUSE = 0.5, 30.0
"""Seconds before a worker that ended before it served is started again. They double each time. A
worker that has served is started again at once."""
START = 60.0
"""Seconds that a new worker may take until it serves. If it takes longer, its predecessor stays."""
LATE = 15.0
"""Seconds after drain_timeout at which a worker that has not ended is killed."""
FIXED = ("listen", "admin", "database", "data_dir", "workers")
"""Settings of the parent. A rolling restart does not change them."""

log = Logger()


class Workers(Lifecycle):
    """The parent process.

    `present` gives the present settings of the installed code: see contentsvc.app.reload. It is
    called with those that only the parent can change, and the database's DSN, and raises
    ConfigError. `files` is what the files have that the settings name. `command` starts a worker.
    `piped` says that a worker's output goes into this process's log. `announce` is called once with
    the port, when the first worker serves it.
    """

    def __init__(
        self,
        reactor: Any,
        settings: Settings,
        present: Callable[[dict[str, str | None], str], Awaitable[Present]],
        endpoint: Any,
        *,
        files: bytes,
        command: list[str],
        piped: bool,
        announce: Callable[[Any], None],
        admin: Any = None,
    ) -> None:
        super().__init__(reactor, settings, admin)
        self._ask = present
        self._endpoint = endpoint
        self._files = files
        self._command = command
        self._piped = piped
        self._announce = announce
        self._dsn = ""
        self._port: Any = None
        self._monitor: Any = None
        self._watchdog = Watchdog(reactor)
        self._current: dict[int, str] = {}
        self._asking: dict[str, Asking] = {}
        self._started: Counter[int] = Counter()
        self._workforce = WorkerStatus(
            reactor,
            present=self._present,
            serving=lambda: len(self._serving),
            started=self._started,
            stopping=lambda: self._stopping or not self.running,
        )
        self._given: dict[str, Mapping[str, str]] = {}
        self._handed: dict[str, bytes] = {}
        self._generation = 0
        self._wanted: set[str] = set()
        self._serving: set[str] = set()
        self._waiters: list[Deferred[None]] = []
        self._rolling = self._again = self._stopping = False

    async def start_parts(self) -> None:
        settings = self._settings
        # Here, because a worker that ends is started again.
        self._possible_connections()
        self._dsn = settings.database or await self._embedded()
        Keys.load_or_generate(settings.keys_path)
        if reason := await self._migrate(self._dsn):
            # Log: the database is being restored, or its schema is not whole. Do: see
            # docs/guides/backups.md.
            log.warn("The workers start without the database: {reason}", reason=reason)
        # Here, because a worker that ends is started again.
        await self._stoppable(Deferred.fromCoroutine(try_store(settings, self._reactor, self._dsn)))
        holder = Factory()
        holder.noisy = False
        port = self._port = await self._endpoint.listen(holder)
        if not isinstance(port, tcp.Port):
            raise ConfigError(f"listen {settings.listen}: workers cannot share this endpoint")
        # The parent never accepts. Clients wait in the backlog until a worker serves.
        port.stopReading()
        self._undo.append(self._close)
        spawner: Any = Spawner(
            self._reactor,
            port,
            self._watchdog,
            piped=self._piped,
            report=self._worker_changed,
            abandon=self._abandon,
            asking=self._asking,
            started=self._started,
            handed=self._handed,
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
            self._current[number] = self._add(number, config.variables(settings), self._files)

    async def sources(self) -> list[Source]:
        return await self._workforce.sources()

    async def missing(self) -> list[str]:
        return await self._workforce.missing()

    def _present(self) -> dict[int, Asking | None]:
        """The questions to the present process of each worker, if it has given a sign of life."""
        numbers = range(1, self._settings.workers + 1)
        return {n: self._asking.get(self._current.get(n, "")) for n in numbers}

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

    def _add(self, number: int, variables: Mapping[str, str], files: bytes) -> str:
        self._generation += 1
        name = f"{number}.{self._generation}"
        own = {
            # With data_dir, which is the parent's.
            config.variable("secret_file"): str(self._settings.keys_path),
            **variables,
            config.variable("workers"): "1",
            config.variable("database"): self._dsn,
            VARIABLE: str(number),
        }
        own.pop(config.variable("admin"), None)
        environ = {k: v for k, v in os.environ.items() if not config.is_ours(k)}
        self._wanted.add(name)
        self._given[name] = variables
        self._handed[name] = files
        self._monitor.addProcess(name, self._command, env=environ | own)
        return name

    def _remove(self, name: str) -> None:
        """Let the worker drain and end."""
        self._wanted.discard(name)
        self._given.pop(name, None)
        self._handed.pop(name, None)
        self._monitor.removeProcess(name)
        cancel(self._monitor.restart.pop(name, None))

    def _worker_changed(self, name: str, pid: int, reason: str | None) -> None:
        """A worker serves (`reason` is None), or has ended."""
        worker = who(name, pid)
        if reason is None:
            # Log: it serves requests.
            log.info("{who} is ready", who=worker)
            self._serving.add(name)
            self._monitor.timeStarted[name] = -math.inf
            self._announce(self._port)
            self._announce = lambda port: None
        else:
            self._serving.discard(name)
            if self._stopping or name not in self._wanted:
                # Log: it was told to, at a stop or a rolling restart.
                log.info("{who} has ended", who=worker)
            else:
                # Log: the parent starts another. Do: read the worker's last lines.
                log.warn("{who} ended unexpectedly: {reason}", who=worker, reason=reason)
        self._happened()

    def _abandon(self, name: str) -> None:
        """Replace a worker that was killed and does not end.

        It gets the signal when its call of the system returns, and does nothing more before that.
        """
        for number, current in list(self._current.items()):
            if current == name and not self._stopping:
                self._current[number] = self._add(number, self._given[name], self._handed[name])
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
            present = await self._ask(reload.kept(self._settings, FIXED), self._dsn)
        except ConfigError as error:
            # Log: the new configuration is wrong, the S3 store fails its test, or the first folder
            # of files cannot be made. The old workers stay. Do: correct it, and reload again.
            log.error("No rolling restart: {error}", error=error)
            return
        if self._stopping:
            return
        if present.changed:
            # Log: a rolling restart cannot change them. Do: restart the service.
            log.warn(
                "Changes to these settings need a full restart: {names}",
                names=", ".join(present.changed),
            )
        # Log: somebody reloaded the daemon.
        log.info("Rolling restart: replacing the workers one by one")
        for number in sorted(self._current):
            successor = self._add(number, present.variables, present.files)
            if not await self._serves(successor):
                if not self._stopping:
                    # Log: a new worker did not serve within 60 s. The remaining old workers stay.
                    # Do: read the new worker's lines.
                    log.error("Rolling restart given up: the new worker does not start")
                    self._remove(successor)
                return
            predecessor, self._current[number] = self._current[number], successor
            self._remove(predecessor)
            await self._gone(predecessor)
        # Log: all serve with the settings of now.
        log.info("Rolling restart done: all workers are new")

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
