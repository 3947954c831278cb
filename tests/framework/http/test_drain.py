"""The end of a site: what is under way is answered, and nothing new begins."""

from twisted.internet.defer import Deferred

from tests.framework.http.boxes import Boxes, Waits, body_of
from tests.framework.http.support import Service, WebCase


class DrainTests(WebCase):
    """Draining."""

    def setUp(self) -> None:
        self.waits = Waits()
        self.service = Service([self.waits, Boxes()])
        self.client = self.service.connect()

    def drain(self, timeout: float = 10.0) -> Deferred[None]:
        """Begin."""
        return Deferred.fromCoroutine(self.service.site.traffic.drain(timeout))

    def done(self, drained: Deferred[None]) -> None:
        """Assert that it is over when the connections that were closed are."""
        self.assertNoResult(drained)
        self.service.clock.advance(0)
        self.successResultOf(drained)

    def test_nothing_there(self) -> None:
        """Where there is no connection, draining is done at once."""
        self.client.vanish()
        self.successResultOf(self.drain())

    def test_under_way(self) -> None:
        """The requests under way are answered first, and their connections closed."""
        self.client.ask("PUT", "/wait")
        drained = self.drain()
        self.waits.go.callback(None)
        self.assertEqual(self.client.answer().headers["Connection"], "close")
        self.assertTrue(self.client.transport.disconnecting)
        self.done(drained)

    def test_vanished(self) -> None:
        """Requests whose client has gone are waited for too."""
        self.client.ask("PUT", "/wait")
        self.client.vanish()
        drained = self.drain()
        self.assertNoResult(drained)
        self.waits.go.callback(None)
        self.successResultOf(drained)

    def test_trickling(self) -> None:
        """A request whose headers have not come by then is not waited for."""
        self.client.send(b"PUT /wait HTTP/1.1\r\nHost: t\r\nX: ")
        drained = self.drain()
        self.service.clock.advance(0.9)
        self.assertNoResult(drained)
        self.service.clock.advance(0.1)
        self.assertTrue(self.client.silent)
        self.successResultOf(drained)

    def test_time_is_up(self) -> None:
        """A request that takes too long is not waited for."""
        self.client.ask("PUT", "/wait")
        drained = self.drain()
        self.service.clock.advance(9)
        self.assertNoResult(drained)
        self.service.clock.advance(1)
        self.successResultOf(drained)

    def test_slow_reader(self) -> None:
        """Nor is a client that does not read its answer; one that does gets all of it."""
        self.client.ask("PUT", "/wait")
        self.client.transport.loseConnection = lambda: None
        drained = self.drain()
        self.waits.go.callback(None)
        self.service.clock.advance(5)
        self.assertNoResult(drained)
        self.service.clock.advance(5)
        self.successResultOf(drained)

    def test_late_request(self) -> None:
        """A request that comes amid it is answered, and its connection closed."""
        self.client.ask("PUT", "/wait")
        late = self.service.connect()
        self.drain()
        late.ask("GET", "/small")
        answer = late.answer()
        self.assertEqual((answer.status, answer.headers["Connection"]), (200, "close"))
        self.assertTrue(late.transport.disconnecting)

    def test_asterisk(self) -> None:
        """OPTIONS * is answered with all methods, and over when it is."""
        answer = self.service.ask("OPTIONS", "*")
        self.assertEqual((answer.status, answer.headers["Allow"]), (204, "GET, HEAD, OPTIONS, PUT"))
        self.assertEqual(len(self.service.site.traffic.active), 0)

    def test_idle(self) -> None:
        """A connection that waits for its next request, or its first, is closed after a moment."""
        self.client.ask("GET", "/small")
        fresh = self.service.connect()
        drained = self.drain()
        self.service.clock.advance(0.9)
        for client in (self.client, fresh):
            self.assertFalse(client.transport.disconnecting)
        self.service.clock.advance(0.1)
        for client in (self.client, fresh):
            self.assertTrue(client.transport.disconnecting)
        self.successResultOf(drained)

    def test_in_use(self) -> None:
        """If the next request comes in that moment, it is answered, and the answer says that the
        connection ends."""
        self.client.ask("GET", "/small")
        drained = self.drain()
        self.client.ask("GET", "/small")
        first, second = self.client.answers()
        self.assertIsNone(first.headers["Connection"])
        self.assertEqual((second.status, second.headers["Connection"]), (200, "close"))
        self.assertTrue(self.client.transport.disconnecting)
        self.done(drained)

    def test_idle_and_no_time(self) -> None:
        """A moment is not longer than the time there is."""
        self.client.ask("GET", "/small")
        drained = self.drain(0.0)
        self.service.clock.advance(0)
        self.successResultOf(drained)

    def test_arriving(self) -> None:
        """A request whose body is still coming is waited for and answered."""
        self.client.ask("PUT", "/small", Content_Length="20")
        drained = self.drain()
        self.service.clock.advance(5)
        self.client.send(body_of(20))
        self.assertEqual(self.client.answer().status, 204)
        self.assertEqual(self.client.answer().headers["Connection"], "close")
        self.done(drained)

    def test_arriving_in_vain(self) -> None:
        """One whose client goes meanwhile is not waited for."""
        self.client.ask("PUT", "/small", Content_Length="20")
        drained = self.drain()
        self.client.vanish()
        self.successResultOf(drained)

    def test_refused(self) -> None:
        """Nor is one whose body was refused, when its connection has ended."""
        self.client.ask("PUT", "/small", Content_Length="99999999")
        drained = self.drain()
        self.service.clock.advance(2)
        self.assertTrue(self.client.transport.disconnecting)
        self.successResultOf(drained)

    def test_too_late(self) -> None:
        """A request that comes when all is done gets no answer: it was not carried out."""
        boxes = Boxes()
        service = Service([boxes])
        drained = Deferred.fromCoroutine(service.site.traffic.drain(10.0))
        self.successResultOf(drained)
        client = service.connect()
        client.ask("PUT", "/small", body_of(20))
        self.assertTrue(client.silent)
        self.assertTrue(client.transport.disconnecting)
        self.assertEqual(boxes.taken, [])
