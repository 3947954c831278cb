"""The resource tree: the API, the socket beside it, and health."""

from typing import Any

from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.api.health import Health, Reason
from contentsvc.app.root import Root
from contentsvc.framework.http.app import Api
from contentsvc.framework.http.assets import Asset
from contentsvc.framework.http.reply import Reply
from contentsvc.push.resource import Handshake
from tests.framework.http.support import (
    Answer,
    Client,
    WebCase,
    authenticate,
    operations,
    site_of,
    unknown,
)

UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec_WebSocket_Version": "13",
}


class RootCase(WebCase):
    """A tree with nothing in the API but health, and sockets that do nothing."""

    reasons: tuple[Reason, ...] = ()

    def setUp(self) -> None:
        clock = self.clock = Clock()
        self.causes: list[str] = []
        api = Api(authenticate, unknown, Reply(["*"], self.causes.append))
        health = Health(self.reasons, clock)
        api.mount(operations([health]), [health])
        self.sockets: Any = WebSocketServerFactory(reactor=clock)
        self.sockets.protocol = WebSocketServerProtocol
        self.sockets.setProtocolOptions(openHandshakeTimeout=0)
        root = Root(api, self.sockets, {b"/file": Asset(b"text", "text/plain")})
        self.site = site_of(root, clock, judge=root.judge, refuse=api.refuse)
        self.client = Client(self.site)

    def ask(self, method: str, path: str, **headers: str) -> Answer:
        """The answer to one request."""
        self.client.ask(method, path, **headers)
        return self.client.answers()[-1]


class SocketTests(RootCase):
    def handshake(self, path: str) -> Handshake:
        """The data that the socket gets of its opening request."""
        opened: list[Any] = []
        build = self.sockets.buildProtocol
        self.sockets.buildProtocol = lambda address: opened.append(build(address)) or opened[-1]
        self.client.ask("GET", path, **UPGRADE)
        self.assertIn(b"HTTP/1.1 101 ", self.client.transport.value())
        (protocol,) = opened
        found: Handshake = protocol.handshake
        return found

    def test_resume(self) -> None:
        """The query of the socket's URL reaches it."""
        self.assertEqual(self.handshake("/socket?resume=7").resume, (7, None))

    def test_resume_empty(self) -> None:
        """A resume without a number is not the same as none."""
        self.assertIsNone(self.handshake("/socket?x=1").resume)
        self.setUp()
        self.assertIsNotNone(self.handshake("/socket?resume=").resume)

    def test_line(self) -> None:
        """A socket has one line in the log, 101, when it opens."""
        events = self.logged()
        self.handshake("/socket?resume=7")
        (line,) = self.lines(events)
        self.assertRegex(line, "^GET /socket 101 ")

    def test_request_id(self) -> None:
        """The socket knows under which id the log has it."""
        events = self.logged()
        request_id = self.handshake("/socket").request_id
        (line,) = self.lines(events)
        self.assertTrue(line.endswith(f" request={request_id}"), line)

    def test_any_query(self) -> None:
        """A query that is no text is no reason to fail, at a handshake or not."""
        self.problem(self.ask("GET", "/socket?resume=%ff"), 426, "upgrade_required")
        self.problem(self.ask("POST", "/socket?x=%C3%A9"), 405, "method_not_allowed")
        self.assertIsNotNone(self.handshake("/socket?resume=%ED%A0%80").resume)

    def test_not_under_way(self) -> None:
        """An open socket is no request under way."""
        self.handshake("/socket")
        self.assertEqual(len(self.site.traffic.active), 0)

    def test_plain_get(self) -> None:
        """A request that is no handshake is a problem like any other, and says what it wants."""
        answer = self.ask("GET", "/socket")
        self.problem(answer, 426, "upgrade_required")
        self.assertEqual(answer.headers["Upgrade"], "websocket")
        self.assertEqual(len(self.site.traffic.active), 0)

    def test_method(self) -> None:
        """Another method is 405 with Allow."""
        answer = self.ask("POST", "/socket")
        self.problem(answer, 405, "method_not_allowed")
        self.assertEqual(answer.headers["Allow"], "GET, OPTIONS")

    def test_bad_handshake(self) -> None:
        """A handshake that is none is 400."""
        bad = {**UPGRADE, "Sec_WebSocket_Key": "short"}
        self.problem(self.ask("GET", "/socket", **bad), 400, "invalid_handshake")

    def test_version(self) -> None:
        """Another version of the protocol is told which one is spoken."""
        answer = self.ask("GET", "/socket", **{**UPGRADE, "Sec_WebSocket_Version": "8"})
        self.problem(answer, 426, "unsupported_websocket_version")
        self.assertEqual(answer.headers["Sec-WebSocket-Version"], "13")

    def test_other_paths(self) -> None:
        """Only that path is the socket's."""
        for path in ("/socket/", "/socket/x", "/Socket", "/api/socket"):
            self.problem(self.ask("GET", path), 404, "not_found")

    def test_raw_header(self) -> None:
        """Any byte in a header is no reason to fail."""
        self.client.ask("GET", "/socket", **UPGRADE, Authorization="Bearer \xff", Origin="\xe4")
        self.assertIn(b"HTTP/1.1 101 ", self.client.transport.value())


class AssetTests(RootCase):
    def test_get(self) -> None:
        """An asset is answered at its path, with or without its body."""
        answer = self.ask("GET", "/file")
        self.assertEqual((answer.status, answer.body), (200, b"text"))
        answer = self.ask("HEAD", "/file")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer.headers["Content-Length"], "4")

    def test_other_paths(self) -> None:
        """It is at no other."""
        for path in ("/file/", "/file/x", "/File", "//file"):
            self.problem(self.ask("GET", path), 404, "not_found")

    def test_query(self) -> None:
        """A query changes nothing."""
        self.assertEqual(self.ask("GET", "/file?x=%ff").status, 200)

    def test_method(self) -> None:
        """Another method is 405 with Allow, and OPTIONS says which there are."""
        for method in ("POST", "PUT", "DELETE", "get"):
            answer = self.ask(method, "/file")
            self.problem(answer, 405, "method_not_allowed")
            self.assertEqual(answer.headers["Allow"], "GET, HEAD, OPTIONS")
        answer = self.ask("OPTIONS", "/file")
        self.assertEqual((answer.status, answer.headers["Allow"]), (204, "GET, HEAD, OPTIONS"))

    def test_line(self) -> None:
        """The log has its path as the route."""
        events = self.logged()
        self.ask("GET", "/file?secret")
        (line,) = self.lines(events)
        self.assertRegex(line, "^GET /file 200 ")


async def _holds() -> bool:
    return True


async def _fails() -> bool:
    return False


async def _raises() -> bool:
    raise ValueError("secret")


async def _waits(answer: Deferred[bool]) -> bool:
    return await answer


class HealthTests(RootCase):
    reasons = (Reason("one", _holds), Reason("other", _holds))

    def test_live(self) -> None:
        """The process is alive as long as it answers."""
        answer = self.ask("GET", "/health/live")
        self.assertEqual((answer.status, answer.json()), (200, {"status": "live"}))

    def test_ready(self) -> None:
        """It is ready when every reason to wait is gone."""
        answer = self.ask("GET", "/health/ready")
        self.assertEqual((answer.status, answer.json()), (200, {"status": "ready"}))


class DegradedTests(RootCase):
    reasons = (Reason("well", _holds), Reason("disk", _fails), Reason("read_only", _fails))

    def test_degraded(self) -> None:
        """Where only writes fail it is 200 and says why."""
        answer = self.ask("GET", "/health/ready")
        self.assertEqual(answer.status, 200)
        expected = {"status": "degraded", "reasons": ["disk", "read_only"]}
        self.assertEqual(answer.json(), expected)
        self.assertEqual(self.causes, [])


class UnwellTests(RootCase):
    reasons = (
        Reason("well", _holds),
        Reason("away", _fails),
        Reason("broken", _raises),
    )

    def test_not_ready(self) -> None:
        """It is 503 with the names of what does not hold, or cannot be told, and no more."""
        answer = self.ask("GET", "/health/ready")
        found = self.problem(answer, 503, "not_ready")
        self.assertEqual(found["reasons"], ["away", "broken"])
        self.assertEqual(answer.headers["Retry-After"], "1")
        self.assertNotIn(b"secret", answer.body)
        self.assertEqual(self.causes, ["not ready (away and broken)"])

    def test_too_late(self) -> None:
        """A check that does not answer within two seconds fails. Its later answer is ignored."""
        silent: Deferred[bool] = Deferred()
        self.reasons = (Reason("well", _holds), Reason("silent", lambda: _waits(silent)))
        self.setUp()
        self.client.ask("GET", "/health/ready")
        self.clock.advance(1.9)
        self.assertTrue(self.client.silent)
        self.clock.advance(0.1)
        self.assertEqual(self.client.answer().json()["reasons"], ["silent"])
        silent.callback(True)
        self.assertEqual(len(self.client.answers()), 1)

    def test_unknown(self) -> None:
        """What cannot be told counts as met where that is said: only what is known keeps the
        process from writing."""
        silent: Deferred[bool] = Deferred()
        self.reasons = (
            Reason("silent", lambda: _waits(silent)),
            Reason("read_only", lambda: _waits(silent), unknown=True),
            Reason("broken", _raises, unknown=True),
        )
        self.setUp()
        self.client.ask("GET", "/health/ready")
        self.clock.advance(2)
        self.assertEqual(self.client.answer().json()["reasons"], ["silent"])

    def test_live(self) -> None:
        """It is alive all the same."""
        self.assertEqual(self.ask("GET", "/health/live").status, 200)
