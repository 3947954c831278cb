"""What a process counts for nobody but its operators."""

from collections import Counter

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from contentsvc.core.timers import cancel
from contentsvc.daemon.metric_values import Histogram, Labels
from contentsvc.push.statistics import OTHERS, OWN

REQUESTS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
PUSHES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0)
WAITS = (0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 5.0)
LAGS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
"""Bounds in seconds."""
BEAT = 0.25
"""Seconds between two looks at the lag of the event loop."""


class Observed:
    """The histograms of durations, all in seconds, and the counts that no part has by itself."""

    def __init__(self) -> None:
        self.requests: Histogram[tuple[str, str, int]] = Histogram(REQUESTS)
        """By method, route and the first digit of the status."""
        self.pushes: Histogram[str] = Histogram(PUSHES, [OWN, OTHERS])
        """From storing a notification to the sockets, by who has stored it."""
        self.waits: Histogram[Labels] = Histogram(WAITS, [()])
        """For a database connection, if there was none."""
        self.lags: Histogram[Labels] = Histogram(LAGS, [()])
        """Of the event loop."""
        self.log_ins: Counter[str] = Counter(password=0, token=0, limit=0)
        """Failed log-ins by cause; see contentsvc.api.accounts.credentials."""

    def waited(self, seconds: float) -> None:
        """Somebody has waited so long for a database connection."""
        self.waits.observe((), seconds)


class Lag:
    """Measures how late the event loop runs what is due: the time that others wait as well."""

    def __init__(self, reactor: IReactorTime, lags: Histogram[Labels]) -> None:
        self._reactor = reactor
        self._lags = lags
        self._due = 0.0
        self._call: IDelayedCall | None = None

    def start(self) -> None:
        """Begin to measure."""
        self._due = self._reactor.seconds() + BEAT
        self._call = self._reactor.callLater(BEAT, self._beat)

    def stop(self) -> None:
        """Measure no more."""
        cancel(self._call)

    def _beat(self) -> None:
        self._lags.observe((), max(0.0, self._reactor.seconds() - self._due))
        self.start()
