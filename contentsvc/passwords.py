"""Hashing passwords with Argon2id: in the daemon in threads, a few at a time."""

from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any, Generic, Literal, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import HashingError, InvalidHashError, VerificationError, VerifyMismatchError
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.threads import deferToThreadPool

from contentsvc.core import threads
from contentsvc.core.request_timing import CURRENT

T = TypeVar("T")

HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""Argon2id with the parameters that OWASP gives; 19 MiB each."""
THREADS = 2
WAITING = 128
"""Two or three seconds of work."""


class Busy(Exception):
    """No password can be hashed now: too many wait, or the system has no memory."""

    def __init__(self, cause: Literal["hashing", "memory"]) -> None:
        super().__init__(cause)
        self.cause = cause


class Passwords:
    """Hashes and verifies passwords in its own threads, `threads`.

    Each job is for `who`, a client's network. Networks take turns, so that the many jobs of one do
    not delay the others.
    """

    def __init__(self, reactor: Any, hasher: PasswordHasher = HASHER) -> None:
        self._reactor = reactor
        self._hasher = hasher
        self._turns = Turns(THREADS, WAITING)
        self.threads = threads.pool(THREADS, "argon2")
        # The password of an unknown account is compared with this, so that it takes as long.
        self._nobody = hasher.hash("nobody")

    @property
    def waiting(self) -> int:
        """How many passwords wait to be hashed."""
        return self._turns.waiting

    @property
    def running(self) -> int:
        """How many are being hashed."""
        return THREADS - self._turns.free

    async def hash(self, password: str, who: str) -> str:
        """The encoded hash. Raises Busy."""
        return await self._run(who, self._hasher.hash, password)

    async def verify(self, encoded: str | None, password: str, who: str) -> bool:
        """Whether the password is right. If `encoded` is None, it never is, but takes as long.

        Raises Busy.
        """
        right = await self._run(who, self._matches, encoded or self._nobody, password)
        return right and encoded is not None

    async def _run(self, who: str, function: Callable[..., T], *args: object) -> T:
        came = self._reactor.seconds()
        begun: float | None = None

        def act() -> Deferred[T]:
            nonlocal begun
            begun = self._reactor.seconds()
            return deferToThreadPool(self._reactor, self.threads, function, *args)

        try:
            return await self._turns.run(who, act)
        except Full:
            raise Busy("hashing") from None
        except (HashingError, VerificationError, MemoryError, RuntimeError) as error:
            # The only causes are that the system has no 19 MiB, or no thread (RuntimeError).
            raise Busy("memory") from error
        finally:
            if (spent := CURRENT.get()) is not None:
                now = self._reactor.seconds()
                left = now if begun is None else begun
                spent.waited("queue", left - came)
                spent.waited("hashing", now - left)

    def _matches(self, encoded: str, password: str) -> bool:
        try:
            return self._hasher.verify(encoded, password)
        except (VerifyMismatchError, InvalidHashError):
            return False


class Full(Exception):
    """There is no place for the job, or another job needs it more."""


class _Job(Generic[T]):
    __slots__ = ("act", "answer")

    def __init__(self, act: Callable[[], Deferred[T]]) -> None:
        self.act = act
        self.answer: Deferred[T] = Deferred()


class Turns:
    """Does `at_once` jobs at a time. Up to `most` wait, in one line for each owner.

    The lines take turns. When no place is left, the longest line loses its last job to an owner
    with fewer.
    """

    def __init__(self, at_once: int, most: int) -> None:
        self.free = at_once
        self._most = most
        self.waiting = 0
        self._handing_on = False
        self._lines: OrderedDict[str, deque[_Job[Any]]] = OrderedDict()
        """In the order of their turns."""

    def run(self, who: str, act: Callable[[], Deferred[T]]) -> Deferred[T]:
        """The result of `act`, which is called in its turn. Fails with Full."""
        job = _Job(act)
        loser = self._loser(who, job)
        if loser is not job:
            self._lines.setdefault(who, deque()).append(job)
            self.waiting += 1
            self._hand_on()
        if loser is not None:
            loser.answer.errback(Full())
        return job.answer

    def _loser(self, who: str, job: _Job[Any]) -> _Job[Any] | None:
        """The job that must go to make room for this one; None if there is room."""
        if self.waiting < self._most:
            return None
        longest = max(self._lines.values(), key=len, default=deque())
        if len(longest) <= len(self._lines.get(who, ())) + 1:
            return job
        self.waiting -= 1
        return longest.pop()

    def _hand_on(self) -> None:
        # Not recursively: a job that ends at once would begin the next one level deeper.
        if self._handing_on:
            return
        self._handing_on = True
        while self.free and self._lines:
            who, line = self._lines.popitem(last=False)
            job = line.popleft()
            if line:
                self._lines[who] = line
            self.waiting -= 1
            self.free -= 1
            maybeDeferred(job.act).addBoth(self._done, job)
        self._handing_on = False

    def _done(self, result: Any, job: _Job[Any]) -> None:
        self.free += 1
        self._hand_on()
        job.answer.callback(result)
