"""Work that is limited, keyed or shared. Every layer may import this leaf, the client's too.

KeyedQueue: work with the same key is done in order, one piece at a time. Bulkhead: so much work at
once, and the kinds of work take turns. SingleFlight: all who ask at the same time share one answer.
map_bounded, for_each_bounded: the items of a list, so many at once.
"""

from collections import OrderedDict, deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Hashable, Iterable
from contextlib import asynccontextmanager
from math import inf
from typing import Generic, TypeVar

from twisted.internet.defer import Deferred, DeferredList, FirstError
from twisted.python.failure import Failure

T = TypeVar("T")
R = TypeVar("R")
K = TypeVar("K", bound=Hashable)


async def map_bounded(most: int, items: Iterable[T], act: Callable[[T], Awaitable[R]]) -> list[R]:
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


async def for_each_bounded(
    most: int, items: AsyncIterable[T], act: Callable[[T], Awaitable[object]]
) -> None:
    """Call `act` for each item of a list that may be long; at most `most` are under way at once.
    After one has failed, no more begin. The failure is raised when all have ended."""
    places = Bulkhead[str](most)
    errors: list[Exception] = []

    async def work(item: T) -> None:
        try:
            await act(item)
        except Exception as error:
            errors.append(error)
        finally:
            places.leave("")

    try:
        async for item in items:
            await places.take("")
            if errors:
                places.leave("")
                break
            Deferred.fromCoroutine(work(item))
    finally:
        for _ in range(most):
            await places.take("")
        if errors:
            raise errors[0]


class SingleFlight(Generic[T]):
    """Work that all who ask for it at the same time share. It goes on where they give up. `failed`
    is called if it fails, and nobody waits for it."""

    def __init__(
        self,
        act: Callable[[], Awaitable[T]],
        failed: Callable[[Failure], object] = lambda failure: None,
    ) -> None:
        self._act = act
        self._failed = failed
        self._under_way = False
        self._waiting: dict[Deferred[T], None] = {}

    @property
    def under_way(self) -> bool:
        """Whether the work is under way."""
        return self._under_way

    @property
    def waiting(self) -> int:
        """How many wait for it."""
        return len(self._waiting)

    def begin(self) -> None:
        """Begin the work, if it is not under way."""
        if not self._under_way:
            self._under_way = True
            Deferred.fromCoroutine(self._run()).addBoth(self._done)

    def ask(self) -> Deferred[T]:
        """The result of the work that is under way. If none is, it begins now."""
        answer: Deferred[T] = Deferred(lambda answer: self._waiting.pop(answer, None))
        self._waiting[answer] = None
        self.begin()
        return answer

    async def _run(self) -> T:
        return await self._act()

    def _done(self, result: T | Failure) -> None:
        self._under_way = False
        waiting, self._waiting = self._waiting, {}
        if isinstance(result, Failure) and not waiting:
            self._failed(result)
        for answer in waiting:
            if not answer.called:  # one may have cancelled another
                answer.callback(result)


class _Queues(Generic[K]):
    """Callers that wait, each in the queue of a key. The keys take turns."""

    def __init__(self) -> None:
        self.queues: OrderedDict[K, OrderedDict[Deferred[None], float]] = OrderedDict()
        """By key: who waits, in order, with the time at which each came. The first key is the next
        that has its turn."""
        self._waking = False

    @property
    def waiting(self) -> int:
        """How many callers wait."""
        return sum(map(len, self.queues.values()))

    def wait(self, key: K, came: float = 0.0) -> Deferred[None]:
        """Wait for one's turn. A caller that cancels the Deferred goes at once, and gets none."""
        waiter: Deferred[None] = Deferred(lambda waiter: self._forget(key, waiter))
        self.queues.setdefault(key, OrderedDict())[waiter] = came
        return waiter

    def expire(self, before: float, error: Callable[[K], Exception]) -> None:
        """Fail all callers that came before this time."""
        for key, queue in list(self.queues.items()):
            for waiter in [waiter for waiter, came in queue.items() if came < before]:
                if not waiter.called:  # one may have cancelled another
                    self._forget(key, waiter)
                    waiter.errback(error(key))

    def fail(self, error: Exception) -> None:
        """Fail all callers that wait."""
        self.expire(inf, lambda key: error)

    def _forget(self, key: K, waiter: Deferred[None]) -> None:
        queue = self.queues[key]
        del queue[waiter]
        if not queue:
            del self.queues[key]

    def _next(self) -> K | None:
        """The key whose first caller can go on."""
        raise NotImplementedError

    def _take(self, key: K) -> None:
        """Note that a caller goes on."""

    def _wake(self) -> None:
        """Let all go on who can."""
        # Not recursively: work that ends at once would wake the next one level deeper.
        if self._waking:
            return
        self._waking = True
        while (key := self._next()) is not None:
            queue = self.queues[key]
            waiter, _ = queue.popitem(last=False)
            if queue:
                self.queues.move_to_end(key)
            else:
                del self.queues[key]
            self._take(key)
            waiter.callback(None)
        self._waking = False


class KeyedQueue(_Queues[K]):
    """Work with the same key is done in order, one piece at a time. Work with another key does not
    wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self._held: set[K] = set()
        self._left: deque[K] = deque()

    async def enter(self, key: K, came: float = 0.0) -> None:
        """Wait until all that came before with this key have left, or have gone. Raises what
        `expire` and `fail` are given."""
        if key in self._held:
            await self.wait(key, came)
        else:
            self._held.add(key)

    def leave(self, key: K) -> None:
        """Let the next caller go on."""
        self._left.append(key)
        self._wake()

    def _next(self) -> K | None:
        while self._left:
            key = self._left.popleft()
            if key in self.queues:
                return key
            self._held.discard(key)
        return None


class Full(Exception):
    """No more callers may wait for a place, or another caller needs to more."""


class Bulkhead(_Queues[K]):
    """`size` places for work. Each piece of work is of a kind, its key. It waits behind others of
    its kind, and the kinds take turns, so that much of one does not delay the others.

    At most `most` callers wait. Then the longest queue loses its last to a kind with fewer.
    """

    def __init__(self, size: int, most: float = inf) -> None:
        super().__init__()
        self.free = size
        self._most = most

    def may(self, key: K) -> bool:
        """Whether work of this kind may have a place now."""
        return self.free > 0

    def enter(self, key: K) -> bool:
        """Take a place, if it may have one and nobody of its kind waits. Whether it was taken."""
        if key in self.queues or not self.may(key):
            return False
        self._take(key)
        return True

    def wait(self, key: K, came: float = 0.0) -> Deferred[None]:
        """Wait for a place. Raises Full, as the Deferred may."""
        if self.waiting < self._most:
            return super().wait(key, came)
        of, longest = max(self.queues.items(), key=lambda item: len(item[1]), default=(key, ()))
        if len(longest) <= len(self.queues.get(key, ())) + 1:
            raise Full
        loser = next(reversed(longest))
        self._forget(of, loser)
        waiter = super().wait(key, came)
        loser.errback(Full())
        return waiter

    async def take(self, key: K) -> None:
        """Take a place as soon as there is one. Raises Full."""
        if not self.enter(key):
            await self.wait(key)

    def leave(self, key: K) -> None:
        """Give a place back."""
        self.free += 1
        if self.queues:
            self._wake()

    @asynccontextmanager
    async def place(self, key: K) -> AsyncIterator[None]:
        """Have a place during the block. Raises Full."""
        await self.take(key)
        try:
            yield
        finally:
            self.leave(key)

    def _take(self, key: K) -> None:
        self.free -= 1

    def _next(self) -> K | None:
        return next(filter(self.may, self.queues), None)
