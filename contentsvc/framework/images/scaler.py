"""The process that makes smaller images (framework.images.program), as its daemon sees it.

There is at most one for each process of the service. It is started when the first image comes, and
ends when none has come for a while. Whatever an image does to it, no other process is harmed.
"""

import signal
import struct
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import Bulkhead
from contentsvc.framework.core.timers import cancel, timer
from contentsvc.framework.images import sandbox

KINDS: Final = {"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WEBP"}
"""The media types that the process reads, by its own names."""
MEMORY: Final = 512 * 1024 * 1024
"""Bytes that it may have."""
START: Final = 25.0
"""Seconds for its start."""
IDLE: Final = 60.0
"""Seconds without an image after which it ends."""
RENEWED: Final = 100
"""Images after which another process takes its place: memory in use only ever grows."""
MOST_ANSWER: Final = 64 * 1024 * 1024
"""Bytes of an answer. More is nonsense."""
_ERRORS: Final = 2000
"""Bytes that are kept of what it says of errors."""
_PROGRAM: Final = Path(__file__).with_name("program.py")
_CRASHES: Final = {
    *(signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL),
    # What a call of another architecture ends with.
    signal.SIGSYS,
}


class Time(NamedTuple):
    """The seconds that an image may take: of the processor, and in all. The difference is for a
    busy machine."""

    cpu: float
    wall: float


FIRST: Final = Time(2.0, 5.0)
"""For a first try. Most images need less than half a second."""
LONG: Final = Time(10.0, 25.0)
"""For one that needs more."""


class Unscalable(Exception):
    """Nothing can be made of this image. `str()` says why."""


class TooLong(Unscalable):
    """It takes more of the processor's time than it may."""


class ScalingFailed(Exception):
    """The process has failed, and the image may not be why. `str()` says how."""


class Late(ScalingFailed):
    """It was not done in time, and may not have had the processor."""


class Stopped(Exception):
    """The daemon ends."""


class Scaler:
    """Makes smaller images, one after the other, as WebP of the given widths, of images that have
    at most `most_pixels`. `program` is what the process runs. `idle` is in seconds, `memory` in
    bytes. `took` is called with the seconds that each image has taken."""

    def __init__(
        self,
        reactor: Any,
        widths: Sequence[int],
        most_pixels: int,
        took: Callable[[float], object] = lambda seconds: None,
        *,
        program: Path = _PROGRAM,
        memory: int = MEMORY,
        idle: float = IDLE,
    ) -> None:
        self._reactor = reactor
        self._took = took
        # Where the kernel could filter, and then does not, the process ends before it reads any.
        numbers = (*widths, most_pixels, memory, int(sandbox.lacking() is None))
        # Not -S: Pillow is among the site packages.
        self._command = [sys.executable, "-I", "-B", str(program), *map(str, numbers)]
        self._widths = len(widths)
        self._idle = idle
        self._places = Bulkhead[str](1)
        self._process: _Process | None = None
        self._ending: IDelayedCall | None = None
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        return None if self._process is None else self._process.pid

    async def scale(self, data: bytes, media_type: str, time: Time = LONG) -> list[bytes]:
        """Smaller images, in the order of the widths. The others who ask meanwhile wait.

        Raises Unscalable, ScalingFailed, Stopped, and OSError if no process can be started; TooLong
        and Late of these if more than the `time` has passed.
        """
        async with self._places.place(""):
            cancel(self._ending)
            if self._stopped:
                raise Stopped
            if self._process is None or self._process.over:
                self._process = self._begin()
            process, began = self._process, self._reactor.seconds()
            try:
                answer = await self._ask(process, data, KINDS[media_type], time)
            except BaseException:
                # It may be in the midst of an answer, or worse.
                process.kill()
                raise
            finally:
                self._took(self._reactor.seconds() - began)
            if process.answers > RENEWED:
                process.kill()
            self._ending = self._reactor.callLater(self._idle, process.kill)
        word, *parts = answer
        if word == b"none":
            raise Unscalable(parts[0].decode("utf-8", "replace"))
        return parts

    async def stop(self) -> None:
        """Make nothing more, and end the process. What is under way raises Stopped."""
        self._stopped = True
        cancel(self._ending)
        if self._process is not None and not self._process.over:
            self._process.kill(Stopped())
            await self._process.gone

    def _begin(self) -> "_Process":
        process = _Process({b"none": 1, b"made": self._widths})
        outputs: dict[int, Any] = {0: "w", 1: "r", 2: "r"}
        # Nothing of our environment, which may have secrets.
        self._reactor.spawnProcess(
            process, self._command[0], self._command, env={}, childFDs=outputs
        )
        return process

    async def _ask(self, process: "_Process", data: bytes, kind: str, time: Time) -> list[bytes]:
        if not process.answers:
            late = ScalingFailed(f"it has not started in {START:g} s")
            with timer(self._reactor, START, process.kill, late):
                await process.answer()
        late = Late(f"it was not done in {time.wall:g} s")
        with timer(self._reactor, time.wall, process.kill, late):
            head = struct.pack(">I4sI", len(data), kind.ljust(4).encode(), round(time.cpu * 1000))
            process.send(head, data)
            return await process.answer()


class _Process(ProcessProtocol):
    """One process, whose answers have so many parts after each of these words. The first answer is
    that it is ready."""

    transport: Any

    def __init__(self, words: dict[bytes, int]) -> None:
        self._words = words
        self._data = bytearray()
        self._parts: list[bytes] = []
        self._waiting: Deferred[list[bytes]] | None = None
        self._why: Exception | None = None
        self._errors = b""
        self.answers = 0
        self.over = False
        self.gone: Deferred[None] = Deferred()

    @property
    def pid(self) -> int | None:
        """Its number, until it has ended."""
        return None if self.over else self.transport.pid

    def send(self, *parts: bytes) -> None:
        """Write to it. If it has ended, the answer says so."""
        for part in parts:
            self.transport.write(part)

    async def answer(self) -> list[bytes]:
        """The next one. Raises what it ended for."""
        if self.over:
            raise self._why or ScalingFailed("the process has ended")
        self._waiting = Deferred()
        return await self._waiting

    def kill(self, why: Exception | None = None) -> None:
        """End it. All who wait for an answer get this error."""
        self._why = self._why or why
        with suppress(ProcessExitedAlready):
            self.transport.signalProcess("KILL")

    def outReceived(self, data: bytes) -> None:
        self._data += data
        if len(self._data) > MOST_ANSWER:
            self._garbled()
        while len(self._data) >= 4 and self._why is None:
            length = int.from_bytes(self._data[:4], "big")
            if len(self._data) < 4 + length:
                break
            self._take(bytes(self._data[4 : 4 + length]))
            del self._data[: 4 + length]

    def _take(self, part: bytes) -> None:
        self._parts.append(part)
        words = self._words if self.answers else {b"ready": 0}
        expected = words.get(self._parts[0])
        if expected is None:
            self._garbled()
        elif len(self._parts) > expected:
            answer, self._parts = self._parts, []
            waiting, self._waiting = self._waiting, None
            if waiting is None:
                self._garbled()
                return
            self.answers += 1
            waiting.callback(answer)

    def _garbled(self) -> None:
        self._data.clear()
        # The image has taken it over.
        self.kill(Unscalable("its reader writes nonsense"))

    def errReceived(self, data: bytes) -> None:
        self._errors = (self._errors + data)[-_ERRORS:]

    def processEnded(self, reason: Failure) -> None:
        self.over = True
        if self._why is None:
            self._why = self._fate(reason.value)
        if self._waiting is not None:
            waiting, self._waiting = self._waiting, None
            waiting.errback(self._why)
        self.gone.callback(None)

    def _fate(self, how: Any) -> Exception:
        if how.signal == signal.SIGPROF:
            return TooLong("it takes too much time")
        if how.signal in _CRASHES:
            return Unscalable(f"its reader has crashed with signal {how.signal}")
        by = f"signal {how.signal}" if how.signal is not None else f"status {how.exitCode}"
        said = self._errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return ScalingFailed(f"the process has ended with {by}" + (f": {said}" if said else ""))
