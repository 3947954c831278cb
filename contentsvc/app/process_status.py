"""What a process reports of itself: to its own admin endpoint, or as a worker to its parent."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any, ParamSpec, TypeVar

from msgspec import msgpack
from prometheus_client import Metric
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.api.health import Health
from contentsvc.app import collector
from contentsvc.app.collector import Queues
from contentsvc.app.metric_values import packed
from contentsvc.app.observations import Lag, Observations
from contentsvc.framework.core.concurrency import Cached
from contentsvc.framework.db.database import Database
from contentsvc.framework.process.pipes import ALL_METRICS, MISSING
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_queue import STEPS
from contentsvc.jobs.handlers import EFFECTS, KINDS
from contentsvc.store import status
from contentsvc.store.schema_definition import names

P = ParamSpec("P")
T = TypeVar("T")
STARTING, STOPPING = "starting", "stopping"
"""The reasons not to be ready: before the port is served, and after the stop has begun."""
KEEP = 5.0
"""Seconds for which the queues in the database are not read again."""
READY_TIMEOUT = 0.5
"""Seconds that a scrape waits for the database at most."""
OLD = 60.0
"""Seconds after which an answer of the database does not count any more."""


class ProcessStatus:
    """The readiness and the metrics of this process."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self.observed = Observations()
        self.lag = Lag(reactor, self.observed.late)
        self._health: Health | None = None
        self._parts: list[Callable[[], Iterable[Metric]]] = []
        self._stopping = False
        self._build = collector.build_info(names()[-1])
        self._ready = self._shown(0, self.missing)
        self._queues: Cached[Queues | None] | None = None

    def shows(self, read: Callable[P, Iterable[Metric]], *args: P.args, **more: P.kwargs) -> None:
        """Add what `read` gives of these parts to the metrics, once the port is served."""
        self._parts.append(partial(read, *args, **more))

    def serves(self, db: Database, health: Health) -> None:
        """The port is served from now on."""
        self._health = health

        async def read() -> Queues:
            waiting = await task_queue.backlog(db, [STEPS, *EFFECTS], task_queue.MOST)
            due = await status.due(db, task_queue.MOST)
            return Queues(waiting, due, await status.disputed(db, task_queue.MOST))

        self._queues = self._shown(KEEP, read)

    def stops(self) -> None:
        """The process drains, and will end."""
        self._stopping = True

    async def missing(self) -> list[str]:
        """The reasons for which the process cannot serve now."""
        if self._stopping:
            return [STOPPING]
        if self._health is None:
            return [STARTING]
        return await self._health.missing()

    async def families(self, *, shared: bool) -> list[Metric]:
        """The metrics; those that are `shared` only if asked for."""
        reasons = () if self._health is None else self._health.names
        # Both at the same time.
        missing = Deferred.fromCoroutine(self._ready.get())
        queues = await self._queues.get() if shared and self._queues is not None else None
        found = collector.of_readiness(await missing, reasons)
        if self._health is not None:
            found += chain.from_iterable(read() for read in self._parts)
        if shared and self._queues is not None:
            found += collector.of_queues(queues, [*KINDS, *EFFECTS])
        for metric in self.observed.registry.collect():
            found.append(metric)
            await deferLater(self._reactor, 0)
        return [self._build, *found, *collector.of_process()]

    async def answer(self, question: bytes) -> bytes:
        """The answer to one of the parent's questions."""
        if question == MISSING:
            return msgpack.encode(await self.missing())
        return packed(await self.families(shared=question == ALL_METRICS))

    def _shown(self, ttl: float, read: Callable[[], Awaitable[T]]) -> Cached[T | None]:
        """What a scrape shows, and what it does without: None, if that cannot be read."""

        async def read_or_none() -> T | None:
            try:
                return await read()
            except Exception:
                # Whatever it is, the one who asks sees that there is no value.
                return None

        return Cached(self._reactor, ttl, read_or_none, None, patience=READY_TIMEOUT, old=OLD)
