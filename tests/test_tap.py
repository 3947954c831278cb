"""The service that twistd makes: its clock and its log."""

import io
import json
import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from twisted.application.service import Application
from twisted.internet import reactor
from twisted.logger import ILogObserver
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import tap
from contentsvc.app.logs import Observer
from contentsvc.config import Settings
from contentsvc.framework.process.json_log import JsonLog
from tests.support import postgres


class Watched(tap.Options):
    """Options that note the reactor's clock when the service asks for the settings."""

    def __init__(self) -> None:
        super().__init__()
        self.clocks: list[Any] = []

    @property
    def settings(self) -> Settings:
        self.clocks.append(reactor.seconds)
        return self._given

    @settings.setter
    def settings(self, given: Settings) -> None:
        self._given = given


def restore_hooks(case: SynchronousTestCase) -> None:
    """At the end of the test, undo what a start with log_format json changes in this process."""
    case.patch(sys, "__stderr__", io.StringIO())
    case.patch(sys, "excepthook", sys.excepthook)
    case.patch(warnings, "showwarning", warnings.showwarning)


class ClockTests(SynchronousTestCase):
    def test_monotonic(self) -> None:
        """The reactor is on the monotonic clock before any part of the service has it."""
        self.patch(reactor, "seconds", time.time)
        options = Watched()
        options.parseOptions(["--data-dir", self.mktemp()])
        tap.makeService(options)
        self.assertEqual(set(options.clocks), {time.monotonic})


class ChoiceTests(SynchronousTestCase):
    def observer(self, *given: str, **twistd: Any) -> object:
        """The observer that twistd gets from the service, with these options of twistd."""
        options = tap.Options()
        options.parent = {"nodaemon": True, "logfile": None, "syslog": False, **twistd}
        folder = postgres.new_folder()
        options.parseOptions(["--data-dir", str(folder), *given])
        application = Application("contentsvc")
        tap.makeService(options).setServiceParent(application)
        return application.getComponent(ILogObserver, None)

    def test_standard_output(self) -> None:
        """twistd in the foreground logs by ours."""
        self.assertIsInstance(self.observer(), Observer)
        self.assertIsInstance(self.observer(logfile="-"), Observer)

    def test_elsewhere(self) -> None:
        """If another log is asked for, that one is used."""
        for twistd in (
            {"logfile": "x.log"},
            {"syslog": True},
            {"logger": lambda: None},
            {"nodaemon": False},
        ):
            self.assertIsNone(self.observer(**twistd))

    def json(self, **twistd: Any) -> object:
        """The observer with log_format json."""
        restore_hooks(self)
        return self.observer("--log-format", "json", **twistd)

    def test_json(self) -> None:
        """JSON is written to standard output and to files."""
        before = signal.getsignal(signal.SIGUSR1)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        self.assertIsInstance(self.json(), JsonLog)
        for twistd in ({"logfile": self.mktemp()}, {"nodaemon": False, "logfile": self.mktemp()}):
            self.assertIsInstance(self.json(**twistd), JsonLog)
            self.assertTrue(os.path.exists(twistd["logfile"]))
            self.assertNotEqual(signal.getsignal(signal.SIGUSR1), before)

    def test_json_elsewhere(self) -> None:
        """The start fails where a log cannot be JSON, with a line of JSON that says so."""
        for twistd in ({"syslog": True}, {"logger": lambda: None}):
            (option,) = twistd
            with self.assertRaises(SystemExit):
                self.json(**twistd)
            said = json.loads(sys.__stderr__.getvalue().splitlines()[-1])
            self.assertEqual(
                said["message"],
                f"contentsvc: log_format json cannot be used with twistd's --{option}",
            )


class WrongTests(SynchronousTestCase):
    """A wrong configuration, with log_format json."""

    def said(self, *options: str) -> dict[str, Any]:
        """The line that ends the start with these options."""
        restore_hooks(self)
        ended = self.assertRaises(SystemExit, tap.Options().parseOptions, [*options])
        self.assertEqual(ended.code, 1)
        # What other tests left for the garbage collector may have been told before it.
        said: dict[str, Any] = json.loads(sys.__stderr__.getvalue().splitlines()[-1])
        return said

    def test_setting(self) -> None:
        """A wrong setting is told as JSON, wherever the format was set."""
        said = self.said("--log-format", "json", "--workers", "0")
        message = "contentsvc: --workers must be a whole number from 1 to 64"
        self.assertEqual((said["level"], said["message"]), ("critical", message))
        file = self.mktemp()
        Path(file).write_text('log_format = "json"\nworkers = 0\n')
        self.assertIn("workers must be", self.said("--config", file)["message"])

    def test_option(self) -> None:
        """So is an unknown option."""
        for words in (["--log-format=json"], ["--log-format", "json"]):
            message = "contentsvc: option --nothing not recognized"
            self.assertEqual(self.said(*words, "--nothing")["message"], message)
