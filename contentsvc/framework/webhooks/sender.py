"""Sends one request to a webhook (studio#webhooks): signed, to an address that is allowed, without
redirects, in bounded time. Of the answer only the status is reported."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.error import ConnectError, ConnectionClosed, DNSLookupError
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IResolutionReceiver,
)
from twisted.web.client import HTTPConnectionPool, ResponseFailed
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from contentsvc.framework.core.connections import CLOSED, NOT_HTTP, Resolving, innermost
from contentsvc.framework.core.http_client import (
    Reading,
    agent_of,
    at_once,
    ignored_proxy,
    reason,
    request,
    retry_after,
)
from contentsvc.framework.core.request_timing import waiting
from contentsvc.framework.core.timers import Clock
from contentsvc.framework.webhooks.addresses import BadUrl, NotAllowed, Rules
from contentsvc.framework.webhooks.signature import ID, SIGNATURE, TIMESTAMP, sign

WHOLE: Final = 15.0
"""Seconds for a request, until the status of its answer is there."""
FAREWELL: Final = 1.0
"""Seconds in which the body of an answer is read, so that the receiver sees no broken
connection."""
MOST: Final = 4096
"""Bytes of it."""
TRIED: Final = 4
"""Addresses of a name that are tried."""
GONE: Final = 410
"""The status with which a receiver says that it wants nothing more."""


class Answer(NamedTuple):
    """What came of a request: the status of the answer, or None; why it does not count as
    delivered, or None; the seconds that it took; those that the receiver asks to wait."""

    status: int | None
    error: str | None
    seconds: float
    retry_after: float = 0.0


class Sender:
    """Sends to where the `rules` allow it. `reactor` is asked for connections and for the addresses
    of names, `wall` for the time that is signed. `policy` says whose certificates are trusted."""

    def __init__(
        self,
        reactor: Any,
        wall: Clock,
        rules: Rules,
        *,
        whole: float = WHOLE,
        policy: IPolicyForHTTPS | None = None,
    ) -> None:
        self._reactor = reactor
        self._wall = wall
        self.rules = rules
        self._whole = whole
        # A connection for each request: so each looks its name up, once.
        pool = HTTPConnectionPool(reactor, persistent=False)
        judged = Resolving(reactor, _Resolver(reactor, rules))
        self._agent = agent_of(judged, pool, whole, policy=policy)
        self._under_way: set[Deferred[Any]] = set()

    def stop(self) -> None:
        """End all requests that are under way: they raise CancelledError."""
        for sending in list(self._under_way):
            sending.cancel()

    async def send(self, url: str, id: str, body: bytes, secrets: Sequence[str]) -> Answer:
        """Send a body under this `webhook-id`, signed with these secrets. Raises CancelledError if
        the service stops."""
        began = self._reactor.seconds()

        def answer(status: int | None, error: str | None) -> Answer:
            return Answer(status, error, self._reactor.seconds() - began)

        try:
            # It may have been allowed when it was written, by other settings.
            self.rules.check(url)
        except (BadUrl, NotAllowed) as error:
            return answer(None, f"not allowed: {error}")
        at = int(self._wall.seconds())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "contentsvc",
            ID: id,
            TIMESTAMP: str(at),
            SIGNATURE: sign(secrets, id, at, body),
        }
        sending = at_once(request(self._agent, "POST", url, headers, body))
        self._under_way.add(sending)
        try:
            with waiting("outside", self._reactor):
                response = await sending.addTimeout(self._whole, self._reactor)
        except TimeoutError:
            return answer(None, _noted(f"no answer in {self._whole:g} s", ignored_proxy(url)))
        except CancelledError:
            raise
        except Exception as error:
            return answer(None, _why(error))
        finally:
            self._under_way.discard(sending)
        after = retry_after(response.headers, self._wall.seconds()) or 0.0
        found = answer(response.code, _fault(response.code))._replace(retry_after=after)
        await self._leave(response)
        return found

    async def _leave(self, response: Any) -> None:
        """Read a little of the body, and end the connection."""
        reading = Reading(MOST)
        response.deliverBody(reading)
        try:
            await reading.done.addTimeout(FAREWELL, self._reactor)
        except Exception:
            return


def _fault(status: int) -> str | None:
    return None if 200 <= status < 300 else f"the answer is {status}"


def _why(error: Exception) -> str:
    """The text of an error, without anything that the other side has sent."""
    inner = innermost(error)
    text = reason(error)
    if isinstance(inner, DNSLookupError):
        # One text for names that do not exist, and for those of the network behind the service.
        return _noted("the host has no public address", *getattr(inner, "__notes__", []))
    if isinstance(inner, ConnectError):
        return f"no connection: {text}"
    if isinstance(inner, ConnectionClosed):
        return CLOSED
    if type(inner).__module__.startswith(("OpenSSL", "service_identity")):
        return "the certificate or the TLS of the host is not good"
    # Nothing has come of the others: they say what keeps the request from being sent.
    return NOT_HTTP if isinstance(error, ResponseFailed) else f"nothing was sent: {text}"


def _noted(error: str, *notes: str) -> str:
    return "; ".join(filter(None, (error, *notes)))


@implementer(IHostnameResolver)
class _Resolver:
    """Gives a few of the addresses that the reactor's resolver gives: those that are allowed."""

    def __init__(self, reactor: Any, rules: Rules) -> None:
        self._reactor = reactor
        self._rules = rules

    def resolveHostName(
        self,
        resolutionReceiver: IResolutionReceiver,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[IAddress]] | None = None,
        transportSemantics: str = "TCP",
    ) -> IHostResolution:
        """As IHostnameResolver has it."""
        judging = _Receiver(resolutionReceiver, self._rules)
        inner: IHostnameResolver = self._reactor.nameResolver
        return inner.resolveHostName(
            judging, hostName, portNumber, addressTypes, transportSemantics
        )


@implementer(IResolutionReceiver)
class _Receiver:
    def __init__(self, outer: IResolutionReceiver, rules: Rules) -> None:
        self._outer = outer
        self._rules = rules
        self._left = TRIED

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        """The look-up has begun."""
        self._outer.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:
        """An address of the name."""
        host: Any = getattr(address, "host", "")
        if self._left and self._rules.allow(host):
            self._left -= 1
            self._outer.addressResolved(address)

    def resolutionComplete(self) -> None:
        """There are no more."""
        self._outer.resolutionComplete()
