"""Sends one request to a webhook (studio §3): signed, to an address that is allowed, without
redirects, in bounded time. Nothing of the answer is told but its status."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from treq.client import HTTPClient
from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.error import ConnectError, ConnectionClosed, DNSLookupError
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
)
from twisted.web.client import HTTPConnectionPool
from twisted.web.http_headers import Headers
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from contentsvc.core.clocks import Clock
from contentsvc.core.http_client import Reading, Unpacked, agent_of, at_once, reason
from contentsvc.core.request_timing import waiting
from contentsvc.webhooks.addresses import BadUrl, NotAllowed, Rules
from contentsvc.wire.webhook_signature import ID, SIGNATURE, TIMESTAMP, sign

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
    delivered, or None; the seconds that it took."""

    status: int | None
    error: str | None
    seconds: float


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
        self._agent = Unpacked(agent_of(_Judged(reactor, rules), pool, whole, policy=policy))
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
        sending = Deferred.fromCoroutine(self._post(url, headers, body))
        self._under_way.add(sending)
        try:
            with waiting("outside", self._reactor):
                response = await sending.addTimeout(self._whole, self._reactor)
        except TimeoutError:
            return answer(None, f"no answer in {self._whole:g} s")
        except CancelledError:
            raise
        except Exception as error:
            return answer(None, _why(error))
        finally:
            self._under_way.discard(sending)
        found = answer(response.code, _fault(response.code))
        await self._leave(response)
        return found

    async def _post(self, url: str, headers: dict[str, str], body: bytes) -> Any:
        # A client of its own, so that no cookies are kept.
        return await at_once(
            HTTPClient(self._agent).post(
                url,
                data=body,
                headers=Headers({name: [value] for name, value in headers.items()}),
                allow_redirects=False,
                unbuffered=True,
                reactor=self._reactor,
            )
        )

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
    """A text for an error, which says nothing of what the other side has said."""
    inner = error
    while getattr(inner, "reasons", None):
        inner = inner.reasons[0].value  # type: ignore[attr-defined]
    if isinstance(inner, DNSLookupError):
        # One text for names that do not exist, and for those of the network behind the service.
        return "the host has no public address"
    if isinstance(inner, ConnectError):
        return f"no connection: {reason(inner)}"
    if isinstance(inner, ConnectionClosed):
        return "the connection was closed before an answer"
    if type(inner).__module__.startswith(("OpenSSL", "service_identity")):
        return "the certificate or the TLS of the host is not good"
    return "the answer is not HTTP"


@implementer(IReactorPluggableNameResolver)
class _Judged:
    """A reactor whose names have only addresses that the rules allow. Everything else is the
    reactor's own."""

    def __init__(self, reactor: Any, rules: Rules) -> None:
        self._reactor = reactor
        self._rules = rules

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    @property
    def nameResolver(self) -> IHostnameResolver:
        """The reactor's resolver, judged."""
        return _Resolver(self._reactor.nameResolver, self._rules)

    def installNameResolver(self, resolver: IHostnameResolver) -> IHostnameResolver:
        """No other resolver: this raises TypeError."""
        raise TypeError("the resolver is the reactor's")


@implementer(IHostnameResolver)
class _Resolver:
    """Gives a few of the addresses that another one gives: those that are allowed."""

    def __init__(self, inner: IHostnameResolver, rules: Rules) -> None:
        self._inner = inner
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
        return self._inner.resolveHostName(
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
