"""The API's resource: dispatch over Klein's url_map and endpoints.

Klein's own resource is not used: it cancels a handler when its client goes away, and costs
twice as much per request. When the head of a request has arrived, the path, the token (401) and the
permission (403) are checked. Then follow the size (413), decoding (400) and the handler.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import ceil
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from klein import Klein
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET
from werkzeug.routing import Map, Rule

from contentsvc.framework.core.request_timing import CURRENT, RequestTiming
from contentsvc.framework.http import decode, preconditions, urls
from contentsvc.framework.http.body_reader import SMALL
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import (
    BadToken,
    Forbidden,
    GuestAccount,
    InternalError,
    NotFound,
    Problem,
    TooManyRequests,
    bad_token,
)
from contentsvc.framework.http.maintenance import Maintenance
from contentsvc.framework.http.operations import Operation, variable_name
from contentsvc.framework.http.permissions import Check, Restrictions, Who
from contentsvc.framework.http.preconditions import Read
from contentsvc.framework.http.reply import Pieces, Reply
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.http.route import SHUT_OUT, Route
from contentsvc.framework.http.urls import Urls, origin_of

log = Logger()

_READS: Final = (b"GET", b"HEAD")
Authenticate = Callable[[str], Who]
"""Gives the caller that an access token belongs to. Raises BadToken."""
Translate = Callable[[Exception], Problem | None]
"""Gives the problem for an exception of a handler; None if there is none."""


class Static(Protocol):
    """A resource beside the operations, which is the same for everybody."""

    def answer(self, request: ApiRequest, fields: bytes) -> None:
        """Answer a GET or HEAD. `fields` are the header fields of every answer."""


class _Mounted(NamedTuple):
    """A route and its path. `owned`: the path names a user, whose operation it is. `takes_token`:
    the request's token is checked. `closes`: it is refused during maintenance. `variables`: kind,
    name and name for clients of each."""

    route: Route
    path: str
    owned: bool
    takes_token: bool
    closes: bool
    variables: tuple[tuple[str, str, str], ...]


class ServiceLimit:
    """How many requests a service account may make (studio#service-accounts): at most `per_minute`
    in a minute, which begins with the first of them. 0 means no limit. Each process counts its
    own."""

    def __init__(self, clock: IReactorTime, per_minute: int) -> None:
        self._clock = clock
        self._most = per_minute
        self._minutes: dict[str, tuple[float, int]] = {}
        """The end of each account's minute, and the requests in it."""

    def count(self, account: str) -> None:
        """Count a request. Raises TooManyRequests, where it was one too many."""
        if not self._most:
            return
        now = self._clock.seconds()
        end, made = self._minutes.get(account, (now, 0))
        if end <= now:
            end, made = now + 60.0, 0
        if made >= self._most:
            raise TooManyRequests(headers={"Retry-After": str(max(ceil(end - now), 1))})
        self._minutes[account] = end, made + 1


class Guests(NamedTuple):
    """What guests may do, in words of routes, and what says whether a user still is one: a token
    may be older than the full account. It raises what a statement does."""

    may: tuple[str, ...]
    is_guest: Callable[[str], Awaitable[bool]]

    async def check(self, user: str) -> None:
        """Raises GuestAccount."""
        if await self.is_guest(user):
            raise GuestAccount(may=[*self.may])


async def _each(checks: Sequence[Check], db: Any) -> None:
    for check in checks:
        await check(db)


_AFTER_RESTRICTION: Final = frozenset({403, 409, 422})
"""The statuses of refusals that come after those of restrictions."""


class Api(Resource):
    """The resource of all mounted operations. The origin of its pages is that of `public_url`, or
    else the one that the client addressed. Without `maintenance` the service never closes, and
    without `services` service accounts have no limit. `call` is the class of a handler's first
    argument. Without `guests` nobody is one, and without `restrictions`, which are asked in their
    order, nobody is shut out of anything."""

    isLeaf = True

    def __init__(
        self,
        authenticate: Authenticate,
        translate: Translate,
        reply: Reply,
        public_url: str | None = None,
        maintenance: Maintenance | None = None,
        services: ServiceLimit | None = None,
        call: type[Call] = Call,
        guests: Guests | None = None,
        restrictions: Iterable[Restrictions] = (),
    ) -> None:
        super().__init__()
        self._restrictions = [*restrictions]
        self._guests = guests
        self._maintenance = maintenance
        self._services = services
        self._call = call
        self._public_origin = None if public_url is None else origin_of(public_url)
        self._authenticate = authenticate
        self._translate = translate
        self._reply = reply
        self._app = Klein()
        self._urls = Urls(self._app.url_map)
        self._mounted: dict[str, _Mounted] = {}
        self._same_origin: set[str] = set()
        self._left_out: list[tuple[Urls, type[Problem]]] = []
        self.operations: list[Operation] = []
        """All mounted operations."""

    def mount(self, operations: Iterable[Operation], families: Iterable[object]) -> None:
        """Add the operations of these families. Each is handled by the family of its class.
        Operations of other families do not exist, or answer the problem that their family names.

        Raises TypeError if a family has no operation.
        """
        handlers = {type(family): family for family in families}
        unused = set(handlers)
        left_out: dict[type[Problem], list[Operation]] = {}
        operations = [*operations]
        reads = _reads(operations, handlers)
        for operation in operations:
            family = handlers.get(operation.family.handlers)
            if family is None:
                if operation.family.absent is not None:
                    left_out.setdefault(operation.family.absent, []).append(operation)
                continue
            unused.discard(type(family))
            route, path = operation.route, operation.path
            # Klein's default, __name__, is the same where a handler is served at a second path.
            endpoint = f"{route.method} {path}"
            read = None if operation.heeds is None else reads[operation.heeds]
            serve = self._server(route, getattr(family, operation.handler), read)
            variables = tuple((*each, variable_name(*each)) for each in route.variables)
            self._mounted[endpoint] = _Mounted(
                route, path, route.owned, route.takes_token, route.closes, variables
            )
            if route.allow.same_origin:
                self._same_origin.add(path)
            self._urls.add(route.method, path)
            self._app.route(path, methods=[route.method], endpoint=endpoint)(serve)
            self.operations.append(operation)
        if unused:
            raise TypeError(f"no operation is of {unused}")
        for problem, absent in left_out.items():
            self._leave_out(absent, problem)

    def _leave_out(self, operations: Iterable[Operation], problem: type[Problem]) -> None:
        rules = Map()
        left_out = Urls(rules)
        for operation in operations:
            left_out.add(operation.route.method, operation.path)
            rules.add(Rule(operation.path, methods=[operation.route.method]))
        self._left_out.append((left_out, problem))

    def judge(self, request: ApiRequest) -> int:
        """Check path, token and permission, and return how many bytes the body may have.

        Raises NotFound, MethodNotAllowed, InvalidPath, InvalidHost, BadToken, TooManyRequests,
        UnderMaintenance, Unauthorized, Forbidden, InsufficientScope, UnsupportedMediaType.
        """
        path = urls.decoded(request.path)
        request.same_origin = path in self._same_origin
        try:
            if request.method == b"OPTIONS":
                request.route = "OPTIONS"
                request.judged = self._urls.allowed(path)
                return SMALL
            endpoint, args = self._urls.match(request.method.decode("latin-1"), path)
        except NotFound:
            self._refuse_left_out(path)
            raise
        route, request.route, owned, takes_token, closes, variables = self._mounted[endpoint]
        values = {name: urls.variable(kind, shown, args[name]) for kind, name, shown in variables}
        if request.method not in _READS:
            request.changes = str(values.get("content", ""))
        if request.same_origin:
            self._check_origin(request)
        request.own_token = _own_token(request, route)
        takes_token = takes_token and request.own_token is None
        caller = self._caller(request) if takes_token else None
        if closes and self._maintenance is not None and self._maintenance.on:
            self._maintenance.check(request.method, caller)
        request.personal = route.allow.signed_in
        if request.own_token is None:
            route.allow.check(caller, str(values["user"]) if owned else None)
        self._doubt(request, route, caller)
        if request.doubt is None and (route.bodies or route.form is not None):
            request.refuse_coded()
        request.judged = endpoint, values, caller
        known = caller is not None or request.own_token is not None
        return route.limit if known else min(route.limit, SMALL)

    def _doubt(self, request: ApiRequest, route: Route, caller: Who | None) -> None:
        """Have it asked whether the caller still is a guest, where that decides."""
        request.doubt = None
        if self._guests is None or route.guests is None or caller is None or not caller.guest:
            return
        if route.guests not in self._guests.may:
            request.ask(self._guests.check(caller.user), self._translated)

    def _translated(self, error: Exception) -> Problem:
        """The problem to answer for an error."""
        if isinstance(error, Problem):
            return error
        known = self._translate(error)
        if known is None:
            log.failure("A request failed", failure=Failure(error))
        return known or InternalError()

    def _check_origin(self, request: ApiRequest) -> None:
        """Raises Forbidden unless a page of the service's own origin asks. Other ports and
        subdomains are other origins, although their requests have the same cookies."""
        own = self._public_origin or origin_of(Call(request, None).base_url)
        if [*request.header_values(b"Origin")] != [own.encode()]:
            raise Forbidden("Only pages of the service itself may do this: see the Origin header.")

    def _refuse_left_out(self, path: str) -> None:
        """Raises the problem of a family that is not there."""
        for left_out, problem in self._left_out:
            with suppress(NotFound):
                left_out.allowed(path)
                raise problem()

    def render(self, request: ApiRequest) -> int:
        """Answer the request, now or later. Never raises."""
        try:
            if request.problem is not None and request.doubt is None:
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
        """Log the current exception, and answer 500."""
        log.failure("Request {id} failed", id=request.request_id)
        return self.refuse(request, InternalError())

    def asset(self, request: ApiRequest, asset: Static) -> int:
        """Answer with what is beside this resource."""
        asset.answer(request, self._reply.fields(request))
        return NOT_DONE_YET

    def options(self, request: ApiRequest, methods: list[str]) -> int:
        """Answer OPTIONS, here or for a resource beside this one."""
        self._reply.options(request, ", ".join(methods).encode())
        return NOT_DONE_YET

    def refuse(self, request: ApiRequest, problem: Problem, *, oauth: bool = False) -> int:
        """Answer a request that reaches no operation, here or of a resource beside this one."""
        self._reply.problem(request, problem, oauth=oauth)
        return NOT_DONE_YET

    def _server(self, route: Route, handler: Callable[..., Any], read: Read | None) -> Any:
        reply, judge = self._reply, self.judge
        oauth = route.form is not None
        decided = route.bodies and not route.undecided
        body = msgspec.json.Decoder(route.bodies[0]) if decided else None
        undecided = route.undecided
        restricts = route.restricts

        async def serve(request: ApiRequest, values: dict[str, Any], caller: Who | None) -> None:
            timing = RequestTiming()
            timing.owner = request
            CURRENT.set(timing)
            restriction = None if restricts is None else self._restriction(caller, restricts)
            try:
                if oauth:
                    request.setHeader(b"Cache-Control", b"no-store")
                await request.settled()
                raw = request.body()
                if body is not None:
                    media = request.header(b"Content-Type")
                    values["body"] = decode.json_body(raw, media, body)
                elif undecided:
                    values["body"] = decode.Either(raw, request.header(b"Content-Type"))
                elif oauth:
                    media = request.header(b"Content-Type")
                    values["form"] = decode.form_body(raw, media, route.form)
                if route.query is not None:
                    query = request.uri.partition(b"?")[2]
                    values["query"] = decode.query_string(query, route.query)
                call = self._call(request, caller, judge)
                if restriction is not None:
                    call.restrict(restriction)
                if read is not None:
                    demanded = preconditions.asked(request, read, values)
                    if demanded is not None:
                        call.demand(demanded)
                result = await handler(call, **values)
                if type(result) is Pieces:
                    await reply.pieces(request, result)
                else:
                    reply.result(request, result)
                call.answered()
            except Exception as error:
                problem = await self._problem(request, error, restriction)
                reply.problem(request, problem, oauth=oauth)

        return serve

    def _restriction(self, caller: Who | None, what: str) -> Check | None:
        """What finds out whether the caller is shut out of this; None where nobody has shut them
        out of anything."""
        if caller is None:
            return None
        asked = [each.concerning(caller, what) for each in self._restrictions]
        checks = [check for check in asked if check is not None]
        return partial(_each, checks) if checks else None

    async def _problem(
        self, request: ApiRequest, error: Exception, restriction: Check | None
    ) -> Problem:
        """What to answer for an error of a handler. That the caller is shut out comes first."""
        problem = error if isinstance(error, Problem) else self._translate(error)
        if problem is None:
            log.failure("Request {id} failed", id=request.request_id)
            return InternalError()
        if (
            restriction is not None
            and problem.status in _AFTER_RESTRICTION
            and not isinstance(problem, SHUT_OUT)
        ):
            try:
                await restriction(None)
            except Exception as first:
                return self._translated(first)
        return problem

    def _caller(self, request: ApiRequest) -> Who | None:
        header = request.header(b"Authorization")
        if header is None:
            return None
        scheme, _, token = header.partition(" ")
        try:
            if scheme.lower() != "bearer":
                raise BadToken("The Authorization header must be Bearer, followed by a token.")
            caller = self._authenticate(token.strip())
        except BadToken as error:
            raise bad_token(error.detail) from None
        # It may be judged again, when its body has arrived.
        again = request.caller == caller.user
        request.caller = caller.user
        if caller.service and self._services is not None and not again:
            self._services.count(caller.user)
        return caller


def _own_token(request: ApiRequest, route: Route) -> str | None:
    """The token that opens this operation alone, if the request has such a one."""
    if route.own_token is None:
        return None
    scheme, _, token = (request.header(b"Authorization") or "").partition(" ")
    token = token.strip()
    own = scheme.lower() == "bearer" and token.startswith(f"{route.own_token}-")
    return token if own else None


def _reads(operations: Iterable[Operation], families: Mapping[type, object]) -> dict[str, Read]:
    """The GETs of these families, as `Operation.heeds` names them."""
    return {
        operation.own_path: Read(family, operation.handler, operation.route)
        for operation in operations
        if operation.route.method == "GET"
        and (family := families.get(operation.family.handlers)) is not None
    }
