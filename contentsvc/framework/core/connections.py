"""Connections to other hosts: how they are made, and what has become of them, in words for
people."""

from collections.abc import Sequence
from typing import Any, Final

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.defer import TimeoutError as DeferredTimeout
from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.error import (
    ConnectionClosed,
    DNSLookupError,
    TCPTimedOutError,
    TimeoutError,
)
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IOpenSSLClientConnectionCreator,
    IReactorPluggableNameResolver,
    IResolutionReceiver,
    IStreamClientEndpoint,
)
from twisted.web.client import ResponseFailed
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from contentsvc.framework.core.host_names import ascii_host, is_address
from contentsvc.framework.core.twisted_internals import tls_to

CONNECT: Final = 30.0
"""Seconds for a connection to one address of a host."""
LOOKUP_TIMEOUT: Final = 12.0
"""Seconds for the addresses of a name. A resolver asks its second server after 5. It is less than
most requests have, so that their error says that the name was not resolved."""
NOT_HTTP = "the answer is not HTTP"
CLOSED = "the connection was closed before an answer"
NO_CONNECTION = "no answer: the connection was not made in time"


def endpoint(
    reactor: Any, host: str, port: int, *, timeout: float = CONNECT, lookup: float = LOOKUP_TIMEOUT
) -> IStreamClientEndpoint:
    """Where this host listens. Its name is looked up as it is written, which may take `lookup`
    seconds. All addresses are tried, and each has `timeout` seconds. Raises BadHost."""
    return _HostEndpoint(reactor, ascii_host(host), port, timeout, lookup)


@implementer(IStreamClientEndpoint)
class _HostEndpoint:
    """As Twisted's, which refuses names that IDNA does, and waits for a resolver without end."""

    def __init__(self, reactor: Any, host: str, port: int, timeout: float, lookup: float) -> None:
        self._reactor = reactor
        self._host = host
        self._port = port
        self._timeout = timeout
        self._lookup = lookup

    def connect(self, factory: Any) -> Deferred[Any]:
        """As IStreamClientEndpoint has it."""
        return Deferred.fromCoroutine(self._connect(factory))

    async def _connect(self, factory: Any) -> Any:
        found = _Addresses()
        self._reactor.nameResolver.resolveHostName(found, self._host, portNumber=self._port)
        try:
            await found.complete.addTimeout(self._lookup, self._reactor)
        except (CancelledError, DeferredTimeout):
            # So it is plain, also of what was cancelled, that nothing has been sent.
            text = f"no answer in {self._lookup:g} s for hostname lookup: {self._host}"
            raise DNSLookupError(text) from None
        if not found.addresses:
            raise DNSLookupError(f"no results for hostname lookup: {self._host}")
        # Whatever name it has: it is looked up in what was found.
        known = HostnameEndpoint(
            Resolving(self._reactor, _Known(found.addresses)),
            "host.invalid",
            self._port,
            timeout=self._timeout,
        )
        return await known.connect(factory)


@implementer(IResolutionReceiver)
class _Addresses:
    """Takes the addresses of a name, until they are `complete`."""

    def __init__(self) -> None:
        self.addresses: list[IAddress] = []
        # A look-up under way cannot be ended. Without a canceller of its own, a Deferred that was
        # cancelled takes the result that comes later, and drops it.
        self.complete: Deferred[None] = Deferred()

    def resolutionBegan(self, resolution: IHostResolution) -> None:
        """The look-up has begun."""

    def addressResolved(self, address: IAddress) -> None:
        """An address of the name."""
        self.addresses.append(address)

    def resolutionComplete(self) -> None:
        """There are no more."""
        self.complete.callback(None)


@implementer(IHostResolution)
class _Resolution:
    """A look-up."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """It is over."""


@implementer(IReactorPluggableNameResolver)
class Resolving:
    """A reactor whose names are looked up by this resolver. Everything else is the reactor's
    own."""

    def __init__(self, reactor: Any, resolver: IHostnameResolver) -> None:
        self._reactor = reactor
        self.nameResolver = resolver

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def installNameResolver(self, resolver: IHostnameResolver) -> IHostnameResolver:
        """No other resolver: this raises TypeError."""
        raise TypeError("the resolver is given")


@implementer(IHostnameResolver)
class _Known:
    """Every name has these addresses."""

    def __init__(self, addresses: list[IAddress]) -> None:
        self._addresses = addresses

    def resolveHostName(
        self,
        resolutionReceiver: IResolutionReceiver,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[type[IAddress]] | None = None,
        transportSemantics: str = "TCP",
    ) -> IHostResolution:
        """As IHostnameResolver has it."""
        resolution = _Resolution(hostName)
        resolutionReceiver.resolutionBegan(resolution)
        for address in self._addresses:
            resolutionReceiver.addressResolved(address)
        resolutionReceiver.resolutionComplete()
        return resolution


def trusting(host: str, trust: Any = None) -> IOpenSSLClientConnectionCreator:
    """Makes TLS connections to a host. Its certificate must be its own, and be trusted by `trust`,
    certificates of Twisted's, or else by the system. Raises BadHost."""
    # The dot that ends a name says nothing here, and no certificate has it (RFC 6066 §3).
    host = ascii_host(host).removesuffix(".")
    made: IOpenSSLClientConnectionCreator = tls_to(host, is_name=not is_address(host), trust=trust)
    return made


@implementer(IPolicyForHTTPS)
class Trusting:
    """The same for an Agent."""

    def __init__(self, trust: Any = None) -> None:
        self._trust = trust

    def creatorForNetloc(self, hostname: bytes, port: int) -> IOpenSSLClientConnectionCreator:
        """What makes connections to this host."""
        return trusting(hostname.decode("ascii"), self._trust)


def innermost(error: BaseException) -> BaseException:
    """What an error of Twisted's HTTP client is made of: its first cause."""
    while reasons := getattr(error, "reasons", None):
        error = reasons[0].value
    return error


def reason(error: BaseException) -> str:
    """What has happened, in one line: a name was not resolved, the connection was refused, there
    was no answer, or it was none of HTTP. Notes of the error follow."""
    inner = innermost(error)
    notes = getattr(error, "__notes__", []) or getattr(inner, "__notes__", [])
    return "; ".join([_said(error, inner), *notes])


def _said(error: BaseException, inner: BaseException) -> str:
    if isinstance(inner, TimeoutError | TCPTimedOutError):
        return NO_CONNECTION
    if isinstance(error, ResponseFailed):
        if isinstance(inner, ConnectionClosed):
            return CLOSED
        if type(inner).__module__.startswith("twisted.web"):
            # Without what came instead, which anybody may have written.
            return NOT_HTTP
    return _line(inner)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
