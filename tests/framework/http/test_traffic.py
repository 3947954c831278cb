"""The bytes of all bodies together, and of headers that do not all come."""

from contentsvc.framework.http.body_reader import KIB, SMALL
from tests.framework.http.boxes import BIG, Boxes, Waits, body_of
from tests.framework.http.support import Client, Service, WebCase

MEMORY = 4 * KIB * KIB
"""Of these a quarter is for what is small."""


class MemoryCase(WebCase):
    def setUp(self) -> None:
        self.boxes, self.waits = Boxes(), Waits()
        self.service = Service([self.boxes, self.waits], body_memory=MEMORY)
        self.traffic = self.service.site.traffic

    @property
    def held(self) -> int:
        """The bytes that are held."""
        return self.traffic.small.held + self.traffic.large.held

    def begin(self, size: int, sent: int, path: str = "/big") -> Client:
        """A connection on which so many bytes of a body of that size have come."""
        client = self.service.connect()
        client.ask("PUT", path, Content_Length=str(size), Authorization="Bearer ann")
        client.send(body_of(size)[:sent])
        return client

    def nothing_left(self) -> None:
        """Assert that nothing is held, and nothing waited for."""
        for room in (self.traffic.small, self.traffic.large):
            self.assertEqual((room.held, room.arriving), (0, {}))


class BodyTests(MemoryCase):
    """Bodies."""

    def test_bound(self) -> None:
        """However many bodies do not end, no more than the bound is held; the slowest are 503."""
        clients = []
        for _ in range(60):
            clients.append(self.begin(BIG, BIG - 1))
            self.assertLessEqual(self.held, MEMORY)
        refused = [client for client in clients if not client.silent]
        self.assertEqual(refused, clients[: len(refused)])
        self.assertEqual(len(clients) - len(refused), 3 * MEMORY // 4 // BIG)
        answer = refused[0].answer()
        self.problem(answer, 503, "unavailable")
        self.assertEqual(answer.headers["Retry-After"], "1")
        self.assertEqual(set(self.service.causes), {"limit"})
        kept = sum(len(request.content.getvalue()) for request in self.traffic.active)
        self.assertLessEqual(kept, MEMORY)
        clients[-1].send(b"}")
        self.assertEqual(clients[-1].answer().status, 204)
        for client in clients:
            client.vanish()
        self.nothing_left()

    def test_small(self) -> None:
        """Small bodies have room of their own, and the slowest make room here too."""
        for _ in range(60):
            self.begin(BIG, BIG - 1)
        large = self.traffic.large.held
        for _ in range(100):
            self.begin(SMALL, SMALL - 1, "/small")
        self.assertLessEqual(self.traffic.small.held, MEMORY // 4)
        self.assertEqual(self.traffic.large.held, large)
        answer = self.service.ask("PUT", "/small", body_of(20))
        self.assertEqual(answer.status, 204)

    def test_chunked(self) -> None:
        """Chunked bodies are counted as they come."""
        for _ in range(60):
            client = self.service.connect()
            client.ask("PUT", "/big", Transfer_Encoding="chunked", Authorization="Bearer ann")
            for _ in range(7):
                client.send(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            self.assertLessEqual(self.held, MEMORY)

    def test_under_way(self) -> None:
        """A request keeps its bytes until it is answered. Without room for another, that one gets
        503."""
        clients = [self.service.connect() for _ in range(80)]
        for client in clients:
            client.ask("PUT", "/late", body_of(SMALL))
        refused = [client for client in clients if not client.silent]
        self.assertEqual(len(clients) - len(refused), MEMORY // 4 // SMALL)
        self.problem(refused[0].answer(), 503, "unavailable")
        self.waits.go.callback(None)
        self.nothing_left()

    def test_given_back(self) -> None:
        """The bytes of a request are given back, however it ends."""
        self.service.ask("PUT", "/small", body_of(20))
        self.nothing_left()
        self.service.ask("PUT", "/small", b"x" * 20)
        self.nothing_left()
        self.begin(BIG, BIG - 1).vanish()
        self.nothing_left()
        client = self.begin(BIG, BIG - 1)
        self.service.clock.advance(30)
        self.problem(client.answer(), 408, "timeout")
        self.nothing_left()
        chunked = self.service.connect()
        chunked.ask("PUT", "/small", Transfer_Encoding="chunked")
        chunked.send(b"5\r\nxxxxx\r\nzz\r\n")
        self.problem(chunked.answer(), 400, "malformed_request")
        self.nothing_left()
        gone = self.service.connect()
        gone.ask("PUT", "/late", body_of(20))
        gone.vanish()
        self.assertEqual(self.held, 20)
        self.waits.go.callback(None)
        self.nothing_left()


class HeadTests(MemoryCase):
    """Headers that do not all come."""

    def test_bound(self) -> None:
        """They count as small bodies do."""
        clients = []
        for _ in range(300):
            clients.append(self.service.connect())
            clients[-1].send(b"GET /small HTTP/1.1\r\nX: " + b"x" * 15_000)
            self.assertLessEqual(self.traffic.small.held, MEMORY // 4)
        self.problem(clients[0].answer(), 503, "unavailable")
        self.assertTrue(clients[-1].silent)
        clients[-1].send(b"\r\nHost: t\r\n\r\n")
        self.assertTrue(clients[-1].transport.value().startswith(b"HTTP/1.1 200 "))
        for client in clients:
            client.vanish()
        self.nothing_left()

    def test_trickling(self) -> None:
        """Each piece is counted once, and many short headers for what they take."""
        client = self.service.connect()
        client.send(b"GET /small HTTP/1.1\r\n")
        for _ in range(100):
            client.send(b"a: b\r\n")
        self.assertTrue(400 < self.held < 30_000, self.held)
        client.send(b"Host: t\r\n\r\n")
        self.nothing_left()

    def test_too_late(self) -> None:
        """A refused request holds no bytes any more."""
        client = self.service.connect()
        client.send(b"GET /small HTTP/1.1\r\n")
        self.service.clock.advance(30)
        self.problem(client.answer(), 408, "timeout")
        self.nothing_left()


class BehindTests(MemoryCase):
    """Input behind a request that is still worked on."""

    def ask(self, line: bytes = b"PUT /wait HTTP/1.1") -> Client:
        """A connection with a request that takes its time."""
        client = self.service.connect()
        client.send(line + b"\r\nHost: t\r\n\r\n")
        return client

    def statuses(self, client: Client) -> list[bytes]:
        """Those of the answers."""
        return [part[2:5] for part in client.transport.value().split(b"HTTP/1.")[1:]]

    def test_bound(self) -> None:
        """It counts as small bodies do; where there is no room the connection ends with the answer
        that is due."""
        clients = []
        for _ in range(40):
            clients.append(self.ask())
            clients[-1].send(b"GET /small HTTP/1.1\r\nHost: t\r\nX: " + b"x" * 60_000)
            self.assertLessEqual(self.traffic.small.held, MEMORY // 4)
        buffered = sum(
            len(piece) for channel in self.traffic.channels for piece in channel._dataBuffer
        )
        self.assertLessEqual(buffered, MEMORY // 4)
        self.waits.go.callback(None)
        self.assertEqual(self.statuses(clients[0]), [b"204"])
        self.assertIn(b"Connection: close", clients[0].transport.value())
        self.assertTrue(clients[0].transport.disconnecting)
        self.assertEqual(self.statuses(clients[-1]), [b"204", b"431"])
        for client in clients:
            client.vanish()
        self.nothing_left()

    def test_replayed(self) -> None:
        """It is given back when it is its turn."""
        client = self.ask()
        client.send(b"GET /small HTTP/1.1\r\nHost: t\r\n\r\n")
        self.assertGreater(self.held, 0)
        self.waits.go.callback(None)
        self.assertEqual(self.statuses(client), [b"204", b"200"])
        self.nothing_left()

    def test_last(self) -> None:
        """Behind a connection's last request nothing is kept, or read."""
        client = self.ask(b"PUT /wait HTTP/1.0")
        client.send(b"x" * 60_000)
        self.assertEqual((self.held, client.transport.producerState), (0, "paused"))
        self.waits.go.callback(None)
        self.assertEqual(self.statuses(client), [b"204"])

    def test_vanished(self) -> None:
        """A client that goes leaves nothing behind."""
        client = self.ask()
        client.send(b"GET /small HTTP/1.1\r\n")
        client.vanish()
        self.nothing_left()
