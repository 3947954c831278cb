"""A line of questions to the database, which answers many of them at a time."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.concurrency import Batcher, Call
from contentsvc.framework.core.timers import Backoff, Sleeps, cancel
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.retries import FIRST_PAUSE, LAST_PAUSE, report

Q = TypeVar("Q")
A = TypeVar("A")


class _Waiter(Call[A | None], Generic[Q, A]):
    __slots__ = ("question", "who")

    def __init__(self, who: object, question: Q) -> None:
        super().__init__()
        self.who = who
        self.question = question


class BatchedReads(Batcher[_Waiter[Q, A]], Generic[Q, A]):
    """Questions to the database, answered in their order.

    `read` answers up to `most` questions at once. Up to `reads` of them run at a time. A question
    gets an answer within `patience` seconds after its own read begins, or fails. The time in line
    does not count. A read is repeated while the database is away.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        what: str,
        read: Callable[[list[Q]], Awaitable[Sequence[A]]],
        *,
        reads: int,
        most: int,
        patience: float,
    ) -> None:
        super().__init__(most=most, runs=reads, outage=Unavailable)
        self._reactor = reactor
        self._what = what
        self._read = read
        self._patience = patience
        self._asked: dict[object, _Waiter[Q, A]] = {}
        self._timers: dict[Any, float] = {}
        self._silent: float | None = None
        self._sleeps = Sleeps(reactor)

    @property
    def overdue(self) -> float:
        """Seconds since the oldest present read began; 0 without one. If an earlier read was given
        up, and no answer has come since, they count from the earlier read."""
        now = self._reactor.seconds()
        if self._timers and self._silent is not None:
            return now - self._silent
        return now - min(self._timers.values(), default=now)

    def ask(self, who: object, question: Q) -> Deferred[A | None]:
        """The answer to the only question of `who`, or None if `who` left before it came.

        Fails with Unavailable if the database did not answer in time.
        """
        waiter = self._asked[who] = _Waiter[Q, A](who, question)
        self.add(waiter)
        return waiter.result

    def leave(self, who: object) -> None:
        """Forget the question of `who`, if there is one."""
        waiter = self._asked.get(who)
        if waiter is not None:
            self.settle(waiter, None)

    def stop(self) -> None:
        """Forget all questions, and end every wait."""
        super().stop()
        self._asked.clear()
        for timer in self._timers:
            cancel(timer)
        self._sleeps.stop()

    async def run(self, batch: list[_Waiter[Q, A]]) -> None:
        """Answer the questions of those who have not left."""
        timer = self._reactor.callLater(self._patience, self._give_up, batch)
        self._timers[timer] = self._reactor.seconds()
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        try:
            while some := [each for each in batch if self._waits(each)]:
                try:
                    answers = await self._read([each.question for each in some])
                except Unavailable as error:
                    report(self._what, error)
                    await self._sleeps.sleep(pauses.next())
                    continue
                if len(answers) != len(some):
                    raise RuntimeError(f"{len(answers)} answers to {len(some)} questions")
                self._silent = None
                for each, answer in zip(some, answers, strict=True):
                    self.settle(each, answer)
        except CancelledError:
            pass  # it stops
        finally:
            cancel(timer)
            del self._timers[timer]
            if not self._timers and not self.waiting:
                self._silent = None

    def split(self, batch: list[_Waiter[Q, A]], error: Exception) -> list[list[_Waiter[Q, A]]]:
        """Each question by itself."""
        report(self._what, error)
        return super().split(batch, error)

    def settle(self, call: _Waiter[Q, A], outcome: A | Exception | None) -> None:
        """Answer a question, unless its reader has left."""
        if self._waits(call):
            del self._asked[call.who]
            super().settle(call, outcome)

    def _waits(self, waiter: _Waiter[Q, A]) -> bool:
        return self._asked.get(waiter.who) is waiter

    def _give_up(self, batch: list[_Waiter[Q, A]]) -> None:
        if self._silent is None:
            self._silent = self._reactor.seconds() - self._patience
        for waiter in batch:
            self.settle(waiter, Unavailable("the database does not answer"))
