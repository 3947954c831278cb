"""Argon2id off the reactor thread, a few at a time."""

from collections.abc import Callable
from typing import Any, TypeVar

from argon2.exceptions import HashingError, InvalidHashError, VerificationError, VerifyMismatchError
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from contentsvc.api.turns import Full, Turns
from contentsvc.passwords import HASHER
from contentsvc.web.errors import Unavailable

T = TypeVar("T")

_THREADS = 2
_WAITING = 128
"""Two or three seconds of work."""


class Passwords:
    """Hashes and verifies passwords in threads of its own; see `threads`.

    Each is done for somebody, `who`, with whose many others need not wait: a client's network.
    """

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self._turns = Turns(_THREADS, _WAITING)
        self.threads = ThreadPool(0, _THREADS, "argon2")
        # What an unknown account's password is compared with, so that it takes as long.
        self._nobody = HASHER.hash("nobody")

    async def hash(self, password: str, who: str) -> str:
        """The encoded hash. Raises Unavailable when too many wait, or there is no memory."""
        return await self._run(who, HASHER.hash, password)

    async def verify(self, encoded: str | None, password: str, who: str) -> bool:
        """Whether it is the password; `encoded` None never matches, and takes as long.

        Raises Unavailable when too many wait, or there is no memory.
        """
        right = await self._run(who, _verify, encoded or self._nobody, password)
        return right and encoded is not None

    async def _run(self, who: str, function: Callable[..., T], *args: object) -> T:
        try:
            return await self._turns.run(
                who, lambda: deferToThreadPool(self._reactor, self.threads, function, *args)
            )
        except Full:
            raise Unavailable("Too many log-ins at once.", cause="hashing") from None
        except (HashingError, VerificationError, MemoryError, RuntimeError) as error:
            # What goes wrong there is that the system has no 19 MiB, or no thread (RuntimeError).
            raise Unavailable(cause="memory") from error


def _verify(encoded: str, password: str) -> bool:
    try:
        return HASHER.verify(encoded, password)
    except (VerifyMismatchError, InvalidHashError):
        return False
