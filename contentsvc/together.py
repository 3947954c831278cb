"""Several pieces of work at once. Every layer may import this leaf, the client's too."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from twisted.internet.defer import Deferred, DeferredList, FirstError

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
