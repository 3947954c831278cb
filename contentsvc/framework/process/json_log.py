"""The log of a daemon as JSON, with `log_format` json: one flat object a line.

Every line has `time` (RFC 3339, UTC), `level`, `logger` and `message`; a worker's has `worker`. The
values that the message was made of follow, so nothing is here that the text would not show. A
failure adds `exception`, `error` and `traceback`. All is ASCII: no value can break a line, and no
setting of the locale matters.
"""

import json
import sys
import warnings
from datetime import UTC, datetime
from functools import lru_cache
from string import Formatter
from types import TracebackType
from typing import IO, Any

from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent
from twisted.python.failure import Failure
from twisted.python.reflect import qual
from zope.interface import implementer

from contentsvc.framework.http.trace_context import Traced

LONGEST = 16 * 1024
"""Bytes of a line. Docker splits longer ones."""
SHARED = 4096
"""Bytes of a line where several workers write to one pipe: the system does not split those."""
_SHORT = 64
"""Characters of a value that is not shortened any more."""
_CUT = " ... "
_EXACT = 2**53
"""The numbers up to this are the same for every reader of JSON."""
_MILLISECONDS = [f".{n:03d}Z" for n in range(1000)]
_PARENT = "twisted.runner.procmon.ProcessMonitor"


@implementer(ILogObserver)
class JsonLog:
    """Writes events to a text file. `worker` is the number of this process, if it is a worker, and
    `longest` the most bytes of a line."""

    def __init__(self, file: IO[str], worker: int | None = None, *, longest: int = LONGEST) -> None:
        self._file = file
        self._worker = {} if worker is None else {"worker": worker}
        self._tag = "" if worker is None else f'"worker":{worker},'
        self._longest = longest
        self._second = -1
        self._time = ""
        self._kinds: dict[tuple[str, str, int], str] = {}
        """The middle of the lines of requests, by method, route and status."""

    def __call__(self, event: LogEvent) -> None:
        """Write one event. Never raises for what an event has."""
        is_request = "note" in event and "route" in event
        self._file.write(self._request(event) if is_request else self._other(event))
        self._file.flush()

    def _request(self, event: LogEvent) -> str:
        """The line of a request (web.site). Its values are the service's own words, numbers and
        addresses, so none has to be escaped."""
        kind = event["method"], event["route"], event["status"]
        middle = self._kinds.get(kind)
        if middle is None:
            method, route, status = kind
            middle = self._kinds[kind] = (
                f'","level":"info",{self._tag}"logger":"{event["log_namespace"]}",'
                f'"message":"{method} {route} {status}",'
                f'"method":"{method}","route":"{route}","status":{status},"ms":'
            )
        user, note, more = event["user"], event["note"], ""
        user = "null" if user == "-" else f'"{user}"'
        if note:
            if isinstance(note, Traced):
                if note.content:
                    more = f',"content":"{note.content}"'
                if (trace := note.trace) is not None:
                    more += f',"trace_id":"{trace.trace_id}","parent_id":"{trace.parent_id}"'
                note = note.note
            if note:
                more += f',"note":"{note[1:]}"'
        return (
            f'{{"time":"{self._stamp(event["log_time"])}{middle}{event["ms"]:.1f},"user":{user},'
            f'"client":"{event["client"]}","request_id":"{event["request_id"]}"{more}}}\n'
        )

    def _other(self, event: LogEvent) -> str:
        if event.get("log_namespace") == _PARENT and (of_worker := _object(event.get("line"))):
            return self._fitted(of_worker)
        failure, message = event.get("log_failure"), formatEvent(event)
        if not (message or failure):
            return ""
        values: dict[str, Any] = {
            "time": self._stamp(event.get("log_time") or 0.0),
            "level": getattr(event.get("log_level"), "name", "info"),
            **self._worker,
            "logger": str(event.get("log_namespace", "-")),
            "message": message,
        }
        for name in _names(str(event.get("log_format") or "")):
            if name in event and name not in values:
                values[name] = _plain(event[name])
        if isinstance(failure, Failure):
            values["exception"] = qual(failure.type) if failure.type else "-"
            values["error"] = failure.getErrorMessage()
            values["traceback"] = failure.getTraceback()
        return self._fitted(values)

    def _stamp(self, when: float) -> str:
        second = int(when)
        if second != self._second:
            self._second = second
            self._time = f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"
        return self._time + _MILLISECONDS[int((when - second) * 1000)]

    def _fitted(self, values: dict[str, Any]) -> str:
        """The line, with the middle of its longest values cut out if it would be too long."""
        while (excess := len(line := _dumped(values)) + 1 - self._longest) > 0:
            name = max(values, key=lambda name: len(_dumped(values[name])))
            text = values[name]
            if not isinstance(text, str) or len(text) <= _SHORT:
                break
            share = 1 - excess / len(_dumped(text))
            kept = max(_SHORT - len(_CUT), int(len(text) * share) - len(_CUT) - 1) // 2
            values[name] = f"{text[:kept]}{_CUT}{text[-kept:]}"
        return f"{line}\n"


def begin() -> None:
    """Write as JSON what this process says on standard error before its log begins: warnings, and
    the traceback that ends it."""

    def ended(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        say("contentsvc cannot start", Failure(error, kind, trace))

    def warned(message: Warning | str, category: type[Warning], *where: Any, **_: Any) -> None:
        say(f"{qual(category)}: {message}", level=LogLevel.warn)

    sys.excepthook = ended
    warnings.showwarning = warned


def say(reason: str, failure: Failure | None = None, *, level: Any = LogLevel.critical) -> None:
    """Write one line to standard error, for a process that has no log yet."""
    event = {
        "log_time": datetime.now(UTC).timestamp(),
        "log_level": level,
        "log_namespace": "contentsvc",
        "log_format": "{log_text}",
        "log_text": reason,
    }
    if failure is not None:
        event["log_failure"] = failure
    JsonLog(sys.__stderr__ or sys.stderr)(event)


@lru_cache(1024)
def _names(form: str) -> tuple[str, ...]:
    """The names of the values that a format shows. Those of Twisted's own bookkeeping begin with
    log_."""
    try:
        found = [name.removesuffix("()") for _, name, _, _ in Formatter().parse(form) if name]
    except ValueError:
        return ()
    return tuple(name for name in found if name.isidentifier() and not name.startswith("log_"))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if type(value) in {int, float} and -_EXACT <= value <= _EXACT:
        return value
    try:
        return str(value)
    except Exception as error:
        return f"({type(error).__name__})"


def _object(line: Any) -> dict[str, Any] | None:
    """The object that this line is, None if it is anything else."""
    try:
        found = json.loads(line)
    except (TypeError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
