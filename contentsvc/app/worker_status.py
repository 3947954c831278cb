"""The metrics and the readiness of all workers of a parent."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from attrs import define, field
from msgspec import MsgspecError, msgpack
from prometheus_client import Metric
from twisted.internet.defer import Deferred, TimeoutError, gatherResults

from contentsvc.app import collector, metrics
from contentsvc.app.metric_values import Source, unpacked
from contentsvc.app.process_status import STARTING, STOPPING
from contentsvc.framework.process.pipes import ALL_METRICS, METRICS, MISSING, Asking
from contentsvc.store.schema_definition import names
from contentsvc.wire.base import ready

WORKER_TIMEOUT = 2.0
"""Seconds that a scrape waits for a worker at most."""
READY_PATIENCE = 2.5
"""Seconds that /ready waits for the workers at most: somewhat more than their own check takes."""
PARENT = "parent"
"""The parent's value of the label `worker`."""


@define(eq=False)
class WorkerStatus:
    """The workers, as /metrics and /ready show them.

    `present` gives the number of each worker that is wanted, and its Asking; None if it gives no
    sign of life. `serving` is how many serve, and `started` how often each number was started.
    `stopping` says whether the service stops.
    """

    _reactor: Any
    _present: Callable[[], Mapping[int, Asking | None]] = field(kw_only=True)
    _serving: Callable[[], int] = field(kw_only=True)
    _started: Mapping[int, int] = field(kw_only=True)
    _stopping: Callable[[], bool] = field(kw_only=True)
    _build: Metric = field(factory=lambda: collector.build_info(names()[-1]), init=False)
    _reporter: int | None = field(default=None, init=False)
    """The worker that reports what all processes share."""

    async def sources(self) -> list[Source]:
        """The metrics of all workers that answer in time, and those of this process."""
        present = self._present()
        living = [number for number, asking in present.items() if asking is not None]
        if self._reporter not in living:
            self._reporter = min(living, default=None)
        reporter = self._reporter
        asked = {
            number: self._families(asking, ALL_METRICS if number == reporter else METRICS)
            for number, asking in present.items()
            if asking is not None
        }
        answers = await gatherResults([Deferred.fromCoroutine(each) for each in asked.values()])
        found = {
            number: families
            for number, families in zip(asked, answers, strict=True)
            if families is not None
        }
        if reporter not in found:
            # Another worker next time.
            self._reporter = min(found, default=None)
        own = self._own({number: number in found for number in present})
        return [(PARENT, own), *((str(number), found[number]) for number in sorted(found))]

    async def missing(self) -> list[str]:
        """The reasons not to be ready: none if one worker has none. If one can only read, its
        own."""
        if self._stopping():
            return [STOPPING]
        if not self._serving():
            return [STARTING]
        asked = [asking for asking in self._present().values() if asking is not None]
        one: Deferred[list[str]] = Deferred()
        reasons: set[str] = set()
        reading: list[list[str]] = []
        left = len(asked)

        def heard(found: list[str] | None) -> None:
            nonlocal left
            left -= 1
            reasons.update(["workers"] if found is None else found)
            if found and ready(found) is not None:
                reading.append(found)
            if not one.called and (not left or found == []):
                one.callback([] if found == [] else sorted(min(reading, key=len, default=reasons)))

        for asking in asked:
            Deferred.fromCoroutine(self._reasons(asking)).addCallback(heard)
        return await one if asked else ["workers"]

    def _own(self, answered: Mapping[int, bool]) -> list[Metric]:
        return [
            self._build,
            metrics.WORKERS.one(len(answered)),
            metrics.WORKERS_SERVING.one(self._serving()),
            metrics.WORKER_UP.by({str(number): up for number, up in answered.items()}),
            metrics.WORKER_STARTS.by(
                {str(number): count for number, count in self._started.items()}
            ),
            *collector.of_process(),
        ]

    async def _families(self, asking: Asking, question: bytes) -> list[Metric] | None:
        answer = await self._answer(asking, question, WORKER_TIMEOUT)
        with suppress(MsgspecError):
            return None if answer is None else unpacked(answer)
        return None

    async def _reasons(self, asking: Asking) -> list[str] | None:
        answer = await self._answer(asking, MISSING, READY_PATIENCE)
        with suppress(MsgspecError):
            return None if answer is None else msgpack.decode(answer, type=list[str])
        return None

    async def _answer(self, asking: Asking, question: bytes, patience: float) -> bytes | None:
        with suppress(TimeoutError, ConnectionError):
            return await asking.ask(question).addTimeout(patience, self._reactor)
        return None
