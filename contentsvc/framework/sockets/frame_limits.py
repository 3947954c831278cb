"""Bounded reading of a socket: in one turn, in ten seconds, and after a close.

A frame has the same cost however small it is, and a client can send ten thousand of them in one
piece. Such a client must lose its socket before others have to wait.
"""

from enum import Enum
from typing import Any

from twisted.internet.interfaces import IDelayedCall

from contentsvc.framework.core.autobahn_internals import ServerProtocol

STEPS = 128
"""At most so many heads and bodies of frames are read from one socket in a turn of the reactor."""
RATE, WINDOW = 60, 10
"""At most RATE frames from a client, pings too, in each window of WINDOW seconds."""
PONGS = 16
"""So many pongs count as one other frame, because some of them answer our pings."""
SKIPPED_FRAMES = 1000
"""The client's close is searched in so many frames after ours."""
SKIPPED_BYTES = 256 * 1024
"""At most so many bytes are taken from the kernel after our close. If the kernel still holds bytes
at the end, it resets the connection, and the client may not see the close."""

_PONG_OPCODE, _CLOSE_OPCODE = 10, 8


class InputAfterClose(Enum):
    """The result of reading a piece of input after our close."""

    NOTHING = 1
    CLOSE = 2
    TOO_MUCH = 3


class LastWords:
    """Finds the client's close after ours, without decoding the frames before it.

    Our close came within a frame of the client: `skip` bytes of it are still to come.
    """

    def __init__(self, skip: int) -> None:
        self._skip = skip
        self._head = b""
        self._frames = self._bytes = 0

    def feed(self, data: bytes) -> InputAfterClose:
        """Take a piece of input."""
        self._bytes += len(data)
        if self._bytes > SKIPPED_BYTES:
            return InputAfterClose.TOO_MUCH
        if self._frames > SKIPPED_FRAMES:
            return InputAfterClose.NOTHING
        data, at = self._head + data, self._skip
        while at + 2 <= len(data):
            length = data[at + 1] & 0x7F
            more = {126: 2, 127: 8}.get(length, 0)
            end = at + 2 + more
            if more:
                length = int.from_bytes(data[at + 2 : end])
            end += (4 if data[at + 1] & 0x80 else 0) + length
            if data[at] & 0x0F == _CLOSE_OPCODE and not more:
                if end <= len(data):
                    return InputAfterClose.CLOSE
                break
            if more and at + 2 + more > len(data):
                break
            at = end
            self._frames += 1
            if self._frames > SKIPPED_FRAMES:
                self._head = b""
                return InputAfterClose.NOTHING
        self._skip, self._head = max(0, at - len(data)), data[at:]
        return InputAfterClose.NOTHING


class FrameLimits(ServerProtocol):
    """Autobahn's protocol with bounds on its reading.

    It calls `_too_many_frames` if a client sends more often than it may.
    """

    factory: Any
    transport: Any
    _used = _window = 0
    _reading_on: IDelayedCall | None = None
    _last_words: LastWords | None = None

    def dataReceived(self, data: bytes) -> None:
        # Autobahn's own method formats log lines and counts, for each piece of data.
        self.data += data
        self.consumeData()

    def consumeData(self) -> None:
        """Process the input: a part of it now, the rest in the next turns."""
        if self.state == self.STATE_CONNECTING:
            super().consumeData()
            return
        if self._reading_on is not None:
            return
        steps = STEPS
        while steps and self.state == self.STATE_OPEN and self.processData():
            steps -= 1
        if self.state == self.STATE_CLOSING:
            self._skip()
        elif not steps and self.state == self.STATE_OPEN:
            # Meanwhile the kernel holds the input, which slows the client down.
            self.transport.pauseProducing()
            self._reading_on = self.factory.reactor.callLater(0, self._read_on)

    def _read_on(self) -> None:
        self._reading_on = None
        self.transport.resumeProducing()
        self.consumeData()

    def _stop_reading(self) -> None:
        """The connection is gone."""
        if self._reading_on is not None:
            self._reading_on.cancel()
            self._reading_on = None

    def _skip(self) -> None:
        """Look for the client's close, which ends the connection. Without one, the timer ends it
        that was set when our close was sent."""
        if self._last_words is None:
            frame = self.current_frame
            rest = 0 if frame is None else frame.length - self.current_frame_masker.pointer()
            self._last_words = LastWords(rest)
        data, self.data = self.data, b""
        found = self._last_words.feed(data)
        if found is InputAfterClose.CLOSE:
            self.wasClean = True
            self.dropConnection()
        elif found is InputAfterClose.TOO_MUCH:
            self.transport.pauseProducing()

    def onFrameBegin(self) -> None:
        window = self.factory.hub.heartbeat.tick // WINDOW
        if window != self._window:
            self._window, self._used = window, 0
        self._used += 1 if self.current_frame.opcode == _PONG_OPCODE else PONGS
        if self._used >= (RATE + 1) * PONGS:
            self._too_many_frames()
        super().onFrameBegin()

    def _too_many_frames(self) -> None:
        raise NotImplementedError
