"""Requests and their answers: errors, and repeats after no answer."""

import time
from collections.abc import Coroutine, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeVar, cast
from urllib.parse import urlencode

from msgspec import DecodeError, json
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import (
    ConnectError,
    ConnectingCancelledError,
    ConnectionClosed,
    DNSLookupError,
)
from twisted.internet.interfaces import IDelayedCall, IPushProducer, IReactorTime
from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.task import deferLater
from twisted.python.failure import Failure
from twisted.web.client import (
    PartialDownloadError,
    RequestTransmissionFailed,
    ResponseDone,
    ResponseFailed,
)
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent

from contentsvc.client.connections import TLS, tls_fault
from contentsvc.client.errors import ApiError, ProgressConflict, TlsError, Unreachable
from contentsvc.framework.core import http_client
from contentsvc.framework.core.connections import reason
from contentsvc.framework.core.host_names import BadHost, ascii_url
from contentsvc.framework.core.http_client import request
from contentsvc.framework.core.timers import Backoff, cancel
from contentsvc.framework.core.twisted_internals import RequestNotSent

Value = TypeVar("Value")

FIRST_PAUSE, LAST_PAUSE = 0.25, 5.0
"""Seconds before a request is sent again."""
TEMPORARY = frozenset({429, 502, 503, 504})
"""Statuses after which a request may be sent again."""
MOST_ANSWER: Final = 16 * 1024 * 1024
"""Bytes of an answer, and of a message of a socket, that are read into memory."""
UNREADABLE: Final = (DecodeError, UnicodeDecodeError, RecursionError)
"""What the decoder of JSON raises; RecursionError is for JSON that is nested too deeply."""
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
    """Wraps an error of this machine's disk or of the caller, raised during an exchange. A bare
    OSError would look like an error of the network."""

    def __init__(self, cause: BaseException | None) -> None:
        super().__init__(str(cause))
        self.cause = cause or OSError("the disk failed")


class Exchange:
    """A request and its answer. `request` names it in errors. It fails after this many `seconds`
    without progress; `slow` is the message of that error."""

    _running: Deferred[Any]
    _timer: IDelayedCall

    def __init__(self, reactor: IReactorTime, request: str, seconds: float, slow: str) -> None:
        self._reactor = reactor
        self._request = request
        self._seconds = seconds
        self._slow = slow
        self._late = self._cancelled = False

    def alive(self) -> None:
        """Something moved: the seconds start again."""
        if self._timer.active():
            self._timer.reset(self._seconds)

    async def run(self, work: Coroutine[Any, Any, Value]) -> Value:
        """The result of `work`. Raises Unreachable, the cause of a LocalError, whatever else `work`
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


class Response(NamedTuple):
    """A whole response."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """The header's last value."""
        values = self.headers.getRawHeaders(name)
        return values[-1] if values else None


class _Reading(Protocol):
    """Takes the body of an answer. `whole` is False if it has more than `most` bytes: then the rest
    is not read, and the connection is closed."""

    def __init__(self, most: int) -> None:
        self.whole = True
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0
        self.ended: Deferred[bytes] = Deferred(lambda _: self._stop())

    def _stop(self) -> None:
        self._parts.clear()
        if self.transport is not None:
            cast(IPushProducer, self.transport).stopProducing()

    def dataReceived(self, data: bytes) -> None:
        if self.ended.called:
            return
        self._size += len(data)
        if self._size > self._most:
            self.whole = False
            self._stop()
            self.ended.callback(b"")
        else:
            self._parts.append(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if self.ended.called:
            return
        if reason.check(ResponseDone, PotentialDataLoss):
            self.ended.callback(b"".join(self._parts))
        else:
            self.ended.errback(reason)


class Http:
    """Requests to one service.

    One attempt takes at most `timeout` seconds, all attempts with their pauses `patience`.
    """

    def __init__(
        self,
        reactor: Any,
        base_url: str,
        *,
        agent: IAgent,
        random: Any,
        timeout: float,
        patience: float,
    ) -> None:
        self._reactor = reactor
        self.base_url = ascii_url(base_url).rstrip("/")
        self._agent = agent
        self._random = random
        self._timeout = timeout
        self._patience = patience

    async def request(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        body: bytes | None = None,
        form: dict[str, str] | None = None,
        query: dict[str, str] | None = None,
        repeat: bool,
        most: int = MOST_ANSWER,
        longer: float = 0.0,
        known: str | None = None,
        match: str | None = None,
    ) -> Response:
        """The answer, whatever its status is. An attempt may take `longer` seconds more than
        `timeout`. `known` is the ETag of an answer that the caller has (If-None-Match), `match` the
        ETag of what this request replaces (If-Match).

        With `repeat` a request that got no answer, or an answer that says to try again, is sent
        again; without, only one that never left, or that got a 429. Raises Unreachable, and
        ApiError `answer_too_large` if the body has more than `most` bytes.
        """
        url = f"{self.base_url}{path}"
        if query:
            url += "?" + urlencode(query)
        headers = {"Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if known is not None:
            headers["If-None-Match"] = known
        if match is not None:
            headers["If-Match"] = match
        if body is not None:
            headers["Content-Type"] = "application/json"
        elif form is not None:
            body = urlencode(form).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"

        backoff = Backoff(FIRST_PAUSE, LAST_PAUSE, self._random)
        deadline = self._reactor.seconds() + self._patience
        while True:
            seconds = self._timeout + longer
            outcome = await self._attempt(method, url, headers, body, most, seconds)
            if isinstance(outcome, TlsError):
                raise outcome  # another attempt would end like this one
            if isinstance(outcome, Unreachable):
                final, least = outcome.maybe_done and not repeat, 0.0
            else:
                # A 429 had no effect, whatever was asked for.
                final = outcome.status != 429 and not (repeat and outcome.status in TEMPORARY)
                least = retry_after(outcome) or 0.0
            pause = 0.0 if final else backoff.next(least)
            if final or self._reactor.seconds() + pause > deadline:
                if isinstance(outcome, Unreachable):
                    raise outcome
                return outcome
            await deferLater(self._reactor, pause)

    async def _attempt(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        most: int,
        seconds: float,
    ) -> Response | Unreachable:
        slow = f"no answer within {seconds:g} s"
        exchange = Exchange(self._reactor, f"{method} {url}", seconds, slow)
        try:
            return await exchange.run(self._exchange(method, url, headers, body, most))
        except Unreachable as error:
            return error

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, most: int
    ) -> Response:
        response = await request(self._agent, method, url, headers, body)
        reading = _Reading(most)
        response.deliverBody(reading)
        received = await reading.ended
        if not reading.whole:
            detail = f"the answer has more than {most:,} bytes; ask for a list in parts"
            raise ApiError(response.code, "answer_too_large", detail, {})
        return Response(response.code, response.headers, received)


def retry_after(answer: Response) -> float | None:
    """The seconds of the header Retry-After; None where it is absent."""
    return http_client.retry_after(answer.headers, time.time())


def read(answer: Response, type: type[Value]) -> Value:
    """The body. Raises ApiError `malformed_answer`."""
    try:
        return json.decode(answer.body, type=type)
    except UNREADABLE as error:
        raise ApiError(answer.status, "malformed_answer", str(error), {}) from None


def error_of(answer: Response) -> ApiError:
    """The error of an answer that is no success: from a problem of RFC 9457, an error of RFC 6749,
    or whatever a proxy sends."""
    try:
        problem = json.decode(answer.body, type=dict[str, Any])
    except UNREADABLE:
        problem = {}
    code = problem.get("code", problem.get("error"))
    if not isinstance(code, str):
        code, problem = f"http_{answer.status}", {}
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = "no known status"
    detail = problem.get("detail", problem.get("error_description", phrase))
    kind = ProgressConflict if code == "progress_conflict" else ApiError
    return kind(answer.status, code, str(detail), problem, retry_after(answer))
