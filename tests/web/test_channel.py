"""A connection that brings many requests at once."""

from contentsvc.web.channel import AT_ONCE, PIECE
from tests.web.boxes import Boxes, Waits, body_of
from tests.web.support import Service, WebCase

MANY = 2 * AT_ONCE


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
        """What a client has left behind when it goes is dropped."""
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
        head = b"PUT /small HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ann\r\n"
        self.client.send(head + b"Transfer-Encoding: chunked\r\n\r\n")
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

    def test_gone(self) -> None:
        """What a client has left behind when it goes is dropped."""
        self.client.send(self.whole)
        self.client.vanish()
        self.service.clock.advance(0)
        self.assertEqual((self.boxes.taken, self.service.clock.getDelayedCalls()), ([], []))
