"""`twistd contentsvc`: the one module that knows every part. It reads the options, chooses between
a daemon and the parent of several, and makes the site that a daemon serves."""

import os
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from gzip import compress
from itertools import pairwise
from typing import Any, NoReturn

from msgspec import json
from twisted.application.service import Service
from twisted.internet.endpoints import serverFromString
from twisted.python import usage

from contentsvc import config
from contentsvc.api import errors
from contentsvc.api.accounts.accounts import Accounts
from contentsvc.api.accounts.credentials import Guard
from contentsvc.api.accounts.deletion import Departures
from contentsvc.api.accounts.emails import Emails
from contentsvc.api.accounts.identities import Identities
from contentsvc.api.accounts.oauth import OAuth
from contentsvc.api.accounts.sessions import Sessions
from contentsvc.api.accounts.users import Users
from contentsvc.api.challenges.challenges import Challenges
from contentsvc.api.challenges.entries import Entries
from contentsvc.api.challenges.rewards import Rewards
from contentsvc.api.content.comments import Comments
from contentsvc.api.content.content import Content
from contentsvc.api.content.dependents import Dependents
from contentsvc.api.content.precheck import UploadPrecheck
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.ratings import Ratings
from contentsvc.api.content.revisions import Revisions
from contentsvc.api.content.search import Search
from contentsvc.api.content.withdrawal import Withdrawal
from contentsvc.api.contract import document
from contentsvc.api.families import MIRRORED, OPERATIONS
from contentsvc.api.files.downloads import Downloads
from contentsvc.api.files.files import Files
from contentsvc.api.files.receiving import Receiving
from contentsvc.api.files.references import Claims
from contentsvc.api.files.transfers import Transfers
from contentsvc.api.files.uploads import Limits
from contentsvc.api.health import Health, Reason
from contentsvc.api.moderation.audit_log import Actions
from contentsvc.api.moderation.bans import Bans
from contentsvc.api.moderation.reports import Reports
from contentsvc.api.notifications.debug import DebugTools
from contentsvc.api.notifications.notifications import Notifications
from contentsvc.api.progress.progress import Progress
from contentsvc.api.social.friends import Friends
from contentsvc.api.social.messages import Messages
from contentsvc.api.social.social import Social
from contentsvc.bucket.local import Local
from contentsvc.config import ConfigError, Settings
from contentsvc.core import utf8
from contentsvc.core.clocks import run_monotonic
from contentsvc.daemon import command_hint, json_log, logs
from contentsvc.daemon.context import Front, Parts
from contentsvc.daemon.daemon import Daemon
from contentsvc.daemon.sequence import Sequence, say_hello
from contentsvc.daemon.worker import Worker
from contentsvc.daemon.workers import Workers
from contentsvc.identity import file as issuers
from contentsvc.mail import texts
from contentsvc.push.factory import SocketFactory
from contentsvc.root import Root
from contentsvc.store import health
from contentsvc.tokens import Caller, InvalidToken, Keys, KeysError
from contentsvc.web import assets
from contentsvc.web import errors as web
from contentsvc.web.app import Api, Static
from contentsvc.web.assets import Asset
from contentsvc.web.body_limits import KIB
from contentsvc.web.index import Index
from contentsvc.web.proxies import Proxies
from contentsvc.web.reply import Reply
from contentsvc.web.site import ApiSite
from contentsvc.web.traffic import Traffic

_OF_FILES = [op for op in (*OPERATIONS, *MIRRORED) if op.family.handlers in {Files, Downloads}]


class Options(usage.Options):
    """The settings of `contentsvc.config` as options, and the option for their file."""

    optParameters = [
        ["config", "c", None, "TOML file with settings"],
        *([s.option, None, None, s.usage] for s in config.SETTINGS),
    ]

    def parseOptions(self, options: Any = None) -> None:
        """Answer a wrong configuration with one line and status 1, not with the whole usage."""
        utf8.require()
        wrong = ""
        try:
            super().parseOptions(options)
        except usage.UsageError as error:
            # No option has been read.
            wrong, words = str(error), list(options or ())
            if ("--log-format", "json") in pairwise(words) or "--log-format=json" in words:
                self["log-format"] = "json"
        if config.log_format(self, os.environ) == "json":
            json_log.begin()
        try:
            self.settings = self.read()
        except ConfigError as error:
            wrong = wrong or str(error)
        if wrong:
            self.exit(wrong)

    def exit(self, reason: str) -> NoReturn:
        """End the process: it cannot start."""
        if config.log_format(self, os.environ) == "json":
            json_log.say(f"contentsvc: {reason}")
        else:
            print(f"contentsvc: {reason}", file=sys.stderr)
        raise SystemExit(1)

    def read(self) -> Settings:
        """The present settings. Raises ConfigError."""
        settings = config.read(self, os.environ)
        if settings.files == "s3":
            config.store_of(settings)
        if config.mail_of(settings) is not None:
            try:
                texts.load(settings.mail_templates)
            except texts.TextsError as error:
                raise ConfigError(f"mail_templates {error}") from None
        if settings.secret_file is not None or os.path.exists(settings.keys_path):
            try:
                Keys.load(settings.keys_path)
            except KeysError as error:
                raise ConfigError(f"secret_file {error}") from None
        if settings.issuers is not None:
            try:
                issuers.read(settings.issuers)
            except issuers.FileError as error:
                raise ConfigError(f"issuers {error}") from None
        return settings


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
        options.exit(f"listen {settings.listen}: {str(error) or type(error).__name__}")
    admin = None if settings.admin is None else _admin(reactor, options, settings.admin)
    make_site = partial(_site, reactor, settings)
    if worker is not None:
        daemon = Daemon(reactor, settings, endpoint, make_site, worker.ready, worker=True)
        worker.answers(daemon.outlook.answer)
        service: Sequence = daemon
    else:
        file = options["config"] or os.environ.get("CONTENTSVC_CONFIG")
        command = command_hint.command(sys.argv[0], file, settings)
        announce = partial(say_hello, settings, command)
        service = (
            _parent(reactor, options, endpoint, announce, admin)
            if settings.workers > 1
            else Daemon(reactor, settings, endpoint, make_site, announce, admin=admin)
        )
    try:
        service.observer = logs.observer(settings.log_format, options.parent or {}, reactor)
    except (ConfigError, OSError) as error:
        options.exit(str(error))
    return service


def _admin(reactor: Any, options: Options, endpoint: str) -> Any:
    try:
        return serverFromString(reactor, endpoint)
    except Exception as error:  # as above
        options.exit(f"admin {endpoint}: {str(error) or type(error).__name__}")


def _parent(
    reactor: Any,
    options: Options,
    endpoint: Any,
    announce: Callable[[Any], None],
    admin: Any,
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
        piped=not logs.to_stdout(twistd),
        announce=announce,
        admin=admin,
    )


def _site(reactor: Any, settings: Settings, parts: Parts) -> Front:
    """The front that a daemon serves, once its parts run."""
    db, tokens, passwords = parts.db, parts.tokens, parts.passwords
    hub, relay, endings, notifier = parts.hub, parts.relay, parts.endings, parts.notifier

    def authenticate(token: str) -> Caller:
        try:
            caller = tokens.verify(token)
        except InvalidToken as error:
            raise web.BadToken(str(error)) from None
        if not tokens.revoked.complete:
            raise web.Unavailable(cause="lock")
        return caller

    most = settings.failed_log_ins_per_address
    guard = Guard(
        db,
        passwords,
        tokens,
        parts.verifiers,
        most_of_address=most,
        mails_of_address=settings.mails_per_address,
        failed=parts.observed.log_ins,
    )
    mails = None if parts.mailing is None else parts.mailing.queue
    platforms = settings.required_platforms
    claims = None if parts.bucket is None else Claims(required=settings.require_files)
    changes = settings.changes_per_hour
    publishing = Publishing(
        db, parts.outbox, platforms, settings.publications_per_day, changes, claims
    )
    families: list[object] = [
        Users(db, claims),
        Social(
            db,
            notifier,
            require_invite=settings.require_party_invite,
            invited_by=settings.party_invites,
            follows_per_day=settings.follows_per_day,
            invites_per_hour=settings.invites_per_hour,
        ),
        Friends(db, notifier, requests_per_day=settings.friend_requests_per_day),
        Messages(db, notifier, per_minute=settings.messages_per_minute),
        UploadPrecheck(
            db,
            required_platforms=platforms,
            files=claims is not None,
            folder=parts.bucket if isinstance(parts.bucket, Local) else None,
        ),
        Content(db, notifier, parts.outbox, publishing),
        Revisions(db, publishing, files=claims is not None),
        Withdrawal(db, parts.outbox, changes_per_hour=changes),
        Dependents(db),
        Search(db),
        Comments(db, notifier, per_minute=settings.comments_per_minute),
        Ratings(db),
        Notifications(db, notifier),
        Progress(db, keys=settings.progress_keys, bytes=settings.progress_bytes),
        Challenges(db, parts.outbox, claims),
        Entries(db),
        Rewards(db),
        Sessions(db, tokens, endings, public_url=settings.public_url),
        Accounts(db, passwords, guard, endings, mails, registration=settings.registration),
        Emails(db, passwords, guard, endings, parts.mail_tokens, mails),
        Departures(reactor, db, guard, endings, parts.outbox),
        Identities(db, guard, mails),
        Bans(db, endings),
        Actions(db, notifier),
        Reports(db, parts.outbox, per_day=settings.reports_per_day),
        OAuth(db, guard, tokens, endings, per_user=settings.sessions_per_user),
    ]
    if parts.bucket is not None:
        families.append(
            Files(
                reactor,
                db,
                parts.bucket,
                option=settings.files,
                limits=Limits(
                    settings.file_bytes,
                    settings.image_bytes,
                    settings.user_bytes,
                    settings.pending_files,
                    # An address can only be confirmed by mail.
                    0 if mails is None else settings.new_user_bytes,
                ),
                public_url=settings.public_url,
                wake=parts.blocked,
            )
        )
        families.append(Downloads(db, parts.bucket, public_url=settings.public_url))
    if settings.debug_notify:
        families.append(DebugTools(db, notifier))
    disk = parts.disk
    reasons = [
        Reason("restoring", _true_if(lambda: not parts.restoring.on)),
        Reason("database", lambda: health.ping(db)),
        Reason("listen", _true_if(lambda: relay.alive)),
        Reason("sessions", _true_if(lambda: tokens.revoked.complete)),
        Reason("sockets", _true_if(lambda: hub.joining)),
        Reason("pool", lambda: health.answers(db)),
        Reason("disk", disk.has_room),
        Reason("read_only", lambda: health.writes(db), unknown=True),
    ]
    if (keeper := parts.keeper) is not None:
        reasons.append(Reason("data_dir", _true_if(lambda: keeper.there)))
    known = Health(reasons, reactor)
    families.append(known)

    def answered_503(cause: str) -> None:
        parts.unavailable.count(cause)
        if cause == "disk":
            disk.failed()

    reply = Reply(settings.cors_origins, answered_503)
    api = Api(authenticate, errors.translate, reply)
    api.mount((*OPERATIONS, *MIRRORED), families)
    if parts.bucket is None:
        api.leave_out(_OF_FILES, errors.FilesExternal)
    sockets = SocketFactory(reactor, hub, tokens, settings.cors_origins)
    served = [operation for operation in OPERATIONS if operation in api.operations]
    # Without the time, so that the ETag is the same from all processes.
    contract = compress(json.encode(document(served)), mtime=0)
    files: dict[bytes, Static] = {**assets.docs(), b"/": Index(settings.public_url)}
    files[b"/openapi.json"] = Asset(contract, "application/json", gzipped=True)
    transfers = None
    if isinstance(parts.bucket, Local):
        receiving = Receiving(db, parts.bucket, errors.translate)
        transfers = Transfers(reply, receiving)
    root = Root(api, sockets, files, transfers, parts.restoring)
    traffic = Traffic(
        reactor,
        memory=settings.body_memory * KIB * KIB,
        connections=parts.connections,
        sockets=lambda: sockets.countConnections,
    )
    site = ApiSite(
        root,
        reactor,
        now=parts.wall.seconds,
        judge=root.judge,
        refuse=api.refuse,
        body_timeout=settings.body_timeout,
        traffic=traffic,
        proxies=Proxies(settings.trusted_proxies),
        observe=parts.observed.requests.observe,
        slow=parts.slow,
    )
    return Front(site, known.names, known.missing)


def _true_if(holds: Callable[[], bool]) -> Callable[[], Coroutine[Any, Any, bool]]:
    async def reason() -> bool:
        return holds()

    return reason
