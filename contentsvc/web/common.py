"""What the connections and the requests of a site have in common, as they know it."""

from collections.abc import Callable
from typing import Any, Protocol

from contentsvc.web.backlog import Backlog
from contentsvc.web.proxies import Proxies
from contentsvc.web.traffic import Traffic
from contentsvc.web.unsent import Unsent


class Common(Protocol):
    """The site. A request is an `ApiRequest` of `web.request`.

    `judge` is asked about a request with a body as soon as its head is in: it gives the bytes that
    may follow, and raises the Problem that is its answer. `refuse` answers a request, with this
    Problem, that goes no further. `body_timeout` is in seconds.
    """

    reactor: Any
    resource: Any
    body_timeout: float
    judge: Callable[[Any], int]
    refuse: Callable[[Any, Any], object]
    next_id: Callable[[], str]
    traffic: Traffic
    unsent: Unsent
    backlog: Backlog
    proxies: Proxies

    def date(self) -> bytes:
        """The header line Date, as it is this second."""

    def log_request(self, request: Any, status: int) -> None:
        """Write the log's line of a request that was answered with this status."""
