"""A line of questions to the database, which answers many of them at a time."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.core.timers import Backoff, Sleeps, cancel
from contentsvc.db.errors import Unavailable
from contentsvc.push.retries import FIRST_PAUSE, LAST_PAUSE, report

Q = TypeVar("Q")
A = TypeVar("A")
log = Logger()


class _Waiter(Generic[Q, A]):
    __slots__ = ("answer", "question", "who")

    def __init__(self, who: object, question: Q) -> None:
        self.who = who
        self.question = question
        self.answer: Deferred[A | None] = Deferred()


class ReadQueue(Generic[Q, A]):
    """Questions to the database, answered in their order.

    `read` answers up to `most` questions at once. Up to `reads` of them run at a time. A question
    gets an answer within `patience` seconds after its own read begins, or fails. The time in line
    does not count. A read that fails is repeated.
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
        self._reactor = reactor
        self._what = what
        self._read = read
        self._free = reads
        self._most = most
        self._patience = patience
        self._handing_on = False
        self._line: OrderedDict[object, _Waiter[Q, A]] = OrderedDict()
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
        waiter: _Waiter[Q, A] = _Waiter(who, question)
        self._line[who] = waiter
        self._hand_on()
        return waiter.answer

    def leave(self, who: object) -> None:
        """Forget the question of `who`, if there is one, in line or asked."""
        waiter = self._line.pop(who, None) or self._asked.pop(who, None)
        if waiter is not None:
            waiter.answer.callback(None)

    def stop(self) -> None:
        """Forget all questions, and end every wait."""
        self._line.clear()
        self._asked.clear()
        for timer in self._timers:
            cancel(timer)
        self._sleeps.stop()

    def _hand_on(self) -> None:
        # Not recursively: a read that ends at once would begin the next one level deeper.
        if self._handing_on:
            return
        self._handing_on = True
        while self._line and self._free:
            self._free -= 1
            size = min(self._most, len(self._line))
            batch = [self._line.popitem(last=False)[1] for _ in range(size)]
            self._asked.update((waiter.who, waiter) for waiter in batch)
            Deferred.fromCoroutine(self._serve(batch)).addErrback(self._failed)
        self._handing_on = False

    async def _serve(self, batch: list[_Waiter[Q, A]]) -> None:
        timer = self._reactor.callLater(self._patience, self._give_up, batch)
        self._timers[timer] = self._reactor.seconds()
        pauses, most = Backoff(FIRST_PAUSE, LAST_PAUSE), self._most
        try:
            while some := [each for each in batch if self._waits(each)][:most]:
                try:
                    answers = await self._read([each.question for each in some])
                    if len(answers) != len(some):
                        raise RuntimeError(f"{len(answers)} answers to {len(some)} questions")
                except Unavailable as error:
                    report(self._what, error)
                    await self._sleeps.sleep(pauses.next())
                except Exception as error:
                    # Perhaps one question is the cause. Asked one by one, they show which.
                    report(self._what, error)
                    if len(some) == 1:
                        self._fail(some[0], error)
                    most = 1
                else:
                    self._silent = None
                    for each, answer in zip(some, answers, strict=True):
                        if self._waits(each):
                            del self._asked[each.who]
                            each.answer.callback(answer)
        finally:
            cancel(timer)
            del self._timers[timer]
            self._free += 1
            self._hand_on()
            if not self._timers:
                self._silent = None

    def _waits(self, waiter: _Waiter[Q, A]) -> bool:
        return self._asked.get(waiter.who) is waiter

    def _give_up(self, batch: list[_Waiter[Q, A]]) -> None:
        if self._silent is None:
            self._silent = self._reactor.seconds() - self._patience
        for waiter in batch:
            self._fail(waiter, Unavailable("the database does not answer"))

    def _fail(self, waiter: _Waiter[Q, A], error: Exception) -> None:
        if self._waits(waiter):
            del self._asked[waiter.who]
            waiter.answer.errback(error)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("Could not {what}", failure, what=self._what)
