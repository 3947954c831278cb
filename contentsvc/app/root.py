"""The resource tree: /api/v1, /methods/v1, /oauth and /health in one Klein app; /, /socket, the
files of /docs and /client.js beside it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from twisted.web.resource import Resource

from contentsvc.framework.http.app import Api, Static
from contentsvc.framework.http.body_reader import SMALL
from contentsvc.framework.http.errors import (
    InvalidHandshake,
    MethodNotAllowed,
    UnsupportedWebSocketVersion,
    UpgradeRequired,
)
from contentsvc.framework.http.errors import Restoring as Restored
from contentsvc.framework.http.request import ApiRequest
from contentsvc.push.resource import SocketResource

_API, _FILES, _OAUTH, _HEALTH, _SOCKET = b"/api/", b"/files/", b"/oauth/", b"/health/", b"/socket"
_SERVICE = b"/api/v1/service"
_READ = ("GET", "HEAD", "OPTIONS")

_REFUSALS = {
    problem.code: problem
    for problem in (
        InvalidHandshake,
        MethodNotAllowed,
        UpgradeRequired,
        UnsupportedWebSocketVersion,
    )
}


class Beside(Protocol):
    """What answers requests beside the API: those for files, and those for the portal's pages."""

    def judge(self, request: ApiRequest) -> int:
        """The bytes that the body may have. Raises the Problem to answer."""

    def render(self, request: ApiRequest) -> int:
        """Answer the request, now or later."""


class Pages(Beside, Protocol):
    """The portal."""

    def has(self, request: ApiRequest) -> bool:
        """Whether this request is answered by the portal."""


class Root(Resource):
    """The API at every path but /socket, those of the assets, if there are `files` those below
    /files/, and if there is a `portal` those of its pages. `is_restoring` says whether the database
    is being restored."""

    isLeaf = True

    def __init__(
        self,
        api: Api,
        socket_factory: Any,
        assets: Mapping[bytes, Static],
        files: Beside | None = None,
        portal: Pages | None = None,
        is_restoring: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__()
        self._is_restoring = is_restoring
        self._api = api
        self._files = files
        self._portal = portal
        self._socket = SocketResource(socket_factory, self._refuse)
        self._beside: dict[bytes, Callable[[ApiRequest], int | bytes]] = {
            path: partial(self._file, asset) for path, asset in assets.items()
        }
        self._beside[_SOCKET] = self._upgrade

    def judge(self, request: ApiRequest) -> int:
        """The bytes that the body may have. Raises the Problem to answer."""
        if self._is_restoring() and self._needs_database(request):
            if request.path.startswith(_OAUTH):
                return SMALL  # `render` answers in the form that such a client reads
            raise Restored()
        beside = self._answers(request)
        if beside is not None:
            return beside.judge(request)
        return SMALL if request.path in self._beside else self._api.judge(request)

    def render(self, request: ApiRequest) -> int | bytes:
        if self._is_restoring() and self._needs_database(request):
            request.route = "restoring"
            return self._api.refuse(request, Restored(), oauth=request.path.startswith(_OAUTH))
        beside = self._answers(request)
        if beside is not None:
            answer: Callable[[ApiRequest], int | bytes] = beside.render
        else:
            answer = self._beside.get(request.path, self._api.render)
        try:
            return answer(request)
        except Exception:
            return self._api.fail(request)

    def _answers(self, request: ApiRequest) -> Beside | None:
        """What answers this request, if neither the API nor an asset does."""
        path = request.path
        if path.startswith(_API):
            return None
        if self._files is not None and path.startswith(_FILES):
            return self._files
        if self._portal is not None and (path == b"/" or path not in self._beside):
            return self._portal if self._portal.has(request) else None
        return None

    def _needs_database(self, request: ApiRequest) -> bool:
        if request.method == b"OPTIONS" or request.path == _SERVICE:
            return False
        if request.path.startswith(_HEALTH):
            return False
        if self._portal is not None and self._answers(request) is self._portal:
            return False
        return request.path == _SOCKET or request.path not in self._beside

    def _file(self, asset: Static, request: ApiRequest) -> int:
        request.route = request.path.decode()
        if request.method == b"OPTIONS":
            return self._api.options(request, list(_READ))
        if request.method.decode("latin-1") not in _READ:
            allowed = ", ".join(_READ)
            problem = MethodNotAllowed(f"This path allows {allowed}.", headers={"Allow": allowed})
            return self._api.refuse(request, problem)
        return self._api.asset(request, asset)

    def _refuse(self, request: Any, status: int, code: str) -> int:
        return self._api.refuse(request, _REFUSALS[code]())

    def _upgrade(self, request: ApiRequest) -> int | bytes:
        """Keep the count of requests right when one becomes a socket."""
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
