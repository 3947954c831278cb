"""Processes that lose their connection to the database, or die, at any statement."""

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from itertools import product
from typing import Any, Literal, NamedTuple

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.error import ConnectionDone

from contentsvc.framework.db.connection import Connection, connect
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.statement import Row
from contentsvc.framework.storage.bucket import StorageUnavailable
from tests.support.databases import POOL

When = Literal["before", "after"]


class Death(NamedTuple):
    """What happens to a process: at its nth statement, before the database has it or after it was
    done, it loses its connection, or it dies and does nothing more."""

    nth: int
    when: When
    what: Literal["lost", "dead"]


class Process:
    """A process with one connection, to which a death can come. `make` makes its job."""

    def __init__(
        self, url: str, make: Callable[[Database], Callable[[], Awaitable[object]]]
    ) -> None:
        options = POOL | {"size": 1, "opener": self._open}
        self.db = Database(reactor, url, **options)
        self._job = make(self.db)
        self._death: Death | None = None
        self._sent = 0
        self._died: Deferred[None] = Deferred()
        self._hanging: Deferred[Any] = Deferred()

    async def batch(self, death: Death | None = None) -> None:
        """Run the job once, to which this happens."""
        self._death, self._sent = death, 0
        run = Deferred.fromCoroutine(self._run())
        await DeferredList(
            [run, self._died], fireOnOneCallback=True, fireOnOneErrback=True, consumeErrors=True
        )

    async def _run(self) -> None:
        with contextlib.suppress(Unavailable, StorageUnavailable):  # the runner would try again
            await self._job()

    @property
    def alive(self) -> bool:
        """Whether it does anything any more."""
        return not self._died.called

    def die(self) -> Deferred[Any]:
        """Do nothing more. What this gives never comes."""
        self._died.callback(None)
        return self._hanging

    def end(self) -> None:
        """Let go of everything."""
        self.db.stop()
        self._hanging.cancel()
        self._hanging.addErrback(lambda _: None)

    async def _open(self, *args: Any, **options: Any) -> Connection:
        connection = await connect(*args, **options)
        sent = connection.statement

        async def statement(sql: str, args: Row | None) -> Any:
            self._sent += 1
            death = self._death
            if death is None or self._sent != death.nth:
                return await sent(sql, args)
            self._death = None
            if death.when == "after":
                await sent(sql, args)
            connection.abandon()
            if death.what == "lost":
                raise ConnectionDone
            return await self.die()

        connection.statement = lambda sql, args: Deferred.fromCoroutine(statement(sql, args))
        return connection


def deaths(statements: int) -> Iterator[Death]:
    """Each that there is in a run of so many statements."""
    for nth, when, what in product(range(1, statements + 1), ("before", "after"), ("lost", "dead")):
        yield Death(nth, when, what)  # type: ignore[arg-type]
