"""Health: whether the process responds, and whether it can serve."""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.api.call import Call
from contentsvc.api.errors import NotReady
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.wire.base import Live, Ready, ready

CHECK_TIMEOUT = 2.0
"""Seconds after which a reason does not say whether it is met."""


class Reason(NamedTuple):
    """Something that /health/ready waits for. `unknown` is what counts if it fails, or takes too
    long."""

    name: str
    holds: Callable[[], Coroutine[Any, Any, bool]]
    unknown: bool = False


class Health:
    """Health checks, for supervisors and proxies. These do not wait long for an answer."""

    def __init__(self, reasons: Iterable[Reason], reactor: IReactorTime) -> None:
        self._reasons = tuple(reasons)
        self.names = [reason.name for reason in self._reasons]
        self._reactor = reactor

    @route("GET", "/health/live", allow=ANYONE)
    async def check_liveness(self, call: Call) -> Live:
        """Check that the process responds."""
        return Live()

    @route("GET", "/health/ready", allow=ANYONE, raises=(NotReady,))
    async def check_readiness(self, call: Call) -> Ready:
        """Check that the process can serve. If it cannot, the answer is 503, and `reasons` lists
        what is missing; docs/guides/monitoring.md explains each. If it can still read, the status
        is `degraded`, with the reasons."""
        missing = await self.missing()
        if (answer := ready(missing)) is None:
            problem = NotReady(headers={"Retry-After": "1"}, reasons=missing)
            problem.cause = f"not ready ({' and '.join(missing)})"
            raise problem
        return answer

    async def missing(self) -> list[str]:
        """The reasons that are not met."""
        asked = [(reason.name, self._holds(reason)) for reason in self._reasons]
        return [name for name, holds in asked if not await holds]

    def _holds(self, reason: Reason) -> Deferred[bool]:
        """Whether it is met. If it takes too long, its own work goes on."""
        answer: Deferred[bool] = Deferred()
        asked = Deferred.fromCoroutine(reason.holds())
        asked.addErrback(lambda failure: reason.unknown).addCallback(answer.callback)
        answer.addTimeout(CHECK_TIMEOUT, self._reactor)
        return answer.addErrback(lambda failure: reason.unknown)
