"""Writes that are handed to the system at the end of a turn of the reactor, over real TCP."""

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP4ServerEndpoint, connectProtocol
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase

from contentsvc.framework.core.twisted_internals import TurnWriter, unsent

MUCH = b"m" * 60_000
"""Fits the transport's buffer. Of some hundred the system takes only a part, if nobody reads."""


class Peer(Protocol):
    """An end of a connection. `got` is what it has read, `over` fires when it is lost."""

    def __init__(self) -> None:
        self.got, self.over = b"", Deferred[bytes]()

    def dataReceived(self, data: bytes) -> None:
        self.got += data

    def connectionLost(self, reason: Failure) -> None:
        self.over.callback(self.got)


class TurnWriterTests(TestCase):
    async def setUp(self) -> None:
        self.writer = TurnWriter()
        accepted: Deferred[Any] = Deferred()
        factory = Factory.forProtocol(Peer)
        factory.doStart = factory.doStop = lambda: None
        build = factory.buildProtocol

        def buildProtocol(addr: object) -> Peer:
            peer = build(addr)
            reactor.callLater(0, accepted.callback, peer)
            return peer

        factory.buildProtocol = buildProtocol
        port = await TCP4ServerEndpoint(reactor, 0, interface="127.0.0.1").listen(factory)
        self.addCleanup(port.stopListening)
        endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port.getHost().port)
        self.reader = await connectProtocol(endpoint, Peer())
        self.sender = await accepted
        self.addCleanup(lambda: self.sender.over)
        self.addCleanup(self.reader.transport.abortConnection)
        self.transport = self.sender.transport
        self.sizes: list[int] = []
        write = self.transport.writeSomeData

        def write_some(data: bytes) -> Any:
            self.sizes.append(len(data))
            return write(data)

        self.transport.writeSomeData = write_some

    async def all_of(self) -> bytes:
        """What the reader has when the sender has closed."""
        self.transport.loseConnection()
        return await self.reader.over

    async def test_one_write(self) -> None:
        """What comes in one turn is one write, in its order."""
        for piece in (b"one ", b"two ", b"three"):
            self.writer.write(self.transport, piece)
        self.assertEqual((self.sizes, unsent(self.transport)), ([], 13))
        turn: Deferred[None] = Deferred()
        reactor.callLater(0, turn.callback, None)
        await turn
        self.assertEqual((self.sizes, unsent(self.transport)), ([13], 0))
        self.assertEqual(await self.all_of(), b"one two three")

    async def test_closed(self) -> None:
        """What was written before the connection is closed arrives."""
        self.writer.write(self.transport, b"bye")
        self.assertEqual(await self.all_of(), b"bye")

    async def test_among_others(self) -> None:
        """What others write to the transport keeps its place."""
        self.transport.write(b"one ")
        self.writer.write(self.transport, b"two ")
        self.transport.write(b"three ")
        self.writer.write(self.transport, b"four")
        self.assertEqual(await self.all_of(), b"one two three four")

    async def test_others_after(self) -> None:
        """What others write after it in the same turn comes after it."""
        self.writer.write(self.transport, b"one ")
        self.transport.write(b"two ")
        self.writer.write(self.transport, b"three")
        self.assertEqual(await self.all_of(), b"one two three")

    async def test_slow_reader(self) -> None:
        """What the system does not take is written when it takes more."""
        self.reader.transport.pauseProducing()
        n = 0
        while not unsent(self.transport):
            n += 1
            self.writer.write(self.transport, b"%5d" % n + MUCH)
            turn: Deferred[None] = Deferred()
            reactor.callLater(0, turn.callback, None)
            await turn
        self.writer.write(self.transport, b"end")
        self.reader.transport.resumeProducing()
        expected = b"".join(b"%5d" % number + MUCH for number in range(1, n + 1)) + b"end"
        self.assertEqual(await self.all_of(), expected)

    async def test_too_long(self) -> None:
        """What is longer than the transport's buffer pauses whoever produces it."""
        paused: list[str] = []

        class Producer:
            def pauseProducing(self) -> None:
                paused.append("paused")

            def resumeProducing(self) -> None:
                paused.append("resumed")

            def stopProducing(self) -> None:
                pass

        self.transport.registerProducer(Producer(), True)
        self.writer.write(self.transport, b"x" * (self.transport.bufferSize + 1))
        self.assertEqual(paused, ["paused"])
        self.transport.unregisterProducer()
        self.assertEqual(len(await self.all_of()), self.transport.bufferSize + 1)

    async def test_lost(self) -> None:
        """A connection that is lost before the turn ends takes nothing with it."""
        self.writer.write(self.transport, b"never")
        self.transport.connectionLost(Failure(ConnectionError()))
        await self.reader.over
        self.writer.write(self.transport, b"never")
        self.assertEqual(self.sizes, [])

    async def test_not_tcp(self) -> None:
        """A transport of another kind writes by itself."""
        written: list[bytes] = []

        class Other:
            def write(self, data: bytes) -> None:
                written.append(data)

        self.writer.write(Other(), b"x")
        self.assertEqual(written, [b"x"])
