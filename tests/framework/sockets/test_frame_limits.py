"""The limits of a client's messages, and the refusals beyond them (docs/interface/socket.md)."""

import socket as sockets
from itertools import pairwise
from struct import pack

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.framework.sockets.frame_limits import (
    PONGS,
    RATE,
    SKIPPED_BYTES,
    SKIPPED_FRAMES,
    STEPS,
    InputAfterClose,
    LastWords,
)
from contentsvc.push.socket import SocketProtocol
from tests.push.loopback import Client, Server

PING, PONG, TEXT, MORE, CLOSE = 0x89, 0x8A, 0x81, 0x00, 0x88


def frame(opcode: int, payload: bytes = b"") -> bytes:
    """A client's frame, masked with zeros."""
    size = len(payload)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + pack("!H", size)
    return bytes((opcode,)) + length + bytes(4) + payload


class FloodTests(TestCase):
    """A client that sends as much as it can."""

    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.turns: list[int] = []

    async def hello(self) -> Client:
        """A signed-in client; `turns` gets the frames' parts that each turn of the server takes."""
        client = await self.server.hello()
        self.count(self.server.protocol)
        return client

    def count(self, protocol: SocketProtocol) -> None:
        consume, process = protocol.consumeData, protocol.processData

        def consume_data() -> None:
            self.turns.append(0)
            consume()

        def process_data() -> bool:
            self.turns[-1] += 1
            more: bool = process()
            return more

        protocol.consumeData, protocol.processData = consume_data, process_data

    async def refused(self, client: Client) -> None:
        message = await client.message()
        while message["type"] == "pong":
            message = await client.message()
        self.assertEqual(message["code"], "rate_limited")
        self.assertEqual(await client.close_code(), 1008)

    async def test_nothing_behind_a_refusal(self) -> None:
        """Input after one frame too many is not parsed. The client still gets the reason, and its
        answer to the close ends the connection cleanly."""
        client = await self.hello()
        client.transport.write(frame(PING) * SKIPPED_FRAMES)
        await self.refused(client)
        await self.server.gone.get()
        self.assertTrue(client.clean)
        self.assertLessEqual(sum(self.turns), 2 * (RATE + 1))

    async def test_floods_before_auth(self) -> None:
        """The same holds for a socket that has not signed in, whatever kind of frame it sends."""
        message = frame(TEXT, b"1")
        fragments = frame(0x01) + frame(MORE) * 5000
        for flood in frame(PING) * 5000, frame(PONG) * 5000, message * 5000, fragments:
            client = await self.server.connect()
            self.count(self.server.protocol)
            client.transport.write(flood)
            error = await client.message()
            while error.get("code") == "malformed_message":
                error = await client.message()
            self.assertEqual(error["code"], "rate_limited")
            self.server.clock.advance(5)
            await self.server.gone.get()
            self.assertEqual(await client.close_code(), 1008)
            self.assertLessEqual(sum(self.turns), 2 * (RATE + 1) * PONGS)
            self.assertLessEqual(max(self.turns), STEPS)
            self.turns.clear()

    async def test_bounded_turns(self) -> None:
        """Many small frames are taken over several turns, in order, and nothing is lost."""
        client = await self.hello()
        client.transport.write(frame(PONG) * 800 + frame(TEXT, b'{"type":"ping"}'))
        self.assertEqual(await client.message(), {"type": "pong"})
        self.assertLessEqual(max(self.turns), STEPS)
        self.assertGreater(len(self.turns), 2 * 800 // STEPS)

    async def test_bounded_turns_of_the_handshake(self) -> None:
        """Input that comes in one piece with the handshake is read over several turns too."""
        count, turns = self.count, self.turns

        class Counted(self.server.factory.protocol):  # type: ignore[misc,name-defined]
            def makeConnection(self, transport: object) -> None:
                count(self)
                super().makeConnection(transport)

        self.server.factory.protocol = Counted
        with sockets.create_connection(("127.0.0.1", self.server.port.getHost().port)) as raw:
            head = (
                "GET /socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            )
            head += f"Authorization: Bearer {self.server.token()}\r\n\r\n"
            raw.setblocking(False)
            raw.sendall(head.encode() + frame(PONG) * 800 + frame(CLOSE))
            await self.server.gone.get()
        self.assertLessEqual(max(turns), STEPS)
        self.assertGreaterEqual(sum(turns), 2 * 800)

    async def test_flood_of_pongs(self) -> None:
        """Pongs that nobody asked for are too many at some point."""
        client = await self.hello()
        client.transport.write(frame(PONG) * (RATE + 1) * PONGS)
        await self.refused(client)

    async def test_pongs_beside_messages(self) -> None:
        """A client that sends as many messages as it may can still answer pings."""
        client = await self.hello()
        message = frame(TEXT, b'{"type":"ping"}')
        client.transport.write(frame(PONG) * (PONGS - 1) + message * RATE)
        self.assertEqual(await client.take(RATE), [{"type": "pong"}] * RATE)
        client.transport.write(frame(PONG))
        await self.refused(client)

    async def test_not_taken_for_ever(self) -> None:
        """A refused client that sends on is soon not read at all, and cut off 5 s after the
        close."""
        client = await self.hello()
        client.sendCloseFrame = lambda *args, **kwargs: None
        protocol = self.server.protocol
        piece = frame(PING, bytes(100)) * 1000
        client.transport.write(frame(PING) * (RATE + 1))
        await self.until(lambda: protocol.state == protocol.STATE_CLOSING)
        taken = 0
        received = protocol.dataReceived

        def data_received(data: bytes) -> None:
            nonlocal taken
            taken += len(data)
            received(data)

        protocol.dataReceived = data_received
        for _ in range(100):
            client.transport.write(piece)
        await self.until(lambda: protocol.transport not in reactor.getReaders())  # type: ignore
        self.assertLess(taken, SKIPPED_BYTES + 2**17)
        self.assertEqual(self.turns[-1], 0)
        self.server.clock.advance(5)
        await self.server.gone.get()

    async def test_too_large_and_on(self) -> None:
        """The rest of a message that is too large is skipped; behind it a close is found."""
        client = await self.hello()
        client.sendCloseFrame = lambda *args, **kwargs: None
        client.transport.write(frame(TEXT, b" " * 20_000) + frame(CLOSE, b"\x03\xe8"))
        protocol = self.server.protocol
        await self.server.gone.get()
        self.assertTrue(protocol.wasClean)
        self.assertLessEqual(sum(self.turns), 2)

    async def test_leaves_amid_a_flood(self) -> None:
        """A client that goes while its frames wait for their turn leaves nothing behind."""
        client = await self.hello()
        protocol = self.server.protocol
        self.server.clock.turning = False
        client.transport.write(frame(PONG) * 800)
        await self.until(lambda: protocol.transport not in reactor.getReaders())
        protocol.drop()
        await self.server.gone.get()
        due = [call.getTime() for call in self.server.clock.getDelayedCalls()]
        self.assertNotIn(self.server.clock.seconds(), due)

    async def test_ended_amid_a_flood(self) -> None:
        """A socket that is ended while frames wait for their turn skips them."""
        client = await self.hello()
        protocol = self.server.protocol
        self.server.clock.turning = False
        client.transport.write(frame(PONG) * (STEPS - 8))
        await self.until(lambda: protocol.transport not in reactor.getReaders())
        done = sum(self.turns)
        self.server.hub.revoke(["s1"])
        self.server.clock.advance(0)
        self.assertEqual((await client.message())["reason"], "revoked")
        self.assertEqual(await client.close_code(), 4403)
        self.assertEqual(sum(self.turns), done)

    async def until(self, holds: object) -> None:
        """Wait for what the next turns bring."""
        while not holds():  # type: ignore[operator]
            turn: Deferred[None] = deferLater(reactor, 0)
            await turn


class LastWordsTests(SynchronousTestCase):
    def test_close(self) -> None:
        """The client's close is found at once, and behind other frames."""
        others = frame(PING) + frame(TEXT, b"x" * 200) + frame(TEXT, b"y" * 4000)
        for before in b"", others:
            for payload in b"", b"\x03\xe8bye":
                self.assertIs(
                    LastWords(0).feed(before + frame(CLOSE, payload)), InputAfterClose.CLOSE
                )

    def test_in_pieces(self) -> None:
        """However the bytes are cut, the close is found with its last byte, and not before."""
        words = b"z" * 7 + frame(PING, b"12") + frame(TEXT, b"x" * 300) + frame(CLOSE, b"\x03\xe8")
        for cuts in [range(0, len(words) + step, step) for step in (1, 2, 3, 50)]:
            last = LastWords(7)
            found = [last.feed(words[a:b]) for a, b in pairwise(cuts)]
            self.assertEqual(found[-1], InputAfterClose.CLOSE)
            self.assertEqual(set(found[:-1]), {InputAfterClose.NOTHING})

    def test_huge(self) -> None:
        """A frame that says it is 2^63 long is skipped without end, like its payload."""
        last = LastWords(0)
        self.assertIs(last.feed(b"\x82\xff\x7f" + b"\xff" * 7 + bytes(4)), InputAfterClose.NOTHING)
        self.assertIs(last.feed(frame(CLOSE)), InputAfterClose.NOTHING)

    def test_many_frames(self) -> None:
        """Behind so many frames no close is looked for; beyond so many bytes it is too much."""
        last = LastWords(0)
        self.assertIs(last.feed(frame(PING) * SKIPPED_FRAMES + frame(CLOSE)), InputAfterClose.CLOSE)
        last = LastWords(0)
        self.assertIs(last.feed(frame(PING) * (SKIPPED_FRAMES + 1)), InputAfterClose.NOTHING)
        self.assertIs(last.feed(frame(CLOSE)), InputAfterClose.NOTHING)
        self.assertIs(last.feed(bytes(SKIPPED_BYTES)), InputAfterClose.TOO_MUCH)

    def test_garbage(self) -> None:
        """All other input is skipped."""
        for first in range(256):
            for second in range(256):
                LastWords(0).feed(bytes((first, second)) * 20)
