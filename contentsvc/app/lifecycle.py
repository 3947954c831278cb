"""The base of every daemon: a service that starts in sequence and stops in reverse.

twistd waits for neither. A start that fails ends the process with one line and status 1.
"""

import atexit
import os
import resource
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import psycopg2
from twisted.application.service import Service
from twisted.internet.defer import CancelledError, Deferred, maybeDeferred
from twisted.internet.error import CannotListenError, ReactorNotRunning
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThreadPool
from twisted.logger import ILogObserver, Logger

from contentsvc.app.admin import Admin, Pages
from contentsvc.app.metric_values import Source
from contentsvc.config import ConfigError, Settings
from contentsvc.framework.core import concurrency
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.pooler_check import PoolerError
from contentsvc.framework.images import sandbox
from contentsvc.framework.postgres.embedded import EmbeddedPostgres, forget_variables
from contentsvc.framework.postgres.errors import EmbeddedError
from contentsvc.framework.postgres.supervisor import Supervisor
from contentsvc.framework.storage.bucket import BadStore
from contentsvc.jobs.studio import WEBHOOKS_AT_ONCE
from contentsvc.store.engine_check import EngineError, check_engine
from contentsvc.store.migrate import MigrationError, migrate
from contentsvc.tokens import KeysError

log = Logger()

_RETRY = 1.0
"""Seconds between attempts to reach the database at the start."""
_TURN = 1.0
"""Seconds that an attempt to migrate waits for another process that migrates."""
LEAST_CONNECTIONS = 100
"""A process that can have fewer does not start, unless the settings ask for fewer."""
_FILES = 100 + WEBHOOKS_AT_ONCE
"""Files that a process may need besides its connections to clients and to the database, those of
its requests to webhooks included."""
_STOPPING = (signal.SIGTERM, signal.SIGINT)
_PLAIN = (
    *(EmbeddedError, KeysError, MigrationError, PoolerError),
    *(CannotListenError, OSError, ConfigError, BadStore),
)
"""Errors of a start that one line explains; others get a traceback."""


class Lifecycle(Service):
    """A service made of parts. For each part that `start_parts` starts, it puts the way to stop it
    on `undo`.

    The stop runs `undo` in reverse, however far the start has come. `admin` is the endpoint of its
    admin listener, if it has one. The parent of a `worker` has checked the database's engine.
    """

    name = "contentsvc"
    observer: ILogObserver | None = None
    """The log observer that replaces twistd's own; None for twistd's own."""

    def __init__(
        self, reactor: Any, settings: Settings, admin: Any = None, *, worker: bool = False
    ) -> None:
        self._reactor = reactor
        self._settings = settings
        self._admin = admin
        self._worker = worker
        self._undo: list[Callable[[], object]] = []
        self._starting: Deferred[None] | None = None
        self._waiting: Deferred[None] | None = None
        self._supervisor: Supervisor | None = None
        self._terminal = os.isatty(0)
        self._signalled = False

    async def start_parts(self) -> None:
        """Start one part after the other."""
        raise NotImplementedError

    async def sources(self) -> list[Source]:
        """The metrics of all processes."""
        raise NotImplementedError

    async def missing(self) -> list[str]:
        """The reasons for which the service is not ready."""
        raise NotImplementedError

    async def _start(self) -> None:
        """The admin endpoint is the first to be there, and the last to go."""
        if self._admin is not None:
            pages = Pages(self._reactor, self.sources, self.missing)
            admin = Admin(self._reactor, self._admin, pages)
            await admin.start()
            self._undo.append(admin.stop)
        await self.start_parts()

    def setServiceParent(self, parent: Any) -> None:
        """Join twistd's application, and give it the log observer."""
        if self.observer is not None:
            parent.setComponent(ILogObserver, self.observer)
        super().setServiceParent(parent)

    def startService(self) -> None:
        """Begin to start; twistd cannot wait for it."""
        super().startService()
        concurrency.forgiving(self._reactor.getThreadPool())
        signal.signal(
            signal.SIGHUP, lambda number, frame: self._reactor.callFromThread(self._hung_up)
        )
        self._reactor.callWhenRunning(self._heed_first)
        self._starting = Deferred.fromCoroutine(self._start())
        self._starting.addErrback(self._failed)

    def replace_workers(self) -> None:
        """Handle SIGHUP."""
        # Log: somebody reloaded a daemon without workers. Do: restart it, or use workers, see
        # docs/guides/scaling.md#workers.
        log.warn("SIGHUP does nothing: a rolling restart needs two or more workers")

    def _hung_up(self) -> None:
        if self._terminal and not os.isatty(0):
            # The terminal has gone. For a process in its foreground, SIGHUP means that.
            self._stop_reactor()
        else:
            self.replace_workers()

    def _heed_first(self) -> None:
        """Let the reactor have only the first of the signals that stop a process.

        A supervisor, a parent or an impatient operator may send a second one in the same moment,
        and the reactor would log a traceback for it.
        """

        def heed(stop: Callable[..., object]) -> Callable[..., None]:
            def first(number: int, frame: object) -> None:
                # Another signal may come before the next line has run. Between these two lines it
                # cannot.
                if self._signalled:
                    return
                self._signalled = True
                _heed_no_more()
                stop(number, frame)

            return first

        for number in _STOPPING:
            handler = signal.getsignal(number)
            if callable(handler):
                signal.signal(number, heed(handler))

    def _stop_reactor(self) -> None:
        with suppress(ReactorNotRunning):
            self._reactor.stop()

    def stopService(self) -> Deferred[None]:
        """Undo what was started, last first."""
        super().stopService()
        _heed_no_more()
        return Deferred.fromCoroutine(self._stop())

    async def _stop(self) -> None:
        if self._starting is not None:
            if self._waiting is not None:
                self._waiting.cancel()
            await self._starting
        while self._undo:
            try:
                await maybeDeferred(self._undo.pop())
            except (EmbeddedError, OSError) as error:
                # Log: the rest was stopped. The line names the reason. Do: if it names Postgres,
                # see whether that still runs.
                log.error("A part of the service failed to stop: {error}", error=error)
            except Exception:
                log.failure("A part of the service failed to stop")

    def _failed(self, failure: Any) -> None:
        if failure.check(CancelledError):
            return
        if failure.check(EngineError):
            # Log: the database's engine is not Postgres, or does not do what Postgres does. The
            # start failed, with exit status 1. Do: use Postgres, see
            # docs/guides/database.md#your-own-postgres.
            log.critical(
                "contentsvc cannot start: on the engine of the database, {lack}",
                lack=failure.getErrorMessage(),
            )
        elif failure.check(*_PLAIN):
            # Log: the start failed, with exit status 1. Do: remove the cause that the line names.
            log.critical("contentsvc cannot start: {reason}", reason=failure.getErrorMessage())
        else:
            log.failure("contentsvc cannot start", failure)
        self._end_failed()

    def _give_up(self, reason: str) -> None:
        """End the process: something that it needs has gone for good."""
        # Log: something that the daemon needs has gone for good. The exit status is 1. Do: see
        # docs/guides/database.md#a-missing-data-folder.
        log.critical("contentsvc stops: {reason}", reason=reason)
        self._end_failed()

    def _end_failed(self) -> None:
        # reactor.stop() alone would end the process with status 0.
        atexit.register(_exit_failed)
        self._reactor.callWhenRunning(self._stop_reactor)

    # Parts that both kinds of daemon have.

    def _possible_connections(self) -> int:
        """How many connections this process, or a worker of it, can have. Raises ConfigError."""
        return possible_connections(self._settings.most_connections, self._other_files)

    @property
    def _other_files(self) -> int:
        """Files that it may need besides its connections to clients."""
        pools = 1 if self._settings.database_read is None else 2
        return pools * self._settings.pool_size + _FILES

    async def _embedded(self) -> str:
        """Run the embedded Postgres for as long as the service runs. Gives its URL."""
        forget_variables()
        postgres = EmbeddedPostgres(self._settings.data_dir, own=True)
        supervisor = self._supervisor = Supervisor(self._reactor, postgres, self._give_up)
        self._undo.append(supervisor.stop)
        dsn = await supervisor.start()
        for folder in postgres.opened:
            # Log: the user that Postgres runs as must reach its data.
            log.info(
                "Changed the mode of {folder} for the Postgres user; it is restored when Postgres "
                "stops",
                folder=folder,
            )
        return dsn

    async def _migrate(self, dsn: str) -> str | None:
        """Update the schema. Gives why that has to wait, if the database is being restored."""
        try:
            await self._patiently(lambda: self._migrate_now(dsn))
        except Unavailable as error:
            return str(error)
        if not self._worker:
            pool = self._reactor.getThreadPool()
            await self._patiently(lambda: deferToThreadPool(self._reactor, pool, check_engine, dsn))
        return None

    async def _migrate_now(self, dsn: str) -> None:
        pool = self._reactor.getThreadPool()
        names = await deferToThreadPool(self._reactor, pool, migrate, dsn, wait=_TURN)
        if names:
            # Log: the schema is that of this version now.
            log.info("Applied migrations {names}", names=", ".join(names))

    async def _patiently(self, act: Callable[[], Awaitable[Any]]) -> Any:
        """Repeat `act` until the database can be reached. The port stays closed meanwhile. Raises
        Unavailable: it is being restored."""
        while True:
            try:
                return await act()
            except (psycopg2.OperationalError, Unavailable) as error:
                if isinstance(error, Unavailable) and error.cause == "restoring":
                    raise
                reason = " ".join(str(error).split())
                # Log: the database cannot be reached, or a lock delays an upgrade. The daemon
                # tries again every second, with the port closed. Do: bring the database back, or
                # end the transaction that holds the lock.
                log.warn("Waiting for the database: {reason}", reason=reason)
            await self._stoppable(deferLater(self._reactor, _RETRY))

    async def _stoppable(self, waiting: Deferred[Any]) -> None:
        """Wait for something that may never come. Raises CancelledError if the service stops."""
        if not self.running:
            # The stop came before this, when there was nothing to cancel.
            waiting.cancel()
        self._waiting = waiting
        try:
            await waiting
        finally:
            self._waiting = None


def possible_connections(wanted: int, others: int) -> int:
    """How many of `wanted` connections a process can have that opens `others` files besides.

    Raises ConfigError if the system allows so few files that hardly any connection would be left.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard):
        return wanted
    allowed, least = max(soft, hard), min(wanted, LEAST_CONNECTIONS) + others
    if allowed < least:
        raise ConfigError(
            f"the system allows this process only {allowed} open files, and it needs at least "
            f"{least}: raise the hard limit (systemd: LimitNOFILE; a shell: ulimit -n)"
        )
    return min(wanted, allowed - others)


def allow_connections(wanted: int, others: int) -> int:
    """Raise this process's limit of open files as far as it needs, and give the same. A line in
    the log says it if that is less than `wanted`, and what it costs."""
    connections = possible_connections(wanted, others)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < connections + others:
        resource.setrlimit(resource.RLIMIT_NOFILE, (connections + others, hard))
    if connections < wanted:
        # Log: that is fewer than `connections` needs. Do: see
        # docs/guides/install.md#connections-and-open-files.
        log.warn(
            "The system allows this process only {allowed} open files, so it serves at most "
            "{connections} connections at a time, not {wanted}: raise the hard limit to {needed}, "
            "or lower connections. See Connections and open files in docs/guides/install.md",
            allowed=connections + others,
            connections=connections,
            wanted=wanted,
            needed=wanted + others,
        )
    return connections


def say_hello(settings: Settings, command: str, port: Any) -> None:
    """Log where the API is, how to get a first token, and where files lie. `command` is the
    `contentsvc` command as the shell takes it."""
    if settings.trusted_proxies and settings.public_url is None:
        # Log: `trusted_proxies` is set, and clients decide the host of `socketUrl`. Do: set
        # `public_url`.
        log.warn(
            "public_url is not set: socketUrl is built from each client's Host header and the "
            "proxies' X-Forwarded-Proto"
        )
    if settings.files_off:
        # Log: nobody can upload anything. Do: set `files`, see docs/guides/storage.md.
        log.warn(
            "FILES ARE OFF, because `database` is set and `files` is not: uploads, downloads and "
            '/storage are 404. Write files = "local" (a folder that all daemons share) or files = '
            '"s3" to have them, or files = "external" if the studio keeps them elsewhere'
        )
    if settings.scale_images and settings.files in {"local", "s3"} and (lack := sandbox.lacking()):
        # Log: code that breaks the reader of an image is held by limits of memory, time and open
        # files alone. Do: see docs/guides/storage.md#smaller-images.
        log.warn(
            "The process that reads players' images is no full sandbox: {lack}. Run the service "
            "on Linux with seccomp, or write scale_images = false to read none",
            lack=lack,
        )
    if settings.debug_notify and (settings.public_url or settings.trusted_proxies):
        # Log: the service has a `public_url` or `trusted_proxies` all the same. Do: set
        # `debug_notify = false`.
        log.warn(
            "debug_notify is on: every user can send every other any text, as a notification. "
            "Write debug_notify = false unless this is a test"
        )
    _say_where(settings, command, port.getHost())
    if settings.files != "external":
        _say_files(settings)


def _say_where(settings: Settings, command: str, host: Any) -> None:
    address = getattr(host, "host", None)
    if address is None:
        # Log: the port is open.
        log.info("contentsvc listens on {host}", host=host)
        return
    name = "127.0.0.1" if address == "0.0.0.0" else address  # noqa: S104
    scheme = "https" if settings.listen.removeprefix("haproxy:").startswith("ssl:") else "http"
    url = f"{scheme}://[{name}]:{host.port}" if ":" in name else f"{scheme}://{name}:{host.port}"
    if settings.portal:
        # Log: the daemon serves the portal. Do: open it in a browser.
        log.info("The portal is at {url}/", url=url)
    # Log: the daemon serves.
    log.info(
        "The API is at {url}/api/v1, its documentation at {url}/docs, its health at "
        "{url}/health/ready",
        url=url,
    )
    # Log: how to begin, at a first start.
    log.info(
        "To get a first token, register with POST {url}/api/v1/user and log in with POST "
        "{url}/oauth/token. To get an admin's token: {command} user add NAME --email E --admin, "
        "then {command} token NAME",
        url=url,
        command=command,
    )


def _say_files(settings: Settings) -> None:
    place = f"in {settings.files_folder}"
    if settings.files == "s3":
        buckets = f"{settings.s3_content_bucket} and {settings.s3_media_bucket}"
        place = f"in the buckets {buckets} of {settings.s3_endpoint}"
    rule = "with other paths, content is refused, for require_files is on"
    if not settings.require_files:
        rule = "other paths are taken as the studio's own, unless require_files is on"
    # Log: where files are, and whether other paths are taken. Do: compare it with what you want,
    # see docs/guides/storage.md.
    log.info("Files that players upload lie {place}; {rule}", place=place, rule=rule)


def _heed_no_more() -> None:
    for number in _STOPPING:
        # Not SIG_IGN: spawned processes would inherit it.
        signal.signal(number, lambda number, frame: None)


def _exit_failed() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)
