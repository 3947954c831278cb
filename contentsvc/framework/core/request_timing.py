"""Where the time of a request goes: each wait is added where it happens, to the request on whose
behalf the code runs. Every layer may import this leaf.

A context variable says which request that is. A coroutine has it, and hands it to those that it
starts. Work that serves several requests together counts for each.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Literal

from contentsvc.framework.core.timers import Clock

Wait = Literal["pool", "turn", "queue", "hashing", "outside", "sending"]
"""What is waited for, besides the statements of the database.

pool: a database connection. turn: others of this process who write the same, or the same kind.
queue: the passwords before. hashing: a password. outside: the place of files, or another service.
sending: a client that reads its answer.
"""
_NONE: Mapping[Wait, float] = MappingProxyType({})


class RequestTiming:
    """The time that one request, or one run of a job, has waited. All times are in seconds."""

    # An instance gets what it has to say, and no more: most requests say little.
    owner: object = None
    """The request. It does not know its account, because one more attribute of it costs more than
    all else here."""
    database = 0.0
    statements = 0
    slowest = 0.0
    sql = ""
    """The statement that took longest, without its arguments."""
    waits: Mapping[Wait, float] = _NONE

    def waited(self, wait: Wait, seconds: float) -> None:
        """Note a wait."""
        self.waits = {**self.waits, wait: self.waits.get(wait, 0.0) + seconds}


_NOBODY = RequestTiming()
CURRENT: ContextVar[RequestTiming | None] = ContextVar("request_timing", default=None)
"""That of the request on whose behalf the present code runs."""


def timing_of(owner: object) -> RequestTiming:
    """The account of a request, in its own context. Elsewhere, and if it was not carried out, an
    empty one."""
    timing = CURRENT.get()
    return timing if timing is not None and timing.owner is owner else _NOBODY


def client() -> str:
    """The network of the client whose request runs, "" where none does: what runs by itself."""
    timing = CURRENT.get()
    return "" if timing is None else getattr(timing.owner, "network", "")


@contextmanager
def waiting(wait: Wait, clock: Clock) -> Iterator[None]:
    """Note how long the block takes."""
    timing = CURRENT.get()
    if timing is None:
        yield
        return
    since = clock.seconds()
    try:
        yield
    finally:
        timing.waited(wait, clock.seconds() - since)


class Sharing:
    """A block in which the calling coroutine works for all of these. What it waits for counts for
    each."""

    __slots__ = ("_parties", "_shared")

    def __init__(self, parties: Sequence[RequestTiming | None]) -> None:
        self._parties = parties
        self._shared: RequestTiming | None = None

    def __enter__(self) -> None:
        if len(self._parties) == 1:
            CURRENT.set(self._parties[0])
        else:
            self._shared = RequestTiming()
            CURRENT.set(self._shared)

    def __exit__(self, *_: object) -> None:
        shared = self._shared
        if shared is None:
            return
        database, statements, slowest = shared.database, shared.statements, shared.slowest
        for timing in self._parties:
            if timing is not None:
                timing.database += database
                timing.statements += statements
                if slowest > timing.slowest:
                    timing.slowest, timing.sql = slowest, shared.sql
                for wait, seconds in shared.waits.items() if shared.waits else ():
                    timing.waited(wait, seconds)
