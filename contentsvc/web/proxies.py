"""The client's address: the connection's peer, or whom a trusted proxy names."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

from twisted.internet.interfaces import IAddress

UNIX: Final = "unix"
"""Stands for every client of a Unix socket."""
UNKNOWN: Final = "-"
"""Stands for an address that is none."""
_HOPS = 32
"""Addresses of a header that are looked at: no chain of proxies is longer."""
_SHORT = 64
"""Bytes of a header whose meaning is remembered."""
_MAPPED = IPv6Network("::ffff:0:0/96")


class Proxies:
    """The peers that are believed. `trusted` are addresses, networks, and "unix" for whoever
    connects through a Unix socket.

    Raises ValueError for what is none of these.
    """

    def __init__(self, trusted: Sequence[str]) -> None:
        self._unix = UNIX in trusted
        self._networks = [_network(text) for text in trusted if text != UNIX]
        self._remembered = lru_cache(1024)(self._client)

    def trusts(self, address: str) -> bool:
        """Whether this is the address, as `address_of` gives it, of a proxy that is believed."""
        if address == UNIX:
            return self._unix
        return address != UNKNOWN and self._is_proxy(ip_address(address))

    def client(self, peer: str, forwarded: Sequence[bytes]) -> str:
        """Whom the values of X-Forwarded-For name, where they came from a trusted `peer`.

        Each proxy has added whom it was asked by, so the list is read from the right, over the
        trusted ones. What follows to the left of the first other one the client can have made
        up. An entry that is no address ends the reading: the client is the hop that sent it.
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
    """A peer's address as text: without port and zone, UNIX for a Unix socket's, UNKNOWN for what
    a PROXY header has made up."""
    host = getattr(peer, "host", None)
    if host is None:
        return UNIX if hasattr(peer, "name") else UNKNOWN
    found = _parsed(str(host).partition("%")[0])
    return UNKNOWN if found is None else str(found)


def network(address: str) -> str:
    """What one client has of addresses, from one of them as `address_of` gives it: all of the /64
    with IPv6."""
    if ":" not in address:
        return address
    return str(IPv6Network((int(IPv6Address(address)) >> 64 << 64, 64)))


def _forwarded(entry: bytes) -> IPv4Address | IPv6Address | None:
    """The address of one entry, which some proxies write with a port."""
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
