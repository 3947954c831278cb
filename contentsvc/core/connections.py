"""Connections to other hosts: how they are made, and what has become of them, in words for
people."""

from typing import Any, Final

from twisted.internet.error import ConnectionClosed, TCPTimedOutError, TimeoutError
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator, IStreamClientEndpoint
from twisted.web.client import ResponseFailed
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from contentsvc.core.host_names import ascii_host, is_address
from contentsvc.core.twisted_internals import HostEndpoint, tls_to

CONNECT: Final = 30.0
"""Seconds for a connection to one address of a host."""
NOT_HTTP = "the answer is not HTTP"
CLOSED = "the connection was closed before an answer"
NO_CONNECTION = "no answer: the connection was not made in time"


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
