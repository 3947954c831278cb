"""Answers in pieces: long lists, written no faster than they are taken."""

from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.logger import formatEvent

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import Unavailable
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Pieces
from contentsvc.framework.http.route import route
from tests.framework.http.support import Client, Service, WebCase

GET = b"GET /list HTTP/1.1\r\nHost: test\r\n\r\n"


class Lists:
    """Lists whose pages a test gives."""

    def __init__(self) -> None:
        self.pages: list[bytes | Exception | Deferred[bytes]] = []
        self.state = "1"
        self.asked: list[str] = []

    @route("GET", "/list", allow=ANYONE)
    async def list(self, call: Call) -> Pieces[list[int]]:
        """An array."""
        return Pieces(self._more, self._state)

    @route("GET", "/map", allow=ANYONE)
    async def map(self, call: Call) -> Pieces[dict[str, int]]:
        """An object."""
        return Pieces(self._more, self._state, b"{}")

    @route("GET", "/short", allow=ANYONE)
    async def short(self, call: Call) -> str:
        """Something else."""
        return "short"

    async def _state(self) -> str:
        self.asked.append("state")
        if not self.state:
            raise Unavailable(cause="outage")
        return self.state

    async def _more(self) -> bytes:
        self.asked.append("page")
        page = self.pages.pop(0) if self.pages else b""
        if isinstance(page, Exception):
            raise page
        return await (page if isinstance(page, Deferred) else succeed(page))


def dechunked(data: bytes) -> tuple[list[bytes], bytes]:
    """The chunks of a body, and what comes after the last; AssertionError where none is last."""
    chunks = []
    while True:
        size, found, data = data.partition(b"\r\n")
        assert found, "the body does not end"
        length = int(size, 16)
        if not length:
            return chunks, data.removeprefix(b"\r\n")
        chunks.append(data[:length])
        data = data[length + 2 :]


class PiecesCase(WebCase):
    def setUp(self) -> None:
        self.lists = Lists()
        self.service = Service([self.lists])
        self.site = self.service.site

    def ask(self, data: bytes = GET) -> Client:
        """A connection that has asked."""
        client = self.service.connect()
        client.send(data)
        return client

    def received(self, client: Client) -> tuple[bytes, bytes]:
        """The head and the rest of what came."""
        head, _, rest = client.transport.value().partition(b"\r\n\r\n")
        return head, rest

    def nothing_left(self) -> None:
        """Assert that no request is under way."""
        self.assertEqual(self.site.traffic.active, set())


class FormTests(PiecesCase):
    def test_chunked(self) -> None:
        """The pieces of an array make one, in chunks."""
        self.lists.pages = [b"1,2", b"3", b"4"]
        head, rest = self.received(self.ask())
        self.assertIn(b"Transfer-Encoding: chunked", head)
        self.assertNotIn(b"Content-Length", head)
        self.assertEqual(dechunked(rest), ([b"[1,2", b",3", b",4", b"]"], b""))
        self.nothing_left()

    def test_none(self) -> None:
        """A list of which nothing is left when it is written is an empty one."""
        self.assertEqual(dechunked(self.received(self.ask())[1]), ([b"[]"], b""))

    def test_object(self) -> None:
        """The pieces of an object make one."""
        self.lists.pages = [b'"a":1', b'"b":2']
        _, rest = self.received(self.ask(GET.replace(b"/list", b"/map")))
        self.assertEqual(b"".join(dechunked(rest)[0]), b'{"a":1,"b":2}')

    def test_old(self) -> None:
        """To HTTP/1.0 the body ends with the connection."""
        self.lists.pages = [b"1", b"2"]
        client = self.ask(b"GET /list HTTP/1.0\r\n\r\n")
        head, rest = self.received(client)
        self.assertNotIn(b"Transfer-Encoding", head)
        self.assertIn(b"Connection: close", head)
        self.assertEqual(rest, b"[1,2]")
        self.assertTrue(client.transport.disconnecting)

    def test_head(self) -> None:
        """HEAD has the ETag and reads no page."""
        head, rest = self.received(self.ask(GET.replace(b"GET", b"HEAD")))
        self.assertIn(b"ETag: W/", head)
        self.assertEqual((rest, self.lists.asked), (b"", ["state"]))
        self.nothing_left()

    def test_unchanged(self) -> None:
        """The ETag is made of the state, which is asked for before any page; with it, 304 reads
        none. Another state has another."""
        self.lists.pages = [b"1"]
        head, _ = self.received(self.ask())
        self.assertEqual(self.lists.asked, ["state", "page", "page"])
        (tag,) = (line[6:] for line in head.split(b"\r\n") if line.startswith(b"ETag: "))
        self.lists.asked = []
        again = GET[:-2] + b"If-None-Match: " + tag + b"\r\n\r\n"
        self.assertIn(b" 304 ", self.received(self.ask(again))[0])
        self.assertEqual(self.lists.asked, ["state"])
        self.lists.state = "2"
        self.assertIn(b" 200 ", self.received(self.ask(again))[0])

    def test_no_state(self) -> None:
        """A failure before the first byte is an answer like others."""
        self.lists.state = ""
        self.assertIn(b" 503 ", self.received(self.ask())[0])

    def test_pipelined(self) -> None:
        """The next request on the connection is answered after the last piece."""
        page: Deferred[bytes] = Deferred()
        self.lists.pages = [b"1", page]
        client = self.ask(GET + GET.replace(b"/list", b"/short"))
        self.assertNotIn(b"short", client.transport.value())
        page.callback(b"2")
        _, rest = self.received(client)
        chunks, after = dechunked(rest)
        self.assertEqual(b"".join(chunks), b"[1,2]")
        self.assertTrue(after.endswith(b'"short"'))


class EndTests(PiecesCase):
    def test_failure(self) -> None:
        """A failure in the middle cuts the connection off, without an end of the body; it is
        logged."""
        events = self.logged()
        self.lists.pages = [b"1", Unavailable(cause="outage")]
        client = self.ask()
        self.assertTrue(client.transport.disconnected)
        self.assertRaises(AssertionError, dechunked, self.received(client)[1])
        (line,) = self.lines(events)
        self.assertRegex(line, r"^GET /list 200 .* cut-off$")
        said = [formatEvent(event) for event in events]
        self.assertTrue(any(line.endswith("was cut off: unavailable") for line in said), said)
        self.nothing_left()

    def test_fault(self) -> None:
        """A fault of ours in the middle has its traceback in the log."""
        self.lists.pages = [b"1", ZeroDivisionError()]
        self.assertTrue(self.ask().transport.disconnected)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    def test_failure_old(self) -> None:
        """To HTTP/1.0 it is cut off too, not closed as if it were whole."""
        self.lists.pages = [b"1", Unavailable(cause="outage")]
        client = self.ask(b"GET /list HTTP/1.0\r\n\r\n")
        self.assertTrue(client.transport.disconnected)

    def test_vanished(self) -> None:
        """When the client goes, no further page is read."""
        page: Deferred[bytes] = Deferred()
        self.lists.pages = [page, b"2"]
        client = self.ask()
        client.vanish()
        page.callback(b"1")
        self.assertEqual(self.lists.asked, ["state", "page"])
        self.nothing_left()

    def test_drained(self) -> None:
        """A stop waits for the last piece."""
        page: Deferred[bytes] = Deferred()
        self.lists.pages = [page]
        client = self.ask()
        draining = Deferred.fromCoroutine(self.site.traffic.drain(10))
        self.assertNoResult(draining)
        page.callback(b"1")
        self.assertTrue(client.transport.value().endswith(b"1\r\n]\r\n0\r\n\r\n"))


class TakingTests(PiecesCase):
    """Clients that are slow; the transport's calls are made by hand."""

    def channel(self, client: Client) -> Any:
        """The connection's."""
        return client.transport.protocol

    def test_waits(self) -> None:
        """While the client takes nothing no page is read; when it has, the next is."""
        page: Deferred[bytes] = Deferred()
        self.lists.pages = [page, b"2"]
        client = self.ask()
        self.channel(client).pauseProducing()
        page.callback(b"1")
        self.assertEqual(self.lists.asked, ["state", "page"])
        self.channel(client).resumeProducing()
        self.assertEqual(self.lists.asked, ["state", "page", "page", "page"])
        self.assertEqual(b"".join(dechunked(self.received(client)[1])[0]), b"[1,2]")

    def test_vanished_while_waiting(self) -> None:
        """A client that goes while the next page waits is forgotten."""
        page: Deferred[bytes] = Deferred()
        self.lists.pages = [page]
        client = self.ask()
        self.channel(client).pauseProducing()
        page.callback(b"1")
        client.vanish()
        self.nothing_left()
        self.assertEqual(self.lists.asked, ["state", "page"])

    def test_next_waits(self) -> None:
        """After an answer that has not been taken, the next request waits, pipelined or not."""
        client = self.ask(b"GET /short HTTP/1.1\r\nHost: test\r\n")
        self.channel(client).pauseProducing()
        client.send(b"\r\n" + GET)
        self.assertEqual(client.transport.value().count(b"HTTP/1.1 200"), 1)
        client.send(GET)
        self.assertEqual(self.lists.asked, [])
        self.channel(client).resumeProducing()
        self.assertEqual(client.transport.value().count(b"HTTP/1.1 200"), 3)
