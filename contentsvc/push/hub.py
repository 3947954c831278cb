"""The live sockets of this process, and the notifications that they get (socket#messages).

Notifications come from four sources: the writer of this process, the relay, the reconciler and the
socket's own resume. They come in any order and more than once. The hub makes one stream of them:
each user has a stream, which knows seq and id of the last notification it sent, and each socket has
a position.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import islice

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.core.timers import Backoff, Sleeps, timer
from contentsvc.framework.db.query import Db
from contentsvc.framework.db.retries import FIRST_PAUSE, LAST_PAUSE, report
from contentsvc.framework.sockets.heartbeat import Heartbeat
from contentsvc.push.catch_up import CatchUp
from contentsvc.push.statistics import Delays, SocketCounts
from contentsvc.push.stream import (
    DRAINING,
    OVERLOADED,
    REPLACED,
    REVOKED,
    SIZES,
    Close,
    Log,
    Position,
    Sizes,
    Subscriber,
    encode,
)
from contentsvc.push.streams import Streams
from contentsvc.store.notifications.notifications import Following
from contentsvc.wire.socket import AnnouncementsMessage, LibraryMessage, Message

BATCH = 100
"""Most sockets that get the same frame in one turn of the reactor."""

LIBRARY_REST = 1.0
"""Seconds between two messages about the library to a user's sockets."""
_USERS = 500
"""Users for whom one statement reads whether they have a library."""
LIBRARIES_AT_ONCE, LIBRARY_PAUSE = 20, 0.1
"""Users who are notified at once, and seconds between: 200 a second of a process read their
maps."""

_LIBRARY = encode(LibraryMessage())

log = Logger()


class Hub:
    """The sockets of this process.

    There are at most `sockets` in all, and at most `sockets_per_user` signed in for one user.
    `delays` is told how old notifications of other processes are when they get here. `closed_for`
    says how a new socket must close, None if the service takes sockets.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        db: Db,
        store: Log,
        delays: Delays,
        *,
        sockets: int,
        sockets_per_user: int,
        sizes: Sizes = SIZES,
        closed_for: Callable[[], Close | None] = lambda: None,
    ) -> None:
        self._reactor = reactor
        self.limit = sockets
        self._limit_per_user = sockets_per_user
        self.sockets: set[Subscriber] = set()
        self.counts = SocketCounts()
        self.heartbeat = Heartbeat(reactor, self.sockets)
        self._streams = Streams(reactor, db, store, sizes, delays)
        self._catch_up = CatchUp(
            reactor, db, store, sizes, self._streams.want, self._streams.greeted
        )
        self._libraries = Libraries(
            reactor, self._sockets_of, lambda users: store.subscribers(db, users)
        )
        self._sleeps = Sleeps(reactor)
        self._draining: Close | None = None
        self._closed_for = closed_for
        self._empty: Deferred[None] | None = None

    def start(self) -> None:
        """Begin to ping the sockets."""
        self.heartbeat.start()

    def stop(self) -> None:
        """Forget all sockets and end every wait."""
        self.heartbeat.stop()
        self._streams.stop()
        self._libraries.stop()
        self._catch_up.stop()
        self._sleeps.stop()

    @property
    def found(self) -> int:
        """How many notifications the reconciler has found that nobody had announced."""
        return self._streams.found

    @property
    def joining(self) -> bool:
        """False while sockets wait for a read that takes too long."""
        return not self._catch_up.stuck

    # Sockets come and go.

    def opened(self, socket: Subscriber) -> Close | None:
        """Count a socket that is not signed in yet. If it must close, return how."""
        self.sockets.add(socket)
        if self._draining is not None:
            return self._draining
        if (close := self._closed_for()) is not None:
            return close
        return OVERLOADED if len(self.sockets) > self.limit else None

    def attach(self, socket: Subscriber, resume: Position | None, problem: Message | None) -> None:
        """Sign a socket in: say hello (then `problem`), send what came after `resume`, go live.

        From now on the stream exists, so no later commit is missed.
        """
        stream = self._streams.of(socket.user)
        stream.sockets.append(socket)
        if len(stream.sockets) > self._limit_per_user:
            stream.sockets[0].end(REPLACED)
        self._catch_up.join(stream, socket, resume, problem)

    def detach(self, socket: Subscriber) -> None:
        """Send this socket nothing more. Does nothing if it is not attached."""
        stream = self._streams.get(socket.user)
        if stream is not None and socket in stream.sockets:
            stream.sockets.remove(socket)
            self._catch_up.leave(socket)
            if not stream.sockets:
                self._streams.remove(stream)

    def closed(self, socket: Subscriber) -> None:
        """The connection is gone."""
        self.detach(socket)
        self.sockets.discard(socket)
        if not self.sockets and self._empty is not None:
            empty, self._empty = self._empty, None
            empty.callback(None)

    def users(self) -> list[str]:
        """The users with sockets in this process."""
        return self._streams.users()

    def revoke(self, sids: Iterable[str]) -> None:
        """Close the sockets of these sessions, and of those that began with their portal codes."""
        gone = frozenset(sids)
        if gone:
            for socket in [
                each for each in self.sockets if each.session in gone or each.asked_by in gone
            ]:
                socket.end(REVOKED)

    async def drain(self, timeout: float) -> None:
        """Say goodbye to all sockets, and to those that still connect. Done when all are gone.

        Sockets that have not finished the close after `timeout` seconds are cut off.
        """
        self._draining = DRAINING
        await self.dismiss(DRAINING)
        if self.sockets:
            self._empty = Deferred()
            with timer(self._reactor, timeout, self._cut):
                await self._empty

    async def dismiss(self, close: Close) -> None:
        """Say goodbye to the present sockets."""
        sockets = list(self.sockets)
        for start in range(0, len(sockets), BATCH):
            for socket in sockets[start : start + BATCH]:
                socket.end(close)
            await self._sleeps.sleep(0)

    async def send_announcements(self, within: int) -> None:
        """Notify all sockets that have had their hello that the announcements have changed.
        Their clients shall read them within so many seconds."""
        frame = encode(AnnouncementsMessage(within))
        sockets = [socket for socket in self.sockets if socket.position.greeted]
        for start in range(0, len(sockets), BATCH):
            for socket in sockets[start : start + BATCH]:
                socket.send(frame)
            await self._sleeps.sleep(0)

    def library_changed(self, user: str) -> None:
        """The library of `user`, or which of its content is available, may have changed: notify the
        user's sockets."""
        self._libraries.changed(user)

    def _sockets_of(self, user: str) -> Sequence[Subscriber]:
        stream = self._streams.get(user)
        return () if stream is None else tuple(stream.sockets)

    def _cut(self) -> None:
        for socket in list(self.sockets):
            socket.drop()

    # Notifications come in.

    def deliver(self, row: Following) -> bool:
        """Send a committed notification to its user's live sockets, in its turn. Returns whether
        one of them has got it."""
        return self._streams.deliver(row)

    def noticed(self, user: str, seq: int) -> None:
        """`user` has notifications up to `seq`: read those that this process has not sent."""
        self._streams.noticed(user, seq)

    def changed(self, user: str) -> None:
        """Read flags of `user` have changed, or notifications were deleted: send the sockets the
        new state."""
        self._streams.changed(user)

    async def check(self) -> None:
        """Send notifications and states that nobody announced. Notify the sockets of users whose
        log is another one, and those of users with a library, which may have changed. Raises
        whatever the store raises."""
        self._libraries.changed_perhaps(self.users())
        await self._streams.check()

    async def check_part(self) -> None:
        """The same for the next part of the users, one of PARTS."""
        await self._streams.check_part()


class Libraries:
    """Sends the message `library`: a user's library has changed, or may have (content#library-map).

    The message is a hint and is not stored: a client reads the map when it gets one, and when it
    has connected. Where one may be lost, because a process has died or was not heard, all users
    with a library are notified, a few at a time. `sockets` gives those of a user, `holders` reads
    which of some users have a library.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        sockets: Callable[[str], Sequence[Subscriber]],
        holders: Callable[[list[str]], Awaitable[list[str]]],
    ) -> None:
        self._reactor = reactor
        self._sockets = sockets
        self._resting: dict[str, IDelayedCall] = {}
        self._again: set[str] = set()
        self._holders = holders
        self._pending: dict[str, None] = {}
        self._stopped = False
        self._notifying = SingleFlight(self._notify_pending, self._failed)
        self._sleeps = Sleeps(reactor)

    def stop(self) -> None:
        """Forget all of them and end every wait."""
        self._stopped = True
        for call in self._resting.values():
            call.cancel()
        self._resting.clear()
        self._again.clear()
        self._pending.clear()
        self._sleeps.stop()

    def changed(self, user: str) -> None:
        """The library of this user may have changed: notify the sockets, at most once a second."""
        if user in self._resting:
            self._again.add(user)
        else:
            self._notify(user)

    def changed_perhaps(self, users: Iterable[str]) -> None:
        """The libraries of these users may have changed: notify their sockets, a few users at a
        time."""
        self._pending |= dict.fromkeys(users)
        if self._pending:
            self._notifying.begin()

    def _notify(self, user: str) -> None:
        # Those that wait for their hello read the map after it.
        sockets = [socket for socket in self._sockets(user) if socket.position.greeted]
        for socket in sockets:
            socket.push_library(_LIBRARY)
        if sockets:
            self._resting[user] = self._reactor.callLater(LIBRARY_REST, self._rested, user)

    def _rested(self, user: str) -> None:
        del self._resting[user]
        if user in self._again:
            self._again.discard(user)
            self._notify(user)

    async def _notify_pending(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while self._pending and not self._stopped:
            asked = list(islice(self._pending, _USERS))
            try:
                holders = await self._holders(asked)
            except Exception as error:
                if self._stopped:  # the database is being closed
                    return
                report("read who keeps something", error)
                await self._sleeps.sleep(pauses.next())
                continue
            pauses.reset()
            for user in asked:
                self._pending.pop(user, None)
            for start in range(0, len(holders), LIBRARIES_AT_ONCE):
                for user in holders[start : start + LIBRARIES_AT_ONCE]:
                    self.changed(user)
                await self._sleeps.sleep(LIBRARY_PAUSE)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The teller of libraries failed", failure)
