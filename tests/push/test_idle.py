"""Idle sockets: what an open socket keeps, over real connections."""

import gc
import weakref

from twisted.trial.unittest import TestCase
from twisted.web.http import HTTPChannel

from contentsvc.push.socket import MESSAGE_BYTES
from tests.push.loopback import Server


class IdleTests(TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.stop)

    async def test_small(self) -> None:
        """An open socket keeps nothing of the handshake, and not the HTTP channel."""
        channels: list[weakref.ref[HTTPChannel]] = []
        made = HTTPChannel.connectionMade

        def connection_made(channel: HTTPChannel) -> None:
            channels.append(weakref.ref(channel))
            made(channel)

        self.patch(HTTPChannel, "connectionMade", connection_made)
        await self.server.hello()
        gc.collect()
        self.assertEqual([channel() for channel in channels], [None])
        self.assertLess(len(vars(self.server.protocol)), 20)
        self.assertIs(self.server.protocol.transport.producer, self.server.protocol)

    async def test_options(self) -> None:
        """The options of the factory hold for a socket that keeps none of them."""
        await self.server.hello()
        socket = self.server.protocol
        self.assertNotIn("maxMessagePayloadSize", vars(socket))
        self.assertEqual(socket.maxMessagePayloadSize, MESSAGE_BYTES)
