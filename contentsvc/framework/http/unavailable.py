"""Why answers are 503: a line in the log, once a second at most."""

from collections import Counter

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.framework.http.throttled_log import ThrottledLog

log = Logger()


def unavailability(reactor: IReactorTime) -> ThrottledLog:
    """Counts the answers of this process that are 503, by cause."""
    return ThrottledLog(reactor, _say)


def _say(counts: Counter[str]) -> None:
    # Log: clients got 503: the causes, and how often. Do: see docs/guides/logs.md#answers-with-503.
    log.warn(
        "Answered 503: {reasons}",
        reasons=", ".join(f"{cause} {n}" for cause, n in counts.most_common()),
    )
