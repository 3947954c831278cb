"""A service in memory, for the client: its answers are the test's."""

from collections import deque
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from msgspec import json
from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectingCancelledError, ConnectionLost
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.web._newclient import ResponseNeverReceived
from twisted.web.client import ResponseDone
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IResponse
from zope.interface import implementer

from contentsvc.client import Client, Received, Subscription
from contentsvc.client.notifications.socket import Listener

ANN = "00000000-0000-4000-8000-00000000000a"
BOB = "00000000-0000-4000-8000-00000000000b"
TOKENS = {
    "access_token": "access-1",
    "token_type": "Bearer",
    "expires_in": 900,
    "refresh_token": "refresh-1",
    "userId": ANN,
}


def lost() -> Exception:
    """A connection that breaks before the answer."""
    return ResponseNeverReceived([Failure(ConnectionLost())])


@implementer(IResponse)
class FakeResponse:
    """A response that has come whole."""

    version = (b"HTTP", 1, 1)
    phrase = b""
    previousResponse = None
    request = None

    def __init__(self, code: int, headers: dict[str, str], body: bytes) -> None:
        self.code = code
        self.headers = Headers({name: [value] for name, value in headers.items()})
        self.length = len(body)
        self._body = body

    def deliverBody(self, protocol: Any) -> None:
        protocol.dataReceived(self._body)
        protocol.connectionLost(Failure(ResponseDone()))

    def setPreviousResponse(self, response: Any) -> None:
        self.previousResponse = response


class Asked:
    """A request that the client has sent."""

    def __init__(
        self, method: bytes, uri: bytes, headers: Headers, body: bytes, connecting: bool
    ) -> None:
        parts = urlsplit(uri.decode())
        self.method = method.decode()
        self.path = parts.path
        self.query = dict(parse_qsl(parts.query))
        self.token = (headers.getRawHeaders("Authorization") or [""])[0].removeprefix("Bearer ")
        self.known = (headers.getRawHeaders("If-None-Match") or [None])[0]
        self.body = body
        self.cancelled = False
        self._connecting = connecting
        self.answered: Deferred[Any] = Deferred(self._cancel)

    def _cancel(self, answered: Any) -> None:
        self.cancelled = True
        if self._connecting:
            answered.errback(ConnectingCancelledError(IPv4Address("TCP", "127.0.0.1", 1)))

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode()))

    def answer(self, status: int = 200, data: Any = None, **headers: str) -> None:
        """Answer with JSON, or with bytes as they are."""
        body = data if isinstance(data, bytes) else b"" if data is None else json.encode(data)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answered.callback(FakeResponse(status, named, body))


@implementer(IAgent)
class FakeAgent:
    """Keeps requests for the test to answer, or answers with what it was given beforehand."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._next: deque[Any] = deque()
        self.connecting = False
        """Whether requests wait for their connection."""

    def request(
        self, method: bytes, uri: bytes, headers: Any = None, bodyProducer: Any = None
    ) -> Deferred[Any]:
        sent = StringTransport()
        if bodyProducer is not None:
            bodyProducer.startProducing(sent)
        asked = Asked(method, uri, headers, sent.value(), self.connecting)
        self.asked.append(asked)
        if self._next:
            what = self._next.popleft()
            if isinstance(what, Exception):
                asked.answered.errback(what)
            else:
                status, data, headers = what
                asked.answer(status, data, **headers)
        return asked.answered

    def then(self, status: int = 200, data: Any = None, **headers: str) -> None:
        """Answer a coming request so."""
        self._next.append((status, data, headers))

    def then_fail(self, error: Exception) -> None:
        """Let a coming request fail so."""
        self._next.append(error)

    @property
    def last(self) -> Asked:
        return self.asked[-1]


class Middling:
    """A random number generator that is always in the middle."""

    def uniform(self, low: float, high: float) -> float:
        return (low + high) / 2


class FakeSocket:
    """A socket that the client has opened, from the service's side."""

    def __init__(self, url: str, token: str, listener: Listener) -> None:
        self.url = url
        self.token = token
        self.sent: list[Any] = []
        self.closing = self.aborted = self.gone = False
        self._listener = listener

    # What the client does.

    def send(self, data: bytes) -> None:
        self.sent.append(json.decode(data))

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.aborted = True
        self.end()

    # What the service does.

    def say(self, **message: Any) -> None:
        self._listener.heard()
        self._listener.message(json.encode(message))

    def shout(self, data: bytes) -> None:
        self._listener.heard()
        self._listener.message(data)

    def ping(self) -> None:
        self._listener.heard()

    def hello(self, seq: int, id: str | None = None) -> None:
        self.say(type="hello", seq=seq, id=id, unread=0, heartbeat=15)

    def log_changed(self, seq: int, id: str | None) -> None:
        self.say(type="error", code="log_changed", detail="gone back", seq=seq, id=id)

    def notify(self, *seqs: int) -> None:
        for seq in seqs:
            self.say(type="notification", seq=seq, notification=debug(seq))

    def end(self, code: int = 1006, reason: str = "") -> None:
        if not self.gone:
            self.gone = True
            self._listener.closed(code, reason)


class FakeConnector:
    """Opens FakeSockets, or fails with `error`."""

    def __init__(self) -> None:
        self.sockets: list[FakeSocket] = []
        self.error: Exception | None = None

    async def __call__(self, url: str, token: str, listener: Listener) -> FakeSocket:
        if self.error is not None:
            raise self.error
        self.sockets.append(FakeSocket(url, token, listener))
        return self.sockets[-1]

    @property
    def last(self) -> FakeSocket:
        return self.sockets[-1]


def guid(seq: int) -> str:
    """The id of the notification with this number."""
    return f"00000000-0000-4000-8000-{seq:012}"


def debug(seq: int, text: str = "") -> dict[str, Any]:
    """A notification, as the service sends it."""
    return {
        "id": guid(seq),
        "created": 1000 + seq,
        "read": False,
        "kind": "Debug",
        "text": text or str(seq),
    }


class World:
    """A client with these options, and all that it meets."""

    def __init__(self, **options: Any) -> None:
        self.clock = Clock()
        self.clock.advance(1000)
        self.agent = FakeAgent()
        self.connector = FakeConnector()
        self.client = Client(
            self.clock,
            "https://play.example",
            random=Middling(),  # type: ignore[arg-type]
            agent=self.agent,
            connector=self.connector,
            **options,
        )

    def signed_in(self) -> "World":
        """Log in, and forget the request."""
        self.agent.then(200, TOKENS)
        Deferred.fromCoroutine(self.client.log_in("ann", "secret"))
        self.agent.asked.clear()
        return self

    def subscribed(self, **options: Any) -> tuple[Subscription, list[Received]]:
        """A subscription whose first socket is open, and what it hands over."""
        received: list[Received] = []
        self.session()
        options.setdefault("on_notification", received.append)
        return self.client.notifications.listen(**options), received

    def session(self) -> None:
        """Answer a coming session/connect."""
        self.agent.then(
            200, {"socketUrl": "wss://play.example/socket", "accessToken": "socket-token"}
        )

    @property
    def socket(self) -> FakeSocket:
        return self.connector.last
