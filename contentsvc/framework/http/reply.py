"""From a handler's result to an HTTP answer: status, weak ETag, 304, CORS, one write."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote, quote_from_bytes, unquote_to_bytes

import msgspec
from blake3 import blake3
from twisted.logger import Logger

from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.request import ApiRequest

T = TypeVar("T")

log = Logger()

_encode = msgspec.json.Encoder().encode
_EXPOSE = (
    b"Access-Control-Expose-Headers: "
    b"Content-Range, ETag, Link, Location, Retry-After, X-Request-Id\r\n"
)
_PERSONAL = b"Cache-Control: private, no-store\r\n"
_NO_SNIFFING = b"X-Content-Type-Options: nosniff\r\n"
"""A browser must not take JSON for anything else."""
_VARY = b"Vary: Origin, Authorization\r\n"
_HEADERS = b"Authorization, Content-Type, If-Match, If-None-Match, If-Unmodified-Since"
"""The headers that scripts of other origins may send, beside those that a preflight asks for."""
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A header's name (RFC 9110 §5.6.2)."""
_URI = "!#$%&'()*+,/:;=?@[]"
"""Characters that a URI may contain (RFC 3986 §2.2), beside letters, digits and `-._~`."""


class Created(NamedTuple):
    """201 with this path, below that of the service, as its Location."""

    path: str


class Made(NamedTuple, Generic[T]):
    """201 with this path as its Location, as Created, and with a T as its body."""

    path: str
    item: T


class Accepted(NamedTuple):
    """202 with this path, below that of the service, as its Location: what was asked for goes on
    there."""

    path: str


class Encoded(NamedTuple, Generic[T]):
    """200 with a T that is already JSON."""

    json: bytes


class Listed(NamedTuple, Generic[T]):
    """200 with a part of a list. `after` is the cursor of the next part, if there may be one. An
    item may be the JSON of a T."""

    items: Sequence[T | msgspec.Raw] | Encoded[list[T]]
    after: str | None


class Pieces(NamedTuple, Generic[T]):
    """200 with a T, a list or an object, that is too long to hold in memory.

    Each call of `more` gives the JSON of more items, and nothing at the end. The ETag is that
    of `state`. It is called first, so that no item is older than the state.
    """

    more: Callable[[], Awaitable[bytes]]
    state: Callable[[], Awaitable[str]]
    brackets: bytes = b"[]"
    file: str | None = None
    """The name under which a browser saves it, if it is for download."""
    begin: Callable[[], Awaitable[object]] | None = None
    """Called before an answer that has a body, and not for HEAD or 304. It may refuse."""


class Reply:
    """Writes answers. Browsers may call from the origins `cors_origins`. Clients reach the service
    below the path `base`, as `urls.base_path` gives it.

    Calls `unavailable` with the cause of each 503.
    """

    def __init__(
        self, cors_origins: Sequence[str], unavailable: Callable[[str], None], base: str = ""
    ) -> None:
        self._unavailable = unavailable
        self._base = base
        self._any = b"Access-Control-Allow-Origin: *\r\n" if "*" in cors_origins else b""
        self._origins = frozenset(origin.encode() for origin in cors_origins)

    def result(self, request: ApiRequest, result: Any) -> None:
        """Write what a handler returned: None is 204, Created and Made 201, Accepted 202, all else
        200."""
        if result is None:
            self._write(request, 204, None, b"")
        elif type(result) is Created or type(result) is Accepted:
            location = self._base + quote(result.path, safe="/")
            request.setHeader(b"Location", location.encode())
            self._write(request, 201 if type(result) is Created else 202, None, b"")
        elif type(result) is Made:
            request.setHeader(b"Location", (self._base + quote(result.path, safe="/")).encode())
            self._write(request, 201, b"application/json", _encode(result.item))
        else:
            if type(result) is Listed:
                if result.after is not None:
                    request.setHeader(b"Link", self._next(request, result.after))
                result = result.items
            # As body_of, but here: what was decoded can be encoded at no deeper place of the stack.
            body = result.json if type(result) is Encoded else _encode(result)
            self._success(request, body, result)

    def _next(self, request: ApiRequest, after: str) -> bytes:
        others = [
            pair
            for pair in request.uri.partition(b"?")[2].split(b"&")
            if pair and unquote_to_bytes(pair.partition(b"=")[0]) != b"after"
        ]
        query = b"&".join([*others, b"after=" + after.encode()])
        target = quote_from_bytes(request.path + b"?" + query, safe=_URI)
        return f'<{self._base}{target}>; rel="next"'.encode()

    async def pieces(self, request: ApiRequest, pieces: Pieces[Any]) -> None:
        """Write a long answer. Raises whatever `state`, `begin` and `more` raise."""
        if self._is_known(request, (await pieces.state()).encode()):
            self._write(request, 304, None, b"")
        else:
            if pieces.begin is not None and request.method != b"HEAD":
                await pieces.begin()
            if pieces.file is not None:
                disposition = f'attachment; filename="{pieces.file}"'
                request.setHeader(b"Content-Disposition", disposition.encode())
            fields = self.fields(request) + _NO_SNIFFING
            await request.stream(b"application/json", fields, pieces.more, pieces.brackets)

    def _success(self, request: ApiRequest, body: bytes, result: Any) -> None:
        if self._is_known(request, body, result):
            self._write(request, 304, None, b"")
        else:
            self._write(request, 200, b"application/json", body)

    def _is_known(self, request: ApiRequest, made_of: bytes, result: Any = None) -> bool:
        """Set the ETag of the answer. True if the client already has this answer."""
        tag = tag_of(made_of, result)
        request.setHeader(b"ETag", tag)
        known = request.header_values(b"If-None-Match")
        return request.method in {b"GET", b"HEAD"} and matches(known, tag)

    def problem(self, request: ApiRequest, problem: Problem, *, oauth: bool = False) -> None:
        """Write an error. If the answer has begun, its connection was cut off instead."""
        if problem.status == 503:
            self._unavailable(problem.cause or problem.code)
        if request.startedWriting:
            # Log: an error came after the answer had begun, so its connection was closed. Do:
            # search for the request id.
            log.warn("Request {id} was cut off: {code}", id=request.request_id, code=problem.code)
            return
        for name, value in problem.headers.items():
            request.setHeader(name.encode(), value.encode())
        if oauth:
            body, media = problem.to_oauth(), b"application/json"
        else:
            body, media = problem.to_json(request.request_id), b"application/problem+json"
        self._write(request, problem.status, media, body)

    def options(self, request: ApiRequest, methods: bytes, headers: bytes = _HEADERS) -> None:
        """Write the answer to OPTIONS, whether or not it is a browser's preflight. `headers` are
        those that a request may have. A preflight may ask for others: scripts for tracing add
        theirs to each request, and the service ignores what it does not know."""
        request.setHeader(b"Allow", methods)
        if not request.same_origin:
            asked = request.header_values(b"Access-Control-Request-Headers")
            request.setHeader(b"Access-Control-Allow-Methods", methods)
            request.setHeader(b"Access-Control-Allow-Headers", _with_asked(headers, asked))
            request.setHeader(b"Access-Control-Max-Age", b"86400")
        self._write(request, 204, None, b"")

    def _write(self, request: ApiRequest, status: int, media: bytes | None, body: bytes) -> None:
        fields = self.fields(request)
        request.answer(status, media, body, fields if media is None else fields + _NO_SNIFFING)

    def own_fields(self, request: ApiRequest) -> bytes:
        """The header fields of an answer that is for pages of the service alone."""
        return b"X-Request-Id: %s\r\n" % request.request_id.encode()

    def fields(self, request: ApiRequest, *, public: bool = False) -> bytes:
        """The header fields of every answer: its request's id, who may read it, how long to keep
        it. A `public` answer is the same for every caller."""
        cors = b"" if request.same_origin else self._any
        if not cors and not request.same_origin:
            origins = request.header_values(b"Origin")
            if origins and origins[-1] in self._origins:
                cors = b"Access-Control-Allow-Origin: %s\r\n" % origins[-1]
        if b"Cache-Control" not in request.fields:
            cors += _PERSONAL if request.personal else b"Cache-Control: no-cache\r\n"
        vary = _VARY
        if public:
            vary = b"" if self._any else b"Vary: Origin\r\n"
        return b"X-Request-Id: %s\r\n%s%s%s" % (request.request_id.encode(), cors, _EXPOSE, vary)


def body_of(result: Any) -> bytes:
    """The JSON of a handler's result, if that is an object, a part of a list, or JSON already."""
    if type(result) is Listed:
        result = result.items
    return result.json if type(result) is Encoded else _encode(result)


def tag_of(made_of: bytes, result: Any = None) -> bytes:
    """The weak ETag of an answer with this body. The type of a `result` may have `replaced`, the
    names of the members by which If-Match knows it (see http.preconditions): then what the tag says
    of them comes after a hyphen."""
    tag = blake3(made_of).hexdigest(length=12)
    if (replaced := getattr(result, "replaced", None)) is not None:
        kept = _encode([getattr(result, name) for name in replaced])
        tag += "-" + blake3(kept).hexdigest(length=12)
    return f'W/"{tag}"'.encode()


def matches(conditions: Sequence[bytes], tag: bytes) -> bool:
    """Whether these values of If-None-Match name this tag (RFC 9110 §13.1.2), by weak
    comparison."""
    if not conditions:
        return False
    opaque = tag.removeprefix(b"W/")
    for condition in b",".join(conditions).split(b","):
        candidate = condition.strip()
        if candidate == b"*" or candidate.removeprefix(b"W/") == opaque:
            return True
    return False


def _with_asked(headers: bytes, asked: Sequence[bytes]) -> bytes:
    """These names of headers, and after them the others that are asked for. No `*`: that would not
    allow Authorization (Fetch standard, "CORS-safelisted request-header")."""
    names = [name.strip() for name in b",".join(asked).split(b",")]
    known = set(headers.lower().split(b", "))
    more = [each for each in dict.fromkeys(names) if each.lower() not in known]
    return b", ".join([headers, *filter(_NAME.fullmatch, more)])
