"""Writing a body in pieces, no faster than the client takes it."""

from collections.abc import Awaitable, Callable
from itertools import islice
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer, IReactorTime
from zope.interface import implementer

from contentsvc.framework.core.request_timing import waiting
from contentsvc.framework.core.timers import NextTurn


@implementer(IPushProducer)
class Flow:
    """Knows whether a connection takes more: the channel says so."""

    def __init__(self, channel: Any) -> None:
        self._clock = channel.site.reactor
        self._waiting: Deferred[None] | None = None
        self._paused = self.stopped = False
        channel.registerProducer(self, True)

    async def ready(self) -> bool:
        """Wait until the connection takes more. False if it has ended."""
        while self._paused and not self.stopped:
            self._waiting = Deferred()
            with waiting("sending", self._clock):
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


def framed(
    more: Callable[[], Awaitable[bytes]], brackets: bytes, chunked: bool
) -> Callable[[], Awaitable[bytes]]:
    """Gives the pieces of `more` with commas between them, in `brackets`; each as a chunk, if
    `chunked`."""
    before, ended = brackets[:1], False

    async def piece() -> bytes:
        nonlocal before, ended
        if ended:
            return b""
        if found := await more():
            text, before = before + found, b","
        else:
            text, ended = brackets[1:] if before == b"," else brackets, True
        if chunked:
            text = b"%x\r\n%s\r\n" % (len(text), text)
        return text + b"0\r\n\r\n" if chunked and ended else text

    return piece


AT_ONCE = 4
"""Connections that are read in one turn of the reactor, so that a turn stays short however many
have much input."""


class Reader(Protocol):
    """A connection that has more to read."""

    def read_on(self) -> None:
        """Read a turn's share. A connection that then has more joins again."""


class DeferredInput:
    """The connections with more to read, in the order of their turns."""

    def __init__(self, reactor: IReactorTime) -> None:
        self._line: dict[Reader, None] = {}
        self._turn = NextTurn(reactor, self._read_on)

    def join(self, reader: Reader) -> None:
        """Call its `read_on` once, in a later turn."""
        self._line[reader] = None
        self._turn.ask()

    def leave(self, reader: Reader) -> None:
        """Forget a connection that has ended."""
        self._line.pop(reader, None)
        if not self._line:
            self._turn.cancel()

    def _read_on(self) -> None:
        for reader in list(islice(self._line, AT_ONCE)):
            # One connection may have ended another.
            if reader in self._line:
                del self._line[reader]
                reader.read_on()
        if self._line:
            self._turn.ask()
