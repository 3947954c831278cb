"""Where connections go, and which certificates a client trusts.

It trusts the system's certificates. If OpenSSL's variables SSL_CERT_FILE and SSL_CERT_DIR name a
file or a folder, it trusts those in place of the system's.
"""

import os
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from OpenSSL import SSL
from service_identity import VerificationError
from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator, IStreamClientEndpoint
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from contentsvc.framework.core.connections import CONNECT, endpoint, trusting
from contentsvc.framework.core.host_names import ascii_host, port_of
from contentsvc.framework.core.http_proxy import Proxies, Proxy, ProxyEndpoint, TunnelEndpoint

_SECURE = frozenset({"https", "wss"})
_NOT_YET, _EXPIRED = 9, 10
_UNTRUSTED: Final = {
    18: "it has signed itself",
    19: "an unknown authority has signed it",
    20: "an unknown authority has signed it",
    21: "an unknown authority has signed it",
}
"""OpenSSL's numbers of errors (X509_V_ERR_…)."""
_FAILED = "certificate verify failed"
"""OpenSSL's text for a bad certificate, whatever the reason is."""
_HOW = (
    "to trust it, put it, or the certificate of the authority that signed it, into a file in PEM "
    "form, and set the environment variable SSL_CERT_FILE to the path of that file"
)


TLS = (SSL.Error, VerificationError)
"""The errors of a connection whose TLS fails."""


class BadCertificate(SSL.Error):
    """A server's certificate is not good: OpenSSL's `error`, with an explanation. `str()` is one
    line that says what to do."""

    def __init__(self, error: SSL.Error, text: str) -> None:
        super().__init__(*error.args)  # Twisted reads them
        self._text = text

    def __str__(self) -> str:
        return self._text


@implementer(IOpenSSLClientConnectionCreator)
class _Explaining:
    """Makes TLS connections to `host` that end with BadCertificate where OpenSSL's own error says
    only that the verification has failed."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._inner = trusting(host)

    def clientConnectionForTLS(self, tlsProtocol: Any) -> SSL.Connection:
        """A new connection."""
        connection: Any = self._inner.clientConnectionForTLS(tlsProtocol)
        proceed = connection.do_handshake

        def explained() -> None:
            try:
                proceed()
            except SSL.Error as error:
                if _FAILED in str(error):
                    raise BadCertificate(error, self._fault(_verdict(connection))) from error
                raise

        # The verification itself stays Twisted's: it also checks whether the host is right.
        connection.do_handshake = explained
        made: SSL.Connection = connection
        return made

    def _fault(self, error: int) -> str:
        whose = f"the certificate of {self._host}"
        if error == _EXPIRED:
            return f"{whose} has expired: renew it there, or correct the clock of this machine"
        if error == _NOT_YET:
            return f"{whose} is not valid yet: correct the clock of this machine"
        why = _UNTRUSTED.get(error, f"OpenSSL's error {error}")
        named = os.environ.get("SSL_CERT_FILE")
        if named and not os.access(named, os.R_OK):
            return f"{whose} is not trusted: SSL_CERT_FILE is {named}, which cannot be read"
        return f"{whose} is not trusted ({why}): {_HOW}"


def _verdict(connection: Any) -> int:
    """The number of OpenSSL's error; 0 if pyOpenSSL does not show it."""
    library: Any = getattr(SSL, "_lib", None)
    try:
        number: int = library.SSL_get_verify_result(connection._ssl)
    except AttributeError:
        return 0
    return number


def verified(host: str) -> Any:
    """Makes TLS connections to this host. Its certificate must be trusted, and be for this host.
    Raises ValueError if `host` cannot be the name of a host."""
    return _Explaining(host)


@implementer(IPolicyForHTTPS)
class Verifying:
    """Makes the same connections, for an Agent."""

    def creatorForNetloc(self, hostname: bytes, port: int) -> Any:
        """Makes connections to this host."""
        return verified(hostname.decode("ascii"))


def tls_fault(error: BaseException) -> str | None:
    """What is wrong with a server's TLS, in one line; None if the error is another one.

    No request has been sent by then.
    """
    if isinstance(error, BadCertificate):
        return str(error)
    if isinstance(error, VerificationError):
        return "the certificate is for another host: use a URL with a name that the certificate has"
    if isinstance(error, SSL.Error):
        if "wrong version number" in str(error):
            return "the server does not speak TLS at this port: use a URL that begins with http://"
        return f"TLS failed: {' '.join(str(error).split())}"
    return None


class Way(NamedTuple):
    """Where to connect to. `proxy`, if there is one, forwards the requests to the host: it needs
    the whole URL, and headers of its own."""

    endpoint: IStreamClientEndpoint
    proxy: Proxy | None


def way_to(reactor: Any, url: str, proxies: Proxies) -> Way:
    """The way to a URL's host; with TLS, its certificate is verified. Raises ValueError if the URL
    is not one of HTTP or of a WebSocket, and ProxyError."""
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
