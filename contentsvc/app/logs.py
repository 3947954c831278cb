"""The log of a daemon: twistd's own format, with a fast path for the line of each request, or JSON.

As text, the fast path is used if twistd logs to standard output and has no other option for its
log. With `--logfile`, `--syslog` or `--logger` the lines are the same, but each costs some five
times as much. A worker's lines name it: `[worker 2 contentsvc.framework.http.site#info]`.
"""

import os
import signal
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import IO, Any, Literal

from twisted.logger import ILogObserver, LogEvent, Logger, textFileLogObserver
from twisted.python.logfile import LogFile
from zope.interface import implementer

from contentsvc.config import ConfigError
from contentsvc.framework.core import build
from contentsvc.framework.process.json_log import LONGEST, SHARED, JsonLog
from contentsvc.framework.process.worker import VARIABLE

log = Logger()


def say_build() -> None:
    """Log which build this is. Said before twistd begins its log, it is the first line."""
    # Log: which build this process runs: its version, and its commit if that is known, `dirty` if
    # the files of the clone differ from it.
    log.info("contentsvc {build}", build=build.name())


@implementer(ILogObserver)
class Observer:
    """Writes events to a text file, in twistd's format, with times in UTC.

    `tag` precedes the name of the module that logs.
    """

    def __init__(self, file: IO[str], tag: str = "") -> None:
        self._file = file
        self._tag = tag
        self._general = textFileLogObserver(file)
        self._second = 0
        self._time = ""

    def __call__(self, event: LogEvent) -> None:
        """Write one event."""
        if "note" not in event or "route" not in event:
            self._general(self._tagged(event) if self._tag else event)
            return
        second = int(event["log_time"])
        if second != self._second:
            self._second = second
            self._time = f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}+0000"
        self._file.write(
            f"{self._time} [{self._tag}{event['log_namespace']}#info] {event['method']} "
            f"{event['route']} {event['status']} {event['ms']:.1f}ms user={event['user']} "
            f"client={event['client']} request={event['request_id']}{event['note']}\n"
        )
        self._file.flush()

    def _tagged(self, event: LogEvent) -> LogEvent:
        system = event.get("log_system")
        if system is None:
            level = getattr(event.get("log_level"), "name", "-")
            system = f"{event.get('log_namespace', '-')}#{level}"
        return {**event, "log_system": f"{self._tag}{system}"}


def to_stdout(twistd: Mapping[str, Any]) -> bool:
    """Whether twistd logs to standard output, by its own options."""
    elsewhere = any(twistd.get(option) for option in ("logger", "syslog"))
    return bool(
        twistd.get("nodaemon") and not elsewhere and twistd.get("logfile") in {None, "", "-"}
    )


def observer(
    form: Literal["text", "json"], twistd: Mapping[str, Any], reactor: Any
) -> ILogObserver | None:
    """The observer for these options of twistd; None if it is to be twistd's own.

    Raises ConfigError: there can be no such log.
    """
    worker = os.environ.get(VARIABLE)
    if form == "text":
        if not to_stdout(twistd):
            return None
        return Observer(sys.stdout, f"worker {worker} " if worker else "")
    for option in ("logger", "syslog"):
        if twistd.get(option):
            raise ConfigError(f"log_format json cannot be used with twistd's --{option}")
    if to_stdout(twistd):
        longest = SHARED if worker else LONGEST
        return JsonLog(sys.stdout, int(worker) if worker else None, longest=longest)
    if twistd.get("logfile") == "-":
        return None  # twistd ends: without --nodaemon there is no standard output
    file = LogFile.fromFullPath(twistd.get("logfile") or "twistd.log")
    if signal.getsignal(signal.SIGUSR1) in {signal.SIG_DFL, None}:  # as twistd itself does
        signal.signal(signal.SIGUSR1, lambda number, frame: reactor.callFromThread(file.rotate))
    return JsonLog(file)
