"""A process that runs the modules that it is given, one after another.

It reads a line of JSON for each part, a list of modules. It writes one for each test, and null at
the end of the part.
What tests print goes into a file of its folder, the first argument.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from twisted.internet import reactor, task
from twisted.python import log
from twisted.python.failure import Failure
from twisted.trial.itrial import IReporter
from twisted.trial.reporter import TestResult
from twisted.trial.runner import TestLoader, TestSuite, TrialSuite
from zope.interface import implementer

from contentsvc.framework.core.timers import run_monotonic
from tests.runner import selection
from tests.support import daemon
from tests.support.sizes import SIZE

KEPT = 3
"""The daemons that go on from one part to the next. An idle one takes some time of the cores too.
"""


@implementer(IReporter)
class Reporter(TestResult):  # type: ignore[misc]
    """Writes a line for each test when it has ended."""

    separator = ""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out
        self._test = ""
        self._began = 0.0
        self._faults: list[str] = []
        self._skip: str | None = None

    def say(self, line: Any) -> None:
        """Send one line."""
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()

    def startTest(self, test: Any) -> None:
        """It begins."""
        super().startTest(test)
        # Not at its end: some keep something of their own as `id`.
        self._test = test.id()
        self._began, self._faults, self._skip = time.monotonic(), [], None
        # It sends the bodies of requests. Trial cancels its turn if a test ends in one; then no
        # later test of this process could send a body.
        task._theCooperator = task.Cooperator()

    def addError(self, test: Any, error: Any) -> None:
        """An exception, a failed assertion, or what it has left behind."""
        super().addError(test, error)
        failure = error if isinstance(error, Failure) else Failure(*error[1::-1], error[2])
        self._faults.append(failure.getTraceback(elideFrameworkCode=True))

    def addFailure(self, test: Any, fail: Any) -> None:
        """Likewise."""
        self.addError(test, fail)

    def addSkip(self, test: Any, reason: Any) -> None:
        """It cannot run here."""
        super().addSkip(test, reason)
        self._skip = str(reason)

    def addUnexpectedSuccess(self, test: Any, todo: Any = None) -> None:
        """What was expected to fail does not."""
        self._faults.append("it was expected to fail")

    def upDownError(self, *_: Any, **__: Any) -> None:
        """Trial's, for setUp and tearDown; the errors come beside."""

    def stopTest(self, test: Any) -> None:
        """It has ended."""
        super().stopTest(test)
        seconds = time.monotonic() - self._began
        self.say([self._test, round(seconds, 3), "".join(self._faults), self._skip])


def of_size(suite: Any) -> Iterator[Any]:
    """The tests of a module that the size of this run has."""
    if isinstance(suite, TestSuite):
        for part in suite:
            yield from of_size(part)
    elif selection.runs(suite.id(), os.environ.get(SIZE, selection.SIZES[-1])):
        yield suite


def main() -> None:
    """Run what standard input says, in the folder of the first argument."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    reporter = Reporter(os.fdopen(os.dup(1), "w"))
    with (folder / "output.log").open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    log.startLogging((folder / "test.log").open("w"), setStdout=False)
    # A machine whose clock is set forward would end every wait.
    run_monotonic(reactor)
    loader = TestLoader()
    os.chdir(folder)
    for line in sys.stdin:
        for module in json.loads(line):
            for test in of_size(loader.loadByName(module)):
                test(reporter)
        daemon.end_shared(KEPT)
        reporter.say(None)
    daemon.end_shared()
    # Its end is that of the reactor, whose threads would keep the process.
    TrialSuite([]).run(reporter)


if __name__ == "__main__":
    main()
