"""A site of a few families over transports in memory, and the clients that talk to it."""

import http.client
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import Any, NamedTuple

import msgspec
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IAddress
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.logger import LogEvent, formatEvent, globalLogPublisher
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.app import Api
from contentsvc.framework.http.body_reader import KIB
from contentsvc.framework.http.errors import BadToken, Problem
from contentsvc.framework.http.maintenance import Maintenance
from contentsvc.framework.http.operations import Family, Operation, table
from contentsvc.framework.http.proxies import Proxies
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.http.site import ApiSite
from contentsvc.framework.http.slow_requests import SlowRequests
from contentsvc.framework.http.traffic import Traffic
from contentsvc.roles import MODERATE, PROGRESS, ROLES, Permission

ANN = "00000000-0000-4000-8000-00000000000a"
BOB = "00000000-0000-4000-8000-00000000000b"
MOD = "00000000-0000-4000-8000-00000000000d"
BOT = "00000000-0000-4000-8000-00000000000c"
ROOT = "00000000-0000-4000-8000-00000000000f"


class Caller(NamedTuple):
    """The user, or the service account, of a token."""

    user: str
    permissions: frozenset[Permission] = frozenset()
    session: str = ""
    role: str = "player"
    service: bool = False


TOKENS = {
    "ann": Caller(ANN),
    "bob": Caller(BOB),
    "mod": Caller(MOD, frozenset({MODERATE})),
    "root": Caller(ROOT, ROLES["admin"]),
    "bot": Caller(BOT, frozenset({MODERATE, PROGRESS}), role="moderator", service=True),
}


def authenticate(token: str) -> Caller:
    """The caller whose name the token is."""
    if token not in TOKENS:
        raise BadToken("Nobody has this token.")
    return TOKENS[token]


def unknown(error: Exception) -> Problem | None:
    """A translation that knows no exception."""
    return None


def operations(families: Iterable[object]) -> tuple[Operation, ...]:
    """The operations of these families, without a prefix."""
    return table(Family(type(each).__name__.lower(), type(each), "") for each in families)


class Answer(NamedTuple):
    """One response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self) -> Any:
        """The body decoded."""
        return msgspec.json.decode(self.body)


def parse(received: bytes, methods: Iterable[str]) -> list[Answer]:
    """The responses to requests of these methods; interim ones are left out."""
    answers, asked = [], iter(methods)
    while received:
        head, _, received = received.partition(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        status = int(line.split()[1])
        if status >= 200:
            headers = http.client.parse_headers(BytesIO(fields + b"\r\n\r\n"))
            bare = status in {204, 304} or next(asked, "GET") == "HEAD"
            length = 0 if bare else int(headers["Content-Length"])
            answers.append(Answer(status, headers, received[:length]))
            received = received[length:]
    return answers


class Transport(StringTransport):
    """Remembers how it was closed, and is gone in the next turn of the clock."""

    half_closed = False
    protocol: Any = None

    def __init__(self, clock: Clock, peer: IAddress | None = None) -> None:
        super().__init__(peerAddress=peer, lenient=True)
        self._clock = clock

    def loseConnection(self) -> None:
        if not self.disconnecting:
            self._clock.callLater(0, self._lost)
        super().loseConnection()

    def _lost(self) -> None:
        self.protocol.connectionLost(Failure(ConnectionDone()))

    def loseWriteConnection(self) -> None:
        self.half_closed = True


def site_of(
    resource: Any,
    clock: Any,
    *,
    judge: Callable[[Any], int],
    refuse: Callable[[Any, Problem], object],
    body_timeout: float = 30.0,
    body_memory: int = 64 * KIB * KIB,
    connections: int = 21_000,
    sockets: Callable[[], int] = int,
    trusted_proxies: Sequence[str] = (),
    slow_request: float = 0.0,
) -> ApiSite:
    """A site with room for all that most tests need."""
    return ApiSite(
        resource,
        clock,
        now=clock.seconds,
        judge=judge,
        refuse=refuse,
        body_timeout=body_timeout,
        traffic=Traffic(clock, memory=body_memory, connections=connections, sockets=sockets),
        proxies=Proxies(trusted_proxies),
        slow=SlowRequests(clock, slow_request),
    )


class Client:
    """One connection to a site, from `peer`; `factory` is what wraps the site, if anything."""

    def __init__(self, site: ApiSite, peer: IAddress | None = None, factory: Any = None) -> None:
        self.transport = Transport(site.reactor, peer)
        self.channel: Any = (factory or site).buildProtocol(None)
        self.transport.protocol = self.channel
        self.channel.makeConnection(self.transport)
        self._asked: list[str] = []

    def send(self, data: bytes) -> None:
        """Bytes as they are."""
        self.channel.dataReceived(data)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> None:
        """A request; `Content_Type` stands for the header Content-Type."""
        self._asked.append(method)
        if body:
            headers.setdefault("Content_Length", str(len(body)))
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = "\r\n".join([f"{method} {path} HTTP/1.1", "Host: test", *lines, "", ""])
        self.send(head.encode("latin-1") + body)

    def vanish(self) -> None:
        """Be gone."""
        self.channel.connectionLost(Failure(ConnectionDone()))

    def answers(self) -> list[Answer]:
        """All responses so far, interim ones too."""
        return parse(self.transport.value(), self._asked)

    def answer(self) -> Answer:
        """The one response so far."""
        (answer,) = self.answers()
        return answer

    @property
    def silent(self) -> bool:
        """Whether there has been no answer."""
        return not self.transport.value()


class Service:
    """A site with its clock; `limits` are those of `site_of`."""

    def __init__(
        self,
        families: Iterable[object],
        *,
        origins: Sequence[str] = ("*",),
        translate: Callable[[Exception], Problem | None] = unknown,
        authenticate: Callable[[str], Any] = authenticate,
        maintenance: Maintenance | None = None,
        **limits: Any,
    ) -> None:
        self.clock = Clock()
        self.causes: list[str] = []
        reply = Reply(origins, self.causes.append)
        self.api = Api(authenticate, translate, reply, maintenance=maintenance)
        families = list(families)
        self.api.mount(operations(families), families)
        self.site = site_of(
            self.api, self.clock, judge=self.api.judge, refuse=self.api.refuse, **limits
        )

    def connect(self, peer: IAddress | None = None) -> Client:
        """A new connection."""
        return Client(self.site, peer)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """The answer to one request on a connection of its own."""
        client = self.connect()
        client.ask(method, path, body, **headers)
        return client.answer()


class WebCase(SynchronousTestCase):
    """A test that reads the log."""

    def logged(self) -> list[LogEvent]:
        """A list that fills with what is logged from now on."""
        events: list[LogEvent] = []
        globalLogPublisher.addObserver(events.append)
        self.addCleanup(globalLogPublisher.removeObserver, events.append)
        return events

    def lines(self, events: Iterable[LogEvent]) -> list[str]:
        """The log lines of requests among `events`."""
        return [formatEvent(event) for event in events if "request_id" in event]

    def problem(self, answer: Answer, status: int, code: str) -> Any:
        """Assert a problem and give its members."""
        self.assertEqual((answer.status, answer.json().get("code")), (status, code), answer.body)
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        return answer.json()
