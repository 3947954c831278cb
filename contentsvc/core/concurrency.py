"""Several pieces of work at once. Every layer may import this leaf, the client's too."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeVar

from twisted.internet.defer import Deferred, DeferredList, FirstError
from twisted.python.failure import Failure

T = TypeVar("T")
R = TypeVar("R")


async def each(most: int, items: Iterable[T], act: Callable[[T], Awaitable[R]]) -> list[R]:
    """The results of `act` for each item, in their order; at most `most` are under way at once. The
    first that fails ends all others, and is raised when they have ended."""
    todo = list(items)
    results: dict[int, R] = {}
    coming = iter(enumerate(todo))

    async def work() -> None:
        for number, item in coming:
            results[number] = await act(item)

    running = [Deferred.fromCoroutine(work()) for _ in range(min(most, len(todo)))]
    try:
        await DeferredList(running, fireOnOneErrback=True, consumeErrors=True)
    except FirstError as error:
        error.subFailure.raiseException()
    finally:
        for deferred in running:
            deferred.cancel()
        await DeferredList(running, consumeErrors=True)
    return [results[number] for number in range(len(todo))]


class Once(Generic[T]):
    """Work that all who ask for it at the same time share."""

    def __init__(self, act: Callable[[], Awaitable[T]]) -> None:
        self._act = act
        self._waiting: list[Deferred[T]] = []

    def ask(self) -> Deferred[T]:
        """The result of the work that is under way. If none is, it begins now. To cancel this does
        not end the work."""
        answer: Deferred[T] = Deferred()
        self._waiting.append(answer)
        if len(self._waiting) == 1:
            Deferred.fromCoroutine(self._run()).addBoth(self._done)
        return answer

    async def _run(self) -> T:
        return await self._act()

    def _done(self, result: T | Failure) -> None:
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer.callback(result)
