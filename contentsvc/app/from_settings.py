"""What a daemon uses, as its settings name it: the place of files, the mail server, the replica of
the database, and the issuers of tokens."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Any

from twisted.internet.defer import maybeDeferred
from twisted.internet.threads import deferToThreadPool

from contentsvc.api.accounts.terms import TermsRules
from contentsvc.app.context import Credentials, Mailing
from contentsvc.app.observations import Observations
from contentsvc.app.restore_watch import RestoreWatch
from contentsvc.app.signals import Signals
from contentsvc.config import Settings, mail_of, store_of
from contentsvc.config.brand import UNBRANDED, Brand
from contentsvc.config.studio_files import StudioFiles
from contentsvc.framework.core.http_proxy import Proxies
from contentsvc.framework.core.timers import Bell, NextTurn, WallClock
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.replica import Replica
from contentsvc.framework.identity import file
from contentsvc.framework.identity.fetch import Fetch
from contentsvc.framework.identity.issuer import Issuer, Issuers
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.framework.identity.steam import Steam
from contentsvc.framework.identity.subject import Verifier, Verifiers
from contentsvc.framework.mail.errors import Away
from contentsvc.framework.mail.message import mailable, mailbox
from contentsvc.framework.storage import sigv4
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.folder import Astray, Folder
from contentsvc.framework.storage.links import Links
from contentsvc.framework.storage.local import Choose, Local
from contentsvc.framework.storage.s3 import S3Bucket
from contentsvc.framework.tasks.runner import Failing, Job
from contentsvc.framework.tasks.task_runners import EffectRunner
from contentsvc.jobs import mails as job
from contentsvc.jobs.mails import MailCounts, MailForm, MailSender, load_texts
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.files import folders
from contentsvc.tokens import EMAIL, NOTICE, RESET, Keys, MailTokens, Tokens
from contentsvc.wire.legal import Terms

LONG = 5.0
"""Seconds without the replica after which that is reported."""


def open_bucket(
    settings: Settings, keys: Keys, reactor: Any, wall: WallClock, db: Database
) -> Bucket | None:
    """The bucket that the setting `files` names, before its start. None if the files are the
    studio's own matter."""
    if settings.files == "s3":
        return _s3(settings, reactor, wall)
    if settings.files == "local":

        async def settle(choose: Choose) -> str:
            async with db.transaction() as tx:
                return await folders.settle(tx, choose)

        folder = Folder(
            settings.files_folder,
            reserve=settings.disk_reserve,
            database=settings.database_folder,
        )
        links = Links(keys, wall)
        return Local(reactor, folder, links, settle, media_url=settings.media_url)
    return None


async def try_store(settings: Settings, reactor: Any, dsn: str) -> None:
    """Raise BadStore if the files lie in an S3 store that can be reached and is no good, OSError if
    they lie in a folder that cannot be made. `dsn` is that of the database."""
    if settings.files == "local":
        # A store that is away may come back.
        with suppress(Astray, Unavailable):
            await deferToThreadPool(
                reactor, reactor.getThreadPool(), _make_folder, settings.files_folder, dsn
            )
    if settings.files == "s3":
        bucket = _s3(settings, reactor, WallClock())
        try:
            await bucket.start()
        finally:
            await bucket.stop()


def _make_folder(root: Path, dsn: str) -> None:
    async def choose(stored: bool) -> str:
        return Folder(root).choose(stored)

    in_transaction(dsn, lambda tx: folders.settle(tx, choose))


def _s3(settings: Settings, reactor: Any, wall: WallClock) -> S3Bucket:
    store = store_of(settings)
    keys = sigv4.Credentials(*store.keys)
    random = SystemRandom()
    return S3Bucket(
        reactor,
        wall,
        random,
        *store.place,
        keys,
        media_url=settings.media_url,
        virtual=store.virtual,
    )


def open_mailing(
    settings: Settings,
    keys: Keys,
    reactor: Any,
    wall: WallClock,
    db: Database,
    pseudonym: Callable[[str], str],
    brand: Brand | None,
) -> Mailing | None:
    """The queue and the job of mails; None if no mail is sent. `pseudonym` makes the GUID that
    replaces a text. Mails are from the `brand`, if `mail_from` has no name."""
    mail = mail_of(settings)
    if mail is None:
        return None
    # Its import asks for the name of the machine, which takes long where DNS does not answer.
    from contentsvc.framework.mail.smtp import MailServer, server_of

    tokens, bell, counts = MailTokens(keys), Bell(reactor), MailCounts()
    notices = mail.reset_url
    if settings.portal and settings.public_url is not None:
        notices = f"{settings.public_url.rstrip('/')}/notice"
    look = MailForm(
        mail.sender,
        mail.sender_name or ("" if brand is None else brand.name),
        load_texts(mail.templates),
        mail.reset_url,
        UNBRANDED if brand is None else brand.name,
        notices,
        settings.redress,
    )

    def token(purpose: str, id: str) -> str:
        word = NOTICE if purpose == NOTICE else RESET if purpose == "reset" else EMAIL
        return tokens.make(word, id)

    mail_server = MailServer(reactor, server_of(mail))

    async def takes(address: str) -> bool | None:
        if mailable(address) is not None:
            return True
        try:
            return mailable(address, utf8=True) is not None and await mail_server.has_utf8()
        except Away:
            return None

    sender = MailSender(wall, db, mail_server, look, token, tokens.appeal, counts)
    runner = EffectRunner(reactor, db, sender.kind)
    return Mailing(
        Mails(
            NextTurn(reactor, bell.ring).ask,
            lambda email: pseudonym(f"mailbox {mailbox(email)}"),
            settings.mails_per_recipient,
            takes,
        ),
        Job("send mail", job.EVERY, runner.run, bell, runner.stop, runner.queue),
        counts,
    )


def open_database(
    settings: Settings,
    reactor: Any,
    dsn: str,
    restoring: RestoreWatch,
    signals: Signals,
    observed: Observations,
) -> Database:
    """The pool of the database, before its start."""
    return Database(
        reactor,
        dsn,
        opener=restoring.opened,
        size=settings.pool_size,
        statement_timeout=settings.statement_timeout,
        session=_session(settings),
        waited=observed.waited,
        broke=signals.commit_unknown,
    )


def _session(settings: Settings) -> dict[str, str] | None:
    """What functions of the database read of the settings, where that is not their default."""
    found = {} if settings.events else {"contentsvc.events": "off"}
    hours = settings.due_hours, settings.due_hours_notices, settings.due_hours_child
    if hours != (72, 24, 1):
        found["contentsvc.due_hours"] = ",".join(map(str, hours))
    return found or None


def open_replica(settings: Settings, reactor: Any, db: Database) -> Replica | None:
    """Give `db` its replica, if the settings name one. The start does not wait for it."""
    if settings.database_read is None:
        return None
    db.replica = replica = Replica(
        reactor,
        settings.database_read,
        db,
        size=settings.pool_size,
        statement_timeout=settings.statement_timeout,
        max_lag=settings.replica_max_lag,
    )
    replica.start()
    return replica


def open_terms(settings: Settings, db: Database, studio: StudioFiles) -> TermsRules:
    """The terms that players accept."""
    said = None if studio.legal is None else studio.legal.terms
    terms = None if said is None else Terms(*said)
    return TermsRules(db, terms, needed=settings.require_terms)


def failing(replica: Replica | None, reactor: Any, wall: WallClock) -> list[Failing]:
    """A failure to report if the replica has been unused for long."""
    if replica is None or replica.up:
        return []
    away = reactor.seconds() - replica.since
    if away < LONG:
        return []
    return [Failing("read from the replica", int(wall.seconds() - away), replica.reason)]


def open_credentials(
    settings: Settings, reactor: Any, keys: Keys, tokens: Tokens, observed: Observations
) -> tuple[Credentials, Callable[[], object]]:
    """What log-ins are checked with, and what to call at the stop. The keys of the issuers begin
    to be read, but the start does not wait for them. Raises FileError."""
    fetch = Fetch(reactor, proxies=Proxies())
    verifiers, issuers = _verifiers(settings, reactor, fetch)
    passwords = Passwords(reactor)
    passwords.threads.start()
    credentials = Credentials(
        tokens, MailTokens(keys), passwords, verifiers, issuers, observed.failed
    )

    async def close() -> None:
        await maybeDeferred(fetch.stop)
        passwords.threads.stop()

    return credentials, close


def _verifiers(settings: Settings, reactor: Any, fetch: Fetch) -> tuple[Verifiers, Issuers]:
    wall = WallClock()
    if settings.issuers is None:
        return Verifiers(), Issuers(wall, [])
    sources = file.read(settings.issuers)
    issuers = Issuers(wall, [Issuer(reactor, fetch, each) for each in sources.issuers])
    issuers.begin()
    verifiers: list[Verifier] = [issuers] if sources.issuers else []
    if sources.steam is not None:
        verifiers.append(Steam(fetch, sources.steam))
    return Verifiers(verifiers), issuers
