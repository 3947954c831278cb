"""What has become of a connection to another host, in words for people."""

from twisted.internet.error import ConnectionClosed, TCPTimedOutError, TimeoutError
from twisted.web.client import ResponseFailed

NOT_HTTP = "the answer is not HTTP"
CLOSED = "the connection was closed before an answer"
NO_CONNECTION = "no answer: the connection was not made in time"


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
