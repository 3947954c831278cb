"""The log of a daemon: twistd's own format, with a fast path for the line of each request.

The fast path is used if twistd logs to standard output and has no other option for its log. With
`--logfile`, `--syslog` or `--logger` the lines are the same, but each costs some five times as
much. A worker's lines name it: `[worker 2 contentsvc.web.site#info]`.
"""

import os
import sys
from datetime import UTC, datetime
from typing import IO

from twisted.logger import ILogObserver, LogEvent, textFileLogObserver
from zope.interface import implementer

from contentsvc.daemon.worker import VARIABLE


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
        if "request_id" not in event or "route" not in event:
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


def observer() -> Observer:
    """An observer that writes to standard output."""
    worker = os.environ.get(VARIABLE)
    return Observer(sys.stdout, f"worker {worker} " if worker else "")
