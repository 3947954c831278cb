"""Which worker takes a connection that all of them are told of."""

import errno
import os
from types import SimpleNamespace
from typing import Any, cast

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.process.worker import FULL, MANY, POLITE, Shared


class Factory:
    """A site, or what wraps one."""

    def __init__(self) -> None:
        self.all_in_use = False

    def full(self) -> bool:
        return self.all_in_use


class Port:
    """A listening socket; `waiting` is how many want to connect."""

    def __init__(self) -> None:
        self.site = Factory()
        self.factory = SimpleNamespace(wrappedFactory=self.site)
        self.waiting: list[str] = []
        self.sessionno = 0
        self.numberAccepts = 100
        self.socket = self
        self.closed = False

    def stopReading(self) -> None:
        pass

    def doRead(self) -> None:
        taken = self.waiting[: self.numberAccepts]
        del self.waiting[: self.numberAccepts]
        self.sessionno += len(taken)

    def fileno(self) -> int:
        return 0

    def close(self) -> None:
        self.closed = True


def no_more(descriptor: int) -> int:
    """The system's error when a process has too many open files."""
    raise OSError(errno.EMFILE, "Too many open files")


class Reactor(Clock):
    """Tells its readers of connections when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.readers: list[Any] = []

    def addReader(self, reader: object) -> None:
        self.readers.append(reader)

    def removeReader(self, reader: object) -> None:
        if reader in self.readers:
            self.readers.remove(reader)


class SharedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.port = Port()
        self.reactor = Reactor()
        self.shared = Shared(self.port, cast(Any, self.reactor))

    def comes(self, number: int = 1) -> int:
        """So many clients connect; how many are taken at once."""
        self.port.waiting += ["client"] * number
        return self.woken()

    def woken(self) -> int:
        """How many connections are taken when the reactor tells that there are some."""
        before = self.port.sessionno
        for reader in list(self.reactor.readers):
            reader.doRead()
        return self.port.sessionno - before

    def later(self) -> int:
        """How many are taken a moment later."""
        before = self.port.sessionno
        self.reactor.advance(POLITE)
        return self.port.sessionno - before

    def test_all_in_use(self) -> None:
        """One whose connections are all in use leaves what comes to the others, for a moment."""
        self.port.site.all_in_use = True
        self.assertEqual(self.comes(2), 0)
        self.assertEqual(self.later(), 2)

    def test_first(self) -> None:
        """A connection is taken at once, and one only."""
        self.assertEqual(self.comes(2), 1)

    def test_others_first(self) -> None:
        """A worker that has just accepted one lets others go first, and takes the next one a moment
        later."""
        self.comes()
        self.assertEqual(self.comes(), 0)
        self.assertEqual(self.woken(), 0)
        self.assertEqual(self.later(), 1)

    def test_turn(self) -> None:
        """When another has taken one, the next is taken at once again."""
        self.comes()
        self.comes()
        self.port.waiting.clear()
        self.assertEqual(self.later(), 0)
        self.assertEqual(self.comes(), 1)

    def test_rush(self) -> None:
        """Of many that nobody else takes, some at a time are taken."""
        self.comes()
        self.comes(3 * MANY)
        self.assertEqual(self.later(), MANY)
        self.assertEqual(self.woken(), 0)
        self.assertEqual(self.later(), MANY)

    def test_full(self) -> None:
        """A worker that can open no file takes none, so that others do, and tries again later."""
        full = self.patch(os, "dup", no_more)
        self.assertEqual(self.comes(), 0)
        self.reactor.advance(FULL)
        self.assertEqual(self.woken(), 0)
        full.restore()
        self.reactor.advance(FULL)
        self.assertEqual(self.port.sessionno, 1)

    def test_stopped(self) -> None:
        """A worker that has stopped accepts nothing."""
        self.port.waiting.append("client")
        self.successResultOf(self.shared.stopListening())
        self.assertEqual((self.later(), self.woken()), (0, 0))
        self.assertTrue(self.port.closed)

    def test_stopped_meanwhile(self) -> None:
        """A worker that has stopped accepts nothing, also while it waits for the others."""
        self.comes()
        self.comes()
        self.successResultOf(self.shared.stopListening())
        self.assertEqual((self.later(), self.woken()), (0, 0))
