"""Where connections go."""

from typing import Any
from urllib.parse import urlsplit

from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS
from twisted.internet.interfaces import IStreamClientEndpoint

from contentsvc.client.trust import verified

_PLAIN, _SECURE = frozenset({"http", "ws"}), frozenset({"https", "wss"})


def endpoint_of(reactor: Any, url: str) -> IStreamClientEndpoint:
    """Where a URL's host listens; with TLS, its certificate is verified. Raises ValueError if the
    URL is none of HTTP or of a WebSocket."""
    parts = urlsplit(url)
    host, secure = parts.hostname, parts.scheme in _SECURE
    if host is None or not (secure or parts.scheme in _PLAIN):
        raise ValueError(f"{url.partition('?')[0]} is no URL of HTTP")
    plain = HostnameEndpoint(reactor, host, parts.port or (443 if secure else 80))
    return wrapClientTLS(verified(host), plain) if secure else plain
