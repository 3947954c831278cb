"""Slow requests: a line in the log for each, which says where its time went.

A stalled database makes thousands of requests slow at once, mostly for one reason. So there is at
most one line a second for each reason: that of the slowest, with the number of the others.
"""

import re
from collections.abc import Mapping
from math import inf
from typing import Any

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger

from contentsvc.framework.core.request_timing import RequestTiming, timing_of
from contentsvc.framework.core.timers import cancel
from contentsvc.framework.http.request import ApiRequest

log = Logger()

EVERY = 1.0
"""Seconds between two lines with the same reason."""
_TRANSFER = "/files/"
"""The routes whose requests take as long as their clients do."""
_NAME = re.compile(r"EXECUTE (\w+)|call (\w+)|(COMMIT|ROLLBACK)")

Times = Mapping[str, float]
Line = dict[str, Any]


class SlowRequests:
    """Writes the lines of requests that take over `threshold` seconds; 0 means none."""

    def __init__(self, reactor: IReactorTime, threshold: float) -> None:
        self._reactor = reactor
        self.threshold = threshold or inf
        self._kept: dict[str, tuple[Line, int] | None] = {}
        """For each reason with a line in the last second: the slowest request since then, and how
        many there were."""
        self._timers: dict[str, IDelayedCall] = {}

    def note(self, method: str, request: ApiRequest, status: int, seconds: float) -> None:
        """A request that took over `threshold` seconds has been answered."""
        timing = timing_of(request)
        times = times_of(request, timing, seconds)
        if request.route.startswith(_TRANSFER):
            own = seconds - times["body"] - times["sending"]
            if own <= self.threshold:
                return
        reasons = {**times, "queue": 0.0, "hashing": times["queue"] + times["hashing"]}
        line: Line = {f"{name}_ms": _ms(took) for name, took in times.items()}
        line |= {
            "method": method,
            "route": request.route,
            "status": status,
            "ms": _ms(seconds),
            "reason": max(reasons, key=lambda name: reasons[name]),
            "statements": timing.statements,
            "slowest": statement_name(timing.sql),
            "slowest_ms": _ms(timing.slowest),
            "user": request.caller,
            "request_id": request.request_id,
        }
        self._add(line["reason"], line)

    def _add(self, reason: str, line: Line) -> None:
        if reason not in self._timers:
            self._say(reason, line, 0)
            return
        kept, n = self._kept[reason] or (line, 0)
        self._kept[reason] = (line if line["ms"] > kept["ms"] else kept, n + 1)

    def _say(self, reason: str, line: Line, others: int) -> None:
        self._kept[reason] = None
        self._timers[reason] = self._reactor.callLater(EVERY, self._go_on, reason)
        # Log: a request took over `slow_request` seconds. The parts are milliseconds. Do: see
        # docs/guides/logs.md#slow-requests.
        log.warn(
            "Slow request: {method} {route} {status} {ms}ms reason={reason} pool={pool_ms} "
            "turn={turn_ms} database={database_ms} statements={statements} "
            "slowest={slowest}:{slowest_ms} queue={queue_ms} hashing={hashing_ms} "
            "outside={outside_ms} body={body_ms} sending={sending_ms} loop={loop_ms} "
            "user={user} request={request_id} others={others}",
            others=others,
            **line,
        )

    def _go_on(self, reason: str) -> None:
        del self._timers[reason]
        kept = self._kept.pop(reason)
        if kept is not None:
            self._say(reason, kept[0], kept[1] - 1)

    def stop(self) -> None:
        """Write what is left."""
        for reason in list(self._timers):
            cancel(self._timers[reason])
            self._go_on(reason)
        for timer in self._timers.values():
            cancel(timer)


def times_of(request: ApiRequest, timing: RequestTiming, seconds: float) -> Times:
    """Where this many seconds of a request went. `loop` is what is left: the process itself."""
    arrived = request.started if request.arrived is None else request.arrived
    times: dict[str, float] = {
        "pool": 0.0,
        "turn": 0.0,
        "database": timing.database,
        "queue": 0.0,
        "hashing": 0.0,
        "outside": 0.0,
        "body": arrived - request.started if request.whole else seconds,
        "sending": 0.0,
    }
    for wait, waited in timing.waits.items():
        times[wait] = waited
    return {**times, "loop": max(0.0, seconds - sum(times.values()))}


def statement_name(sql: str) -> str:
    """The name of a statement by the SQL that runs it; "-" if there is none."""
    found = _NAME.search(sql)
    return "-" if found is None else found[found.lastindex or 0]


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
