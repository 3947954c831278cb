"""A body that goes on to somewhere else while it arrives, however long it is."""

from collections.abc import Awaitable
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import cancel
from contentsvc.framework.http.errors import InternalError, Problem, RequestTimeout

log = Logger()

PIECE = 1024 * 1024
"""A body is handed on in pieces of so many bytes, or more."""
MOST_OF_ONE = 4 * PIECE
"""Most bytes of one body that have arrived, and that the sink has not taken."""
MOST_OF_ALL = 64 * PIECE
"""The same for all bodies together. Beyond this, each goes on in small steps: what has arrived is
handed on at once, and nothing more is read until the sink has taken it."""
FLUSH = 5.0
"""What has arrived is handed on after so many seconds, however little it is."""


class Sink(Protocol):
    """Where a body goes. `admit` comes first, and each `write` after the end of the one before.
    Both raise the Problem to answer."""

    def admit(self) -> Awaitable[None]:
        """Whether the body may come. Nothing of it is asked for before."""

    def write(self, data: bytearray) -> Awaitable[None]:
        """Take these bytes."""

    def discard(self) -> None:
        """The body does not come whole, or is refused: forget it. May be called at any time."""


class HeldBytes:
    """The bytes of all bodies together that have arrived, and that no sink has taken."""

    def __init__(self, most: int = MOST_OF_ALL) -> None:
        self._most = most
        self.size = 0

    @property
    def full(self) -> bool:
        """Whether there are more than there should be."""
        return self.size > self._most


class Receiver(Protocol):
    """The request that a body belongs to."""

    site: Any
    channel: Any

    def admitted(self) -> None:
        """Its body may come."""

    def refuse(self, problem: Problem) -> None:
        """Answer this before the whole body has arrived."""


class StreamedBody:
    """A body of `size` bytes on its way to a sink.

    It may take any time. Only silence of `body_timeout` seconds ends it, while the client is let
    send.
    """

    def __init__(self, request: Receiver, sink: Sink, size: int) -> None:
        self._request = request
        self._channel = request.channel
        self._site = request.site
        self._held: HeldBytes = request.site.held
        self._sink = sink
        self._left = size
        self._buffer = bytearray()
        self._taking = 0
        self._admitted = self._stopped = self._paused = False
        self._problem: Problem | None = None
        self._done: Deferred[None] | None = None
        self._silence: Any = None
        self._flush: Any = None
        # The site's own time-out of a connection would also run while the client must wait.
        self._saved = self._channel.setTimeout(None)

    def begin(self) -> None:
        """Ask for its admission. Until then nothing of it is read."""
        self._pause()
        Deferred.fromCoroutine(self._admit())

    @property
    def left(self) -> int:
        """The bytes that have not arrived."""
        return self._left

    async def _admit(self) -> None:
        try:
            await self._sink.admit()
        except Exception as error:
            self._fail(error)
            return
        self._admitted = True
        if not self._stopped:
            if self._left:
                self._request.admitted()
            self._go_on()

    def received(self, data: bytes) -> None:
        """Take a part of the body."""
        self._left -= len(data)
        if not self._left:
            cancel(self._silence)
            self._channel.setTimeout(self._saved)
            self._release()
        if self._stopped:
            return
        self._buffer += data
        self._held.size += len(data)
        if self._silence is not None and self._left:
            self._silence.reset(self._site.body_timeout)
        self._go_on()

    def _go_on(self) -> None:
        """Hand on what is enough for a piece, and let the client send as much as there is room."""
        hurried = self._held.full or not self._left
        if self._buffer and self._admitted and not self._taking:
            if hurried or len(self._buffer) >= PIECE:
                self._hand_on()
            elif self._flush is None:
                self._flush = self._site.reactor.callLater(FLUSH, self._hand_on)
        waiting = len(self._buffer) + self._taking
        if not self._admitted or waiting >= MOST_OF_ONE or (hurried and waiting):
            self._pause()
        elif self._paused and waiting < PIECE:
            self._resume()
        if self._done is not None and not (self._left or waiting):
            self._finish()

    def _hand_on(self) -> None:
        cancel(self._flush)
        self._flush = None
        if self._taking or self._stopped:
            return
        data, self._buffer = self._buffer, bytearray()
        self._taking = len(data)
        self._site.traffic.progresses(self._channel)
        Deferred.fromCoroutine(self._write(data))

    async def _write(self, data: bytearray) -> None:
        try:
            await self._sink.write(data)
        except Exception as error:
            self._fail(error)
            return
        if not self._stopped:
            self._held.size -= self._taking
            self._taking = 0
            self._go_on()

    def _pause(self) -> None:
        if not self._paused and self._left:
            self._paused = True
            cancel(self._silence)
            self._silence = None
            self._channel.hold_back(True)

    def _resume(self) -> None:
        seconds, refuse = self._site.body_timeout, self._request.refuse
        self._silence = self._site.reactor.callLater(seconds, refuse, RequestTimeout())
        self._release()

    async def whole(self) -> None:
        """Wait until the sink has taken all of it. Raises the Problem for which it did not."""
        if self._problem is None:
            done = self._done = Deferred()
            self._go_on()
            await done
        if self._problem is not None:
            raise self._problem

    def _finish(self) -> None:
        done, self._done = self._done, None
        if done is not None:
            done.callback(None)

    def _fail(self, error: Exception) -> None:
        if self._stopped:
            return
        if isinstance(error, Problem):
            self._problem = error
        else:
            log.failure("A body could not be taken", Failure(error))
            self._problem = InternalError()
        if self._left:
            self._request.refuse(self._problem)
        else:
            self.stop()

    def stop(self) -> None:
        """Forget the body, and drop what the client still sends."""
        if self._stopped:
            return
        self._stopped = True
        cancel(self._silence)
        cancel(self._flush)
        self._held.size -= len(self._buffer) + self._taking
        self._buffer.clear()
        self._sink.discard()
        self._release()
        self._finish()

    def _release(self) -> None:
        if self._paused:
            self._paused = False
            self._channel.hold_back(False)
