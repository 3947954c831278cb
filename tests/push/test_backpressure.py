"""Slow consumers: bounded memory, then 4408, and a resume where it stopped
(docs/interface/socket.md)."""

import socket as sockets

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.trial.unittest import TestCase

from contentsvc.framework.core.twisted_internals import unsent
from contentsvc.framework.sockets.heartbeat import SILENCE
from contentsvc.push.socket import QUEUE_BYTES, QUEUE_FRAMES, UNSENT, SocketProtocol
from contentsvc.push.streams import STATE_PAUSE
from tests.push.loopback import Client, Server

TEXT = "x" * 4000


class StalledTests(TestCase):
    """The server's transport says that its buffer is full, until the test lets it go."""

    async def stall(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.client = await self.server.hello()
        self.protocol = self.server.protocol
        self.protocol.pauseProducing()

    def deliver(self, count: int, text: str = "") -> None:
        for _ in range(count):
            self.server.hub.deliver(self.server.log.commit(text=text))

    async def test_queued(self) -> None:
        """Messages that come while the transport is full are sent when it is empty, in order."""
        await self.stall()
        self.deliver(QUEUE_FRAMES)
        self.protocol.resumeProducing()
        self.deliver(1)
        messages = await self.client.take(QUEUE_FRAMES + 1)
        self.assertEqual([m["seq"] for m in messages], list(range(1, QUEUE_FRAMES + 2)))

    async def test_newest_state(self) -> None:
        """However many states come meanwhile, one waits, the newest, and takes no place of a
        notification."""
        await self.stall()
        log, hub = self.server.log, self.server.hub
        for unread in range(3):
            log.read("ann", unread)
            hub.changed("ann")
            self.server.clock.advance(STATE_PAUSE)
        self.deliver(QUEUE_FRAMES)
        self.protocol.resumeProducing()
        messages = await self.client.take(QUEUE_FRAMES + 1)
        self.assertEqual([m["seq"] for m in messages[:-1]], list(range(1, QUEUE_FRAMES + 1)))
        self.assertEqual(messages[-1], {"type": "state", "seq": 0, "unread": 2})
        log.read("ann", 7)
        hub.changed("ann")
        self.assertEqual((await self.client.message())["unread"], 7)

    async def test_queue_is_bounded(self) -> None:
        """One frame more than the queue holds closes the socket with goodbye and 4408."""
        await self.stall()
        self.deliver(QUEUE_FRAMES + 1)
        self.assertEqual((await self.client.message())["reason"], "slow_consumer")
        self.assertEqual(await self.client.close_code(), 4408)

    async def test_queue_is_bounded_in_bytes(self) -> None:
        """The queue's bytes are bounded, too."""
        await self.stall()
        self.deliver(QUEUE_BYTES // len(TEXT), TEXT)
        self.assertEqual((await self.client.message())["reason"], "slow_consumer")
        self.assertEqual(await self.client.close_code(), 4408)

    async def test_one_pong(self) -> None:
        """A client that pings and does not read fills no buffer with pongs; when it reads on, its
        newest ping is answered."""
        await self.stall()
        for payload in b"1", b"2", b"3":
            self.client.sendPing(payload)
        self.client.say(type="nothing")
        received = self.next_message()
        self.client.say(type="ping")
        await received
        pongs: list[bytes] = []
        self.client.onPong = pongs.append
        self.protocol.resumeProducing()
        self.assertEqual(await self.client.message(), {"type": "pong"})
        self.assertEqual(pongs, [b"3"])

    def next_message(self) -> "Deferred[None]":
        """Fires when the server has dealt with a ping of ours."""
        received: Deferred[None] = Deferred()
        on_message = self.protocol.onMessage

        def dealt(payload: bytes, is_binary: bool) -> None:
            on_message(payload, is_binary)
            if b"ping" in payload:
                received.callback(None)

        self.protocol.onMessage = dealt  # type: ignore[method-assign]
        return received

    async def test_reads_on(self) -> None:
        """Taking what was sent is a sign of life, so that a long backlog is not cut short."""
        await self.stall()
        for _ in range(4):
            for _ in range(SILENCE - 1):
                self.server.clock.advance(1)
            self.protocol.resumeProducing()
            self.protocol.pauseProducing()
        self.protocol.resumeProducing()
        self.deliver(1)
        self.assertEqual((await self.client.message())["seq"], 1)

    async def test_stall(self) -> None:
        """A client that takes nothing for 30 s, but lives, is closed at the next heartbeat."""
        await self.stall()
        for _ in range(30):
            self.server.clock.advance(1)
            self.protocol.heard = self.server.hub.heartbeat.tick
        self.assertEqual((await self.client.message())["reason"], "slow_consumer")
        self.assertEqual(await self.client.close_code(), 4408)

    async def test_ends_with_a_queue(self) -> None:
        """The queue is dropped when the socket ends, so that nothing is sent out of order."""
        await self.stall()
        self.deliver(3)
        self.server.hub.revoke(["s1"])
        self.protocol.resumeProducing()
        self.assertEqual((await self.client.message())["type"], "goodbye")
        self.assertEqual(await self.client.close_code(), 4403)


class SlowReaderTests(TestCase):
    """A client that really does not read."""

    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.stop)

    async def connect(self, resume: int | None = None) -> tuple[Client, SocketProtocol]:
        """A client that does not read on, with as little as possible in the kernel's buffers."""
        client = await self.server.connect()
        client.transport.getHandle().setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 2**16)
        protocol = self.server.protocol
        protocol.transport.getHandle().setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, 2**16)
        client.transport.pauseProducing()
        self.paused = self.pausing(protocol)
        client.say(type="auth", token=self.server.token(), resume=resume)
        return client, protocol

    async def test_little_unsent(self) -> None:
        """The kernel is given little more than it can send, so that a pong does not wait long."""
        _, protocol = await self.connect()
        option = sockets.IPPROTO_TCP, sockets.TCP_NOTSENT_LOWAT
        self.assertEqual(protocol.transport.getHandle().getsockopt(*option), UNSENT)

    def pausing(self, protocol: SocketProtocol) -> "Deferred[None]":
        """Fires when the server's transport is full."""
        paused: Deferred[None] = Deferred()
        pause = protocol.pauseProducing

        def pausing() -> None:
            pause()
            if not paused.called:
                paused.callback(None)

        protocol.pauseProducing = pausing  # type: ignore[method-assign]
        return paused

    async def test_backlog_waits(self) -> None:
        """A backlog is read only as far as the client takes it, and all of it arrives."""
        for _ in range(2000):
            self.server.log.commit(text=TEXT)
        client, protocol = await self.connect(resume=0)
        await self.paused
        for _ in range(10):
            await deferLater(reactor, 0)
        self.assertLess(unsent(protocol.transport), 2**16 + 2 * len(TEXT))
        self.assertLess(len(self.server.log.asked), 5)
        client.transport.resumeProducing()
        messages = await client.take(2001)
        self.assertEqual([m["seq"] for m in messages], list(range(2001)))

    async def test_closed_and_resumed(self) -> None:
        """A slow consumer is told goodbye and closed with 4408; resuming, it misses nothing."""
        client, protocol = await self.connect()
        while not protocol.position.live:
            await deferLater(reactor, 0)
        while protocol.state == protocol.STATE_OPEN:
            self.server.hub.deliver(self.server.log.commit(text=TEXT))
            await deferLater(reactor, 0)
        client.transport.resumeProducing()
        hello, *got, goodbye = await self.all_until(client, "goodbye")
        self.assertEqual((hello["seq"], goodbye["reason"]), (0, "slow_consumer"))
        self.assertEqual(await client.close_code(), 4408)
        seqs = [message["seq"] for message in got]
        back = await self.server.connect(self.server.token(), f"?resume={seqs[-1]}")
        newest = self.server.log.newest("ann")
        self.assertLess(seqs[-1], newest)
        seqs += [message["seq"] for message in (await back.take(1 + newest - seqs[-1]))[1:]]
        self.assertEqual(seqs, list(range(1, newest + 1)))

    async def all_until(self, client: Client, last: str) -> list[dict[str, object]]:
        messages = [await client.message()]
        while messages[-1]["type"] != last:
            messages.append(await client.message())
        return messages
