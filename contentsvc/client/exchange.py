"""One request and its answer: when it takes too long, is cancelled or is lost."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import (
    ConnectError,
    ConnectingCancelledError,
    ConnectionClosed,
    DNSLookupError,
)
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.web.client import PartialDownloadError, RequestTransmissionFailed, ResponseFailed

from contentsvc.client.errors import TlsError, Unreachable
from contentsvc.client.trust import TLS, tls_fault
from contentsvc.framework.core.connections import reason
from contentsvc.framework.core.host_names import BadHost
from contentsvc.framework.core.timers import cancel
from contentsvc.framework.core.twisted_internals import RequestNotSent

Value = TypeVar("Value")

_NEVER_SENT = (BadHost, RequestNotSent, ConnectError, ConnectingCancelledError, DNSLookupError)
LOST = (
    *_NEVER_SENT,
    ResponseFailed,
    RequestTransmissionFailed,
    PartialDownloadError,
    ConnectionClosed,
    CancelledError,
    OSError,
    *TLS,
)
_CANCELLED = (CancelledError, ConnectingCancelledError)


class LocalError(Exception):
    """Carries what this machine's disk, or the caller, did wrong through an exchange: an OSError of
    its own would be taken for one of the network."""

    def __init__(self, cause: BaseException | None) -> None:
        super().__init__(str(cause))
        self.cause = cause or OSError("the disk failed")


class Exchange:
    """A request and its answer. `request` names it in errors. It is given up after so many seconds;
    `slow` says so."""

    _running: Deferred[Any]
    _timer: IDelayedCall

    def __init__(self, reactor: IReactorTime, request: str, seconds: float, slow: str) -> None:
        self._reactor = reactor
        self._request = request
        self._seconds = seconds
        self._slow = slow
        self._late = self._cancelled = False

    def alive(self) -> None:
        """Something moved: the seconds count from now."""
        if self._timer.active():
            self._timer.reset(self._seconds)

    async def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """What `work` gives. Raises Unreachable, the cause of a LocalError, what else `work`
        raises, and CancelledError if this was cancelled."""
        self._timer = self._reactor.callLater(self._seconds, self._expire)
        self._running = Deferred.fromCoroutine(work)
        # What the work makes of being cancelled depends on how far it is.
        answer: Deferred[Value] = Deferred(self._cancel)
        self._running.chainDeferred(answer)
        try:
            return await answer
        except LocalError as error:
            raise error.cause from None
        except LOST as error:
            if self._cancelled or (not self._late and _is_cancelled(error)):
                raise CancelledError() from None
            raise self._unreachable(error) from None
        finally:
            cancel(self._timer)

    def _expire(self) -> None:
        self._late = True
        self._running.cancel()

    def _cancel(self, _: object) -> None:
        self._cancelled = True
        self._running.cancel()

    def _unreachable(self, error: BaseException) -> Unreachable:
        text = self._slow
        if not self._late:
            causes = [failure.value for failure in _reasons(error)]
            for cause in (error, *causes):
                if (fault := tls_fault(cause)) is not None:
                    return TlsError(f"{self._request}: {fault}")
            text = reason(error)
        never = isinstance(error, _NEVER_SENT)
        return Unreachable(f"{self._request}: {text}", maybe_done=not never)


def _reasons(error: BaseException) -> Any:
    """The failures that an error of Twisted's client is made of."""
    return getattr(error, "reasons", None) or ()


def _is_cancelled(error: BaseException) -> bool:
    return isinstance(error, _CANCELLED) or any(r.check(*_CANCELLED) for r in _reasons(error))
