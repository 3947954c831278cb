"""The client's address: that of the connection's peer, or one that a trusted proxy names."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

from twisted.internet.interfaces import IAddress

UNIX: Final = "unix"
"""Stands for every client of a Unix socket."""
UNKNOWN: Final = "-"
"""Stands for an address that is not known."""
_HOPS = 32
"""At most so many addresses of a header are read: no chain of proxies is longer."""
_SHORT = 64
"""Headers of up to so many bytes are remembered with their meaning."""
_MAPPED = IPv6Network("::ffff:0:0/96")


class Proxies:
    """Knows which peers to believe. `trusted` are addresses and networks; "unix" means every peer
    on a Unix socket.

    Raises ValueError if a text of `trusted` is none of these.
    """

    def __init__(self, trusted: Sequence[str]) -> None:
        self._unix = UNIX in trusted
        self._networks = [_network(text) for text in trusted if text != UNIX]
        self._remembered = lru_cache(1024)(self._client)

    def trusts(self, address: str) -> bool:
        """Whether this address, as `address_of` gives it, is that of a trusted proxy."""
        if address == UNIX:
            return self._unix
        return address != UNKNOWN and self._is_proxy(ip_address(address))

    def client(self, peer: str, forwarded: Sequence[bytes]) -> str:
        """The client's address, by the values of X-Forwarded-For from a trusted `peer`.

        Each proxy appends the address that it was asked from. So the list is read from the right,
        and trusted addresses are skipped. The first other address is the client's: it may have
        made up everything to the left. If an entry is not an address, the client is the hop that
        sent it.
        """
        text = b",".join(forwarded)
        return (self._remembered if len(text) <= _SHORT else self._client)(peer, text)

    def _client(self, peer: str, text: bytes) -> str:
        found = peer
        for written in reversed(text.rsplit(b",", _HOPS)[-_HOPS:]):
            entry = written.strip(b" \t")
            if not entry:
                continue  # RFC 9110 §5.6.1
            address = _forwarded(entry)
            if address is None:
                break
            found = str(address)
            if not self._is_proxy(address):
                break
        return found

    def _is_proxy(self, address: IPv4Address | IPv6Address) -> bool:
        return any(address in network for network in self._networks)


def address_of(peer: IAddress) -> str:
    """A peer's address as text, without port and zone.

    UNIX for a peer on a Unix socket, UNKNOWN if a PROXY header gave no address.
    """
    host = getattr(peer, "host", None)
    if host is None:
        return UNIX if hasattr(peer, "name") else UNKNOWN
    found = _parsed(str(host).partition("%")[0])
    return UNKNOWN if found is None else str(found)


def network(address: str) -> str:
    """The network that one client can have: the address itself, or the /64 of an IPv6 address.

    `address` is one that `address_of` gives.
    """
    if ":" not in address:
        return address
    return str(IPv6Network((int(IPv6Address(address)) >> 64 << 64, 64)))


def _forwarded(entry: bytes) -> IPv4Address | IPv6Address | None:
    """The address of one entry. Some proxies write it with a port."""
    text = entry[:64].decode("latin-1")
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    return _parsed(text)


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    # A zone may be any text.
    return None if address.scope_id is not None else address.ipv4_mapped or address


def _network(text: str) -> IPv4Network | IPv6Network:
    network = ip_network(text, strict=False)
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        mapped = network.network_address.ipv4_mapped
        return IPv4Network((int(mapped or 0), network.prefixlen - 96))
    return network
