"""What a daemon uses, as its settings name it: the place of files, the mail server, the replica of
the database, and those whose tokens it takes."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Any, NamedTuple

from twisted.internet.threads import deferToThreadPool

from contentsvc.config import Settings, mail_of, store_of
from contentsvc.framework.core.clocks import WallClock
from contentsvc.framework.core.timers import Bell, NextTurn
from contentsvc.framework.db.blocking import in_transaction
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.replica import Replica
from contentsvc.framework.identity import file
from contentsvc.framework.identity.fetch import Fetch
from contentsvc.framework.identity.issuer import Issuer, Issuers
from contentsvc.framework.identity.steam import Steam
from contentsvc.framework.identity.subject import Verifier, Verifiers
from contentsvc.framework.images.scaler import Scaler
from contentsvc.framework.mail.errors import Away
from contentsvc.framework.mail.message import mailable, mailbox
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.folder import Astray, Folder
from contentsvc.framework.storage.images import MOST_PIXELS
from contentsvc.framework.storage.links import Links
from contentsvc.framework.storage.local import Choose, Local
from contentsvc.framework.storage.paths import WIDTHS
from contentsvc.framework.storage.s3 import S3Bucket
from contentsvc.framework.storage.sigv4 import Credentials
from contentsvc.framework.tasks.effects import EffectRunner
from contentsvc.framework.tasks.runner import Failing, Job
from contentsvc.framework.webhooks.addresses import Rules
from contentsvc.framework.webhooks.sender import Sender
from contentsvc.jobs import mails as job
from contentsvc.jobs.files import BROKEN_UPLOADS_EVERY, STORE_AGAIN, StoreCheck
from contentsvc.jobs.images import ImageCounts, ImageScaling
from contentsvc.jobs.mails import MailCounts, MailForm, MailSender, load_texts
from contentsvc.jobs.studio import WebhookCounts, WebhookDeliverer
from contentsvc.push.event_feed import EventFeed
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.files import folders
from contentsvc.tokens import EMAIL, RESET, Keys, MailTokens

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
        # What is away may come back.
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


def store_jobs(bucket: Bucket | None, reactor: Any) -> list[Job]:
    """The jobs that keep an eye on the place of the files, and tidy it up."""
    if bucket is None:
        return []
    run = StoreCheck(bucket.reach).run
    return [
        Job("reach the file store", STORE_AGAIN, run, Bell(reactor)),
        Job("delete broken uploads", BROKEN_UPLOADS_EVERY, bucket.sweep),
    ]


def scaling_jobs(
    settings: Settings,
    bucket: Bucket | None,
    reactor: Any,
    db: Database,
    counts: ImageCounts,
    bell: Bell,
    took: Callable[[float], object],
) -> list[Job]:
    """The jobs that make smaller images. `bell` is rung when images have come, and `took` is called
    with the seconds of each."""
    if bucket is None:
        return []
    scaler = Scaler(reactor, WIDTHS, MOST_PIXELS, took) if settings.scale_images else None
    return ImageScaling(reactor, db, bucket, scaler, counts).jobs(bell)


def _s3(settings: Settings, reactor: Any, wall: WallClock) -> S3Bucket:
    store = store_of(settings)
    keys = Credentials(*store.keys)
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


class Mailing(NamedTuple):
    """What sends mail: the queue, the job, and what the job has done in this process."""

    queue: Mails
    job: Job
    counts: MailCounts


def open_mailing(
    settings: Settings,
    keys: Keys,
    reactor: Any,
    wall: WallClock,
    db: Database,
    pseudonym: Callable[[str], str],
) -> Mailing | None:
    """What the settings of mail ask for; None if no mail is sent. `pseudonym` makes the GUID that
    stands for a text."""
    mail = mail_of(settings)
    if mail is None:
        return None
    # Its import asks for the name of the machine, which takes long where DNS does not answer.
    from contentsvc.framework.mail.smtp import MailServer, server_of

    tokens, bell, counts = MailTokens(keys), Bell(reactor), MailCounts()
    look = MailForm(mail.sender, mail.sender_name, load_texts(mail.templates), mail.reset_url)

    def token(purpose: str, id: str) -> str:
        return tokens.make(RESET if purpose == "reset" else EMAIL, id)

    mail_server = MailServer(reactor, server_of(mail))

    async def takes(address: str) -> bool | None:
        if mailable(address) is not None:
            return True
        try:
            return mailable(address, utf8=True) is not None and await mail_server.has_utf8()
        except Away:
            return None

    sender = MailSender(wall, db, mail_server, look, token, counts)
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


class Eventing(NamedTuple):
    """What brings events to the studio's programs: the readers who wait, what sends to webhooks,
    its job, what begins that, and what it has done in this process."""

    feed: EventFeed
    sender: Sender
    job: Job
    wake: Callable[[], None]
    counts: WebhookCounts


def open_events(
    settings: Settings,
    reactor: Any,
    wall: WallClock,
    db: Database,
    noted: Callable[[], object],
) -> Eventing | None:
    """What events need; None where they are off. `noted` is called when the job has written
    one."""
    if not settings.events:
        return None
    rules = Rules.of(settings.webhook_insecure, settings.webhook_networks)
    sender, bell, counts = Sender(reactor, wall, rules), Bell(reactor), WebhookCounts()
    job = WebhookDeliverer(db, sender, counts, noted).job(reactor, bell)
    return Eventing(EventFeed(reactor, db), sender, job, bell.ring, counts)


def open_replica(settings: Settings, reactor: Any, db: Database) -> Replica | None:
    """Give `db` its replica, if it is to have one. Nobody waits until it can be used."""
    if settings.database_read is None:
        return None
    db.replica = replica = Replica(
        reactor,
        settings.database_read,
        db,
        size=settings.pool_size,
        statement_timeout=settings.statement_timeout,
    )
    replica.start()
    return replica


def failing(replica: Replica | None, reactor: Any, wall: WallClock) -> list[Failing]:
    """What is to be reported of it."""
    if replica is None or replica.up:
        return []
    away = reactor.seconds() - replica.since
    if away < LONG:
        return []
    return [Failing("read from the replica", int(wall.seconds() - away), replica.reason)]


def open_verifiers(
    settings: Settings, reactor: Any, wall: WallClock, fetch: Fetch
) -> tuple[Verifiers, Issuers]:
    """The verifiers that the file of issuers names, and the issuers. They begin to read the keys of
    the issuers, and nobody waits for that: a daemon starts without them. Raises FileError."""
    if settings.issuers is None:
        return Verifiers(), Issuers(wall, [])
    sources = file.read(settings.issuers)
    issuers = Issuers(wall, [Issuer(reactor, fetch, each) for each in sources.issuers])
    issuers.begin()
    verifiers: list[Verifier] = [issuers] if sources.issuers else []
    if sources.steam is not None:
        verifiers.append(Steam(fetch, sources.steam))
    return Verifiers(verifiers), issuers
