"""How a socket's input is read: so much in one turn, so much in ten seconds, and hardly any of it
behind a close.

Frames cost the same however small they are, and a client can send ten thousand of them in one
piece. What it sends must cost it the socket before it costs the others their turn.
"""

from enum import Enum
from typing import Any

from autobahn.twisted.websocket import WebSocketServerProtocol
from twisted.internet.interfaces import IDelayedCall

STEPS = 128
"""Heads and bodies of frames that one turn of the reactor takes from one socket."""
RATE, WINDOW = 60, 10
"""At most so many frames from a client, pings too, in each window of so many seconds."""
PONGS = 16
"""Pongs that count as much as one other frame: some answer pings of ours."""
SKIPPED_FRAMES = 1000
"""Frames behind a close of ours among which the client's own is looked for."""
SKIPPED_BYTES = 256 * 1024
"""Bytes behind a close of ours that are taken from the kernel. Those that it holds as the
connection ends reset it, and the client may then not see the close."""

_PONG_OPCODE, _CLOSE_OPCODE = 10, 8


class Found(Enum):
    """What a piece of a client's last words has brought."""

    NOTHING = 1
    CLOSE = 2
    TOO_MUCH = 3


class LastWords:
    """Finds the client's close behind ours, without decoding what comes before it.

    `skip` bytes are left of the frame that the close cut short.
    """

    def __init__(self, skip: int) -> None:
        self._skip = skip
        self._head = b""
        self._frames = self._bytes = 0

    def feed(self, data: bytes) -> Found:
        """Take what has come."""
        self._bytes += len(data)
        if self._bytes > SKIPPED_BYTES:
            return Found.TOO_MUCH
        if self._frames > SKIPPED_FRAMES:
            return Found.NOTHING
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
                    return Found.CLOSE
                break
            if more and at + 2 + more > len(data):
                break
            at = end
            self._frames += 1
            if self._frames > SKIPPED_FRAMES:
                self._head = b""
                return Found.NOTHING
        self._skip, self._head = max(0, at - len(data)), data[at:]
        return Found.NOTHING


class BoundedReading(WebSocketServerProtocol):
    """Autobahn's protocol, with bounds on what it reads. `_too_many_frames` is called where a
    client sends more often than it may."""

    factory: Any
    transport: Any
    _spent = _window = 0
    _reading_on: IDelayedCall | None = None
    _last_words: LastWords | None = None

    def dataReceived(self, data: bytes) -> None:
        # Autobahn's own formats log lines, and counts, for each piece of data.
        self.data += data
        self.consumeData()

    def consumeData(self) -> None:
        """Process what has come: some of it now, the rest in the turns that follow."""
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
            # What the kernel holds meanwhile slows the client down.
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
        """Look for the client's close, which ends the connection; else the timer of the close
        does, set when it was sent."""
        if self._last_words is None:
            frame = self.current_frame
            rest = 0 if frame is None else frame.length - self.current_frame_masker.pointer()
            self._last_words = LastWords(rest)
        data, self.data = self.data, b""
        found = self._last_words.feed(data)
        if found is Found.CLOSE:
            self.wasClean = True
            self.dropConnection()
        elif found is Found.TOO_MUCH:
            self.transport.pauseProducing()

    def onFrameBegin(self) -> None:
        window = self.factory.hub.heartbeat.tick // WINDOW
        if window != self._window:
            self._window, self._spent = window, 0
        self._spent += 1 if self.current_frame.opcode == _PONG_OPCODE else PONGS
        if self._spent >= (RATE + 1) * PONGS:
            self._too_many_frames()
        super().onFrameBegin()

    def _too_many_frames(self) -> None:
        raise NotImplementedError
