"""Writing a body in pieces, no faster than the client takes it."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from zope.interface import implementer


@implementer(IPushProducer)
class Flow:
    """Knows whether a connection takes more: the channel tells it."""

    def __init__(self, channel: Any) -> None:
        self._waiting: Deferred[None] | None = None
        self._paused = self.stopped = False
        channel.registerProducer(self, True)

    async def ready(self) -> bool:
        """Wait until the connection takes more. False if it has ended."""
        while self._paused and not self.stopped:
            self._waiting = Deferred()
            await self._waiting
        return not self.stopped

    def pauseProducing(self) -> None:
        """The transport's buffer is full."""
        self._paused = True

    def resumeProducing(self) -> None:
        """The transport's buffer is empty."""
        self._paused = False
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.callback(None)

    def stopProducing(self) -> None:
        """The connection has ended."""
        self.stopped = True
        self.resumeProducing()
