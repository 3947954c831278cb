"""The service that twistd makes: its clock and its log."""

import time
from typing import Any

from twisted.application.service import Application
from twisted.internet import reactor
from twisted.logger import ILogObserver
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import tap
from contentsvc.config import Settings
from contentsvc.daemon.logs import Observer
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


class ClockTests(SynchronousTestCase):
    def test_monotonic(self) -> None:
        """The reactor is on the monotonic clock before any part of the service has it."""
        self.patch(reactor, "seconds", time.time)
        options = Watched()
        options.parseOptions(["--data-dir", self.mktemp()])
        tap.makeService(options)
        self.assertEqual(set(options.clocks), {time.monotonic})


class ChoiceTests(SynchronousTestCase):
    def observer(self, **twistd: Any) -> object:
        """The observer that twistd gets from the service, with these options of twistd."""
        options = tap.Options()
        options.parent = {"nodaemon": True, "logfile": None, "syslog": False, **twistd}
        folder = postgres.new_folder()
        options.parseOptions(["--data-dir", str(folder)])
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
