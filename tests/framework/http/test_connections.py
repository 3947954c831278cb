"""The bound of connections."""

from twisted.internet.testing import StringTransport
from twisted.logger import formatEvent
from twisted.protocols.haproxy._wrapper import HAProxyWrappingFactory

from tests.framework.http.boxes import Boxes, Waits
from tests.framework.http.support import Client, Service, WebCase

MOST = 4


class BoundTests(WebCase):
    """More connections than there may be."""

    def setUp(self) -> None:
        self.sockets = 0
        self.waits = Waits()
        self.service = Service([Boxes(), self.waits], connections=MOST, sockets=self.count)
        self.events = self.logged()

    def count(self) -> int:
        """How many sockets there are."""
        return self.sockets

    def fill(self) -> list[Client]:
        """As many connections as there may be, with a second between them."""
        clients = []
        for _ in range(MOST - self.sockets):
            self.service.clock.advance(1)
            clients.append(self.service.connect())
        return clients

    def lines(self) -> list[str]:  # type: ignore[override]
        """The lines of the log about the bound."""
        texts = [formatEvent(event) for event in self.events]
        return [text for text in texts if "connections are in use" in text]

    def turned_away(self) -> bool:
        """Whether a connection more is closed at once; closed again otherwise."""
        transport = StringTransport()
        channel = self.service.site.buildProtocol(None)
        channel.makeConnection(transport)
        self.assertEqual(transport.value(), b"")
        return transport.disconnecting

    def test_over(self) -> None:
        """One more is closed at once, and the others are served on."""
        clients = self.fill()
        self.assertTrue(self.turned_away())
        for client in clients:
            client.ask("GET", "/small")
            self.assertEqual(client.answer().status, 200)
        clients[0].vanish()
        self.assertEqual(self.service.ask("GET", "/small").status, 200)

    def test_sockets(self) -> None:
        """Sockets count."""
        self.sockets = 3
        self.fill()
        self.assertTrue(self.turned_away())
        self.sockets = 2
        self.assertFalse(self.turned_away())

    def test_gives_way(self) -> None:
        """The one that has been without a request for longest gives way, if that is long enough."""
        clients = self.fill()
        clients[0].ask("GET", "/small")
        self.service.clock.advance(3)
        self.assertEqual(self.service.ask("GET", "/small").status, 200)
        for client, closed in zip(clients, (False, True, False, False), strict=True):
            self.assertEqual(client.transport.disconnected, closed)

    def test_slow(self) -> None:
        """So does one whose request does not end."""
        slow = self.fill()[0]
        slow.send(b"GET /sm")
        self.service.clock.advance(5)
        self.assertEqual(self.service.ask("GET", "/small").status, 200)
        self.assertTrue(slow.transport.disconnected)
        self.service.clock.advance(0)
        self.assertEqual(self.service.site.traffic.small.held, 0)

    def test_under_way(self) -> None:
        """One whose request is worked on never does."""
        clients = self.fill()
        for client in clients:
            client.ask("PUT", "/wait")
        self.service.clock.advance(100)
        self.assertTrue(self.turned_away())
        self.waits.go.callback(None)
        self.assertEqual([client.answer().status for client in clients], [204] * MOST)
        self.service.clock.advance(5)
        self.assertFalse(self.turned_away())

    def test_line(self) -> None:
        """The log says it at once, and then once a second at most, with how many there were."""
        self.fill()
        for _ in range(10):
            self.turned_away()
        self.assertEqual(len(self.lines()), 1)
        self.assertIn("All 4 connections are in use: closed 1 new,", self.lines()[0])
        self.service.clock.advance(1)
        self.assertIn(": closed 9 new,", self.lines()[1])
        for _ in range(3):
            self.service.clock.advance(1)
        self.assertEqual(len(self.lines()), 2)
        self.assertFalse(self.turned_away())
        self.assertIn("closed 0 new, and 1 old without a complete request", self.lines()[2])

    def test_wrapped(self) -> None:
        """Where something is between connection and site, one more is closed too."""
        self.fill()
        transport = StringTransport()
        wrapped = HAProxyWrappingFactory(self.service.site).buildProtocol(None)
        wrapped.makeConnection(transport)
        self.assertTrue(transport.disconnecting)
