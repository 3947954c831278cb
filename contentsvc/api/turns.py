"""A few jobs at a time, and a turn for each who has some: one's many do not keep others waiting."""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred

T = TypeVar("T")


class Full(Exception):
    """There is no place for the job, or another needs it more."""


class _Job(Generic[T]):
    __slots__ = ("act", "answer")

    def __init__(self, act: Callable[[], Deferred[T]]) -> None:
        self.act = act
        self.answer: Deferred[T] = Deferred()


class Turns:
    """`at_once` jobs are done at a time, and up to `most` wait, in a line for each whose they are.

    The lines take turns. Where there is no place, whose line is the longest loses the last of it to
    one who has fewer.
    """

    def __init__(self, at_once: int, most: int) -> None:
        self._free = at_once
        self._most = most
        self._waiting = 0
        self._handing_on = False
        self._lines: OrderedDict[str, deque[_Job[Any]]] = OrderedDict()
        """In the order of their turns."""

    def run(self, who: str, act: Callable[[], Deferred[T]]) -> Deferred[T]:
        """What `act` gives, when it has had its turn. Fails with Full."""
        job = _Job(act)
        loser = self._loser(who, job)
        if loser is not job:
            self._lines.setdefault(who, deque()).append(job)
            self._waiting += 1
            self._hand_on()
        if loser is not None:
            loser.answer.errback(Full())
        return job.answer

    def _loser(self, who: str, job: _Job[Any]) -> _Job[Any] | None:
        """Who has to go so that there is a place for one more."""
        if self._waiting < self._most:
            return None
        longest = max(self._lines.values(), key=len, default=deque())
        if len(longest) <= len(self._lines.get(who, ())) + 1:
            return job
        self._waiting -= 1
        return longest.pop()

    def _hand_on(self) -> None:
        # Never within itself: a job that is done at once would begin the next one level deeper.
        if self._handing_on:
            return
        self._handing_on = True
        while self._free and self._lines:
            who, line = self._lines.popitem(last=False)
            job = line.popleft()
            if line:
                self._lines[who] = line
            self._waiting -= 1
            self._free -= 1
            maybeDeferred(job.act).addBoth(self._done, job)
        self._handing_on = False

    def _done(self, result: Any, job: _Job[Any]) -> None:
        self._free += 1
        self._hand_on()
        job.answer.callback(result)
