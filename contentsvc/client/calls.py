"""Calls of operations: with the user's token, from Structs to Structs."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

from msgspec import Struct, json, to_builtins

from contentsvc.client.errors import NotSignedIn
from contentsvc.client.http import MOST_ANSWER, Http, Response, error_of, read
from contentsvc.client.login import LogIn
from contentsvc.wire.repeatable import is_repeatable

T = TypeVar("T")


class Page(NamedTuple, Generic[T]):
    """A list, or a part of one. `after` is the cursor of the next part, or None at the end
    (conventions#lists)."""

    items: list[T]
    after: str | None


class Seen:
    """The version of something that was read. Pass a new Seen to the method that reads it, and the
    same Seen to the method that replaces it. If the thing has changed between the two, the
    replacement raises ApiError (`precondition_failed`) and writes nothing
    (conventions#preconditions). `etag` is the ETag that was read; `Seen("*")` matches any version
    that exists."""

    def __init__(self, etag: str | None = None) -> None:
        self.etag = etag

    @property
    def match(self) -> str:
        """The value of the header If-Match. Raises ValueError if nothing was read with this
        Seen."""
        if self.etag is None:
            raise ValueError("nothing was read with this: give it to the method that reads, first")
        return self.etag


class Calls:
    """Calls of operations, for the user who is signed in, if any.

    Paths are those below /api/v1. All methods raise ApiError (its `code` is the cause),
    SessionEnded, NotSignedIn and Unreachable.
    """

    def __init__(self, http: Http, log_in: LogIn) -> None:
        self._http = http
        self._log_in = log_in

    @property
    def user(self) -> str:
        """The id of the user who is signed in. Raises NotSignedIn."""
        return self._log_in.user

    async def get(
        self,
        path: str,
        answer: type[T],
        query: Struct | None = None,
        *,
        most: int = MOST_ANSWER,
        longer: float = 0.0,
        seen: Seen | None = None,
        token: str | None = None,
        shape: Callable[[type[T], bytes], type[T]] | None = None,
    ) -> T:
        """Read one thing, of at most `most` bytes. The service may wait up to `longer` seconds
        before it answers. `seen` stores the version that was read. `token` is for this call alone,
        in place of the log-in's. `shape` chooses the type of the answer by its bytes."""
        given: Any = {"query": query, "most": most, "longer": longer, "token": token}
        found = await self.call("GET", f"/api/v1{path}", **given)
        read_of = read(found, answer if shape is None else shape(answer, found.body))
        if seen is not None:
            seen.etag = found.header("ETag")
        return read_of

    async def get_changed(
        self, path: str, answer: type[T], query: Struct | None, known: str | None
    ) -> tuple[T | None, str | None]:
        """Read one thing and its ETag. The thing is None if its ETag is still `known`."""
        found = await self.call("GET", f"/api/v1{path}", query=query, known=known)
        if found.status == 304:
            return None, known
        return read(found, answer), found.header("ETag")

    async def page(self, path: str, item: type[T], query: Struct | None) -> Page[T]:
        """Read a list, or a part of it."""
        answer = await self.call("GET", f"/api/v1{path}", query=query)
        items: list[T] = read(answer, list[item])  # type: ignore[valid-type]
        return Page(items, _next(answer.header("Link")))

    async def create(self, path: str, body: Struct, *, operation: str = "") -> str:
        """Make something. Returns its id, the last segment of the Location."""
        answer = await self.call("POST", f"/api/v1{path}", body, operation=operation)
        return (answer.header("Location") or "").rpartition("/")[2]

    async def ask(
        self,
        path: str,
        body: Struct | None,
        answer: type[T],
        *,
        operation: str = "",
        repeat: bool | None = None,
    ) -> T:
        """POST a question."""
        sent = await self.call("POST", f"/api/v1{path}", body, operation=operation, repeat=repeat)
        return read(sent, answer)

    async def send(
        self,
        method: str,
        path: str,
        body: Struct | None = None,
        *,
        query: Struct | None = None,
        operation: str = "",
        seen: Seen | None = None,
        token: str | None = None,
    ) -> None:
        """Change something; the answer has no body. With `seen`, raises ApiError
        (`precondition_failed`) if the thing has changed since. `token` is for this call alone, in
        place of the log-in's."""
        given: Any = {"query": query, "operation": operation, "token": token}
        match = None if seen is None else seen.match
        await self.call(method, f"/api/v1{path}", body, match=match, **given)

    async def call(
        self,
        method: str,
        path: str,
        body: Struct | None = None,
        *,
        query: Struct | None = None,
        operation: str = "",
        repeat: bool | None = None,
        most: int = MOST_ANSWER,
        longer: float = 0.0,
        known: str | None = None,
        match: str | None = None,
        token: str | None = None,
    ) -> Response:
        """Send a request to `path`, and return the answer if it is a success. `repeat` says whether
        to send the request again when no answer comes; if it is None, wire.repeatable decides, by
        the `operation` where its id is given. The answer has at most `most` bytes, and an attempt
        may take `longer` seconds more than others. `known` is the ETag of the answer that the
        caller has: then 304 is a success too. `match` is the value of If-Match. `token` is sent in
        place of the log-in's."""
        sent: Any = {
            "body": None if body is None else json.encode(body),
            "query": _parameters(query),
            "repeat": is_repeatable(operation, method) if repeat is None else repeat,
            "most": most,
            "longer": longer,
            "known": known,
            "match": match,
        }
        own = token is not None
        if not own and self._log_in.signed_in:
            token = await self._log_in.access_token()
        answer = await self._http.request(method, path, token=token, **sent)
        if answer.status == 401 and token is not None and not own:
            # Refused before anything was done, so once more is safe for every operation.
            error = error_of(answer)
            if error.code != "invalid_token":
                raise error
            token = await self._log_in.instead_of(token)
            answer = await self._http.request(method, path, token=token, **sent)
        if answer.status >= 300 and (known is None or answer.status != 304):
            error = error_of(answer)
            if error.code == "unauthorized" and token is None:
                raise NotSignedIn("log_in first") from error
            raise error
        return answer


class Family:
    """Operations that belong together, each a method."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls


def quoted(value: object) -> str:
    """A segment of a path, percent-encoded.

    Raises ValueError if it is empty or `.`, or has a segment `..` of its own: a proxy may decode
    the path, and would then ask for something else.
    """
    text = str(value)
    if text in {"", "."} or ".." in text.replace("\\", "/").split("/"):
        raise ValueError(f"a path cannot have the segment {text!r}")
    return quote(text, safe="")


def _parameters(query: Struct | None) -> Mapping[str, str] | None:
    if query is None:
        return None
    members = to_builtins(query)
    single = {name: value for name, value in members.items() if not isinstance(value, dict)}
    for name in members.keys() - single.keys():
        single |= {f"{name}.{key}": value for key, value in members[name].items()}
    return {name: _text(value) for name, value in single.items() if value is not None}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _next(link: str | None) -> str | None:
    """The cursor in `<…?after=CURSOR>; rel="next"`."""
    target, _, relation = (link or "").partition(">")
    if 'rel="next"' not in relation:
        return None
    found = parse_qs(urlsplit(target.lstrip("<")).query).get("after")
    return found[0] if found else None
