"""The files of content: how they come, and what they take (files#files)."""

from collections.abc import Callable

from attrs import define, field
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from contentsvc.api.call import Call
from contentsvc.api.errors import (
    FileBlocked,
    FileTooLarge,
    ImageHasMetadata,
    MediaTypeNotAllowed,
    QuotaExceeded,
    StorageUnavailable,
    TooManyRequests,
)
from contentsvc.api.files.uploads import Limits, Uploads
from contentsvc.api.guests import PUBLISH
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.errors import InvalidHost
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.deadlines import tidy
from contentsvc.framework.storage.images import MOST_PIXELS, MOST_SIDE
from contentsvc.framework.storage.paths import EXTENSIONS, WIDTHS, paths_of, with_smaller
from contentsvc.framework.tasks import task_queue
from contentsvc.roles import MODERATE
from contentsvc.store.files import blocks, files, storage
from contentsvc.store.moderation import audit_log
from contentsvc.wire.files import (
    BlockBody,
    FilesOption,
    StorageInfo,
    StorageLimits,
    UploadsAnswer,
    UploadsBody,
    UserStorage,
)

_LIFTING, _PAUSE = 1.5, 0.1
"""Seconds for which the end of a block waits for a deletion under way, and between two checks."""


@define(eq=False)
class Files:
    """Uploads of files, the storage that they take, and the blocking of files.

    `option` is the setting `files`, and `bucket` the place that it names. `scaled` says whether
    smaller images are made, `refuses` whether images with metadata are refused. `blocked` wakes the
    job that deletes the bytes of blocked files, `stored` the one that makes smaller images.
    """

    _reactor: IReactorTime
    _db: Database
    _bucket: Bucket
    _option: FilesOption = field(kw_only=True)
    _limits: Limits = field(kw_only=True)
    _public_url: str | None = field(kw_only=True)
    _scaled: bool = field(kw_only=True)
    _refuses: bool = field(kw_only=True, default=False)
    _blocked: Callable[[], None] = field(kw_only=True)
    _stored: Callable[[], None] = field(kw_only=True)
    _uploads: Uploads = field(init=False)

    def __attrs_post_init__(self) -> None:
        place = self._reactor, self._db, self._bucket
        self._uploads = Uploads(*place, self._limits, self._stored, refuses=self._refuses)

    @route(
        "POST",
        "/uploads",
        allow=SIGNED_IN,
        guests=PUBLISH,
        raises=(
            InvalidHost,
            FileBlocked,
            MediaTypeNotAllowed,
            FileTooLarge,
            TooManyRequests,
            StorageUnavailable,
            QuotaExceeded,
            ImageHasMetadata,
        ),
        limit=1024 * KIB,
    )
    async def announce_files(self, call: Call, body: UploadsBody) -> UploadsAnswer:
        """Say which files you are going to publish, and get the requests that upload them.

        `upload` is null for a file that is there. The same call again gives the same uploads for
        what is still missing. Call it again after the uploads and before you publish: it checks
        what has come. If it is refused, nothing is announced.
        """
        return UploadsAnswer(await self._uploads.announce(call.user, self._base(call), body.files))

    @route("GET", "/storage", allow=ANYONE, raises=(InvalidHost,))
    async def get_storage(self, call: Call) -> StorageInfo:
        """Get where files lie, which types of images are taken, in which widths there are smaller
        ones of each, and the limits."""
        limits = self._limits
        return StorageInfo(
            files=self._option,
            media_url=self._bucket.media_url(self._base(call)),
            media_types=list(EXTENSIONS),
            image_widths=list(WIDTHS) if self._scaled else [],
            limits=StorageLimits(
                limits.file_bytes, limits.image_bytes, limits.user_bytes, MOST_SIDE, MOST_PIXELS
            ),
        )

    @route("GET", "/user/<guid:user>/storage", allow=SELF)
    async def get_user_storage(self, call: Call, user: str) -> UserStorage:
        """Get how much of their quota the user has used."""
        found = await storage.usage(self._db, user) or storage.Usage(0, 0, False, False)
        limit = self._limits.of_user(confirmed=found.confirmed, guest=found.guest)
        return UserStorage(found.used, limit, found.pending)

    @route("PUT", "/files/<sha256:sha256>/block", allow=MODERATE)
    async def block_file(self, call: Call, sha256: str, body: BlockBody) -> None:
        """Block a file, known or not: its bytes are deleted, and nobody can upload or publish it.
        Again, this replaces the reason."""
        async with self._db.transaction() as tx:
            if await blocks.put(tx, sha256, body.reason):
                await audit_log.record(tx, *call.actor, "file_blocked", "file", sha256, body.reason)
            await blocks.hide(tx, paths_of(sha256))
            await blocks.delete_bytes(tx, sha256)
            tx.after_commit(self._blocked)

    @route("DELETE", "/files/<sha256:sha256>/block", allow=MODERATE)
    async def unblock_file(self, call: Call, sha256: str) -> None:
        """Let a file be uploaded again. Once that is done, it is back wherever it is used."""
        until = self._reactor.seconds() + _LIFTING
        while not await self._lift(call, sha256):
            if self._reactor.seconds() > until:
                raise Unavailable("the bytes of the file are being deleted", "lock")
            await deferLater(self._reactor, _PAUSE)

    async def _lift(self, call: Call, sha256: str) -> bool:
        """End a block, if there is one. False if its bytes are being deleted now."""
        async with self._db.transaction() as tx:
            if not await blocks.lock(tx, sha256):
                return True
            withdrawn = await task_queue.withdraw(tx, blocks.QUEUE, sha256)
            if await task_queue.is_queued(tx, blocks.QUEUE, sha256):
                return False
            if withdrawn:
                paths = paths_of(sha256)
                keys = [
                    self._bucket.staging_key(*each)
                    for each in await files.separate_uploads(tx, paths)
                ]
                # What nobody has come to yet. If the store is away, it stays.
                kept = [*with_smaller(paths), *filter(None, keys)]
                await tidy(self._reactor, self._bucket, kept)
            await blocks.lift(tx, sha256)
            await audit_log.record(tx, *call.actor, "file_unblocked", "file", sha256, "")
        return True

    def _base(self, call: Call) -> str:
        return self._public_url or call.base_url
