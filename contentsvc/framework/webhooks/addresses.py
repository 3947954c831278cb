"""Where webhooks may lead: which URLs, and which addresses (studio#webhooks).

The owner of a webhook chooses where the service connects to. So it connects only to what
everybody on the internet can reach, and never to its own network.
"""

import re
from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from socket import inet_aton
from typing import Final, NamedTuple, Self
from urllib.parse import SplitResult, urlsplit

from contentsvc.framework.core.host_names import BadHost, ascii_host

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_HOST: Final = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
"""The form of a host that all parsers of URLs read in the same way."""
_NAT64: Final = IPv6Network("64:ff9b::/96")
_UNICAST: Final = IPv6Network("2000::/3")
"""All that IANA has given out of IPv6 for addresses of one receiver."""
_SPECIAL: Final[tuple[Network, ...]] = (
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv6Network("2001::/23"),
    IPv6Network("2001:db8::/32"),
    IPv6Network("2620:4f:8000::/48"),
    IPv6Network("3fff::/20"),
)
"""Of IANA's registries of special addresses, those that not all releases of Python know."""
_LOCAL: Final = ("localhost", ".localhost")
_HERE: Final = (IPv4Address("127.0.0.1"), IPv6Address("::1"))


class BadUrl(Exception):
    """It is no absolute URL."""


class NotAllowed(Exception):
    """No webhook may lead there. `str()` says why, in a sentence."""


class Rules(NamedTuple):
    """What is allowed beyond the rule: http, with `insecure`, and the addresses of `networks`."""

    insecure: bool = False
    networks: tuple[Network, ...] = ()

    @classmethod
    def of(cls, insecure: bool, networks: Iterable[str]) -> Self:
        """Those of the settings."""
        return cls(insecure, tuple(ip_network(each, strict=False) for each in networks))

    def allow(self, address: str) -> bool:
        """Whether a request may go to an address: one that IANA calls globally reachable, of one
        receiver, or one of the networks. An IPv4 address in an IPv6 one is judged as that."""
        try:
            judged = [_plain(each) for each in _inside(ip_address(address))]
        except ValueError:
            return False
        return all(self._has(each) or _is_global(each) for each in judged)

    def check(self, url: str) -> None:
        """Raise NotAllowed if it is plain from a URL that nothing may be sent there, BadUrl if it
        is no URL."""
        parts = _parts(url)
        if parts.scheme != "https" and not (self.insecure and parts.scheme == "http"):
            raise NotAllowed("The URL must begin with https://.")
        if parts.username is not None or parts.password is not None:
            raise NotAllowed("The URL must have no user and no password.")
        host = (parts.hostname or "").rstrip(".")
        if _HOST.fullmatch(host) is None:
            raise BadUrl("its host is none")
        try:
            ascii_host(host)
        except BadHost as error:
            raise BadUrl(str(error)) from None
        if host == _LOCAL[0] or host.endswith(_LOCAL[1]):
            good = any(self.allow(str(each)) for each in _HERE)
        else:
            literal = _literal(host)
            good = literal is None or self.allow(literal)
        if not good:
            raise NotAllowed("The host of the URL is no public address.")

    def _has(self, address: Address) -> bool:
        return any(address in network for network in self.networks)


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadUrl("it is no URL") from None
    if not parts.scheme or not parts.netloc:
        raise BadUrl("it is no absolute URL")
    if port == 0 or parts.netloc.endswith(":"):
        raise BadUrl("its port is none")
    return parts


def _literal(host: str) -> str | None:
    """The address that a host is, in any form that a resolver takes for one; None if it is a
    name."""
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        return str(IPv4Address(inet_aton(host)))
    except OSError:
        return None


def _inside(address: Address) -> list[Address]:
    """The IPv4 addresses to which an IPv6 one leads, else itself."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return [address.ipv4_mapped]
        if address.sixtofour is not None:
            return [address.sixtofour]
        if address.teredo is not None:
            return [*address.teredo]
        if address in _NAT64:
            return [IPv4Address(address.packed[-4:])]
    return [address]


def _plain(address: Address) -> Address:
    """An address without the interface through which it is meant."""
    return IPv6Address(address.packed) if isinstance(address, IPv6Address) else address


def _is_global(address: Address) -> bool:
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    if any(address in network for network in _SPECIAL):
        return False
    return address.is_global and not (
        address.is_multicast
        or address.is_private
        or address.is_reserved
        or address.is_loopback
        or address.is_link_local
        or address.is_unspecified
    )
