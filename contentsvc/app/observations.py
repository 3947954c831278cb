"""What a process counts for its operators alone."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Metric, disable_created_metrics
from prometheus_client.registry import Collector
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from contentsvc.app import metrics
from contentsvc.framework.core.timers import cancel
from contentsvc.push.statistics import OTHERS, OWN

REQUESTS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
PUSHES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
WAITS = (0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0)
SCALINGS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0)
LAGS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Bounds in seconds."""
TICK = 0.25
"""Seconds between two measurements of the event loop's lag."""


UNKNOWN: Final = "unknown"
"""The route of requests that have none, whatever their path is."""


class _Requests(Collector):
    """The durations of requests, as plain numbers: prometheus-client's own histogram takes some 2 %
    of a small request.

    They are collected one by one. All of them together are some thousand samples, and would take
    10 ms.
    """

    def __init__(self) -> None:
        self._durations: dict[tuple[str, str, int], list[float]] = {}
        """How many are in each bucket, and their sum."""

    def observe(self, key: tuple[str, str, int], seconds: float) -> None:
        durations = self._durations.get(key)
        if durations is None:
            durations = self._durations[key] = [0] * (len(REQUESTS) + 2)
        durations[bisect_left(REQUESTS, seconds)] += 1
        durations[-1] += seconds

    def collect(self) -> Iterator[Metric]:
        yield metrics.REQUESTS.distribution(REQUESTS, {})
        for (method, route, status), durations in list(self._durations.items()):
            labels = method, UNKNOWN if route == "-" else route, f"{status}xx"
            yield metrics.REQUESTS.distribution(REQUESTS, {labels: durations})


class Observations:
    """The durations, all in seconds, and the counts that no part has by itself. What `registry`
    collects can be taken one by one, with turns of the reactor in between."""

    def __init__(self) -> None:
        # For each counter and histogram there would be a series with the time of its making.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        requests = _Requests()
        self.registry.register(requests)
        self.answered = requests.observe
        """A request has its answer: see contentsvc.framework.http.site.Observe."""
        pushes = metrics.PUSH_DELAY.histogram(self.registry, PUSHES)
        self._pushes = {stored_by: pushes.labels(stored_by) for stored_by in (OWN, OTHERS)}
        self._log_ins = metrics.FAILED_LOG_INS.counter(self.registry)
        for reason in ("password", "token", "limit"):
            # It is 0 from the start, so that the first one is an increase.
            self._log_ins.labels(reason)
        self.waited = metrics.POOL_WAIT.histogram(self.registry, WAITS).observe
        """A caller has waited so long for a database connection, if there was none."""
        self.scaled = metrics.SCALING.histogram(self.registry, SCALINGS).observe
        """Smaller images were made of an image, or could not be, in so long."""
        self.late = metrics.EVENT_LOOP_LAG.histogram(self.registry, LAGS).observe
        """The event loop was so late."""

    def pushed(self, stored_by: str, seconds: float) -> None:
        """A notification has come to the sockets, so long after OWN or OTHERS began to store it."""
        self._pushes[stored_by].observe(seconds)

    def failed(self, reason: str) -> None:
        """A log-in has failed; see contentsvc.api.accounts.authentication."""
        self._log_ins.labels(reason).inc()


class Lag:
    """Measures how late the event loop makes scheduled calls. `late` is called with the seconds."""

    def __init__(self, reactor: IReactorTime, late: Callable[[float], object]) -> None:
        self._reactor = reactor
        self._late = late
        self._due = 0.0
        self._call: IDelayedCall | None = None

    def start(self) -> None:
        """Begin to measure."""
        self._due = self._reactor.seconds() + TICK
        self._call = self._reactor.callLater(TICK, self._tick)

    def stop(self) -> None:
        """Measure no more."""
        cancel(self._call)

    def _tick(self) -> None:
        self._late(max(0.0, self._reactor.seconds() - self._due))
        self.start()
