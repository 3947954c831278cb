"""Where connections go that are no requests of an Agent: sockets, and files on their way out."""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.interfaces import IStreamClientEndpoint

from contentsvc.client.trust import verified
from contentsvc.framework.core.connections import CONNECT, endpoint
from contentsvc.framework.core.host_names import ascii_host, port_of
from contentsvc.framework.core.http_proxy import Proxies, Proxy, ProxyEndpoint, TunnelEndpoint

_SECURE = frozenset({"https", "wss"})


class Way(NamedTuple):
    """Where to connect to. `proxy` is what gets the requests there in place of the host: it wants
    the whole URL, and its own headers."""

    endpoint: IStreamClientEndpoint
    proxy: Proxy | None


def way_to(reactor: Any, url: str, proxies: Proxies) -> Way:
    """The way to a URL's host; with TLS, its certificate is verified. Raises ValueError if the URL
    is none of HTTP or of a WebSocket, ProxyError."""
    scheme, port = urlsplit(url).scheme, port_of(url)
    host = ascii_host(urlsplit(url).hostname or "")
    proxy = proxies.of(url)
    if proxy is not None and scheme == "http":
        return Way(ProxyEndpoint(reactor, proxy, CONNECT), proxy)
    to: Any = (
        endpoint(reactor, host, port)
        if proxy is None
        else TunnelEndpoint(reactor, proxy, host, port, CONNECT)
    )
    return Way(wrapClientTLS(verified(host), to) if scheme in _SECURE else to, None)
