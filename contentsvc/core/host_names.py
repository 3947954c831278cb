"""The hosts of outgoing connections: how they are written, and how they are reached.

A name in ASCII goes to the resolver, into TLS and into the header Host as it is. IDNA 2008 has
stricter rules, which are for names that people register: it refuses `media_store` and `eu--1`,
which networks of containers have, and which every resolver takes. Only a name with other characters
is one of IDNA.
"""

import re
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import quote, urlsplit

import idna
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator, IStreamClientEndpoint
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from contentsvc.core.twisted_internals import HostEndpoint, tls_to

CONNECT: Final = 30.0
"""Seconds for a connection to one address of a host."""
_LABEL: Final = re.compile(r"[A-Za-z0-9_-]{1,63}")
_LONGEST: Final = 253
_KEPT: Final = "/?#[]@!$&'()*+,;=:%~"
"""Characters of a URL that are not encoded again."""
_PORTS: Final = {"http": 80, "ws": 80, "https": 443, "wss": 443}


class BadHost(ValueError):
    """This can be the name of no host. `str()` says which, and why."""


def ascii_host(host: str) -> str:
    """A host as it goes over the network: an address without brackets, or a name in ASCII. Raises
    BadHost."""
    if _is_address(host):
        return host
    name = host
    if not host.isascii():
        try:
            name = idna.encode(host, uts46=True).decode()
        except UnicodeError as error:
            raise BadHost(f"{host!r} is not the name of a host: {error}") from None
    labels = name.removesuffix(".").split(".")
    if len(name) > _LONGEST or not all(map(_LABEL.fullmatch, labels)):
        raise BadHost(
            f"{host!r} is not the name of a host: those are parts of 1 to 63 letters, digits, "
            f"dashes and underscores, with dots between them, {_LONGEST} characters at most"
        )
    return name


def ascii_url(url: str) -> str:
    """A URL with its host as it goes over the network, and the rest percent-encoded where it is not
    ASCII. Raises ValueError if it is no URL with a host, or has a user, and BadHost."""
    parts = urlsplit(url)
    if not parts.scheme or parts.hostname is None:
        raise ValueError("it is no URL with a host")
    if "@" in parts.netloc:
        raise ValueError("it has a user")
    port = parts.port
    if port == 0:
        raise ValueError("it has the port 0")
    host = ascii_host(parts.hostname)
    netloc = f"[{host}]" if ":" in host else host
    return parts._replace(
        netloc=netloc if port is None else f"{netloc}:{port}",
        path=quote(parts.path, safe=_KEPT),
        query=quote(parts.query, safe=_KEPT),
        fragment="",
    ).geturl()


def port_of(url: str) -> int:
    """The port of a URL of HTTP or of a WebSocket. Raises ValueError for another scheme."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS:
        raise ValueError(f"{url.partition('?')[0]} is no URL of HTTP")
    return parts.port or _PORTS[parts.scheme]


def endpoint(
    reactor: Any, host: str, port: int, *, timeout: float = CONNECT
) -> IStreamClientEndpoint:
    """Where this host listens. All addresses of a name are tried, and each has `timeout` seconds.
    Raises BadHost."""
    return HostEndpoint(reactor, ascii_host(host), port, timeout=timeout)


def trusting(host: str, trust: Any = None) -> IOpenSSLClientConnectionCreator:
    """Makes TLS connections to a host. Its certificate must be its own, and be trusted by `trust`,
    certificates of Twisted's, or else by the system. Raises BadHost."""
    # The dot that ends a name says nothing here, and no certificate has it (RFC 6066 §3).
    host = ascii_host(host).removesuffix(".")
    made: IOpenSSLClientConnectionCreator = tls_to(host, is_name=not _is_address(host), trust=trust)
    return made


@implementer(IPolicyForHTTPS)
class Trusting:
    """The same for an Agent."""

    def __init__(self, trust: Any = None) -> None:
        self._trust = trust

    def creatorForNetloc(self, hostname: bytes, port: int) -> IOpenSSLClientConnectionCreator:
        """What makes connections to this host."""
        return trusting(hostname.decode("ascii"), self._trust)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
