"""Hashing passwords with Argon2id: in the daemon in threads, a few at a time."""

import unicodedata
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import HashingError, InvalidHashError, VerificationError, VerifyMismatchError
from twisted.internet.threads import deferToThreadPool

from contentsvc.framework.core import concurrency
from contentsvc.framework.core.concurrency import Bulkhead, Full
from contentsvc.framework.core.request_timing import CURRENT

T = TypeVar("T")

HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
"""Argon2id with the parameters that OWASP gives; 19 MiB each."""
THREADS = 2
WAITING = 128
"""Two or three seconds of work."""


def normal(password: str) -> str:
    """The form in which a password is hashed: NFC. One keyboard sends `é` as one character, and
    another as two."""
    return unicodedata.normalize("NFC", password)


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
        self._places = Bulkhead[str](THREADS, WAITING)
        self.threads = concurrency.pool(THREADS, "argon2")
        # The password of an unknown account is compared with this, so that it takes as long.
        self._nobody = hasher.hash("nobody")

    @property
    def waiting(self) -> int:
        """How many passwords wait to be hashed."""
        return self._places.waiting

    @property
    def running(self) -> int:
        """How many are being hashed."""
        return THREADS - self._places.free

    async def hash(self, password: str, who: str) -> str:
        """The encoded hash, of the password in its `normal` form. Raises Busy."""
        return await self._run(who, self._hasher.hash, normal(password))

    async def verify(self, encoded: str | None, password: str, who: str) -> bool:
        """Whether the password is right. If `encoded` is None, it never is, but takes as long.

        It is tried in its `normal` form, and as it came where that differs: hashes of before are of
        what came. Each takes a turn. Raises Busy.
        """
        for form in dict.fromkeys((normal(password), password)):
            if await self._run(who, self._matches, encoded or self._nobody, form):
                return encoded is not None
        return False

    async def _run(self, who: str, function: Callable[..., T], *args: object) -> T:
        came = self._reactor.seconds()
        begun: float | None = None
        try:
            async with self._places.place(who):
                begun = self._reactor.seconds()
                return await deferToThreadPool(self._reactor, self.threads, function, *args)
        except Full:
            raise Busy("hashing") from None
        except (HashingError, VerificationError, MemoryError, RuntimeError) as error:
            # The only causes are that the system has no 19 MiB, or no thread (RuntimeError).
            raise Busy("memory") from error
        finally:
            if (timing := CURRENT.get()) is not None:
                now = self._reactor.seconds()
                left = now if begun is None else begun
                timing.waited("queue", left - came)
                timing.waited("hashing", now - left)

    def _matches(self, encoded: str, password: str) -> bool:
        try:
            return self._hasher.verify(encoded, password)
        except (VerifyMismatchError, InvalidHashError):
            return False
