"""The site: what all connections and requests share, request ids, and the log line."""

import secrets
from collections.abc import Callable
from http import HTTPMethod
from itertools import count
from time import time
from typing import Any

from twisted.internet.interfaces import IAddress
from twisted.logger import Logger, LogLevel
from twisted.web.http import datetimeToString
from twisted.web.resource import IResource
from twisted.web.server import Site

from contentsvc.framework.core.twisted_internals import TurnWriter
from contentsvc.framework.http.backpressure import DeferredInput
from contentsvc.framework.http.channel import ApiChannel, TurnedAway
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.proxies import Proxies
from contentsvc.framework.http.request import ApiRequest, Common
from contentsvc.framework.http.slow_clients import SlowClients
from contentsvc.framework.http.slow_requests import SlowRequests
from contentsvc.framework.http.streamed_body import HeldBytes
from contentsvc.framework.http.trace_context import noted
from contentsvc.framework.http.traffic import Traffic

log = Logger()

_METHODS = {method.encode(): method.value for method in HTTPMethod}
"""The methods that the log shows. Others are not shown, because they may contain anything."""

_PROBES = frozenset({"/health/live", "/health/ready"})
"""Routes that balancers and supervisors ask for ever."""

Observe = Callable[[tuple[str, str, int], float], object]
"""Called for each request that has its answer, with its method, its route and the first digit of
the status, and with the seconds that it took. All three have few values, whatever clients send."""


class ApiSite(Site, Common):
    """A site of ApiRequests.

    `now` gives the wall clock's Unix seconds. `judge` and `refuse` are those of `Common`.
    `body_timeout` is in seconds. `observe` is called for each request: see Observe.
    """

    noisy = False
    protocol: Any = ApiChannel
    requestFactory = ApiRequest

    def __init__(
        self,
        resource: IResource,
        reactor: Any,
        *,
        now: Callable[[], float],
        judge: Callable[[ApiRequest], int],
        refuse: Callable[[ApiRequest, Problem], object],
        body_timeout: float,
        traffic: Traffic,
        proxies: Proxies,
        slow: SlowRequests,
        observe: Observe = lambda key, seconds: None,
        prefix: str | None = None,
    ) -> None:
        super().__init__(resource, reactor=reactor, timeout=60)
        self.reactor = reactor
        self._now = now
        self.judge = judge
        self.refuse = refuse
        self.body_timeout = body_timeout
        self.traffic = traffic
        self.proxies = proxies
        self._observe = observe
        self.slow = slow
        self.slow_clients = SlowClients(reactor)
        self.backlog = DeferredInput(reactor)
        self.held = HeldBytes()
        self.writer = TurnWriter()
        self._second, self._date = -1, b""
        own, numbers = prefix or secrets.token_hex(6), count(1)
        self.next_id: Callable[[], str] = lambda: f"{own}-{next(numbers):x}"

    def full(self) -> bool:
        """Whether all connections are in use. Another worker may still have a free one."""
        return self.traffic.full()

    def buildProtocol(self, addr: IAddress | None) -> Any:
        """The protocol of a new connection, which is closed at once if there are too many."""
        if self.traffic.admits():
            return super().buildProtocol(addr)
        # Not None: a TLS or PROXY endpoint does not expect that.
        return TurnedAway()

    def date(self) -> bytes:
        """The header line Date of this second."""
        second = int(self._now())
        if second != self._second:
            self._second, self._date = second, b"Date: %s\r\n" % datetimeToString(second)
        return self._date

    def acceptableProtocols(self) -> list[bytes]:
        """HTTP/1.1 over TLS too, whatever is installed: bodies are bounded in its channel."""
        return [b"http/1.1"]

    def log(self, request: Any) -> None:
        """Called by twisted.web when a request has been answered."""
        self.log_request(request, request.code)

    def log_request(self, request: ApiRequest, status: int) -> None:
        """Write one line per request, but none for probes, which come every second. It has the
        route, and not the path or the query, which may contain secrets."""
        seconds = self.reactor.seconds() - request.started - request.asked
        method = _METHODS.get(request.method, "-")
        self._observe((method, request.route, status // 100), seconds)
        if request.route not in _PROBES:
            parents = request.header_values(b"Traceparent")
            # Given to the observer itself: Twisted's logger would first look whether it knows the
            # level, which takes as long as to write the line.
            # Log: a request, with its route, status, time, user, client and id. Do: nothing, see
            # docs/guides/logs.md#request-lines.
            log.observer(
                {
                    "log_logger": log,
                    "log_level": LogLevel.info,
                    "log_namespace": log.namespace,
                    "log_source": None,
                    "log_time": time(),
                    "log_format": "{method} {route} {status} {ms:.1f}ms user={user} "
                    "client={client} request={request_id}{note}",
                    "method": method,
                    "route": request.route,
                    "status": status,
                    "ms": seconds * 1000,
                    "user": request.caller,
                    "client": request.client,
                    "request_id": request.request_id,
                    "note": noted(parents, request.note, request.changes)
                    if parents or request.changes
                    else request.note,
                }
            )
        if seconds > self.slow.threshold:
            self.slow.note(method, request, status, seconds)
