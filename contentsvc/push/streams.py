"""The feeds of connected users: the notifications that they get, in their order.

A feed sends a notification only if it is known to follow, by id, the last one sent. The reason is
that a database can go back in time (a restored back-up, a failover that lost commits), and then
gives the same numbers again.
"""

from itertools import islice

from twisted.internet.defer import CancelledError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.core.concurrency import SingleFlight
from contentsvc.core.timers import Backoff, Sleeps
from contentsvc.db.query import Db
from contentsvc.push.frames import encode, log_changed, notification_frame
from contentsvc.push.retries import FIRST_PAUSE, LAST_PAUSE, report
from contentsvc.push.state_messages import States
from contentsvc.push.statistics import Delays
from contentsvc.push.stream import Log, Sizes, Stream
from contentsvc.push.subscriber import Subscriber
from contentsvc.store.notifications.notifications import Following
from contentsvc.store.notifications.streams import Aged, StreamEnd

APART = 0.001
"""Seconds. A user's notification that comes so long after the one before is alone: it is written
at once. Others share a write at the end of the reactor's turn."""

log = Logger()


class Streams:
    """The feeds of the connected users.

    Each notification passes here on its way to the sockets, wherever it comes from. This class
    reads for feeds that are behind, and checks the logs.
    """

    def __init__(
        self, reactor: IReactorTime, db: Db, store: Log, sizes: Sizes, delays: Delays
    ) -> None:
        self._reactor = reactor
        self._db = db
        self._store = store
        self._sizes = sizes
        self._delays = delays
        self._users: dict[str, Stream] = {}
        self._behind: dict[str, Stream] = {}
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
        """Whose they are."""
        return list(self._users)

    def get(self, user: str) -> Stream | None:
        """The feed of a user who is connected."""
        return self._users.get(user)

    def of(self, user: str) -> Stream:
        """The feed of a user who connects. Nothing that commits from here on is missed."""
        feed = self._users.get(user)
        if feed is None:
            feed = self._users[user] = Stream(user)
        return feed

    def remove(self, feed: Stream) -> None:
        """The user's last socket has gone."""
        del self._users[feed.user]
        self._behind.pop(feed.user, None)
        self._states.forget(feed)

    def deliver(self, row: Following) -> bool:
        """Send a committed notification to its user's live sockets, in its turn.

        It is sent if it follows the last one sent, and dropped if its seq is known. Otherwise it
        waits for a read of everything between: completions of commits reach the reactor in any
        order. Whether a socket has got it now.
        """
        feed = self._users.get(row.user_id)
        if feed is None:
            return False
        if row.seq == feed.last + 1 and row.previous == feed.id:
            return self._advance(feed, row)
        self.want(feed, row.seq)
        return False

    def noticed(self, user: str, seq: int) -> None:
        """`user` has notifications up to `seq`: read those that this process has not sent."""
        feed = self._users.get(user)
        if feed is not None:
            self.want(feed, seq)

    def changed(self, user: str) -> None:
        """Read flags of `user` have changed, or notifications were deleted: tell the sockets."""
        feed = self._users.get(user)
        if feed is not None:
            self._states.ask(feed)

    def greeted(self, feed: Stream, socket: Subscriber, changes: int) -> None:
        """This socket's hello had the state after so many changes."""
        self._states.greeted(feed, socket, changes)

    def want(self, feed: Stream, seq: int) -> None:
        """Have the feed's notifications read up to `seq`, if it has not sent them."""
        feed.wanted = max(feed.wanted, seq)
        if 0 <= feed.last < feed.wanted:
            self._behind[feed.user] = feed
            self._reading.begin()

    def _advance(self, feed: Stream, row: Following) -> bool:
        feed.last, feed.id = row.seq, row.id
        if feed.wanted <= feed.last:
            self._behind.pop(feed.user, None)
        now = self._reactor.seconds()
        # The clock may have gone back.
        alone, feed.sent = not 0 <= now - feed.sent < APART, now
        frame = b""
        for socket in tuple(feed.sockets):  # a slow socket removes itself from the list
            if socket.position < row.seq:
                if socket.live:
                    frame = frame or notification_frame(row)
                    socket.position = row.seq
                    socket.send(frame, alone)
            elif socket.position == row.seq and socket.known not in {None, row.id}:
                self._tell(socket, feed)
        return bool(frame)

    # Reads for feeds that are behind: one at a time, for all of them together.

    async def _read(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while self._behind:
            feeds = list(islice(self._behind.values(), self._sizes.users))
            wanted = [(feed.wanted, feed.log) for feed in feeds]
            try:
                rows = await self._store.after(
                    self._db,
                    [feed.user for feed in feeds],
                    [feed.last for feed in feeds],
                    self._sizes.rows,
                )
                doubtful = self._catch_up(feeds, wanted, rows)
                if doubtful:
                    await self._check(doubtful)
            except Exception as error:
                report("read missed notifications", error)
                await self._sleeps.sleep(pauses.next())
            else:
                pauses.reset()

    def _catch_up(
        self, feeds: list[Stream], wanted: list[tuple[int, int]], rows: list[Aged]
    ) -> list[Stream]:
        """Send the rows. Return the feeds whose rows do not follow what they sent."""
        # Meanwhile a feed may have gone and come back, or its log may be another one.
        asked = {
            feed.user: feed
            for feed, (_, of) in zip(feeds, wanted, strict=True)
            if self._users.get(feed.user) is feed and feed.log == of
        }
        doubtful: list[Stream] = []
        for row in rows:
            reader = asked.get(row.user_id)
            # A read may skip numbers. Rows become visible in the order of seq, so retention has
            # deleted the skipped ones.
            if reader is not None and row.seq > reader.last:
                if row.previous == reader.id:
                    if self._advance(reader, row):
                        self._delays.others(row.age)
                else:
                    doubtful.append(asked.pop(row.user_id))
        # A read that reached the limit says nothing about the users after its last row.
        answered = set(asked)
        if len(rows) >= self._sizes.rows:
            answered = {row.user_id for row in rows[:-1]}
            answered.discard(rows[-1].user_id)
        for feed, then in zip(feeds, wanted, strict=True):
            # Wanted rows were committed before the read began: they came, or are deleted.
            if feed.user in answered & asked.keys() and (feed.wanted, feed.log) == then:
                feed.wanted = feed.last
                if self._behind.get(feed.user) is feed:
                    del self._behind[feed.user]
                for socket in tuple(feed.sockets):
                    if socket.position > feed.last:
                        self._tell(socket, feed)  # its hello named one that is gone
        return doubtful

    def _read_failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The reader of missed notifications failed", failure)

    # The database may have gone back in time.

    async def check(self) -> None:
        """Compare the feeds with the logs: send notifications that nobody announced, and tell the
        sockets of users whose log is another one. Raises whatever the store raises."""
        feeds = iter(list(self._users.values()))
        while some := list(islice(feeds, self._sizes.checked)):
            await self._check(some)

    async def _check(self, feeds: list[Stream]) -> None:
        while asked := [
            (feed, feed.last, feed.id, feed.log, feed.changes) for feed in feeds if feed.last >= 0
        ]:
            found = await self._store.moved(
                self._db,
                [feed.user for feed, _, _, _, _ in asked],
                [last for _, last, _, _, _ in asked],
                [id for _, _, id, _, _ in asked],
                [changes for _, _, _, _, changes in asked],
            )
            standings = {standing.user_id: standing for standing in found}
            feeds = []
            for feed, last, id, of, changes in asked:
                now = standings.get(feed.user)
                if now is None or self._users.get(feed.user) is not feed or feed.log != of:
                    continue
                if now.newest < last or (last > now.trimmed and now.at != id):
                    self._start_anew(feed, now)
                    feeds.append(feed)
                else:
                    if feed.last == last:
                        feed.id = now.at  # retention may have deleted it
                    self.found += max(0, now.newest - max(feed.last, feed.wanted))
                    self.want(feed, now.newest)
                if now.changes != changes:
                    self._states.ask(feed)
            if feeds:
                # Log: somebody restored a back-up, or a failover lost commits. Do: see
                # docs/guides/backups.md#after-a-restore-to-an-older-state.
                log.warn(
                    "The database went back in time: it lacks notifications that were sent "
                    "(users: {count}). Their sockets get log_changed and go on after the newest",
                    count=len(feeds),
                )
            # Check these once more: some notifications that were committed meanwhile may have been
            # dropped, because their numbers seemed known.

    def _start_anew(self, feed: Stream, now: StreamEnd) -> None:
        feed.log += 1
        feed.last, feed.id, feed.wanted = now.newest, now.id, now.newest
        feed.changes = -1
        self._behind.pop(feed.user, None)
        for socket in tuple(feed.sockets):
            if socket.position >= 0:
                self._tell(socket, feed)

    def _tell(self, socket: Subscriber, feed: Stream) -> None:
        socket.position, socket.known = feed.last, None
        socket.send(encode(log_changed(feed.last, feed.id)))
        # The same number of changes does not mean the same state.
        socket.changes = -1
        self._states.ask(feed)
