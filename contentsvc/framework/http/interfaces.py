"""The site, as its connections and requests see it."""

from collections.abc import Callable
from typing import Any, Protocol

from contentsvc.framework.core.twisted_internals import TurnWriter
from contentsvc.framework.http.backpressure import DeferredInput
from contentsvc.framework.http.proxies import Proxies
from contentsvc.framework.http.slow_clients import SlowClients
from contentsvc.framework.http.streamed_body import HeldBytes
from contentsvc.framework.http.traffic import Traffic


class Common(Protocol):
    """The site. A request is an `ApiRequest` of `http.request`.

    A request with a body is given to `judge` as soon as its head has arrived. `judge` returns how
    many bytes may follow, or raises the Problem to answer. `refuse` answers a request with a
    Problem, and the request goes no further. `body_timeout` is in seconds.
    """

    reactor: Any
    resource: Any
    body_timeout: float
    judge: Callable[[Any], int]
    refuse: Callable[[Any, Any], object]
    next_id: Callable[[], str]
    traffic: Traffic
    slow_clients: SlowClients
    backlog: DeferredInput
    held: HeldBytes
    proxies: Proxies
    writer: TurnWriter

    def date(self) -> bytes:
        """The header line Date of this second."""

    def log_request(self, request: Any, status: int) -> None:
        """Write the log line of a request, which was answered with this status."""
