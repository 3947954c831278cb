"""The message `library`: a user's library has changed, or may have (content#library-map).

The message is a hint and is not stored: a client reads the map when it gets one, and when it has
connected. Where one may be lost, because a process has died or was not heard, all users with a
library are notified, a few at a time.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import islice

from twisted.internet.defer import CancelledError
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.core.timers import Backoff, Sleeps
from contentsvc.framework.db.retries import FIRST_PAUSE, LAST_PAUSE, report
from contentsvc.push.subscriber import Subscriber, encode
from contentsvc.wire.notifications import LibraryMessage

REST = 1.0
"""Seconds between two messages to a user's sockets."""
MOST = 500
"""Users for whom one statement reads whether they have a library."""
SOME, PAUSE = 20, 0.1
"""Users who are notified at once, and seconds between: 200 a second of a process read their
maps."""

_FRAME = encode(LibraryMessage())

log = Logger()


class Libraries:
    """Notifies the sockets of users, which `sockets` gives. `holders` reads which of some users
    have a library."""

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
        """The same for all these users, a few at a time."""
        self._pending |= dict.fromkeys(users)
        if self._pending:
            self._notifying.begin()

    def _notify(self, user: str) -> None:
        # Those that wait for their hello read the map after it.
        sockets = [socket for socket in self._sockets(user) if socket.position >= 0]
        for socket in sockets:
            socket.push_library(_FRAME)
        if sockets:
            self._resting[user] = self._reactor.callLater(REST, self._rested, user)

    def _rested(self, user: str) -> None:
        del self._resting[user]
        if user in self._again:
            self._again.discard(user)
            self._notify(user)

    async def _notify_pending(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while self._pending and not self._stopped:
            asked = list(islice(self._pending, MOST))
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
            for start in range(0, len(holders), SOME):
                for user in holders[start : start + SOME]:
                    self.changed(user)
                await self._sleeps.sleep(PAUSE)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The teller of libraries failed", failure)
