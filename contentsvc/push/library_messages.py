"""The message `library`: what a user keeps has changed, or may have (content#library-map).

It is a hint, and is not stored: whoever gets it reads the map, and whoever has just connected too.
So where one may be lost, because a process has died or was not heard, all users are told who keep
something, a few at a time.
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
from contentsvc.push.subscriber import Subscriber
from contentsvc.push.websocket_frames import encode
from contentsvc.wire.notifications import LibraryMessage

APART = 1.0
"""Seconds between two messages to a user's sockets."""
MOST = 500
"""Users of whom one statement asks whether they keep something."""
SOME, PAUSE = 20, 0.1
"""Of all of these, so many are told at once, with so many seconds between: 200 a second of a
process read their maps."""

_FRAME = encode(LibraryMessage())

log = Logger()


class Libraries:
    """Tells the sockets of users, which `sockets` gives. `keepers` reads who of some users keep
    something."""

    def __init__(
        self,
        reactor: IReactorTime,
        sockets: Callable[[str], Sequence[Subscriber]],
        keepers: Callable[[list[str]], Awaitable[list[str]]],
    ) -> None:
        self._reactor = reactor
        self._sockets = sockets
        self._told: dict[str, IDelayedCall] = {}
        self._again: set[str] = set()
        self._keepers = keepers
        self._doubtful: dict[str, None] = {}
        self._stopped = False
        self._doubting = SingleFlight(self._tell_doubtful, self._failed)
        self._sleeps = Sleeps(reactor)

    def stop(self) -> None:
        """Forget all of them and end every wait."""
        self._stopped = True
        for call in self._told.values():
            call.cancel()
        self._told.clear()
        self._again.clear()
        self._doubtful.clear()
        self._sleeps.stop()

    def changed(self, user: str) -> None:
        """What this user keeps may be another: tell the sockets, now if they were told nothing for
        a second, else then."""
        if user in self._told:
            self._again.add(user)
        else:
            self._tell(user)

    def doubt(self, users: Iterable[str]) -> None:
        """The same of all these users, a few at a time."""
        self._doubtful |= dict.fromkeys(users)
        if self._doubtful:
            self._doubting.begin()

    def _tell(self, user: str) -> None:
        # Those that wait for their hello read the map after it.
        sockets = [socket for socket in self._sockets(user) if socket.position >= 0]
        for socket in sockets:
            socket.push_library(_FRAME)
        if sockets:
            self._told[user] = self._reactor.callLater(APART, self._rested, user)

    def _rested(self, user: str) -> None:
        del self._told[user]
        if user in self._again:
            self._again.discard(user)
            self._tell(user)

    async def _tell_doubtful(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while self._doubtful and not self._stopped:
            asked = list(islice(self._doubtful, MOST))
            try:
                keepers = await self._keepers(asked)
            except Exception as error:
                if self._stopped:  # the database is being closed
                    return
                report("read who keeps something", error)
                await self._sleeps.sleep(pauses.next())
                continue
            pauses.reset()
            for user in asked:
                self._doubtful.pop(user, None)
            for start in range(0, len(keepers), SOME):
                for user in keepers[start : start + SOME]:
                    self.changed(user)
                await self._sleeps.sleep(PAUSE)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The teller of libraries failed", failure)
