"""Bodies that go on to a sink while they arrive."""

from twisted.internet.defer import Deferred

from contentsvc.framework.http.errors import Forbidden, Unavailable
from contentsvc.framework.http.streamed_body import FLUSH, MOST_OF_ONE, PIECE, HeldBytes
from tests.framework.http.bowls import ArrivalCase
from tests.framework.http.support import Client


class AdmissionTests(ArrivalCase):
    def test_not_before(self) -> None:
        """Nothing is read before the sink has admitted the body, and the client is told only
        then."""
        bowl = self.begin(20, Expect="100-continue")
        self.assertTrue(self.client.silent)
        self.assertTrue(self.paused)
        bowl.admission.callback(None)
        self.assertEqual(self.client.transport.value(), b"HTTP/1.1 100 Continue\r\n\r\n")
        self.assertFalse(self.paused)
        self.client.send(b"x" * 20)
        bowl.take()
        self.assertEqual(self.client.answer().status, 204)

    def test_refused(self) -> None:
        """A body that is not admitted is refused without it, and without 100 Continue."""
        bowl = self.begin(20, Expect="100-continue")
        bowl.admission.errback(Forbidden())
        self.problem(self.client.answer(), 403, "forbidden")
        self.assertNotIn(b"100 Continue", self.client.transport.value())
        self.assertTrue(self.client.transport.half_closed)
        self.clock.advance(3)
        self.assertEqual((bowl.given, bowl.discarded), ([], 1))
        self.over()

    def test_with_the_head(self) -> None:
        """A body that comes together with its head is refused like any request: the connection
        stays."""
        self.client.ask("PUT", "/bowl", b"x" * 20)
        self.bowl.admission.errback(Forbidden())
        self.problem(self.client.answer(), 403, "forbidden")
        self.client.ask("GET", "/small")
        self.assertEqual(self.client.answers()[-1].status, 200)
        self.over()

    def test_slow_admission(self) -> None:
        """However long the sink thinks, that is no silence of the client's."""
        bowl = self.begin(20)
        self.clock.advance(300)
        self.assertTrue(self.client.silent)
        bowl.admission.callback(None)
        self.client.send(b"x" * 20)
        bowl.take()
        self.assertEqual(self.client.answer().status, 204)

    def test_failure(self) -> None:
        """A sink that fails is 500."""
        bowl = self.begin(20)
        bowl.admission.errback(ValueError("secret"))
        self.problem(self.client.answer(), 500, "internal_error")
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 1)


class FlowTests(ArrivalCase):
    def test_pieces(self) -> None:
        """A body is handed on in large pieces, one at a time, and whole."""
        size = 3 * PIECE + 5
        bowl = self.admitted(size)
        for _ in range(3 * 16):
            self.client.send(b"x" * (PIECE // 16))
        self.assertEqual(bowl.given, [PIECE])
        bowl.take()
        self.assertEqual(bowl.given, [PIECE, 2 * PIECE])
        self.client.send(b"yyyyy")
        self.assertTrue(self.client.silent)
        bowl.take()
        bowl.take()
        self.assertEqual(bowl.given, [PIECE, 2 * PIECE, 5])
        self.assertEqual(self.client.answer().status, 204)
        self.assertEqual(bowl.whole, b"x" * (3 * PIECE) + b"yyyyy")
        self.over()

    def test_back_pressure(self) -> None:
        """A client that is quicker than the sink must wait, and goes on when the sink has caught
        up."""
        bowl = self.admitted(100 * PIECE)
        sent = 0
        while not self.paused:
            self.client.send(b"x" * 65536)
            sent += 65536
        self.assertLessEqual(sent, MOST_OF_ONE + 65536)
        self.clock.advance(300)
        bowl.take()
        self.assertTrue(self.paused)
        bowl.take()
        self.assertFalse(self.paused)
        self.assertTrue(self.client.silent)

    def test_trickle(self) -> None:
        """What little has come is handed on after a moment."""
        bowl = self.admitted(100)
        self.client.send(b"x")
        self.clock.advance(FLUSH - 1)
        self.client.send(b"x")
        self.assertEqual(bowl.given, [])
        self.clock.advance(1)
        self.assertEqual(bowl.given, [2])

    def test_all_together(self) -> None:
        """Many bodies together have a limit. Beyond it each goes on in small steps, and all arrive
        in the end."""
        self.site.held = HeldBytes(PIECE)
        clients = [Client(self.site) for _ in range(40)]
        bowls = []
        for client in clients:
            bowl = self.begin(PIECE, client)
            bowl.admission.callback(None)
            bowls.append(bowl)
        left = dict.fromkeys(clients, PIECE)
        most = 0
        while any(left.values()):
            for client in clients:
                if left[client] and client.transport.producerState == "producing":
                    client.send(b"x" * 32768)
                    left[client] -= 32768
                    most = max(most, self.site.held.size)
            for bowl in bowls:
                if bowl.taking is not None:
                    bowl.take()
        for bowl in bowls:
            if bowl.taking is not None:
                bowl.take()
        self.assertLessEqual(most, PIECE + 40 * 32768)
        for client in clients:
            self.assertEqual(client.answer().status, 204)
        self.over()

    def test_lines(self) -> None:
        """A body of many short lines is as quick as any other."""
        bowl = self.admitted(2 * 65536)
        self.client.send(b"\r\n" * 32768)
        self.assertEqual(self.client.channel.later, b"")
        self.client.send(b"\r\n" * 32768)
        while self.client.channel.later or self.site.traffic.active:
            self.clock.advance(0)
            if bowl.taking is not None:
                bowl.take()
        self.assertEqual(bowl.whole, b"\r\n" * 65536)
        self.assertEqual(self.client.answer().status, 204)

    def test_not_the_room_of_bodies(self) -> None:
        """It does not count among the bodies that are kept in memory."""
        self.admitted(PIECE)
        self.client.send(b"x" * 65536)
        self.assertEqual((self.site.traffic.small.held, self.site.traffic.large.held), (0, 0))
        self.assertEqual(self.site.held.size, 65536)


class TimeTests(ArrivalCase):
    def test_one_byte_a_second(self) -> None:
        """A client that goes on sending, however slowly, may go on."""
        bowl = self.admitted(200)
        bowl.quick = True
        for _ in range(199):
            self.client.send(b"x")
            self.clock.advance(1)
        self.client.send(b"x")
        self.assertEqual(self.client.answer().status, 204)

    def test_silence(self) -> None:
        """One that sends nothing for body_timeout gets 408, and nothing is kept."""
        bowl = self.admitted(200)
        self.client.send(b"x")
        self.clock.advance(29)
        self.client.send(b"x")
        self.clock.advance(29.9)
        self.assertTrue(self.client.silent)
        self.clock.advance(0.1)
        self.problem(self.client.answer(), 408, "timeout")
        self.assertEqual(bowl.discarded, 1)
        self.clock.advance(3)
        self.over()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_must_wait(self) -> None:
        """A client that must wait for a slow sink is not silent."""
        bowl = self.admitted(100 * PIECE)
        while not self.paused:
            self.client.send(b"x" * 65536)
        self.clock.advance(3600)
        self.assertTrue(self.client.silent)
        bowl.take()
        bowl.take()
        self.clock.advance(29)
        self.assertTrue(self.client.silent)
        self.clock.advance(1)
        self.problem(self.client.answer(), 408, "timeout")

    def test_idle_after(self) -> None:
        """A connection that has carried an upload is closed after a minute, as any other."""
        bowl = self.admitted(20)
        self.client.send(b"x" * 20)
        bowl.take()
        self.clock.advance(59)
        self.assertFalse(self.client.transport.disconnecting)
        self.clock.advance(1)
        self.assertTrue(self.client.transport.disconnecting)

    def test_gives_way(self) -> None:
        """When there are too many connections, an upload that goes on counts as a new one."""
        idle = Client(self.site)
        bowl = self.admitted(100 * PIECE)
        bowl.quick = True
        for _ in range(20):
            self.clock.advance(1)
            self.client.send(b"x" * PIECE)
        self.assertEqual(list(self.site.traffic.waiting), [idle.channel, self.client.channel])


class EndTests(ArrivalCase):
    def test_vanished(self) -> None:
        """A client that goes amid its body leaves nothing but a line in the log."""
        events = self.logged()
        bowl = self.admitted(200)
        self.client.send(b"x" * 100)
        self.client.vanish()
        self.assertEqual(bowl.discarded, 1)
        self.assertEqual(self.clock.getDelayedCalls(), [])
        self.over()
        (line,) = self.lines(events)
        self.assertRegex(line, "^PUT /bowl 408 .* cut-off$")

    def test_vanished_while_taken(self) -> None:
        """So does one that goes while the sink takes a part."""
        bowl = self.admitted(2 * PIECE)
        self.client.send(b"x" * PIECE)
        self.client.send(b"x" * 100)
        self.client.vanish()
        bowl.take()
        self.assertEqual((bowl.given, bowl.discarded), ([PIECE], 1))
        self.over()

    def test_vanished_at_the_end(self) -> None:
        """A client that goes when it has sent everything has no influence any more."""
        bowl = self.admitted(20)
        self.client.send(b"x" * 20)
        self.client.vanish()
        self.assertEqual(bowl.discarded, 0)
        bowl.take()
        self.over()

    def test_full(self) -> None:
        """A sink that fails amid the body is answered at once, and the rest is read in vain."""
        bowl = self.admitted(100 * PIECE)
        while not self.paused:
            self.client.send(b"x" * 65536)
        bowl.take(Unavailable(cause="full"))
        self.problem(self.client.answer(), 503, "unavailable")
        self.assertFalse(self.paused)
        self.client.send(b"x" * 65536)
        self.assertEqual((bowl.discarded, len(bowl.given)), (1, 1))
        self.clock.advance(2)
        self.assertTrue(self.client.transport.disconnecting)
        self.clock.advance(0)
        self.over()

    def test_full_at_the_end(self) -> None:
        """One that fails with the last part is answered, and the connection stays."""
        bowl = self.admitted(20)
        self.client.send(b"x" * 20)
        bowl.take(Unavailable(cause="full"))
        self.problem(self.client.answer(), 503, "unavailable")
        self.client.ask("GET", "/small")
        self.assertEqual(self.client.answers()[-1].status, 200)

    def test_pipelined(self) -> None:
        """Requests before and after an upload on the same connection are answered in their
        order."""
        put = b"PUT /bowl HTTP/1.1\r\nHost: t\r\nContent-Length: 20\r\n\r\n" + b"x" * 20
        get = b"GET /small HTTP/1.1\r\nHost: t\r\n\r\n"
        self.client.send(get + put + put + get)
        for _ in range(2):
            self.bowl.admission.callback(None)
            self.bowl.take()
        self.clock.advance(0)
        self.assertEqual([answer.status for answer in self.client.answers()], [200, 204, 204, 200])

    def test_drain(self) -> None:
        """An upload is waited for at the end, and its answer ends the connection."""
        bowl = self.admitted(20)
        drained = Deferred.fromCoroutine(self.site.traffic.drain(10.0))
        self.clock.advance(5)
        self.assertNoResult(drained)
        self.client.send(b"x" * 20)
        bowl.take()
        self.assertEqual(self.client.answer().headers["Connection"], "close")
        self.clock.advance(0)
        self.successResultOf(drained)

    def test_drain_too_long(self) -> None:
        """One that takes too long is not waited for."""
        self.admitted(20)
        drained = Deferred.fromCoroutine(self.site.traffic.drain(10.0))
        self.clock.advance(10)
        self.successResultOf(drained)
