"""Answers that are not taken: a bound for all together, and an end to those who take nothing."""

import socket
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock, deferLater
from twisted.logger import formatEvent
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase

from contentsvc.framework.core.twisted_internals import unsent
from contentsvc.framework.http.app import Api
from contentsvc.framework.http.call import Call
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Pieces, Reply
from contentsvc.framework.http.route import route
from contentsvc.framework.http.slow_clients import READ_TIMEOUT, SlowClients, unread
from tests.framework.http.support import WebCase, authenticate, operations, site_of, unknown

LARGE = 16 * 1024 * 1024
"""More than the system's own buffers take."""


class Transport:
    """The buffers of a transport, as far as they are used."""

    socket: Any

    def __init__(self, size: int) -> None:
        self.dataBuffer, self.offset, self._tempDataLen = b"x" * size, 0, 0


class Channel:
    """A connection with so much to take."""

    def __init__(self, size: int) -> None:
        self.transport = Transport(size)
        self.cut = False

    def cut_off(self) -> None:
        self.cut = True


def _watched(checked: set[Any]) -> type[Transport]:
    """Transports that say when somebody looks at them."""

    class Watched(Transport):
        def __getattribute__(self, name: str) -> Any:
            checked.add(self)
            return super().__getattribute__(name)

    return Watched


class UnsentTests(WebCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.unsent = SlowClients(self.clock, most=100)

    def full(self, size: int = 30) -> Any:
        """A connection to which so much has been written."""
        channel: Any = Channel(size)
        self.unsent.full(channel)
        return channel

    def take(self, channel: Any, size: int = 1) -> None:
        """So much is taken."""
        channel.transport.offset += size

    def hand_on(self, channel: Any) -> None:
        """The system takes all that is here."""
        self.take(channel, channel.transport.socket.send(b"x" * 30))
        self.unsent.resumed(channel)

    def test_bound(self) -> None:
        """Over the bound, those are cut off that have taken nothing for longest."""
        channels = [self.full() for _ in range(6)]
        self.assertEqual([channel.cut for channel in channels], [True] * 3 + [False] * 3)
        self.assertEqual(self.unsent.total, 90)

    def test_logged(self) -> None:
        """However many are cut off, the log has a line a second."""
        events = self.logged()
        for _ in range(9):
            self.full()
        self.clock.advance(1)
        lines = [formatEvent(event) for event in events]
        self.assertEqual(lines, ["Connections cut off because too much unread data was waiting: 6"])

    def test_many(self) -> None:
        """Of many that take nothing a few are cut off in each turn, until none is left."""
        self.unsent = SlowClients(self.clock)
        channels = [self.full() for _ in range(120)]
        events = self.logged()
        self.clock.advance(READ_TIMEOUT + 1)
        self.assertTrue(all(channel.cut for channel in channels))
        self.assertEqual([event["n"] for event in events], [50, 50, 20])

    def test_who_takes_stays(self) -> None:
        """A client that takes some stays while there are others."""
        slow = self.full()
        others = []
        for _ in range(9):
            self.take(slow)
            others.append(self.full())
        self.assertFalse(slow.cut)
        self.assertEqual([channel.cut for channel in others], [True] * 7 + [False] * 2)

    def test_crowd(self) -> None:
        """In a crowd of clients that all read some, room is found without a look at each."""
        self.unsent = SlowClients(self.clock, most=30_000)
        channels = [self.full() for _ in range(1000)]
        checked: set[Any] = set()
        for channel in channels:
            self.take(channel)
            channel.transport.__class__ = _watched(checked)
        self.full(1000)
        self.assertLessEqual(self.unsent.total, 30_000)
        self.assertLess(len(checked), 100)

    def test_patience(self) -> None:
        """A client that takes nothing for long is cut off. One that takes little, but steadily, is
        not."""
        idle, steady = self.full(), self.full(40)
        for _ in range(int(READ_TIMEOUT) + 2):
            self.take(steady)
            self.clock.advance(1)
        self.assertEqual((idle.cut, steady.cut), (True, False))
        self.assertEqual(self.unsent.total, unsent(steady.transport))

    def test_forgotten(self) -> None:
        """A client that has taken all is no longer watched."""
        channel = self.full()
        self.unsent.forget(channel)
        self.unsent.forget(channel)
        self.clock.advance(2)
        self.assertEqual((self.unsent.total, self.clock.getDelayedCalls()), (0, []))

    def test_system(self) -> None:
        """Bytes that only the system has taken, and not the other end, do not count as taken."""
        here, there = socket.socketpair()
        self.addCleanup(here.close)
        self.addCleanup(there.close)
        channel = Channel(40)
        channel.transport.socket = here
        self.unsent.full(channel)
        before = unread(channel.transport)
        channel.transport.offset += here.send(b"x" * 10)
        self.assertEqual(unsent(channel.transport), 30)
        self.assertGreaterEqual(unread(channel.transport), before)
        self.clock.advance(READ_TIMEOUT + 1)
        self.assertTrue(channel.cut)

    def test_system_has_all(self) -> None:
        """The system may have all of it: who still takes nothing is cut off, whatever comes then;
        of who takes it nothing is left."""
        idle, quick = self.full(), self.full()
        for channel in (idle, quick):
            here, there = socket.socketpair()
            self.addCleanup(here.close)
            self.addCleanup(there.close)
            channel.transport.socket, channel.there = here, there
            self.hand_on(channel)
        self.assertEqual(self.unsent.total, 0)
        quick.there.recv(30)
        for _ in range(int(READ_TIMEOUT) - 1):
            self.clock.advance(1)
            idle.transport.offset = 0
            self.unsent.full(idle)
            self.hand_on(idle)
        self.clock.advance(1)
        self.assertEqual((idle.cut, quick.cut), (True, False))
        self.assertEqual((self.unsent.total, self.clock.getDelayedCalls()), (0, []))

    def test_wrapped(self) -> None:
        """Bytes below a wrapper are counted, and so are those that TLS has not encrypted yet."""
        wrapper: Any = Channel(5)
        wrapper._appSendBuffer = [b"abc", b"de"]
        self.assertEqual(unsent(wrapper), 10)
        self.assertEqual(unsent(object()), 0)


class Reader(Protocol):
    """A client that asks, and reads when it is told to."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.ended: Deferred[None] = Deferred()
        self.lost = False

    def connectionMade(self) -> None:
        # Else the system decides, and some take 32 MiB.
        handle = self.transport.getHandle()  # type: ignore[union-attr]
        handle.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 256 * 1024)
        self.transport.pauseProducing()

    def dataReceived(self, data: bytes) -> None:
        self.received += data

    def connectionLost(self, reason: Failure) -> None:
        self.lost = True
        self.ended.callback(None)


class Large:
    """Answers of many bytes."""

    def __init__(self) -> None:
        self.pages = self.asked = 0

    @route("GET", "/whole", allow=ANYONE)
    async def whole(self, call: Call) -> str:
        """In one piece."""
        self.asked += 1
        return "x" * LARGE

    @route("GET", "/pieces", allow=ANYONE)
    async def pieces(self, call: Call) -> Pieces[list[str]]:
        """In many."""
        left = 200

        async def more() -> bytes:
            nonlocal left
            await deferLater(reactor, 0)
            self.pages += 1
            left -= 1
            return b'"%s"' % (b"x" * 100_000) if left >= 0 else b""

        async def state() -> str:
            return ""

        return Pieces(more, state)


class LoopbackTests(TestCase):
    """Real connections."""

    timeout = 60

    def setUp(self) -> None:
        self.large = Large()
        api = Api(authenticate, unknown, Reply(["*"], lambda cause: None))
        api.mount(operations([self.large]), [self.large])
        self.site = site_of(api, reactor, judge=api.judge, refuse=api.refuse)
        self.port = reactor.listenTCP(0, self.site, interface="127.0.0.1")
        self.addCleanup(self.port.stopListening)
        self.addCleanup(self.over)

    async def over(self) -> None:
        """Returns when all readers are gone, and the log has said who was cut off."""
        while not self.site.slow_clients.idle:
            await deferLater(reactor, 0.01)

    async def ask(self, path: str) -> Reader:
        """A connection that has asked and reads nothing."""
        host: IAddress = self.port.getHost()
        endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", host.port)
        reader = await connectProtocol(endpoint, Reader())
        self.addCleanup(self.end, reader)
        reader.transport.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return reader

    def end(self, reader: Reader) -> Deferred[None]:
        """Be gone."""
        reader.transport.abortConnection()
        return reader.ended

    async def settled(self) -> None:
        """Returns when no more pages are asked for."""
        before = -1
        while self.large.pages != before:
            before = self.large.pages
            for _ in range(200):
                await deferLater(reactor, 0)

    async def test_pieces(self) -> None:
        """Of a long list no more is made than is taken, and all of it arrives in the end."""
        reader = await self.ask("/pieces")
        await self.settled()
        self.assertLess(self.large.pages, 150)
        reader.transport.resumeProducing()
        while not reader.received.endswith(b"0\r\n\r\n"):
            await deferLater(reactor, 0.01)
        self.assertEqual(self.large.pages, 201)
        self.assertEqual(reader.received.count(b"x" * 100_000), 200)
        self.assertEqual((self.site.slow_clients.total, self.site.traffic.active), (0, set()))

    async def test_bound(self) -> None:
        """However many ask for large answers and read none, no more than the bound is kept for
        them, and others are served."""
        self.site.slow_clients = SlowClients(reactor, most=3 * LARGE)
        readers = [await self.ask("/whole") for _ in range(8)]
        while self.large.asked < 8:
            await deferLater(reactor, 0.01)
        self.assertLessEqual(self.site.slow_clients.total, 3 * LARGE)
        for reader in readers:
            reader.transport.resumeProducing()
        while self.site.slow_clients.total:
            await deferLater(reactor, 0.01)
        while sum(reader.lost or len(reader.received) > LARGE for reader in readers) < 8:
            await deferLater(reactor, 0.01)
        whole = [reader for reader in readers if len(reader.received) > LARGE]
        self.assertIn(len(whole), (2, 3, 4))
        reader = await self.ask("/whole")
        reader.transport.resumeProducing()
        while len(reader.received) < LARGE:
            await deferLater(reactor, 0.01)
