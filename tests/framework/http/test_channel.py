"""A connection that brings many requests at once."""

from collections.abc import Callable

from contentsvc.framework.http.backpressure import AT_ONCE as AT_ONCE_OF_ALL
from contentsvc.framework.http.backpressure import DeferredInput
from contentsvc.framework.http.channel import AT_ONCE, LINES, PIECE
from tests.framework.http.boxes import Boxes, Waits, body_of
from tests.framework.http.support import Client, Service, WebCase

MANY = 2 * AT_ONCE
HEAD = (
    b"PUT /small HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ann\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n"
)
GET = b"GET /small?number=%05d HTTP/1.1\r\nHost: test\r\n\r\n"


class Turns:
    """A reactor whose turns are taken one by one."""

    def __init__(self, turns: list[Callable[[], None]]) -> None:
        self._turns = turns

    def callLater(self, delay: float, call: Callable[[], None]) -> "Turns":
        self._turns.append(call)
        return self

    def cancel(self) -> None:
        self._turns.clear()


class PipelineTests(WebCase):
    def setUp(self) -> None:
        self.boxes, self.waits = Boxes(), Waits()
        self.service = Service([self.boxes, self.waits])
        self.client = self.service.connect()

    def send(self, *paths: str) -> None:
        """PUT a Box to each of these paths, all in one piece."""
        head = "PUT {} HTTP/1.1\r\nHost: test\r\nContent-Length: 30\r\n\r\n"
        self.client.send(b"".join(head.format(path).encode() + body_of(30) for path in paths))

    @property
    def answered(self) -> int:
        """How many answers there are."""
        return self.client.transport.value().count(b"HTTP/1.1 204 ")

    def test_many(self) -> None:
        """Of requests that come in one piece so many are answered in a turn, and nothing more is
        read; the next turn goes on with the rest."""
        self.send(*["/small"] * MANY)
        self.assertEqual((self.answered, self.client.transport.producerState), (AT_ONCE, "paused"))
        self.send("/small")
        self.assertEqual(self.answered, AT_ONCE)
        self.service.clock.advance(0)
        self.assertEqual(self.answered, MANY + 1)
        self.assertEqual(self.client.transport.producerState, "producing")

    def test_behind_one_that_waits(self) -> None:
        """So it is with those behind one that took its time."""
        self.send("/wait", *["/small"] * MANY)
        self.assertEqual(self.answered, 0)
        self.waits.go.callback(None)
        self.assertLess(self.answered, MANY)
        self.service.clock.advance(0)
        self.assertEqual(self.answered, MANY + 1)

    def test_broken_off(self) -> None:
        """A request of which only the beginning was in the piece is waited for."""
        self.send(*["/small"] * AT_ONCE)
        self.client.send(b"GET /small HTTP/1.1\r\n")
        self.service.clock.advance(0)
        self.assertEqual(self.answered, AT_ONCE)
        self.client.send(b"Host: test\r\n\r\n")
        self.assertIn(b"HTTP/1.1 200 ", self.client.transport.value())

    def test_gone(self) -> None:
        """The remaining input of a client that has gone is dropped."""
        self.send(*["/small"] * MANY)
        self.client.vanish()
        self.service.clock.advance(0)
        self.assertEqual(len(self.boxes.taken), AT_ONCE)
        self.assertEqual(self.service.clock.getDelayedCalls(), [])


class ChunkTests(WebCase):
    def setUp(self) -> None:
        self.boxes = Boxes()
        self.service = Service([self.boxes])
        self.client = self.service.connect()
        self.client.send(HEAD)
        body = body_of(2 * PIECE)
        self.whole = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"

    def test_in_pieces(self) -> None:
        """Of a body in the smallest chunks a piece is read in a turn, and nothing more comes; what
        comes all the same waits behind it."""
        half = len(self.whole) // 2
        self.client.send(self.whole[:half])
        self.assertEqual(self.client.transport.producerState, "paused")
        self.client.send(self.whole[half:] + b"GET /small HTTP/1.1\r\nHost: test\r\n\r\n")
        self.assertTrue(self.client.silent)
        self.service.clock.advance(0)
        self.assertEqual(len(self.boxes.taken[0]), 2 * PIECE - len(body_of(0)))
        received = self.client.transport.value()
        self.assertEqual((received.count(b" 204 "), received.count(b" 200 ")), (1, 1))
        self.assertEqual(self.client.transport.producerState, "producing")

    def test_head_with_it(self) -> None:
        """So it is where the headers come in the same piece of data."""
        client = self.service.connect()
        client.send(HEAD + self.whole)
        self.assertEqual((client.silent, client.transport.producerState), (True, "paused"))
        self.service.clock.advance(0)
        self.assertEqual(client.transport.value().count(b" 204 "), 1)

    def test_many_connections(self) -> None:
        """However many connections send such bodies, a turn reads on with a few of them."""
        turns: list[Callable[[], None]] = []
        self.service.site.backlog = DeferredInput(Turns(turns))
        clients = [self.service.connect() for _ in range(3 * AT_ONCE_OF_ALL)]
        for client in clients:
            client.send(HEAD + self.whole[: 2 * PIECE])
        while turns:
            left = self.waiting(clients)
            turns.pop(0)()
            self.assertLessEqual(left - self.waiting(clients), AT_ONCE_OF_ALL * PIECE)
        self.assertEqual(self.waiting(clients), 0)

    def waiting(self, clients: list[Client]) -> int:
        """The bytes that have not been read on."""
        return sum(len(client.channel.later) for client in clients)

    def test_order(self) -> None:
        """Input that comes during a slow request is read in its order."""
        waits = Waits()
        service = Service([self.boxes, waits])
        client = service.connect()
        many = LINES
        waiting = b"PUT /wait HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n"
        client.send(waiting + b"".join(GET % number for number in range(many)))
        service.clock.advance(0)
        waits.go.callback(None)
        service.clock.advance(0)
        answers = client.transport.value()
        self.assertEqual((answers.count(b" 200 "), answers.count(b" 400 ")), (many, 0))

    def test_counted(self) -> None:
        """Waiting input counts with the bodies. Beyond the bound the slowest get 503."""
        service = Service([self.boxes], body_memory=16 * PIECE)
        service.site.backlog = DeferredInput(Turns([]))
        clients = [service.connect() for _ in range(8)]
        for client in clients:
            client.send(HEAD + self.whole[: 2 * PIECE])
        self.assertLessEqual(service.site.traffic.small.held, 4 * PIECE)
        self.assertLessEqual(self.waiting(clients), 4 * PIECE)
        self.assertIn(b" 503 ", clients[0].transport.value())
        self.assertTrue(clients[-1].silent)
        for client in clients:
            client.vanish()
        self.assertEqual(service.site.traffic.small.held, 0)

    def test_gone(self) -> None:
        """The remaining input of a client that has gone is dropped."""
        self.client.send(self.whole)
        self.client.vanish()
        self.service.clock.advance(0)
        self.assertEqual((self.boxes.taken, self.service.clock.getDelayedCalls()), ([], []))
