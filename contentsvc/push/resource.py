"""GET /socket: from an HTTP request to a WebSocket (socket#connecting)."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl

from autobahn.twisted.resource import WebSocketResource
from twisted.internet.interfaces import IAddress
from twisted.web.resource import IResource
from twisted.web.server import Request
from zope.interface import implementer

from contentsvc.push.stream import Position
from contentsvc.wire.base import GUID_PATTERN

INVALID: Final = Position(-1)
"""Stands for a bad position: `resume` is not one integer of at least 0, or `resumeId` is not one
GUID, or comes without `resume`."""

_INTEGER = re.compile(r"[0-9]{1,1000}")
_GUID = re.compile(GUID_PATTERN)
_KEY = re.compile(rb"[A-Za-z0-9+/]{22}==")
_AUTOBAHN_NEEDS = frozenset(
    {b"upgrade", b"connection", b"sec-websocket-key", b"sec-websocket-version"}
)


class Handshake(NamedTuple):
    """The parts of the upgrade request that are not WebSocket's own."""

    token: str | None = None
    """None if the request has no Authorization header; empty if that is not a Bearer token."""
    origin: str | None = None
    resume: Position | None = None
    request_id: str | None = None


@implementer(IResource)
class SocketResource:
    """Turns an upgrade request into a socket, and refuses all others.

    `refuse(request, status, code)` writes the refusal, and returns the value for `render`.
    """

    isLeaf = True

    def __init__(self, factory: Any, refuse: Callable[[Request, int, str], int | bytes]) -> None:
        self._factory = factory
        self._refuse = refuse

    def getChildWithDefault(self, name: bytes, request: Request) -> IResource:
        raise NotImplementedError("a leaf has no children")

    def putChild(self, path: bytes, child: IResource) -> None:
        raise NotImplementedError("a leaf has no children")

    def render(self, request: Request) -> int | bytes:
        if request.method != b"GET":
            request.setHeader(b"Allow", b"GET, OPTIONS")
            return self._refuse(request, 405, "method_not_allowed")
        if b"websocket" not in _tokens(request, b"upgrade"):
            request.setHeader(b"Upgrade", b"websocket")
            return self._refuse(request, 426, "upgrade_required")
        if _values(request, b"sec-websocket-version") != [b"13"]:
            request.setHeader(b"Sec-WebSocket-Version", b"13")
            return self._refuse(request, 426, "unsupported_websocket_version")
        keys = _values(request, b"sec-websocket-key")
        if (
            b"upgrade" not in _tokens(request, b"connection")
            or len(keys) != 1
            or _KEY.fullmatch(keys[0]) is None
            or request.clientproto != b"HTTP/1.1"
            or len(_values(request, b"host")) != 1
        ):
            return self._refuse(request, 400, "invalid_handshake")
        return self._upgrade(request)

    def _upgrade(self, request: Request) -> int | bytes:
        protocol = self._factory.buildProtocol(request.getClientAddress())
        protocol.handshake = _handshake(request)
        # The token must not reach Autobahn, which can log requests. And Autobahn would refuse other
        # parts in its own way: an Origin that a game may send, a Host or query that it cannot
        # parse.
        headers = request.requestHeaders
        for name, _ in list(headers.getAllRawHeaders()):
            if name.lower() not in _AUTOBAHN_NEEDS:
                headers.removeHeader(name)
        headers.setRawHeaders(b"Host", [b"localhost"])
        request.uri = b"/socket"
        channel: Any = request.channel
        answer: int | bytes = WebSocketResource(_Factory(protocol)).render(request)
        # The client may have sent frames without waiting. The channel still holds them.
        channel.rawDataReceived = protocol.dataReceived
        return answer


class _Factory(NamedTuple):
    """A factory for WebSocketResource that gives one socket."""

    protocol: Any

    def buildProtocol(self, address: IAddress) -> Any:
        return self.protocol


def _handshake(request: Request) -> Handshake:
    token = None
    authorization = _text(request, b"authorization")
    if authorization is not None:
        scheme, _, rest = authorization.partition(" ")
        token = rest.strip() if scheme.lower() == "bearer" else ""
    return Handshake(
        token, _text(request, b"origin"), _resume(request.uri), _text(request, b"x-request-id")
    )


def _resume(uri: bytes) -> Position | None:
    query = uri.partition(b"?")[2].decode("latin-1")  # any byte may stand there too
    pairs = parse_qsl(query, keep_blank_values=True, encoding="latin-1")
    seqs = [value for name, value in pairs if name == "resume"]
    ids = [value for name, value in pairs if name == "resumeId"]
    if not seqs and not ids:
        return None
    if len(seqs) != 1 or len(ids) > 1 or not _INTEGER.fullmatch(seqs[0]):
        return INVALID
    return position(int(seqs[0]), ids[0] if ids else None)


def position(seq: object, id: object) -> Position:
    """The position that `resume` and `resumeId` name; INVALID if they are wrong.

    `id` is None without a `resumeId`.
    """
    if type(seq) is not int or seq < 0:
        return INVALID
    if id is None:
        return Position(seq)
    if not isinstance(id, str) or not _GUID.match(id):
        return INVALID
    return Position(seq, id.lower())


def _text(request: Request, name: bytes) -> str | None:
    value: bytes | None = request.getHeader(name)
    return None if value is None else value.decode("latin-1")  # any byte may stand there


def _values(request: Request, name: bytes) -> list[bytes]:
    return [value.strip() for value in request.requestHeaders.getRawHeaders(name, [])]


def _tokens(request: Request, name: bytes) -> list[bytes]:
    joined = b",".join(_values(request, name))
    return [token.strip().lower() for token in joined.split(b",")]
