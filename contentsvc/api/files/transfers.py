"""The files of a local bucket, below /files/: their bytes come and go here (files#sending).

These paths are no operations of the API. Their URLs are signed, so they take no token.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.web.server import NOT_DONE_YET

from contentsvc.api.files.receiving import Receiving, Upload
from contentsvc.api.files.transfer_errors import (
    InvalidSignature,
    LengthRequired,
    RangeNotSatisfiable,
    UrlExpired,
    WrongLength,
)
from contentsvc.framework.core.request_timing import CURRENT, RequestTiming, waiting
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
from contentsvc.framework.storage.attachments import attachment
from contentsvc.framework.storage.folder import Missing
from contentsvc.framework.storage.links import DownloadGrant, Expired, Forged
from contentsvc.framework.storage.paths import digest_of, image_of, is_kept, is_media, media_type_of

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


class Transfers:
    """Answers requests for the files of a local bucket. `receiving` is what its uploads share.
    `downloaded` hears how many files an answer has brought to their end, and of its bytes."""

    def __init__(
        self,
        reply: Reply,
        receiving: Receiving,
        maintenance: Maintenance,
        downloaded: Callable[[int, int], object] = lambda files, bytes: None,
    ) -> None:
        self._downloaded = downloaded
        self._reply = reply
        self._bucket = receiving.bucket
        self._receiving = receiving
        self._maintenance = maintenance

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
            check = self._bucket.links.check_download
            grant = None if is_media(path) else _signed(check, request, path)
            request.judged = lambda request: self._get(request, path, grant)
        else:
            raise MethodNotAllowed(f"This path allows {_ALLOWED}.", headers={"Allow": _ALLOWED})
        return SMALL

    def _judge_upload(self, request: ApiRequest, path: str) -> int:
        grant = _signed(self._bucket.links.check_upload, request, path)
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
            size, first = await self._bucket.head(path, FIRST)
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
                return await self._bucket.read_at(path, offset, length)
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
