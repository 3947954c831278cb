"""Work that is limited, keyed or shared. Every layer may import this leaf, the client's too.

KeyedQueue: work with the same key is done in order, one piece at a time. Batcher: calls that come
together run together. Bulkhead: so much work at once, and the kinds of work take turns.
SingleFlight: all who ask at the same time share one answer. Cached: they share it for a while.
map_bounded, for_each_bounded: the items of a list, so many at once.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Iterator,
)
from contextlib import asynccontextmanager, suppress
from copy import copy
from math import inf
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred, DeferredList, FirstError, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from contentsvc.framework.core.timers import NextTurn

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


class Cached(Generic[T]):
    """A value that takes a while to read, and counts for `ttl` seconds, which may depend on it.

    Whoever asks after that waits for a new one, and all who ask share the reading. If it fails, it
    fails for them. Nobody waits longer than `patience` seconds: then the value of before counts
    until it is `old`, and after that, or if there is none, the `default`.
    """

    def __init__(
        self,
        clock: IReactorTime,
        ttl: float | Callable[[T], float],
        read: Callable[[], Awaitable[T]],
        default: T,
        *,
        patience: float | None = None,
        old: float = inf,
    ) -> None:
        self._clock = clock
        self._ttl = ttl
        self._read = read
        self._default = default
        self._patience = patience
        self._old = old
        self._value = default
        self._at = -inf
        self._reading = SingleFlight(self._renew)

    @property
    def known(self) -> T:
        """The value as far as it is known: nothing is read for it."""
        return self._default if self._age > self._old else self._value

    async def get(self) -> T:
        """The value, which is read if it has to be."""
        ttl = self._ttl(self._value) if callable(self._ttl) else self._ttl
        if self._age >= ttl:
            asked = self._reading.ask()
            if self._patience is not None:
                asked.addTimeout(self._patience, self._clock)
            with suppress(TimeoutError):
                await asked
        return self.known

    def put(self, value: T) -> None:
        """This is the value now."""
        self._value, self._at = value, self._clock.seconds()

    @property
    def _age(self) -> float:
        return self._clock.seconds() - self._at

    async def _renew(self) -> None:
        self.put(await self._read())


class _Wakes:
    """What lets others go on that wait for it."""

    _waking = False

    def _wake(self) -> None:
        """Let all go on who can."""
        # Not recursively: work that ends at once would wake the next one level deeper.
        if not self._waking:
            self._waking = True
            self._go_on()
            self._waking = False

    def _go_on(self) -> None:
        raise NotImplementedError


class Call(Generic[R]):
    """A call that waits for its `result`."""

    __slots__ = ("result",)

    def __init__(self) -> None:
        self.result: Deferred[R] = Deferred()


C = TypeVar("C", bound=Call[Any])


class Batcher(_Wakes, Generic[C]):
    """Calls that come together run together.

    They go in batches of at most `most`, in their order, while fewer than `runs` batches are under
    way; the others go when one of these has ended. With a reactor, `turn`, they are collected until
    its turn ends. A subclass says how a batch is run.

    If a batch fails with an `outage`, all its calls fail. After any other error each call goes by
    itself, which shows the one at fault.
    """

    def __init__(
        self,
        *,
        most: int,
        runs: float = inf,
        outage: type[Exception] | tuple[()] = (),
        turn: IReactorTime | None = None,
    ) -> None:
        self.waiting: list[C] = []
        """The calls that have not been run, in their order."""
        self.running = 0
        """How many batches are under way."""
        self._most = most
        self._runs = runs
        self._outage = outage
        self._parts: deque[list[C]] = deque()
        self._turn = None if turn is None else NextTurn(turn, self._wake)

    def add(self, call: C) -> None:
        """Run the call as soon as it may."""
        self.waiting.append(call)
        if self._turn is None:
            self._wake()
        else:
            self._turn.ask()

    def hand_over(self) -> None:
        """Begin what may begin, now or at the end of the turn."""
        if self._turn is None:
            self._wake()
        elif self.waiting or self._parts:
            self._turn.ask()

    def stop(self) -> None:
        """Forget all calls that have not been run."""
        self.waiting.clear()
        self._parts.clear()
        if self._turn is not None:
            self._turn.cancel()

    def batches(self) -> Iterator[list[C]]:
        """The batches that may begin now. Each begins before the next is asked for."""
        while self.waiting and self.running < self._runs:
            batch = self.waiting[: self._most]
            del self.waiting[: self._most]
            yield batch

    async def run(self, batch: list[C]) -> None:
        """Run these calls as one, and settle each. If it raises, the batch is split or fails."""
        raise NotImplementedError

    def split(self, batch: list[C], error: Exception) -> list[list[C]]:
        """The parts in which a batch that has failed is tried again; none if all its calls
        fail."""
        if len(batch) == 1 or isinstance(error, self._outage):
            return []
        return [[call] for call in batch]

    def again(self, parts: Iterable[list[C]]) -> None:
        """Run each of these parts of a batch by itself when the batch has ended, before the calls
        that wait."""
        self._parts.extend(parts)

    def settle(self, call: C, outcome: Any) -> None:
        """Give a call its result, or the Exception that it fails with."""
        if isinstance(outcome, self._outage):
            call.result.errback(copy(outcome))  # each call raises its own
        elif isinstance(outcome, Exception):
            call.result.errback(outcome)
        else:
            call.result.callback(outcome)

    def _go_on(self) -> None:
        self._begin_parts()
        for batch in self.batches():
            self._begin(batch)

    def _begin_parts(self) -> None:
        while self._parts and self.running < self._runs:
            self._begin(self._parts.popleft())

    def _begin(self, batch: list[C]) -> None:
        self.running += 1
        Deferred.fromCoroutine(self._serve(batch))

    async def _serve(self, batch: list[C]) -> None:
        try:
            await self.run(batch)
        except Exception as error:
            if parts := self.split(batch, error):
                self.again(parts)
            else:
                for call in batch:
                    self.settle(call, error)
        self.running -= 1
        self._begin_parts()
        self.hand_over()


class _Queues(_Wakes, Generic[K]):
    """Callers that wait, each in the queue of a key. The keys take turns."""

    def __init__(self) -> None:
        self.queues: OrderedDict[K, OrderedDict[Deferred[None], float]] = OrderedDict()
        """By key: who waits, in order, with the time at which each came. The first key is the next
        that has its turn."""

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

    def _go_on(self) -> None:
        while (key := self._next()) is not None:
            queue = self.queues[key]
            waiter, _ = queue.popitem(last=False)
            if queue:
                self.queues.move_to_end(key)
            else:
                del self.queues[key]
            self._take(key)
            waiter.callback(None)


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

    async def take(self, key: K, came: float = 0.0) -> None:
        """Take a place as soon as there is one. Raises Full, and what `expire` and `fail` are
        given."""
        if not self.enter(key):
            await self.wait(key, came)

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


class _Thread(threading.Thread):
    """A thread of a pool. Twisted's pool also waits for those that could not be started, and fails
    then."""

    def join(self, timeout: float | None = None) -> None:
        if self.ident is not None:
            super().join(timeout)


def pool(most: int, name: str) -> ThreadPool:
    """A pool of up to `most` threads, which are made when they are needed."""
    return forgiving(ThreadPool(0, most, name))


def forgiving(pool: ThreadPool) -> ThreadPool:
    """Give an existing pool, the reactor's, such threads from now on."""
    pool.threadFactory = _Thread
    return pool
