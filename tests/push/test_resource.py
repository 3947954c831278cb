"""GET /socket: the way from HTTP to a WebSocket (docs/interface/socket.md)."""

from typing import Any

from twisted.internet.protocol import Protocol, connectionDone
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase
from twisted.web.resource import Resource
from twisted.web.server import Site

from contentsvc.push.resource import INVALID, Handshake, SocketResource
from contentsvc.push.stream import Position
from tests.push.loopback import refuse

UPGRADE = {
    "Host": "game.example",
    "Upgrade": "websocket",
    "Connection": "keep-alive, Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


ID = "0d7ad5c1-9c4c-4a2f-9a3e-4dcb9a2f3c11"


class Taker(Protocol):
    """Stands for the WebSocket protocol: keeps what it is given."""

    handshake: Handshake

    def __init__(self) -> None:
        self.data = b""

    def dataReceived(self, data: bytes) -> None:
        self.data += data


class Factory:
    """Stands for the SocketFactory."""

    def __init__(self) -> None:
        self.made: list[Taker] = []

    def buildProtocol(self, address: object) -> Taker:
        self.made.append(Taker())
        return self.made[-1]


class ResourceTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.factory, self.clock = Factory(), Clock()

    def ask(
        self, method: str = "GET", path: str = "/socket", behind: str = "", **headers: Any
    ) -> str:
        """Send a request and give what comes back; header names with _ for -, None for absent.

        `behind` follows the request at once.
        """
        wanted: dict[str, str | None] = dict(UPGRADE)
        wanted |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"{method} {path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in wanted.items() if value is not None]
        root = Resource()
        root.putChild(b"socket", SocketResource(self.factory, refuse))
        channel = Site(root, reactor=self.clock).buildProtocol(None)
        transport = StringTransport()
        transport.protocol = channel
        channel.makeConnection(transport)
        channel.dataReceived("\r\n".join([*lines, "", behind]).encode("latin-1"))
        if not self.factory.made:
            channel.connectionLost(Failure(connectionDone.value))
        return transport.value().decode()

    def test_taken_over(self) -> None:
        """An upgrade request ends in a socket, which is not idle HTTP and is not timed out."""
        self.ask()
        self.assertIn(b"GET /socket HTTP/1.1", self.factory.made[0].data)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_impatient(self) -> None:
        """Data that a client sends right after its request reach the socket."""
        self.ask(behind="\x81\x80abcd" + "x" * 40_000)
        self.assertTrue(self.factory.made[0].data.endswith(b"\r\n\r\n\x81\x80abcd" + b"x" * 40_000))

    def test_upgrade_in_any_case(self) -> None:
        """Tokens of Upgrade and Connection are taken in any case and any company."""
        self.ask(Upgrade="h2c, WebSocket", Connection="UPGRADE")
        self.assertEqual(len(self.factory.made), 1)

    def test_token(self) -> None:
        """The bearer token goes to the socket, and not to the library, which could log it."""
        self.ask(Authorization="bearer  abc.def")
        (made,) = self.factory.made
        self.assertEqual(made.handshake.token, "abc.def")
        self.assertNotIn(b"abc.def", made.data)

    def test_no_token(self) -> None:
        """Without Authorization there is no token; with another scheme there is a bad one."""
        self.ask()
        self.ask(Authorization="Basic abc")
        self.assertEqual([made.handshake.token for made in self.factory.made], [None, ""])

    def test_strange_bytes(self) -> None:
        """Bytes that are no UTF-8 make a bad token or origin, not an error of the server."""
        self.ask(Authorization="Bearer \xff", Origin="\xff")
        (made,) = self.factory.made
        self.assertEqual(made.handshake[:2], ("\xff", "\xff"))

    def test_origin(self) -> None:
        """The origin goes to the socket, which knows whether it matters."""
        self.ask(Origin="https://portal.example")
        (made,) = self.factory.made
        self.assertEqual(made.handshake.origin, "https://portal.example")
        self.assertNotIn(b"portal.example", made.data)

    def test_resume(self) -> None:
        """?resume is one non-negative integer, or known not to be one."""
        queries = "", "?resume=12", "?resume=-1", "?resume=", "?resume=1&resume=2", "?resume=%D9%A3"
        for query in queries:
            self.ask(path=f"/socket{query}")
        resumes = [made.handshake.resume for made in self.factory.made]
        self.assertEqual(resumes, [None, Position(12), INVALID, INVALID, INVALID, INVALID])

    def test_resume_id(self) -> None:
        """?resumeId is one GUID, in any case, beside ?resume; all else is known to be wrong."""
        for query in (
            f"resume=3&resumeId={ID}",
            f"resumeId={ID.upper()}&resume=3",
            f"resumeId={ID}",
            "resume=3&resumeId=",
            "resume=3&resumeId=7",
            f"resume=3&resumeId={ID}&resumeId={ID}",
            f"resume=-1&resumeId={ID}",
            f"resume=3&resumeId={ID}%0A",
        ):
            self.ask(path=f"/socket?{query}")
        resumes = [made.handshake.resume for made in self.factory.made]
        self.assertEqual(resumes, [Position(3, ID)] * 2 + [INVALID] * 6)

    def test_any_query(self) -> None:
        """Other query parameters are ignored, with any bytes."""
        for query in "?x=%C3%A9&resume=3", "?%ff=1&resume=3", "?&&=&resume=3", "?x&resume=3#x":
            self.ask(path=f"/socket{query}")
        resumes = [made.handshake.resume for made in self.factory.made]
        self.assertEqual(resumes, [Position(3)] * 3 + [INVALID])

    def test_any_host(self) -> None:
        """The name that the client knows the service by does not matter."""
        for host in "a:b", "x:", "[::", "":
            self.ask(Host=host)
        self.assertEqual(len(self.factory.made), 4)
        self.assertNotIn(b"a:b", self.factory.made[0].data)

    def test_no_upgrade(self) -> None:
        """A plain GET is 426, and says what to upgrade to."""
        for upgrade in None, "h2c":
            answer = self.ask(Upgrade=upgrade)
            self.assertIn(" 426 ", answer)
            self.assertIn("Upgrade: websocket", answer)
            self.assertIn("upgrade_required", answer)

    def test_other_version(self) -> None:
        """Another version of WebSocket is 426, and says which is spoken."""
        for version in None, "8", "13, 8":
            answer = self.ask(Sec_WebSocket_Version=version)
            self.assertIn(" 426 ", answer)
            self.assertIn("Sec-Websocket-Version: 13", answer)

    def test_other_method(self) -> None:
        """Another method is 405, with Allow."""
        for method in "POST", "PUT", "DELETE", "OPTIONS":
            answer = self.ask(method)
            self.assertIn("405 Method Not Allowed", answer)
            self.assertIn("Allow: GET", answer)

    def test_bad_handshake(self) -> None:
        """An upgrade request that RFC 6455 does not allow is 400."""
        for headers in (
            {"Host": None},
            {"Connection": None},
            {"Connection": "close"},
            {"Sec_WebSocket_Key": None},
            {"Sec_WebSocket_Key": "short"},
            {"Sec_WebSocket_Key": "!" * 22 + "=="},
        ):
            answer = self.ask(**headers)
            self.assertIn("400 Bad Request", answer)
            self.assertIn("invalid_handshake", answer)
        self.assertEqual(self.factory.made, [])
