"""The hosts of outgoing connections, as they go over the network.

A name in ASCII goes to the resolver, into TLS and into the header Host as it is. IDNA 2008 has
stricter rules, which are for names that people register: it refuses `media_store` and `eu--1`,
which networks of containers have, and which every resolver takes. Only a name with other characters
is one of IDNA.
"""

import re
from ipaddress import ip_address
from typing import Final
from urllib.parse import quote, urlsplit

import idna

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
    if is_address(host):
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


def is_address(host: str) -> bool:
    """Whether this is an address, and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
