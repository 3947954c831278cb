"""The live sockets of this process, and the notifications that they get (docs/socket.md).

Notifications come from four sources: the writer of this process, the relay, the sweep and the
socket's own resume. They come in any order and more than once. The hub makes one stream of them:
each user has a feed, which knows seq and id of the last notification it sent, and each socket has
a position.

The hub sends a notification only if it is known to follow, by id, the last one sent. The reason is
that a database can go back in time (a restored back-up, a failover that lost commits), and then
gives the same numbers again.
"""

from collections.abc import Iterable
from itertools import islice

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.db.query import Db
from contentsvc.push.feeds import (
    DRAINING,
    OVERLOADED,
    REPLACED,
    REVOKED,
    Close,
    Feed,
    Log,
    Position,
    Subscriber,
    encode,
    log_changed,
    notification_frame,
)
from contentsvc.push.heartbeat import Heartbeat
from contentsvc.push.joins import Joins
from contentsvc.push.reports import report
from contentsvc.store.notifications import Following, Standing
from contentsvc.timers import Backoff, Sleeps, timer
from contentsvc.wire.socket import Message

USERS, ROWS = 500, 1000
"""Most users, and most rows in all, of one read for feeds that are behind."""
CHECKED = 500
"""Most connected users of one check of their logs."""
FIRST_PAUSE, LAST_PAUSE = 0.1, 2.0
"""Seconds before a failed read is tried again. They double each time."""
BATCH = 100
"""Most sockets that get their goodbye in one turn of the reactor."""

log = Logger()


class Hub:
    """The sockets of this process.

    There are at most `sockets` in all, and at most `sockets_per_user` signed in for one user.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        db: Db,
        store: Log,
        *,
        sockets: int,
        sockets_per_user: int,
    ) -> None:
        self._reactor = reactor
        self._db = db
        self._store = store
        self._limit = sockets
        self._limit_per_user = sockets_per_user
        self.sockets: set[Subscriber] = set()
        self.heartbeat = Heartbeat(reactor, self.sockets)
        self._feeds: dict[str, Feed] = {}
        self._behind: dict[str, Feed] = {}
        self._reading = False
        self._joins = Joins(reactor, db, store, self._want)
        self._sleeps = Sleeps(reactor)
        self._draining: Close | None = None
        self._empty: Deferred[None] | None = None

    def start(self) -> None:
        """Begin to ping the sockets."""
        self.heartbeat.start()

    def stop(self) -> None:
        """Forget all sockets and end every wait."""
        self.heartbeat.stop()
        self._feeds.clear()
        self._behind.clear()
        self._joins.stop()
        self._sleeps.stop()

    @property
    def joining(self) -> bool:
        """False while sockets wait for a read that takes too long."""
        return not self._joins.stuck

    # Sockets come and go.

    def opened(self, socket: Subscriber) -> Close | None:
        """Count a socket that is not signed in yet. If it must close, return how."""
        self.sockets.add(socket)
        if self._draining is not None:
            return self._draining
        return OVERLOADED if len(self.sockets) > self._limit else None

    def attach(self, socket: Subscriber, resume: Position | None, problem: Message | None) -> None:
        """Sign a socket in: say hello (then `problem`), send what came after `resume`, go live.

        From now on the feed exists, so no later commit is missed.
        """
        feed = self._feeds.get(socket.user)
        if feed is None:
            feed = self._feeds[socket.user] = Feed(socket.user)
        feed.sockets.append(socket)
        if len(feed.sockets) > self._limit_per_user:
            feed.sockets[0].end(REPLACED)
        self._joins.join(feed, socket, resume, problem)

    def detach(self, socket: Subscriber) -> None:
        """Send this socket nothing more. Does nothing if it is not attached."""
        feed = self._feeds.get(socket.user)
        if feed is not None and socket in feed.sockets:
            feed.sockets.remove(socket)
            self._joins.leave(socket)
            if not feed.sockets:
                del self._feeds[feed.user]
                self._behind.pop(feed.user, None)

    def closed(self, socket: Subscriber) -> None:
        """The connection is gone."""
        self.detach(socket)
        self.sockets.discard(socket)
        if not self.sockets and self._empty is not None:
            empty, self._empty = self._empty, None
            empty.callback(None)

    def users(self) -> list[str]:
        """The users with sockets in this process."""
        return list(self._feeds)

    def revoke(self, sids: Iterable[str]) -> None:
        """Close the sockets of these sessions."""
        gone = frozenset(sids)
        if gone:
            for socket in [each for each in self.sockets if each.session in gone]:
                socket.end(REVOKED)

    async def drain(self, timeout: float) -> None:
        """Say goodbye to all sockets, and to those that still come. Done when all are gone.

        Sockets that have not finished the close after `timeout` seconds are cut off.
        """
        self._draining = DRAINING
        sockets = list(self.sockets)
        for start in range(0, len(sockets), BATCH):
            for socket in sockets[start : start + BATCH]:
                socket.end(self._draining)
            await self._sleeps.sleep(0)
        if self.sockets:
            self._empty = Deferred()
            with timer(self._reactor, timeout, self._cut):
                await self._empty

    def _cut(self) -> None:
        for socket in list(self.sockets):
            socket.drop()

    # Notifications come in.

    def deliver(self, row: Following) -> None:
        """Send a committed notification to its user's live sockets, in its turn.

        It is sent if it follows the last one sent, and dropped if its seq is known. Otherwise it
        waits for a read of everything between: completions of commits reach the reactor in any
        order.
        """
        feed = self._feeds.get(row.user_id)
        if feed is None:
            return
        if row.seq == feed.last + 1 and row.previous == feed.id:
            self._advance(feed, row)
        else:
            self._want(feed, row.seq)

    def noticed(self, user: str, seq: int) -> None:
        """`user` has notifications up to `seq`: read those that this process has not sent."""
        feed = self._feeds.get(user)
        if feed is not None:
            self._want(feed, seq)

    def _want(self, feed: Feed, seq: int) -> None:
        feed.wanted = max(feed.wanted, seq)
        if 0 <= feed.last < feed.wanted:
            self._behind[feed.user] = feed
            if not self._reading:
                self._reading = True
                Deferred.fromCoroutine(self._read()).addErrback(self._read_failed)

    def _advance(self, feed: Feed, row: Following) -> None:
        feed.last, feed.id = row.seq, row.id
        if feed.wanted <= feed.last:
            self._behind.pop(feed.user, None)
        frame = b""
        for socket in tuple(feed.sockets):  # a slow socket removes itself from the list
            if socket.position < row.seq:
                if socket.live:
                    frame = frame or notification_frame(row)
                    socket.position = row.seq
                    socket.send(frame)
            elif socket.position == row.seq and socket.known not in {None, row.id}:
                self._tell(socket, feed)

    # Reads for feeds that are behind: one at a time, for all of them together.

    async def _read(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while self._behind:
            feeds = list(islice(self._behind.values(), USERS))
            wanted = [(feed.wanted, feed.log) for feed in feeds]
            try:
                rows = await self._store.after(
                    self._db, [feed.user for feed in feeds], [feed.last for feed in feeds], ROWS
                )
                doubtful = self._catch_up(feeds, wanted, rows)
                if doubtful:
                    await self._check(doubtful)
            except Exception as error:
                report("read missed notifications", error)
                await self._sleeps.sleep(pauses.next())
            else:
                pauses.reset()
        self._reading = False

    def _catch_up(
        self, feeds: list[Feed], wanted: list[tuple[int, int]], rows: list[Following]
    ) -> list[Feed]:
        """Send the rows. Return the feeds whose rows do not follow what they sent."""
        # Meanwhile a feed may have gone and come back, or its log may be another one.
        asked = {
            feed.user: feed
            for feed, (_, of) in zip(feeds, wanted, strict=True)
            if self._feeds.get(feed.user) is feed and feed.log == of
        }
        doubtful: list[Feed] = []
        for row in rows:
            reader = asked.get(row.user_id)
            # A read may skip numbers. Rows become visible in the order of seq, so retention has
            # deleted the skipped ones.
            if reader is not None and row.seq > reader.last:
                if row.previous == reader.id:
                    self._advance(reader, row)
                else:
                    doubtful.append(asked.pop(row.user_id))
        # A read that reached the limit says nothing about the users after its last row.
        answered = set(asked) if len(rows) < ROWS else {row.user_id for row in rows[:-1]}
        if len(rows) >= ROWS:
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
        self._reading = False
        if failure.check(CancelledError) is None:
            log.failure("The reader of missed notifications failed", failure)

    # The database may have gone back in time.

    async def check(self) -> None:
        """Compare the feeds with the logs: send notifications that nobody announced, and tell the
        sockets of users whose log is another one. Raises whatever the store raises."""
        feeds = iter(list(self._feeds.values()))
        while some := list(islice(feeds, CHECKED)):
            await self._check(some)

    async def _check(self, feeds: list[Feed]) -> None:
        while asked := [(feed, feed.last, feed.id, feed.log) for feed in feeds if feed.last >= 0]:
            found = await self._store.moved(
                self._db,
                [feed.user for feed, _, _, _ in asked],
                [last for _, last, _, _ in asked],
                [id for _, _, id, _ in asked],
            )
            standings = {standing.user_id: standing for standing in found}
            feeds = []
            for feed, last, id, of in asked:
                now = standings.get(feed.user)
                if now is None or self._feeds.get(feed.user) is not feed or feed.log != of:
                    continue
                if now.newest < last or (last > now.trimmed and now.at != id):
                    self._start_anew(feed, now)
                    feeds.append(feed)
                else:
                    if feed.last == last:
                        feed.id = now.at  # retention may have deleted it
                    self._want(feed, now.newest)
            if feeds:
                log.warn(
                    "The database went back in time: it lacks notifications that were sent "
                    "(users: {count}). Their sockets get log_changed and go on after the newest",
                    count=len(feeds),
                )
            # Check these once more: some notifications that were committed meanwhile may have been
            # dropped, because their numbers seemed known.

    def _start_anew(self, feed: Feed, now: Standing) -> None:
        feed.log += 1
        feed.last, feed.id, feed.wanted = now.newest, now.id, now.newest
        self._behind.pop(feed.user, None)
        for socket in tuple(feed.sockets):
            if socket.position >= 0:
                self._tell(socket, feed)

    def _tell(self, socket: Subscriber, feed: Feed) -> None:
        socket.position, socket.known = feed.last, None
        socket.send(encode(log_changed(feed.last, feed.id)))
