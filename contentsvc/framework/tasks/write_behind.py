"""Counters that are written together, now and then."""

from collections import Counter
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from itertools import islice
from typing import Generic, TypeVar

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.tasks.runner import Job

K = TypeVar("K", bound=Hashable)


class WriteBehind(Generic[K]):
    """What this process has counted by key, and the database does not have yet. It is written
    together, at most `most` keys in one `write`, so that no request waits for a transaction. What
    could not be written is written the next time; a process that is killed loses it."""

    def __init__(self, write: Callable[[Counter[K]], Awaitable[object]], most: int) -> None:
        self._write = write
        self._most = most
        self._counts: Counter[K] = Counter()

    def count(self, key: K, number: int = 1) -> None:
        """Add a number to the count of a key."""
        if number:
            self._counts[key] += number

    async def write(self) -> None:
        """Write what there is. What is counted meanwhile waits for the next time."""
        counts, self._counts = self._counts, Counter()
        while some := Counter(dict(islice(counts.items(), self._most))):
            try:
                await self._write(some)
            except BaseException:
                self._counts = counts + self._counts
                raise
            counts -= some

    async def stop(self) -> None:
        """Write what there is. A database that is away misses it."""
        with suppress(Unavailable):
            await self.write()

    def job(self, name: str, every: float) -> Job:
        """The job that writes it every so many seconds, and at the end of the process."""
        return Job(name, every, self.write, stop=self.stop)
