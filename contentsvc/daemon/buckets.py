"""The place where a daemon's files lie, by its settings."""

from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Any

from twisted.internet.threads import deferToThreadPool

from contentsvc.bucket.bucket import Bucket
from contentsvc.bucket.folder import Astray, Folder
from contentsvc.bucket.links import Links
from contentsvc.bucket.local import Choose, Local
from contentsvc.bucket.s3 import S3Bucket
from contentsvc.bucket.sigv4 import Credentials
from contentsvc.config import Settings, store_of
from contentsvc.core.clocks import WallClock
from contentsvc.core.timers import Bell
from contentsvc.db.blocking import in_transaction
from contentsvc.db.database import Database
from contentsvc.db.errors import Unavailable
from contentsvc.store.files import folders
from contentsvc.tasks import store_check
from contentsvc.tasks.runner import Job
from contentsvc.tasks.unused_files import SWEEP_EVERY
from contentsvc.tokens import Keys


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
    run = store_check.Reaching(bucket.reach).run
    return [
        Job("reach the file store", store_check.AGAIN, run, Bell(reactor)),
        Job("delete broken uploads", SWEEP_EVERY, bucket.sweep),
    ]


def _s3(settings: Settings, reactor: Any, wall: WallClock) -> S3Bucket:
    store = store_of(settings)
    return S3Bucket(
        reactor,
        wall,
        SystemRandom(),
        endpoint=store.s3_endpoint,
        region=store.s3_region,
        content_bucket=store.s3_content_bucket,
        media_bucket=store.s3_media_bucket,
        media_url=settings.media_url,
        credentials=Credentials(*store.keys),
    )
