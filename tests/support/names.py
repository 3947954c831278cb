"""A reactor whose host names have the addresses that a test gives them."""

from collections.abc import Sequence
from typing import Any

from twisted.internet import reactor
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver, IReactorPluggableNameResolver
from zope.interface import implementer


@implementer(IReactorPluggableNameResolver, IHostnameResolver)
class Names:
    """A reactor whose names have these addresses: each look-up takes the next ones. Without any,
    each name is this machine's."""

    def __init__(self, *looks: Sequence[str]) -> None:
        self.looks = list(looks)
        self._here = not looks
        self.asked: list[str] = []
        self.connected: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(reactor, name)

    @property
    def nameResolver(self) -> "Names":
        """Itself."""
        return self

    def installNameResolver(self, resolver: Any) -> Any:
        """None other."""
        raise NotImplementedError

    def resolveHostName(
        self, receiver: Any, name: str, portNumber: int = 0, *rest: Any, **options: Any
    ) -> Any:
        """The next addresses."""
        self.asked.append(name)
        receiver.resolutionBegan(None)
        for each in ["127.0.0.1"] if self._here else self.looks.pop(0):
            receiver.addressResolved(IPv4Address("TCP", each, portNumber))
        receiver.resolutionComplete()

    def connectTCP(self, host: str, *rest: Any, **options: Any) -> Any:
        """Note where it goes."""
        self.connected.append(host)
        return reactor.connectTCP(host, *rest, **options)
