"""Static files. One that is stored gzipped is sent so to clients that accept it."""

from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property
from gzip import decompress

from blake3 import blake3
from twisted.internet.defer import Deferred
from werkzeug.http import parse_accept_header

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.http.reply import matches
from contentsvc.framework.http.request import ApiRequest


class Asset:
    """A file with its media type.

    `stored` is the file itself, or if `gzipped` its gzip, which clients get that accept gzip.
    `policy` is the Content-Security-Policy of a page.
    """

    def __init__(
        self, stored: bytes, media: str, *, gzipped: bool = False, policy: str | None = None
    ) -> None:
        self._stored = stored
        self._media = media.encode()
        self._gzipped = gzipped
        # Weak: it is the same for both codings of the file.
        digest = blake3(stored + (policy or "").encode()).hexdigest(length=6)
        self._tag = b'W/"%s"' % digest.encode()
        fields = [
            b"ETag: " + self._tag,
            b"X-Content-Type-Options: nosniff",
        ]
        if gzipped:
            fields.append(b"Vary: Accept-Encoding")
        if policy is not None:
            fields.append(b"Content-Security-Policy: " + policy.encode())
        self._fields = b"".join(field + b"\r\n" for field in fields)

    def answer(self, request: ApiRequest, fields: bytes, status: int = 200) -> None:
        """Answer a GET or HEAD: `status`, or 304 instead of 200 if the client has the file.
        `fields` are the header fields of every answer."""
        fields += self._fields
        asked = request.header_values
        if status == 200 and matches(asked(b"If-None-Match"), self._tag):
            request.answer(304, None, b"", fields)
        elif self._gzipped and _takes_gzip(asked(b"Accept-Encoding")):
            fields += b"Content-Encoding: gzip\r\n"
            request.answer(status, self._media, self._stored, fields)
        else:
            request.answer(status, self._media, self._plain, fields)

    @cached_property
    def _plain(self) -> bytes:
        return decompress(self._stored) if self._gzipped else self._stored


class LazyAsset:
    """An Asset that takes long to make, and is rarely asked for: the first request calls `make`,
    and others wait for it. If it raises, `fail` answers these requests, and the next request tries
    again."""

    def __init__(
        self, make: Callable[[], Awaitable[Asset]], fail: Callable[[ApiRequest], object]
    ) -> None:
        self._made: Asset | None = None
        self._making = SingleFlight(make)
        self._fail = fail

    def answer(self, request: ApiRequest, fields: bytes) -> None:
        """The answer of the Asset, now or later."""
        if self._made is not None:
            self._made.answer(request, fields)
        else:
            Deferred.fromCoroutine(self._answer_later(request, fields))

    async def _answer_later(self, request: ApiRequest, fields: bytes) -> None:
        try:
            self._made = await self._making.ask()
            self._made.answer(request, fields)
        except Exception:
            self._fail(request)


def _takes_gzip(values: Iterable[bytes]) -> bool:
    """Whether a client's Accept-Encoding allows gzip (RFC 9110 §12.5.3)."""
    return parse_accept_header(b",".join(values).decode("latin-1")).quality("gzip") > 0
