"""Uploads to a local bucket: from the first byte to the row that says that they are there
(files#sending)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from attrs import define, field

from contentsvc.api.errors import FileBlocked, StorageUnavailable, retry_after
from contentsvc.api.files.transfer_errors import (
    InsufficientStorage,
    UploadReplaced,
    UrlExpired,
    WrongDigest,
)
from contentsvc.api.files.uploads import AWAY, COLLECTING
from contentsvc.framework.core.concurrency import Bulkhead
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.storage import images
from contentsvc.framework.storage.bucket import StorageUnavailable as Away
from contentsvc.framework.storage.folder import OutOfSpace, WrongBytes
from contentsvc.framework.storage.links import UploadGrant
from contentsvc.framework.storage.local import Local, UploadStream
from contentsvc.framework.storage.paths import is_media
from contentsvc.store.files import files

_AT_ONCE: Final = 2
"""Files that become visible at once. Each holds a connection of the pool while the disk works."""
_SAME: Final = 2
"""Uploads with the same URL at once: one, and one that its client has given up. Otherwise one
announced file could fill the disk."""
_LAPSED = "The announcement of this file has lapsed. POST /api/v1/uploads gives a new URL."


@define(eq=False)
class Receiving:
    """What all uploads share. `translate` gives the problem for an exception of the layers below.
    `stored` is called when a file has come. `refuses` says whether images with metadata are
    refused."""

    db: Database
    bucket: Local
    _translate: Callable[[Exception], Problem | None]
    stored: Callable[[], None]
    _refuses: bool = False
    ends: Bulkhead[str] = field(factory=lambda: Bulkhead[str](_AT_ONCE), init=False)
    _coming: dict[str, dict["Upload", None]] = field(factory=dict, init=False)

    def begin(self, upload: "Upload") -> None:
        """Take note of an upload. It may take the place of an older one with the same URL."""
        same = self._coming.setdefault(upload.grant.token, {})
        if len(same) >= _SAME:
            older = next((each for each in same if each.arrives), None)
            if older is not None:
                older.refuse(UploadReplaced())
        self._coming.setdefault(upload.grant.token, same)[upload] = None

    def over(self, upload: "Upload") -> None:
        """Take note that an upload has come whole, or will not."""
        same = self._coming.get(upload.grant.token, {})
        same.pop(upload, None)
        if not same:
            self._coming.pop(upload.grant.token, None)

    async def judge(self, grant: UploadGrant, arriving: UploadStream) -> tuple[bool, bool]:
        """Whether what has come is no good image, and whether it is one with metadata that is
        refused. Raises what the disk raises."""
        if not is_media(grant.path):
            return False, False
        if not await images.good(grant.path, arriving.read):
            return True, False
        if not self._refuses:
            return False, False
        return False, await images.has_metadata(grant.path, grant.size, arriving.read)

    @contextmanager
    def problems(self) -> Iterator[None]:
        """Raise a Problem in place of what the disk or the database raises."""
        try:
            yield
        except Problem:
            raise
        except OutOfSpace as error:
            raise InsufficientStorage() from error
        except WrongBytes as error:
            raise WrongDigest() from error
        except Away as error:
            raise StorageUnavailable(headers=retry_after(AWAY)) from error
        except Exception as error:
            known = self._translate(error)
            if known is None:
                raise
            raise known from error


class Upload:
    """One upload: a web.streamed_body.Sink, with an end."""

    def __init__(self, receiving: Receiving, request: ApiRequest, grant: UploadGrant) -> None:
        self._receiving = receiving
        self._request = request
        self._arriving: UploadStream | None = None
        self._discarded = False
        self.grant = grant

    async def admit(self) -> None:
        """Raises FileBlocked, UrlExpired, and what the database has."""
        with self._receiving.problems():
            announced = await files.announcement(self._receiving.db, self.grant.token)
        if announced is None or announced.path != self.grant.path:
            raise UrlExpired(_LAPSED)
        self._request.caller = announced.user
        if announced.blocked:
            raise FileBlocked()
        if not self._discarded:
            self._receiving.begin(self)
            self._arriving = self._receiving.bucket.arrive(self.grant.path, self.grant.size)

    @property
    def arrives(self) -> bool:
        """Whether a part of it has not come yet."""
        streamed = self._request.streamed_body
        return streamed is not None and streamed.left > 0

    def refuse(self, problem: Problem) -> None:
        """Answer this, while it arrives."""
        self._request.refuse(problem)

    async def write(self, data: bytearray) -> None:
        """Raises InsufficientStorage, StorageUnavailable."""
        if self._arriving is not None:
            with self._receiving.problems():
                await self._arriving.write(data)

    async def finish(self) -> None:
        """Make the file visible, and write that it is there, once all of it has been written.

        Raises WrongDigest, InsufficientStorage, StorageUnavailable, FileBlocked, UrlExpired, and
        what the database has.
        """
        receiving, arriving, grant = self._receiving, self._arriving, self.grant
        receiving.over(self)
        if arriving is None:
            return
        with receiving.problems():
            await arriving.flush()
            invalid, metadata = await receiving.judge(grant, arriving)
            async with receiving.ends.place(""), receiving.db.transaction() as tx:
                refusal = await files.arrived(
                    tx, grant.token, grant.size, invalid=invalid, metadata=metadata
                )
                if refusal is None:
                    # The row is locked: nobody deletes the bytes between this and the commit.
                    await arriving.publish()
                    tx.after_commit(receiving.stored)
        if refusal == "blocked":
            raise FileBlocked()
        if refusal == "collecting":
            raise StorageUnavailable(headers=retry_after(COLLECTING))
        if refusal == "unannounced":
            raise UrlExpired(_LAPSED)

    def discard(self) -> None:
        """Leave nothing of it, unless it is visible."""
        self._discarded = True
        self._receiving.over(self)
        if self._arriving is not None:
            self._arriving.discard()
