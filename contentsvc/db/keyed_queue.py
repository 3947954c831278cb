"""Transactions that begin with the lock of the same row take turns within a process, and so does
other work on what is one user's.

Whoever waits for a lock in Postgres has a place of the pool meanwhile. A client that sends many
requests about one row would so take all places of their lane. Here they wait without a place.
"""

from collections import OrderedDict, deque

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from contentsvc.db.errors import Unavailable


class Turns:
    """The rows whose transactions run, and the callers that wait for them."""

    def __init__(self) -> None:
        self._waiting: dict[str, OrderedDict[Deferred[None], float]] = {}
        """Of each row with a transaction: who waits, in order, with the time at which each came."""
        self._left: deque[str] = deque()

    async def enter(self, row: str, came: float) -> None:
        """Wait until all who came before for this row have left, or have gone. A caller that
        cancels goes at once.

        Raises Unavailable, see `expire` and `fail`.
        """
        waiting = self._waiting.get(row)
        if waiting is None:
            self._waiting[row] = OrderedDict()
            return
        waiter: Deferred[None] = Deferred(waiting.__delitem__)
        waiting[waiter] = came
        await waiter

    def leave(self, row: str) -> None:
        """Let the next caller go on."""
        self._left.append(row)
        if len(self._left) > 1:
            return  # not recursively: a caller that fails at once leaves at once
        while self._left:
            left = self._left[0]
            if waiting := self._waiting[left]:
                waiter, _ = waiting.popitem(last=False)
                waiter.callback(None)
            else:
                del self._waiting[left]
            self._left.popleft()

    def expire(self, before: float) -> None:
        """Fail all callers that came before this time with Unavailable."""
        late = [
            (waiting, waiter)
            for waiting in self._waiting.values()
            for waiter, came in waiting.items()
            if came < before
        ]
        for waiting, waiter in late:
            if waiting.pop(waiter, None) is not None:
                waiter.errback(Unavailable("others write the same for too long", "lock"))

    def fail(self, error: Exception) -> None:
        """Fail all callers that wait."""
        for waiting in list(self._waiting.values()):
            while waiting:
                waiter, _ = waiting.popitem(last=False)
                waiter.errback(Failure(error))
