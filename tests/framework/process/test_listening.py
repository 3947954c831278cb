"""Connections that come all at once: some in each turn of the reactor, and none is refused."""

import socket

from twisted.internet import reactor, tcp
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.protocol import Factory, Protocol
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase

from contentsvc.framework.process.listening import accept_few


class Turned(Protocol):
    """A connection that ends at once; `ended` fires when it has."""

    def __init__(self, ended: list[Deferred[None]]) -> None:
        self._ended: Deferred[None] = Deferred()
        ended.append(self._ended)

    def connectionMade(self) -> None:
        self.transport.abortConnection()  # type: ignore[union-attr]

    def connectionLost(self, reason: Failure) -> None:  # type: ignore[override]
        self._ended.callback(None)


class AcceptTests(TestCase):
    async def test_few_in_a_turn(self) -> None:
        """However many wait, and have been taken before, a turn takes 32 connections."""
        ended: list[Deferred[None]] = []
        factory = Factory()
        factory.noisy = False
        factory.buildProtocol = lambda address: Turned(ended)  # type: ignore[method-assign]
        port = reactor.listenTCP(0, factory, 128, "127.0.0.1")  # type: ignore[attr-defined]
        self.addCleanup(port.stopListening)
        accept_few(port)
        for _ in range(100):
            client = socket.create_connection(("127.0.0.1", port.getHost().port))
            self.addCleanup(client.close)
        taken = []
        while len(ended) < 100:
            before = len(ended)
            port.numberAccepts = 500
            port.doRead()
            taken.append(len(ended) - before)
        self.assertEqual(taken, [32, 32, 32, 4])
        await gatherResults(ended)
        self.assertIsInstance(port, tcp.Port)
