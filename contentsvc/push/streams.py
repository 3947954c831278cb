"""The streams of connected users: the notifications that they get, in their order.

A stream sends a notification only if it is known to follow, by id, the last one sent. The reason is
that a database can go back in time (a restored back-up, a failover that lost commits), and then
gives the same numbers again.
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
from contentsvc.push.statistics import Delays
from contentsvc.push.stream import (
    Log,
    Sizes,
    Stream,
    Subscriber,
    encode,
    log_changed,
    notification_frame,
    state_frame,
)
from contentsvc.store.notifications.notifications import Following
from contentsvc.store.notifications.streams import Aged, StreamEnd, Tally

PARTS = 20
"""The number of parts of the streams. While no loss is suspected, one part is checked at a time."""
# Ids are random, so all parts have about the same size. The rows of users whose ids begin alike are
# close together in the index that a check reads. After "f" nothing comes that an id begins with.
_BOUNDS = ["", *(f"{(part << 16) // PARTS:04x}" for part in range(1, PARTS)), "~"]

STATE_PAUSE = 0.25
"""Seconds between reads of states: a client that changes a thousand flags a second costs four."""

log = Logger()


class Streams:
    """The streams of the connected users.

    Each notification passes here on its way to the sockets, wherever it comes from. This class
    reads for streams that are behind, and checks the logs.
    """

    def __init__(
        self, reactor: IReactorTime, db: Db, store: Log, sizes: Sizes, delays: Delays
    ) -> None:
        self._db = db
        self._store = store
        self._sizes = sizes
        self._delays = delays
        self._users: dict[str, Stream] = {}
        self._behind: dict[str, Stream] = {}
        self._part = 0
        self._reading = SingleFlight(self._read, self._read_failed)
        self.found = 0
        """Notifications that a check of the logs has found, and that nobody had announced by
        then."""
        self._sleeps = Sleeps(reactor)
        self._states = States(reactor, db, store, sizes)

    def stop(self) -> None:
        """Forget all of them and end every wait."""
        self._users.clear()
        self._behind.clear()
        self._states.stop()
        self._sleeps.stop()

    def users(self) -> list[str]:
        """The users who have a stream."""
        return list(self._users)

    def get(self, user: str) -> Stream | None:
        """The stream of a user who is connected."""
        return self._users.get(user)

    def of(self, user: str) -> Stream:
        """The stream of a user who connects. Nothing that commits from here on is missed."""
        stream = self._users.get(user)
        if stream is None:
            stream = self._users[user] = Stream(user)
        return stream

    def remove(self, stream: Stream) -> None:
        """The user's last socket has gone."""
        del self._users[stream.user]
        self._behind.pop(stream.user, None)
        self._states.forget(stream)

    def deliver(self, row: Following) -> bool:
        """Send a committed notification to its user's live sockets, in its turn. Returns whether a
        socket has got it now.

        It is sent if it follows the last one sent, and dropped if its seq is known. Otherwise it
        waits for a read of everything between: completions of commits reach the reactor in any
        order.
        """
        stream = self._users.get(row.user_id)
        if stream is None:
            return False
        if row.seq == stream.last + 1 and row.previous == stream.id:
            return self._advance(stream, row)
        self.want(stream, row.seq)
        return False

    def noticed(self, user: str, seq: int) -> None:
        """`user` has notifications up to `seq`: read those that this process has not sent."""
        stream = self._users.get(user)
        if stream is not None:
            self.want(stream, seq)

    def changed(self, user: str) -> None:
        """Read flags of `user` have changed, or notifications were deleted: send the state."""
        stream = self._users.get(user)
        if stream is not None:
            self._states.ask(stream)

    def greeted(self, stream: Stream, changes: int) -> None:
        """A socket's hello had the state after so many changes."""
        self._states.greeted(stream, changes)

    def want(self, stream: Stream, seq: int) -> None:
        """Have the stream's notifications read up to `seq`, if it has not sent them."""
        stream.wanted = max(stream.wanted, seq)
        if 0 <= stream.last < stream.wanted:
            self._behind[stream.user] = stream
            self._reading.begin()

    def _advance(self, stream: Stream, row: Following) -> bool:
        stream.last, stream.id = row.seq, row.id
        if stream.wanted <= stream.last:
            self._behind.pop(stream.user, None)
        frame = b""
        for socket in tuple(stream.sockets):  # a slow socket removes itself from the list
            position = socket.position
            if position.seq < row.seq:
                if position.live:
                    frame = frame or notification_frame(row)
                    position.reach(row.seq)
                    socket.send(frame)
            elif position.seq == row.seq and position.known not in {None, row.id}:
                self._send_log_changed(socket, stream)
        return bool(frame)

    # Reads for streams that are behind: one at a time, for all of them together.

    async def _read(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while self._behind:
            streams = list(islice(self._behind.values(), self._sizes.users))
            wanted = [(stream.wanted, stream.log) for stream in streams]
            try:
                rows = await self._store.after(
                    self._db,
                    [stream.user for stream in streams],
                    [stream.last for stream in streams],
                    self._sizes.rows,
                )
                mismatched = self._catch_up(streams, wanted, rows)
                if mismatched:
                    await self._check(mismatched)
            except Exception as error:
                report("read missed notifications", error)
                await self._sleeps.sleep(pauses.next())
            else:
                pauses.reset()

    def _catch_up(
        self, streams: list[Stream], wanted: list[tuple[int, int]], rows: list[Aged]
    ) -> list[Stream]:
        """Send the rows. Return the streams whose rows do not follow what they sent."""
        # Meanwhile a stream may have gone and come back, or its log may be another one.
        asked = {
            stream.user: stream
            for stream, (_, of) in zip(streams, wanted, strict=True)
            if self._users.get(stream.user) is stream and stream.log == of
        }
        mismatched: list[Stream] = []
        for row in rows:
            reader = asked.get(row.user_id)
            # A read may skip numbers. Rows become visible in the order of seq, so retention has
            # deleted the skipped ones.
            if reader is not None and row.seq > reader.last:
                if row.previous == reader.id:
                    if self._advance(reader, row):
                        self._delays.others(row.age)
                else:
                    mismatched.append(asked.pop(row.user_id))
        # A read that reached the limit says nothing about the users after its last row.
        answered = set(asked)
        if len(rows) >= self._sizes.rows:
            answered = {row.user_id for row in rows[:-1]}
            answered.discard(rows[-1].user_id)
        for stream, then in zip(streams, wanted, strict=True):
            # Wanted rows were committed before the read began: they came, or are deleted.
            if stream.user in answered & asked.keys() and (stream.wanted, stream.log) == then:
                stream.wanted = stream.last
                if self._behind.get(stream.user) is stream:
                    del self._behind[stream.user]
                for socket in tuple(stream.sockets):
                    if socket.position.seq > stream.last:
                        self._send_log_changed(socket, stream)  # its hello named one that is gone
        return mismatched

    def _read_failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The reader of missed notifications failed", failure)

    # The database may have gone back in time.

    async def check(self) -> None:
        """Compare the streams with the logs: send notifications that nobody announced, and notify
        the sockets of users whose log is another one. Raises whatever the store raises."""
        await self._check_all(list(self._users.values()))

    async def check_part(self) -> None:
        """The same for the next part of the streams."""
        first, end = _BOUNDS[self._part : self._part + 2]
        await self._check_all([each for user, each in self._users.items() if first <= user < end])
        self._part = (self._part + 1) % PARTS

    async def _check_all(self, streams: list[Stream]) -> None:
        rest = iter(streams)
        while some := list(islice(rest, self._sizes.checked)):
            await self._check(some)

    async def _check(self, streams: list[Stream]) -> None:
        while asked := [
            (stream, stream.last, stream.id, stream.log, stream.changes)
            for stream in streams
            if stream.last >= 0
        ]:
            found = await self._store.moved(
                self._db,
                [stream.user for stream, _, _, _, _ in asked],
                [last for _, last, _, _, _ in asked],
                [id for _, _, id, _, _ in asked],
                [changes for _, _, _, _, changes in asked],
            )
            ends = {end.user_id: end for end in found}
            streams = []
            for stream, last, id, of, changes in asked:
                now = ends.get(stream.user)
                if now is None or self._users.get(stream.user) is not stream or stream.log != of:
                    continue
                if now.newest < last or (last > now.trimmed and now.at != id):
                    self._start_anew(stream, now)
                    streams.append(stream)
                else:
                    if stream.last == last:
                        stream.id = now.at  # retention may have deleted it
                    self.found += max(0, now.newest - max(stream.last, stream.wanted))
                    self.want(stream, now.newest)
                if now.changes != changes:
                    self._states.ask(stream)
            if streams:
                # Log: somebody restored a back-up, or a failover lost commits. Do: see
                # docs/guides/backups.md#after-a-restore-to-an-older-state.
                log.warn(
                    "The database went back in time: it lacks notifications that were sent "
                    "(users: {count}). Their sockets get log_changed and go on after the newest",
                    count=len(streams),
                )
            # Check these once more: some notifications that were committed meanwhile may have been
            # dropped, because their numbers seemed known.

    def _start_anew(self, stream: Stream, now: StreamEnd) -> None:
        stream.log += 1
        stream.last, stream.id, stream.wanted = now.newest, now.id, now.newest
        stream.changes = -1
        self._behind.pop(stream.user, None)
        for socket in tuple(stream.sockets):
            if socket.position.greeted:
                self._send_log_changed(socket, stream)

    def _send_log_changed(self, socket: Subscriber, stream: Stream) -> None:
        socket.position.start_anew(stream.last)
        socket.send(encode(log_changed(stream.last, stream.id)))
        self._states.ask(stream)


class States:
    """Sends sockets the message `state`: a user's read flags have changed, or notifications were
    deleted.

    All changes of all users wait for one read of the counters, and one such read is under way at a
    time. `changes`, a number in the counter's row, shows which sockets lack the last change.
    """

    def __init__(
        self, reactor: IReactorTime, db: Db, store: Log, sizes: Sizes, *, pause: float = STATE_PAUSE
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

    def greeted(self, stream: Stream, changes: int) -> None:
        """A socket's hello had the state after so many changes."""
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
            position = socket.position
            if position.greeted and position.changes != tally.changes:
                frame = frame or state_frame(tally)
                position.show(tally.changes)
                socket.push_state(frame)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The reader of states failed", failure)
