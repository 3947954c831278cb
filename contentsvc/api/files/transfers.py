"""The files of a local bucket, below /files/: their bytes come and go here (files#sending), an
upload from its first byte to the row that says that it is there.

These paths are no operations of the API. Their URLs are signed, so they take no token.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.server import NOT_DONE_YET

from contentsvc.api.errors import FileBlocked, StorageUnavailable, retry_after
from contentsvc.api.files.transfer_errors import (
    InsufficientStorage,
    InvalidSignature,
    LengthRequired,
    RangeNotSatisfiable,
    UploadReplaced,
    UrlExpired,
    WrongDigest,
    WrongLength,
)
from contentsvc.api.files.uploads import AWAY, COLLECTING
from contentsvc.framework.core.concurrency import Bulkhead
from contentsvc.framework.core.request_timing import CURRENT, RequestTiming, waiting
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.body_reader import FIRST, SMALL, BodyReader, Truncated
from contentsvc.framework.http.errors import (
    InternalError,
    MethodNotAllowed,
    NotFound,
    Problem,
    UnsupportedMediaType,
)
from contentsvc.framework.http.headers import Unsatisfiable, wanted
from contentsvc.framework.http.maintenance import Maintenance
from contentsvc.framework.http.reply import Reply, matches
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.storage import images
from contentsvc.framework.storage.attachments import attachment
from contentsvc.framework.storage.bucket import StorageUnavailable as Away
from contentsvc.framework.storage.folder import Missing, OutOfSpace, WrongBytes
from contentsvc.framework.storage.links import DownloadGrant, Expired, Forged, UploadGrant
from contentsvc.framework.storage.local import Local, UploadStream
from contentsvc.framework.storage.paths import digest_of, image_of, is_kept, is_media, media_type_of
from contentsvc.store.files import files

T = TypeVar("T")

log = Logger()

_BELOW = b"/files/"
_METHODS = ("GET", "HEAD", "OPTIONS", "PUT")
_ALLOWED = ", ".join(_METHODS)
_HEADERS = b"Authorization, Content-Type, If-None-Match, If-Range, Range"
"""The headers that scripts of other origins may send."""
_FOREVER = b"public, max-age=31536000, immutable"
_HARMLESS = "Content-Disposition: {}\r\nContent-Security-Policy: sandbox\r\n"
"""A browser must not show what users have made, unless it is an image."""
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
        good, metadata = await images.judge(grant.path, grant.size, arriving.read, self._refuses)
        return not good, metadata

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


@define(eq=False)
class Upload:
    """One upload: a web.streamed_body.Sink, with an end."""

    _receiving: Receiving
    _request: ApiRequest
    grant: UploadGrant
    _arriving: UploadStream | None = field(default=None, init=False)
    _discarded: bool = field(default=False, init=False)

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


@define(eq=False)
class Transfers:
    """Answers requests for the files of a local bucket. `receiving` is what its uploads share.
    `downloaded` hears how many files an answer has brought to their end, and of its bytes."""

    _reply: Reply
    _receiving: Receiving
    _maintenance: Maintenance
    _downloaded: Callable[[int, int], object] = lambda files, bytes: None

    def judge(self, request: ApiRequest) -> int:
        """Check the head of a request, and return how many bytes its body has.

        Raises NotFound, MethodNotAllowed, InvalidSignature, UrlExpired, and for a PUT
        UnderMaintenance, LengthRequired, WrongLength and UnsupportedMediaType.
        """
        path = _path(request)
        method = request.method
        if method == b"PUT":
            return self._judge_upload(request, path)
        if method == b"OPTIONS":
            request.judged = self._options
        elif method in {b"GET", b"HEAD"}:
            check = self._receiving.bucket.links.check_download
            grant = None if is_media(path) else _signed(check, request, path)
            request.judged = lambda request: self._get(request, path, grant)
        else:
            raise MethodNotAllowed(f"This path allows {_ALLOWED}.", headers={"Allow": _ALLOWED})
        return SMALL

    def _judge_upload(self, request: ApiRequest, path: str) -> int:
        grant = _signed(self._receiving.bucket.links.check_upload, request, path)
        self._maintenance.check_signed(grant.age)
        if request.length is None or request.header(b"Content-Length") is None:
            raise LengthRequired()
        if request.length != grant.size:
            detail = f"The body must have {grant.size} bytes, as announced."
            raise WrongLength(detail, size=grant.size)
        if (request.header(b"Content-Type") or "").strip().lower() != grant.media_type:
            raise UnsupportedMediaType(f"The Content-Type must be {grant.media_type}, as signed.")
        request.refuse_coded()
        upload = Upload(self._receiving, request, grant)
        request.sink = upload
        request.judged = lambda request: self._put(request, upload)
        return grant.size

    def render(self, request: ApiRequest) -> int:
        """Answer the request, now or later. Never raises."""
        Deferred.fromCoroutine(self._serve(request))
        return NOT_DONE_YET

    async def _serve(self, request: ApiRequest) -> None:
        timing = RequestTiming()
        timing.owner = request
        CURRENT.set(timing)
        try:
            if request.problem is not None:
                raise request.problem
            if request.judged is None:
                self.judge(request)
            with self._receiving.problems():
                await request.judged(request)
        except Problem as problem:
            self._reply.problem(request, problem)
        except Exception:
            log.failure("Request {id} failed", id=request.request_id)
            self._reply.problem(request, InternalError())

    async def _options(self, request: ApiRequest) -> None:
        self._reply.options(request, _ALLOWED.encode(), _HEADERS)

    async def _put(self, request: ApiRequest, upload: Upload) -> None:
        streamed = request.streamed_body
        if streamed is None:
            raise InternalError()
        try:
            with waiting("outside", request.site.reactor):
                await streamed.whole()
            await upload.finish()
        except BaseException:
            upload.discard()
            raise
        request.setHeader(b"ETag", _tag(upload.grant.path, upload.grant.size))
        self._reply.result(request, None)

    async def _get(self, request: ApiRequest, path: str, grant: DownloadGrant | None) -> None:
        """`grant` is what the URL allows. None if it is public."""
        try:
            size, first = await self._receiving.bucket.head(path, FIRST)
        except Missing:
            raise NotFound() from None
        tag, asked = _tag(path, size), request.header_values
        cached = _FOREVER if grant is None else b"private, max-age=%d" % grant.left
        request.setHeader(b"Cache-Control", cached)
        fields = self._reply.fields(request, public=True)
        fields += b"ETag: %s\r\nAccept-Ranges: bytes\r\nX-Content-Type-Options: nosniff\r\n" % tag
        if grant is not None:
            fields += _HARMLESS.format(attachment(grant.name)).encode("ascii")
        if matches(asked(b"If-None-Match"), tag):
            request.answer(304, None, b"", fields)
            return
        status, span = 200, range(size)
        if request.method == b"GET" and (asked(b"If-Range") or [tag]) == [tag]:
            try:
                part = wanted(asked(b"Range"), size)
            except Unsatisfiable:
                del request.fields[b"Cache-Control"]
                headers = {"Content-Range": f"bytes */{size}"}
                raise RangeNotSatisfiable(headers=headers) from None
            if part is not None:
                status, span = 206, part
                fields += b"Content-Range: bytes %d-%d/%d\r\n" % (part[0], part[-1], size)
        media = media_type_of(path).encode()
        counts = request.method == b"GET" and grant is not None
        if span.stop <= len(first):
            request.answer(status, media, first[span.start : span.stop], fields)
            if counts:
                self._downloaded(int(span.stop == size), len(span))
            return
        length = b"Content-Length: %d\r\n" % len(span)
        reading = BodyReader(request.site.reactor, self._reader(path), span)
        if span.start < len(first):
            reading.have(first[span.start :])
        try:
            await request.pour(status, media, fields, length, reading.more)
        except Truncated:  # replaced or damaged meanwhile
            raise NotFound() from None
        if counts and request.finished:
            # A download that was resumed is one: what counts is the file's end.
            self._downloaded(int(span.stop == size), len(span))

    def _reader(self, path: str) -> Callable[[int, int], Awaitable[bytes]]:
        async def read(offset: int, length: int) -> bytes:
            try:
                return await self._receiving.bucket.read_at(path, offset, length)
            except Missing:  # deleted meanwhile
                raise NotFound() from None

        return read


def _path(request: ApiRequest) -> str:
    """The file's path. Raises NotFound."""
    bucket, _, path = request.path[len(_BELOW) :].decode("latin-1").partition("/")
    if not is_kept(path) or bucket != ("media" if is_media(path) else "content"):
        raise NotFound()
    request.route = f"{_BELOW.decode()}{bucket}"
    return path


def _signed(check: Callable[[str, str], T], request: ApiRequest, path: str) -> T:
    """What the URL allows. `check` is that of its links. Raises InvalidSignature, UrlExpired."""
    try:
        return check(path, request.uri.partition(b"?")[2].decode("latin-1"))
    except Expired:
        raise UrlExpired() from None
    except Forged:
        raise InvalidSignature() from None


def _tag(path: str, size: int) -> bytes:
    if image_of(path) is not None:
        # Another release may make other bytes of the same image.
        return f'"{path[3:]}-{size}"'.encode()
    return b'"%s"' % digest_of(path).encode()
