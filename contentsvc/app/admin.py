"""The admin endpoint: a listener of its own for supervisors and Prometheus.

It is a site like the main one, so heads, bodies, slow readers and connections have their limits.
It writes no lines of requests.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET

from contentsvc.app.metric_values import MEDIA, Source, text
from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.errors import (
    InternalError,
    MethodNotAllowed,
    NotFound,
    Problem,
    named,
)
from contentsvc.framework.http.proxies import Proxies
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.http.site import ApiSite
from contentsvc.framework.http.slow_requests import SlowRequests
from contentsvc.framework.http.traffic import Traffic
from contentsvc.framework.process import listening
from contentsvc.wire.base import ready

CONNECTIONS = 32
"""Connections at once. One that has no request for 5 s gives way to a new one."""
_MEMORY = 4 * KIB * KIB
_TIMEOUT = 5.0
"""Seconds for the head of a request."""
_READ = ("GET", "HEAD")
_PLAIN = b"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"

NotReady = named(503, "not_ready", "The service is not ready: see reasons.", reasons=list[str])

log = Logger()

Ask = Callable[[], Awaitable[Any]]


class Pages(Resource):
    """/metrics, /live and /ready. Requests for the same at the same time share an answer.

    `sources` gives the metrics of all processes, `missing` the reasons not to be ready.
    """

    isLeaf = True

    def __init__(
        self,
        reactor: Any,
        sources: Callable[[], Awaitable[list[Source]]],
        missing: Callable[[], Awaitable[list[str]]],
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._reactor = reactor
        self._sources = sources
        self._reply = Reply((), lambda cause: None)
        self._metrics = SingleFlight(self._text)
        self._missing = SingleFlight(missing)
        self._pages = {b"/metrics": self._scrape, b"/live": self._live, b"/ready": self._ready}

    def judge(self, request: ApiRequest) -> int:
        """No body may follow. Raises NotFound, MethodNotAllowed."""
        if request.path not in self._pages:
            raise NotFound()
        if request.method.decode("latin-1") not in _READ:
            allowed = ", ".join(_READ)
            raise MethodNotAllowed(f"This path allows {allowed}.", headers={"Allow": allowed})
        return 0

    def render(self, request: ApiRequest) -> int:
        """Answer the request, now or later."""
        Deferred.fromCoroutine(self._answer(request))
        return NOT_DONE_YET

    def refuse(self, request: ApiRequest, problem: Problem) -> None:
        """Answer with this problem."""
        self._reply.problem(request, problem)

    async def _answer(self, request: ApiRequest) -> None:
        try:
            self.judge(request)
            await self._pages[request.path](request)
        except Problem as problem:
            self.refuse(request, problem)
        except Exception:
            log.failure("Request {id} failed", id=request.request_id)
            self.refuse(request, InternalError())

    async def _live(self, request: ApiRequest) -> None:
        request.answer(200, b"application/json", b'{"status":"live"}', _PLAIN)

    async def _ready(self, request: ApiRequest) -> None:
        reasons = await self._missing.ask()
        if (answer := ready(reasons)) is None:
            raise NotReady(headers={"Retry-After": "1"}, reasons=reasons)
        request.answer(200, b"application/json", json.encode(answer), _PLAIN)

    async def _scrape(self, request: ApiRequest) -> None:
        request.answer(200, MEDIA, await self._metrics.ask(), _PLAIN)

    async def _text(self) -> bytes:
        pieces = []
        for piece in text(await self._sources()):
            pieces.append(piece)
            # Other requests are served in between.
            await deferLater(self._reactor, 0)
        return b"".join(pieces)


class AdminSite(ApiSite):
    """The site of the listener."""

    def log_request(self, request: ApiRequest, status: int) -> None:
        """Prometheus and the probes ask for ever."""


class Admin:
    """The listener on this `endpoint`."""

    def __init__(self, reactor: Any, endpoint: Any, pages: Pages) -> None:
        self._endpoint = endpoint
        self._site = AdminSite(
            pages,
            reactor,
            now=WallClock().seconds,
            judge=pages.judge,
            refuse=pages.refuse,
            body_timeout=_TIMEOUT,
            traffic=Traffic(reactor, memory=_MEMORY, connections=CONNECTIONS, sockets=lambda: 0),
            proxies=Proxies(()),
            slow=SlowRequests(reactor, 0),
        )
        self._port: Any = None

    async def start(self) -> None:
        """Listen. Raises CannotListenError."""
        self._port = await self._endpoint.listen(self._site)
        listening.accept_few(self._port)

    async def stop(self) -> None:
        """Listen no more."""
        await self._port.stopListening()
