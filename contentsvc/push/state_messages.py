"""The message `state`: a user's read flags have changed, or notifications were deleted.

All changes of all users wait for one read of the counters, and one such read is under way at a
time. `changes`, a number in the counter's row, shows which sockets lack the last change.
"""

from itertools import islice

from twisted.internet.defer import CancelledError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.core.timers import Backoff, Sleeps
from contentsvc.framework.db.query import Db
from contentsvc.framework.db.retries import FIRST_PAUSE, LAST_PAUSE, report
from contentsvc.push.stream import Log, Sizes, Stream
from contentsvc.push.subscriber import Subscriber, state_frame
from contentsvc.store.notifications.streams import Tally

PAUSE = 0.25
"""Seconds between reads: a client that changes a thousand flags a second costs four of them."""

log = Logger()


class States:
    """Sends sockets the state of their user's notifications."""

    def __init__(
        self, reactor: IReactorTime, db: Db, store: Log, sizes: Sizes, *, pause: float = PAUSE
    ) -> None:
        self._db = db
        self._store = store
        self._sizes = sizes
        self._pause = pause
        self._asked: dict[str, Stream] = {}
        self._reading = SingleFlight(self._read, self._failed)
        self._stopped = False
        self._sleeps = Sleeps(reactor)

    def stop(self) -> None:
        """Forget all of them and end every wait."""
        self._stopped = True
        self._asked.clear()
        self._sleeps.stop()

    def ask(self, stream: Stream) -> None:
        """The state of this user may have changed: read it, and send it to the sockets."""
        self._asked[stream.user] = stream
        self._reading.begin()

    def forget(self, stream: Stream) -> None:
        """The user's last socket has gone."""
        self._asked.pop(stream.user, None)

    def greeted(self, stream: Stream, socket: Subscriber, changes: int) -> None:
        """This socket's hello had the state after so many changes."""
        socket.changes = changes
        if 0 <= stream.changes != changes:
            self.ask(stream)  # either this hello or what the other sockets know is old
        stream.changes = max(stream.changes, changes)

    async def _read(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while self._asked:
            streams = list(islice(self._asked.values(), self._sizes.users))
            known = [stream.changes for stream in streams]
            for stream in streams:
                del self._asked[stream.user]
            try:
                found = await self._store.tallies(self._db, [stream.user for stream in streams])
            except Exception as error:
                if self._stopped:  # the database is being closed
                    break
                report("read the state of notifications", error)
                self._asked = {
                    stream.user: stream for stream in streams if stream.sockets
                } | self._asked
                pause = pauses.next()
            else:
                self._found(streams, known, found)
                pauses.reset()
                pause = self._pause
            if self._stopped:
                break
            await self._sleeps.sleep(pause)

    def _found(self, streams: list[Stream], known: list[int], found: list[Tally]) -> None:
        tallies = {tally.user_id: tally for tally in found}
        for stream, changes in zip(streams, known, strict=True):
            if stream.changes == changes:
                self._send_state(stream, tallies[stream.user])
            elif stream.sockets:
                self._asked[stream.user] = stream  # a hello has a newer state than this one

    def _send_state(self, stream: Stream, tally: Tally) -> None:
        stream.changes = tally.changes
        frame = b""
        for socket in tuple(stream.sockets):  # a slow socket removes itself from the list
            if socket.position >= 0 and socket.changes != tally.changes:
                frame = frame or state_frame(tally)
                socket.changes = tally.changes
                socket.push_state(frame)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The reader of states failed", failure)
