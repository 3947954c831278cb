"""The files of content: how they come, and what they take (files#files)."""

from collections.abc import Callable

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

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
from contentsvc.api.files.blocks import FileBlocks
from contentsvc.api.files.uploads import Limits, Uploads
from contentsvc.api.guests import PUBLISH
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.errors import InvalidHost
from contentsvc.framework.http.permissions import ANYONE, SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.images import MOST_PIXELS, MOST_SIDE
from contentsvc.framework.storage.paths import EXTENSIONS, WIDTHS
from contentsvc.roles import MODERATE
from contentsvc.store.files import storage
from contentsvc.wire.files import (
    BlockBody,
    FilesOption,
    StorageInfo,
    StorageLimits,
    UploadsAnswer,
    UploadsBody,
    UserStorage,
)


@define(eq=False)
class Files:
    """Uploads of files, the storage that they take, and the blocking of files.

    `option` is the setting `files`, and `bucket` the place that it names. `scaled` says whether
    smaller images are made, `refuses` whether images with metadata are refused. `blocks` blocks
    files, and `stored` wakes the job that makes smaller images.
    """

    _reactor: IReactorTime
    _db: Database
    _bucket: Bucket
    _option: FilesOption = field(kw_only=True)
    _limits: Limits = field(kw_only=True)
    _public_url: str | None = field(kw_only=True)
    _scaled: bool = field(kw_only=True)
    _refuses: bool = field(kw_only=True, default=False)
    _blocks: FileBlocks = field(kw_only=True)
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
        restricts="upload",
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
        await call.unrestricted(self._db)
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
        Again, this replaces the reason. With `preserve`, what is there of it is held, as an admin
        would hold it for a year, before it is deleted."""
        order = self._blocks.order(body.reason)
        async with self._db.transaction() as tx:
            await self._blocks.block(tx, call.actor, sha256, order, preserve=body.preserve)

    @route("DELETE", "/files/<sha256:sha256>/block", allow=MODERATE)
    async def unblock_file(self, call: Call, sha256: str) -> None:
        """Let a file be uploaded again. Once that is done, it is back wherever it is used."""
        await self._blocks.lift(call.actor, sha256)

    def _base(self, call: Call) -> str:
        return self._public_url or call.base_url
