"""`twistd contentsvc`: the one module that knows every part.

A daemon starts in sequence (Postgres, migrations, pool, LISTEN, then the port) and stops in
the reverse: port, goodbye to the sockets, requests under way, LISTEN, pool, Postgres.
"""

import gc
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from random import SystemRandom
from typing import Any

from msgspec import json
from twisted.application.service import Service
from twisted.internet import tcp
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import serverFromString
from twisted.logger import Logger
from twisted.python import usage

from contentsvc import config
from contentsvc.api import errors
from contentsvc.api.accounts import Accounts, OAuth
from contentsvc.api.bans import Bans
from contentsvc.api.challenges import Challenges
from contentsvc.api.comments import Comments
from contentsvc.api.content import Content
from contentsvc.api.contract import document
from contentsvc.api.debug import DebugTools
from contentsvc.api.families import MIRRORED, OPERATIONS
from contentsvc.api.guard import Guard
from contentsvc.api.health import Health, Reason
from contentsvc.api.notifications import Notifications
from contentsvc.api.precheck import UploadPrecheck
from contentsvc.api.progress import Progress
from contentsvc.api.ratings import Ratings
from contentsvc.api.sessions import Sessions
from contentsvc.api.social import Social
from contentsvc.api.users import Users
from contentsvc.clocks import WallClock, run_monotonic
from contentsvc.config import ConfigError, Settings
from contentsvc.daemon import hint, logs
from contentsvc.daemon.sequence import Sequence, allow_files, say_hello
from contentsvc.daemon.worker import Worker
from contentsvc.daemon.workers import Workers
from contentsvc.db.database import Database
from contentsvc.jobs.retention import Retention
from contentsvc.passwords import Passwords
from contentsvc.push.endings import Endings
from contentsvc.push.factory import SocketFactory
from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.relay import Relay
from contentsvc.push.sweep import Sweep
from contentsvc.root import Root
from contentsvc.store import health, notifications
from contentsvc.store.disk import Disk
from contentsvc.tokens import Caller, InvalidToken, Keys, KeysError, Tokens
from contentsvc.web import assets
from contentsvc.web import errors as web
from contentsvc.web.app import Api
from contentsvc.web.assets import Asset
from contentsvc.web.reply import Reply
from contentsvc.web.site import ApiSite
from contentsvc.web.sizes import KIB
from contentsvc.web.unavailable import unavailability

_FILES = 100
"""Files that a process may need besides its connections to clients and to the database."""
_ACCEPTS = 32
"""The most connections accepted in one turn. Twisted would take more in each turn that leaves some
over, and all of them send a request in the next turn."""

log = Logger()


class Options(usage.Options):
    """The settings of `contentsvc.config` as options, and the option for their file."""

    optParameters = [
        ["config", "c", None, "TOML file with settings"],
        *([s.option, None, None, s.help] for s in config.SETTINGS),
    ]

    def parseOptions(self, options: Any = None) -> None:
        """Answer a wrong configuration with one line and status 1, not with the whole usage."""
        try:
            super().parseOptions(options)
            self.settings = self.read()
        except (usage.UsageError, ConfigError) as error:
            _exit(str(error))

    def read(self) -> Settings:
        """The present settings. Raises ConfigError."""
        settings = config.read(self, os.environ)
        if settings.secret_file is not None or os.path.exists(settings.keys_path):
            try:
                Keys.load(settings.keys_path)
            except KeysError as error:
                raise ConfigError(f"secret_file {error}") from None
        return settings


def _exit(reason: str) -> None:
    print(f"contentsvc: {reason}", file=sys.stderr)
    raise SystemExit(1)


def makeService(options: Options) -> Service:
    """The service of one process, on the reactor that twistd runs."""
    from twisted.internet import reactor

    run_monotonic(reactor)
    settings = options.settings
    worker = Worker.of(reactor, os.environ)
    parse = partial(serverFromString, reactor) if worker is None else worker.endpoint
    try:
        endpoint = parse(settings.listen)
    except Exception as error:  # a TLS endpoint reads files, and a plugin's may do anything
        _exit(f"listen {settings.listen}: {str(error) or type(error).__name__}")
    if worker is not None:
        service: Sequence = Daemon(reactor, settings, endpoint, worker.ready)
    else:
        file = options["config"] or os.environ.get("CONTENTSVC_CONFIG")
        command = hint.command(sys.argv[0], file, settings)
        announce = partial(say_hello, settings, command)
        service = (
            _parent(reactor, options, endpoint, announce)
            if settings.workers > 1
            else Daemon(reactor, settings, endpoint, announce)
        )
    if _logs_to_stdout(options):
        service.observer = logs.observer()
    return service


def _logs_to_stdout(options: Options) -> bool:
    """Whether twistd logs to standard output, by its own options."""
    twistd: Any = options.parent or {}
    elsewhere = any(twistd.get(option) for option in ("logger", "syslog"))
    return bool(
        twistd.get("nodaemon") and not elsewhere and twistd.get("logfile") in {None, "", "-"}
    )


def _parent(
    reactor: Any, options: Options, endpoint: Any, announce: Callable[[Any], None]
) -> Workers:
    twistd: Any = options.parent or {}
    chosen = [f"--reactor={twistd['reactor']}"] if twistd.get("reactor") else []
    return Workers(
        reactor,
        options.read,
        endpoint,
        command=[
            *(sys.executable, os.path.abspath(sys.argv[0]), "--nodaemon", "--pidfile="),
            *(*chosen, "contentsvc"),
        ],
        # The workers write to standard output too. Another log cannot have several writers.
        piped=not _logs_to_stdout(options),
        announce=announce,
    )


class Daemon(Sequence):
    """Everything in one process. `announce` is called with the port once it is served."""

    def __init__(
        self,
        reactor: Any,
        settings: Settings,
        endpoint: Any,
        announce: Callable[[Any], None],
    ) -> None:
        super().__init__(reactor, settings)
        self._endpoint = endpoint
        self._announce = announce
        self._connections = settings.most_connections
        self._wall = WallClock()

    async def start_parts(self) -> None:
        settings, reactor = self._settings, self._reactor
        others = settings.pool_size + _FILES
        files = allow_files(settings.most_connections + others)
        self._connections = max(1, min(settings.most_connections, files - others))
        dsn = settings.database or await self._embedded()
        keys = Keys.load_or_generate(settings.keys_path)
        await self._migrate(dsn)

        db = Database(
            reactor, dsn, size=settings.pool_size, statement_timeout=settings.statement_timeout
        )
        self._undo.append(_plain(db.stop))
        await self._patiently(db.start)
        tokens = Tokens(keys, self._wall, steady=reactor)
        hub = Hub(
            reactor,
            db,
            notifications,
            sockets=settings.sockets,
            sockets_per_user=settings.sockets_per_user,
        )
        relay = Relay(reactor, dsn=dsn, random=SystemRandom())
        endings = Endings(reactor, db, tokens.revoked, hub, relay)
        sweep = Sweep(reactor, hub, endings)
        sweep.start()
        self._undo.append(_plain(sweep.stop))
        self._undo.append(relay.stop)
        await self._stoppable(Deferred.fromCoroutine(relay.start(hub, endings, sweep)))
        await self._patiently(endings.learn_first)
        passwords = Passwords(reactor)
        passwords.threads.start()
        self._undo.append(_plain(passwords.threads.stop))
        hub.start()
        self._undo.append(_plain(hub.stop))
        retention = Retention(reactor, db, settings.notification_retention)
        retention.start()
        self._undo.append(_plain(retention.stop))

        site = self._site(db, tokens, passwords, hub, relay, endings)
        port = await self._endpoint.listen(site)
        if isinstance(port, tcp.Port):
            _accept_few(port)
        self._undo.append(lambda: self._close(port, site, hub))
        # All objects so far stay for good. Otherwise each full collection would visit them again,
        # and the requests of that moment would wait some 10 ms.
        gc.collect()
        gc.freeze()
        self._announce(port)

    def _site(
        self,
        db: Database,
        tokens: Tokens,
        passwords: Passwords,
        hub: Hub,
        relay: Relay,
        endings: Endings,
    ) -> ApiSite:
        settings = self._settings

        def authenticate(token: str) -> Caller:
            try:
                caller = tokens.verify(token)
            except InvalidToken as error:
                raise web.BadToken(str(error)) from None
            if not tokens.revoked.complete:
                raise web.Unavailable(cause="lock")
            return caller

        notifier = Notifier(hub, relay)
        most = settings.failed_log_ins_per_address
        guard = Guard(db, passwords, tokens, most_of_address=most)
        platforms = settings.required_platforms
        families: list[object] = [
            Users(db),
            Social(
                db,
                notifier,
                require_invite=settings.require_party_invite,
                follows_per_day=settings.follows_per_day,
            ),
            UploadPrecheck(db, required_platforms=platforms),
            Content(
                db,
                notifier,
                required_platforms=platforms,
                publications_per_day=settings.publications_per_day,
            ),
            Comments(db, per_minute=settings.comments_per_minute),
            Ratings(db),
            Notifications(db),
            Progress(db, keys=settings.progress_keys, bytes=settings.progress_bytes),
            Challenges(db),
            Sessions(db, tokens, endings, public_url=settings.public_url),
            Accounts(db, passwords, guard, endings, registration=settings.registration),
            Bans(db, endings),
            OAuth(db, guard, tokens, endings),
        ]
        if settings.debug_notify:
            families.append(DebugTools(db, notifier))
        disk = Disk(self._reactor, db, settings.data_dir if settings.database is None else None)
        reasons = [
            Reason("database", lambda: health.ping(db)),
            Reason("listen", _true_if(lambda: relay.alive)),
            Reason("sessions", _true_if(lambda: tokens.revoked.complete)),
            Reason("sockets", _true_if(lambda: hub.joining)),
            Reason("pool", lambda: health.answers(db)),
            Reason("disk", disk.has_room),
        ]
        if (keeper := self._keeper) is not None:
            reasons.append(Reason("data_dir", _true_if(lambda: keeper.there)))
        families.append(Health(reasons, self._reactor))
        unavailable = unavailability(self._reactor)
        self._undo.append(_plain(unavailable.stop))

        def answered_503(cause: str) -> None:
            unavailable.count(cause)
            if cause == "disk":
                disk.failed()

        api = Api(authenticate, errors.translate, Reply(settings.cors_origins, answered_503))
        api.mount((*OPERATIONS, *MIRRORED), families)
        sockets = SocketFactory(self._reactor, hub, tokens, settings.cors_origins)
        served = [operation for operation in OPERATIONS if operation in api.operations]
        contract = Asset(json.encode(document(served)), "application/json")
        root = Root(api, sockets, {**assets.docs(), b"/openapi.json": contract})
        return ApiSite(
            root,
            self._reactor,
            now=self._wall.seconds,
            judge=root.judge,
            refuse=api.refuse,
            body_timeout=settings.body_timeout,
            body_memory=settings.body_memory * KIB * KIB,
            connections=self._connections,
            sockets=lambda: sockets.countConnections,
            trusted_proxies=settings.trusted_proxies,
        )

    async def _close(self, port: Any, site: ApiSite, hub: Hub) -> None:
        if isinstance(port, tcp.Port):
            # Accept everybody who still waits: closing the port would reset them, with their
            # requests already sent. The socket is closed at once, because Twisted would close it
            # only in the next turn, and more might come until then. (A port that workers share
            # stays open for those who wait.)
            port.stopReading()
            port.numberAccepts = config.BACKLOG
            tcp.Port.doRead(port)
            port.socket.close()
        await port.stopListening()
        timeout = self._settings.drain_timeout
        draining = Deferred.fromCoroutine(hub.drain(timeout=timeout))
        await site.traffic.drain(timeout)
        await draining


def _accept_few(port: Any) -> None:
    """Accept few connections at a time, so that a rush leaves turns to the present ones."""

    def do_read() -> None:
        port.numberAccepts = min(port.numberAccepts, _ACCEPTS)
        tcp.Port.doRead(port)

    port.doRead = do_read


def _plain(stop: Callable[[], object]) -> Callable[[], Awaitable[object]]:
    async def undo() -> None:
        stop()

    return undo


def _true_if(holds: Callable[[], bool]) -> Callable[[], Coroutine[Any, Any, bool]]:
    async def reason() -> bool:
        return holds()

    return reason
