"""The API's resource: dispatch over Klein's url_map and endpoints.

Klein's own resource is not used: it cancels a handler when its client goes away, and costs
twice as much per request. The order is: path, token (401), permission (403), all of which is looked
at when the head is in; then size (413), decoding (400), handler.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec
from klein import Klein
from twisted.logger import Logger
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET
from werkzeug.exceptions import HTTPException
from werkzeug.exceptions import MethodNotAllowed as WrongMethod
from werkzeug.routing import BaseConverter

from contentsvc.web import decode
from contentsvc.web.allow import Who
from contentsvc.web.call import Call
from contentsvc.web.errors import (
    BadToken,
    InvalidPath,
    MethodNotAllowed,
    NotFound,
    Problem,
)
from contentsvc.web.reply import Pieces, Reply
from contentsvc.web.request import SMALL, ApiRequest
from contentsvc.web.route import Route, routes_of

log = Logger()

Authenticate = Callable[[str], Who]
"""From an access token to whom it speaks for; raises BadToken."""
Translate = Callable[[Exception], Problem | None]
"""From what a handler raised to the problem it means, if it means one."""


_GUIDS = re.compile(r"(?<=/)([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})(?=/|\Z)")


class _Segment(BaseConverter):
    """One segment of the path, still percent-encoded: a %2F in it is no separator."""

    regex = "[^/]+"


class _Operation(NamedTuple):
    """A route where it is mounted; whether its path names the user that it belongs to."""

    route: Route
    path: str
    owned: bool


class Api(Resource):
    """Every operation of the mounted families."""

    isLeaf = True

    def __init__(self, authenticate: Authenticate, translate: Translate, reply: Reply) -> None:
        super().__init__()
        self._authenticate = authenticate
        self._translate = translate
        self._reply = reply
        self._app = Klein()
        self._app.url_map.merge_slashes = False
        for kind in ("guid", "int", "text"):
            self._app.url_map.converters[kind] = _Segment
        self._urls = self._app.url_map.bind("")
        self._static: dict[str, set[str]] = {}
        """The methods of the paths without variables."""
        self._known: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {}
        """Endpoints, and the names of their variables, by what is around the GUIDs of a path."""
        self._operations: dict[str, _Operation] = {}
        self.routes: list[tuple[str, str, Route]] = []
        """Method, full path and route of each operation."""

    def mount(self, prefix: str, families: Iterable[object], *, under: str = "/") -> None:
        """Add the families' routes whose path starts with `under`, below `prefix`."""
        for family in families:
            for name, route in routes_of(family):
                if route.path.startswith(under):
                    path = prefix + route.path
                    self.routes.append((route.method, path, route))
                    # Klein's default, __name__, is the same for every `put`.
                    endpoint = f"{route.method} {path}"
                    serve = self._server(route, getattr(family, name))
                    owned = any(name == "user" for _, name in route.variables)
                    self._operations[endpoint] = _Operation(route, path, owned)
                    if not route.variables:
                        also = {"HEAD"} if route.method == "GET" else set()
                        self._static.setdefault(path, set()).update({route.method}, also)
                    self._app.route(path, methods=[route.method], endpoint=endpoint)(serve)

    def judge(self, request: ApiRequest) -> int:
        """Look at path, token and permission; the bytes that the body may have.

        Raises NotFound, MethodNotAllowed, InvalidPath, BadToken, Unauthorized, Forbidden.
        """
        path = _decoded(request.path)
        if request.method == b"OPTIONS":
            request.route = "OPTIONS"
            request.judged = self._allowed(path)
            return SMALL
        endpoint, args = self._match(request.method.decode("latin-1"), path)
        route, request.route, owned = self._operations[endpoint]
        values = {name: _variable(kind, name, args[name]) for kind, name in route.variables}
        caller = None
        if route.form is None:
            caller = self._caller(request)
            route.allow.check(caller, str(values["user"]) if owned else None)
        request.judged = endpoint, values, caller
        return route.limit if caller is not None else min(route.limit, SMALL)

    def render(self, request: ApiRequest) -> int:
        """Answer, in time; never raises."""
        try:
            if request.problem is not None:
                raise request.problem
            if request.judged is None:
                self.judge(request)
            if request.method == b"OPTIONS":
                self.options(request, request.judged)
            else:
                self._app.execute_endpoint(request.judged[0], request, *request.judged[1:])
        except Problem as problem:
            self.refuse(request, problem)
        except Exception:
            self.fail(request)
        return NOT_DONE_YET

    def fail(self, request: ApiRequest) -> int:
        """Log the exception that is being handled, and answer 500."""
        log.failure("request {id} failed", id=request.request_id)
        return self.refuse(request, Problem())

    def _match(self, method: str, path: str) -> tuple[str, dict[str, str]]:
        """The endpoint and its variables. Raises NotFound, MethodNotAllowed."""
        # werkzeug's answer is the same for all paths that differ in their GUIDs only.
        parts = _GUIDS.split(path)
        shape, guids = (method, *parts[::2]), parts[1::2]
        known = self._known.get(shape)
        if known is not None:
            endpoint, names = known
            return endpoint, dict(zip(names, guids, strict=True))
        endpoint, args = self._looked_up(method, path)
        if list(args.values()) == guids:
            self._known[shape] = endpoint, tuple(args)
        return endpoint, args

    def _looked_up(self, method: str, path: str) -> tuple[str, dict[str, str]]:
        static = self._static.get(path)
        try:
            # werkzeug would take the method in any case of letters, and where there is no variable,
            # that of another operation would match this segment too.
            if method != method.upper() or (static is not None and method not in static):
                raise WrongMethod()
            endpoint, args = self._urls.match(path, method)
        except WrongMethod:
            allowed = ", ".join(self._allowed(path))
            raise MethodNotAllowed(
                f"This path allows {allowed}.", headers={"Allow": allowed}
            ) from None
        except HTTPException:
            raise NotFound() from None
        return endpoint, dict(args)

    def _allowed(self, path: str) -> list[str]:
        if path == "*":
            # Of the service as a whole (RFC 9110 §9.3.7).
            methods = {method for method, _, _ in self.routes} | {"HEAD"}
        else:
            methods = self._static.get(path) or set(self._urls.allowed_methods(path))
        if not methods:
            raise NotFound()
        return sorted({*methods, "OPTIONS"})

    def options(self, request: ApiRequest, methods: list[str]) -> int:
        """Answer OPTIONS, also for a resource beside this one."""
        self._reply.options(request, ", ".join(methods).encode())
        return NOT_DONE_YET

    def refuse(self, request: ApiRequest, problem: Problem) -> int:
        """Answer a request that reaches no operation, also on behalf of a resource beside this."""
        self._reply.problem(request, problem)
        return NOT_DONE_YET

    def _server(self, route: Route, handler: Callable[..., Any]) -> Any:
        reply, translate = self._reply, self._translate
        oauth = route.form is not None
        body = None if route.body is None else msgspec.json.Decoder(route.body)

        async def serve(request: ApiRequest, values: dict[str, Any], caller: Who | None) -> None:
            try:
                if oauth:
                    request.setHeader(b"Cache-Control", b"no-store")
                raw = request.body()
                if body is not None:
                    media = request.header(b"content-type")
                    values["body"] = decode.json_body(raw, media, body)
                elif oauth:
                    media = request.header(b"content-type")
                    values["form"] = decode.form_body(raw, media, route.form)
                if route.query is not None:
                    query = request.uri.partition(b"?")[2]
                    values["query"] = decode.query_string(query, route.query)
                result = await handler(Call(request, caller), **values)
                if type(result) is Pieces:
                    await reply.pieces(request, result)
                else:
                    reply.result(request, result)
            except Problem as problem:
                reply.problem(request, problem, oauth=oauth)
            except Exception as error:
                known = translate(error)
                if known is None:
                    log.failure("request {id} failed", id=request.request_id)
                reply.problem(request, known or Problem(), oauth=oauth)

        return serve

    def _caller(self, request: ApiRequest) -> Who | None:
        header = request.header(b"authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        try:
            if scheme.lower() != "bearer":
                raise BadToken("The Authorization header must hold a Bearer token.")
            caller = self._authenticate(token.strip())
        except BadToken as error:
            challenge = 'Bearer realm="contentsvc", error="invalid_token"'
            raise BadToken(error.detail, headers={"WWW-Authenticate": challenge}) from None
        request.caller = caller.user
        return caller


def _decoded(path: bytes) -> str:
    """Raises InvalidPath, NotFound."""
    if b"//" in path:
        # werkzeug takes several slashes at the start for one.
        raise NotFound()
    try:
        return path.decode("ascii")
    except UnicodeDecodeError:
        raise InvalidPath("The path must be percent-encoded.") from None


def _variable(kind: str, name: str, text: str) -> str | int:
    if kind == "guid":
        return decode.guid(name, unquote(text))
    if kind == "int":
        return decode.integer(name, text)
    try:
        value = unquote(text, errors="strict")
    except UnicodeDecodeError:
        value = "\0"
    if "\0" in value or len(value) > 256:
        raise InvalidPath(f"{name} must be at most 256 characters of UTF-8.", parameter=name)
    return value
