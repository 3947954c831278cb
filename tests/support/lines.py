"""What a module logs."""

from types import ModuleType

from twisted.logger import LogEvent, formatEvent, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase


def logged_by(module: ModuleType, test: SynchronousTestCase) -> list[str]:
    """The lines of the log that the module writes until the test ends, as they come. Those with a
    traceback are in flushLoggedErrors instead."""
    lines: list[str] = []

    def observe(event: LogEvent) -> None:
        if event["log_namespace"] == module.__name__ and "log_failure" not in event:
            lines.append(formatEvent(event))

    globalLogPublisher.addObserver(observe)
    test.addCleanup(globalLogPublisher.removeObserver, observe)
    return lines
