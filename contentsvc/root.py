"""The resource tree: /api/v1, /methods/v1, /oauth and /health in one Klein app; /socket and the
files of /docs beside it."""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET

from contentsvc.push.resource import SocketResource
from contentsvc.web.allow import ANYONE
from contentsvc.web.app import Api
from contentsvc.web.assets import Asset
from contentsvc.web.call import Call
from contentsvc.web.errors import (
    MethodNotAllowed,
    NotFound,
    Problem,
    UpgradeRequired,
    named,
)
from contentsvc.web.request import ApiRequest
from contentsvc.web.route import route
from contentsvc.web.sizes import SMALL

PATIENCE = 2.0
"""Seconds after which what does not answer does not hold."""

InvalidHandshake = named(400, "invalid_handshake", "This is not a valid WebSocket handshake.")
NotReady = named(503, "not_ready", "The service is not ready: see reasons.")

_READ = ("GET", "HEAD", "OPTIONS")

_REFUSALS: dict[int, type[Problem]] = {
    400: InvalidHandshake,
    405: MethodNotAllowed,
    426: UpgradeRequired,
}


class Reason(NamedTuple):
    """Something that /health/ready waits for."""

    name: str
    holds: Callable[[], Coroutine[Any, Any, bool]]


class Health:
    """For supervisors and proxies, which do not wait long for an answer."""

    def __init__(self, reasons: Iterable[Reason], reactor: IReactorTime) -> None:
        self._reasons = tuple(reasons)
        self._reactor = reactor

    @route("GET", "/health/live", allow=ANYONE)
    async def live(self, call: Call) -> dict[str, str]:
        """200 while the reactor turns."""
        return {"status": "live"}

    @route("GET", "/health/ready", allow=ANYONE)
    async def ready(self, call: Call) -> dict[str, str]:
        """200 if all reasons hold; which there are is in docs/operating.md. Raises NotReady."""
        asked = [(reason.name, self._holds(reason)) for reason in self._reasons]
        missing = [name for name, holds in asked if not await holds]
        if missing:
            problem = NotReady(headers={"Retry-After": "1"}, reasons=missing)
            problem.cause = f"not ready ({' and '.join(missing)})"
            raise problem
        return {"status": "ready"}

    def _holds(self, reason: Reason) -> Deferred[bool]:
        """False where it fails, or takes too long; what it has begun goes on."""
        answer: Deferred[bool] = Deferred()
        asked = Deferred.fromCoroutine(reason.holds())
        asked.addErrback(lambda failure: False).addCallback(answer.callback)
        answer.addTimeout(PATIENCE, self._reactor)
        return answer.addErrback(lambda failure: False)


class Root(Resource):
    """The API at every path but /socket and those of the assets."""

    isLeaf = True

    def __init__(self, api: Api, socket_factory: Any, assets: Mapping[bytes, Asset]) -> None:
        super().__init__()
        self._api = api
        self._socket = SocketResource(socket_factory, self._refuse)
        self._beside: dict[bytes, Callable[[ApiRequest], int | bytes]] = {
            path: partial(self._file, asset) for path, asset in assets.items()
        }
        self._beside[b"/socket"] = self._upgrade

    def judge(self, request: ApiRequest) -> int:
        """The bytes that the body may have. Raises what Api.judge does."""
        return SMALL if request.path in self._beside else self._api.judge(request)

    def render(self, request: ApiRequest) -> int | bytes:
        answer = self._beside.get(request.path, self._api.render)
        try:
            return answer(request)
        except Exception:
            return self._api.fail(request)

    def _file(self, asset: Asset, request: ApiRequest) -> int:
        request.route = request.path.decode()
        if request.method == b"OPTIONS":
            return self._api.options(request, list(_READ))
        if request.method.decode("latin-1") not in _READ:
            allowed = ", ".join(_READ)
            problem = MethodNotAllowed(f"This path allows {allowed}.", headers={"Allow": allowed})
            return self._api.refuse(request, problem)
        asset.answer(request)
        return NOT_DONE_YET

    def _refuse(self, request: Any, status: int, code: str) -> int:
        problem = _REFUSALS.get(status, NotFound)()
        problem.code = code
        return self._api.refuse(request, problem)

    def _upgrade(self, request: ApiRequest) -> int | bytes:
        """Keep the book of requests right when one becomes a socket."""
        request.route = "/socket"
        if request.method == b"OPTIONS":
            return self._api.options(request, ["GET", "OPTIONS"])
        # As a proxy hands it on: the answer is not this request's but the socket's.
        request.requestHeaders.setRawHeaders(b"X-Request-Id", [request.request_id.encode()])
        answer = self._socket.render(request)
        if not request.finished:
            request.site.log_request(request, 101)
            request.site.traffic.upgraded(request)
        return answer
