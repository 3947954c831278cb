"""The watch over the embedded Postgres, on a clock of the test."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.postgres.errors import EmbeddedError
from contentsvc.framework.postgres.supervisor import (
    CHECK,
    FIRST_PAUSE,
    LAST_PAUSE,
    MISSING_TIMEOUT,
    REMINDER,
    Supervisor,
)

URL = "postgresql://postgres@/contentsvc"


class Server:
    """A server whose state is the test's to set."""

    def __init__(self) -> None:
        self.up = False
        self.starts = 0
        self.failing = False
        self.stopped = False
        self.here = True
        self.abandoned = 0
        self.gave_up = 0
        self.folder = Path("/data/postgres")
        self.closed: tuple[Path, ...] = ()

    def there(self) -> bool:
        return self.here

    def abandon(self) -> None:
        self.abandoned += 1
        self.up = False

    def give_up(self) -> None:
        self.gave_up += 1

    def running(self) -> bool:
        return self.up

    def start(self) -> str:
        self.starts += 1
        if self.failing:
            raise EmbeddedError("the disk is full")
        self.up = True
        return URL

    def stop(self) -> None:
        self.up = False
        self.stopped = True


class Reactor(Clock):
    """Threads that are done at once. Without `threads` there are none."""

    threads = True

    def getThreadPool(self) -> "Reactor":
        return self

    def callFromThread(self, act: Callable[..., object], *args: object) -> None:
        act(*args)

    def callInThreadWithCallback(
        self, done: Callable[[bool, Any], object], act: Callable[..., object], *args: object
    ) -> None:
        if not self.threads:
            raise RuntimeError("can't start new thread")
        try:
            result: object = act(*args)
        except Exception:
            done(False, Failure())
        else:
            done(True, result)


class KeeperCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.server: Any = Server()
        self.reactor = Reactor()
        self.given_up: list[str] = []
        self.keeper = Supervisor(self.reactor, self.server, self.given_up.append)

    def start(self) -> None:
        """Begin to keep it."""
        started = Deferred.fromCoroutine(self.keeper.start())
        self.assertEqual(self.successResultOf(started), URL)

    def stop(self) -> None:
        """And end."""
        self.successResultOf(Deferred.fromCoroutine(self.keeper.stop()))


class KeeperTests(KeeperCase):
    def test_runs(self) -> None:
        """A server that runs is left alone."""
        self.start()
        self.reactor.pump([CHECK] * 10)
        self.assertEqual(self.server.starts, 1)

    def test_ended(self) -> None:
        """One that has ended is started again, each time."""
        self.start()
        for starts in range(2, 5):
            self.server.up = False
            self.reactor.advance(CHECK)
            self.assertEqual(self.server.starts, starts)

    def test_cannot_start(self) -> None:
        """One that does not start is tried again after pauses that double, up to a limit."""
        self.start()
        self.server.up, self.server.failing = False, True
        self.reactor.advance(CHECK)
        pause = FIRST_PAUSE
        for starts in range(2, 12):
            self.assertEqual(self.server.starts, starts)
            self.reactor.advance(pause)
            pause = min(2 * pause, LAST_PAUSE)
        self.server.failing = False
        self.reactor.advance(LAST_PAUSE)
        self.assertTrue(self.server.up)

    def test_first_start(self) -> None:
        """A first start that fails is the caller's to judge."""
        self.server.failing = True
        self.failureResultOf(Deferred.fromCoroutine(self.keeper.start()), EmbeddedError)
        self.reactor.advance(60)
        self.assertEqual(self.server.starts, 1)
        self.stop()

    def test_stop(self) -> None:
        """After the stop nobody starts it again."""
        self.start()
        self.stop()
        self.assertTrue(self.server.stopped)
        self.reactor.advance(60)
        self.assertEqual(self.server.starts, 1)

    def test_no_thread(self) -> None:
        """Where the system has no thread left, it looks again later, and stops the server all the
        same."""
        self.start()
        self.reactor.threads, self.server.up = False, False
        self.reactor.pump([CHECK] * 3)
        self.assertEqual(self.server.starts, 1)
        self.reactor.threads = True
        self.reactor.advance(CHECK)
        self.assertEqual(self.server.starts, 2)
        self.reactor.threads = False
        self.stop()
        self.assertTrue(self.server.stopped)

    def test_stop_amid_pause(self) -> None:
        """Nor where the next start was due."""
        self.start()
        self.server.up, self.server.failing = False, True
        self.reactor.advance(CHECK)
        self.stop()
        self.reactor.advance(60)
        self.assertEqual(self.server.starts, 2)


class GoneTests(KeeperCase):
    """Its data are not there any more."""

    def setUp(self) -> None:
        super().setUp()
        self.start()
        self.server.here = False
        with capturedLogs() as self.lines:
            self.look(2)

    def look(self, times: int) -> None:
        """So many looks."""
        self.reactor.pump([CHECK] * times)

    def said(self, word: str) -> int:
        """How many lines have it."""
        return sum(word in (formatEvent(line) or "") for line in self.lines)

    def test_not_made_anew(self) -> None:
        """The server is ended, whose commits would be lost, and none is started."""
        self.look(MISSING_TIMEOUT + 100)
        self.assertEqual((self.server.abandoned, self.server.starts), (1, 1))

    def test_not_ready(self) -> None:
        """The next question about readiness hears of it at once."""
        self.assertFalse(self.keeper.there)

    def test_back(self) -> None:
        """When they are back the server is started, and kept on."""
        self.look(MISSING_TIMEOUT - 2)
        self.server.here = True
        self.look(2)
        self.assertEqual((self.server.starts, self.keeper.there), (2, True))
        self.server.up = False
        self.look(1)
        self.assertEqual((self.server.starts, self.given_up), (3, []))

    def test_again(self) -> None:
        """Going a second time they have as much time again."""
        self.look(MISSING_TIMEOUT - 2)
        self.server.here = True
        self.look(2)
        self.server.here = False
        self.look(MISSING_TIMEOUT)
        self.assertEqual((self.server.abandoned, self.given_up), (2, []))

    def test_given_up(self) -> None:
        """Where they stay away for two minutes that is said, once, with the folder."""
        self.look(MISSING_TIMEOUT - 1)
        self.assertEqual((self.given_up, self.server.gave_up), ([], 0))
        self.look(1)
        (reason,) = self.given_up
        self.assertIn("/data/postgres", reason)
        self.assertEqual(self.server.gave_up, 1)
        self.look(10 * MISSING_TIMEOUT)
        self.assertEqual(len(self.given_up), 1)

    def test_reminder(self) -> None:
        """One line a minute names the folder."""
        for minute in range(MISSING_TIMEOUT // REMINDER):
            self.assertEqual(self.said("/data/postgres"), minute + 1)
            with capturedLogs() as more:
                self.look(REMINDER)
            self.lines += more

    def test_stop(self) -> None:
        """A stop meanwhile is a stop."""
        self.stop()
        self.look(2 * MISSING_TIMEOUT)
        self.assertEqual((self.server.starts, self.given_up), (1, []))


class FlickerTests(KeeperCase):
    def test_moved_and_back(self) -> None:
        """Data that are away for one look only are still those of the server that runs."""
        self.start()
        self.server.here = False
        self.reactor.advance(CHECK)
        self.server.here = True
        self.reactor.pump([CHECK] * 5)
        self.assertEqual((self.server.abandoned, self.server.starts), (0, 1))

    def test_gone_with_the_server(self) -> None:
        """Nor is a server that ends as its data go started on others."""
        self.start()
        self.server.here = self.server.up = False
        self.reactor.pump([CHECK] * 50)
        self.assertEqual(self.server.starts, 1)

    def test_gone_amid_starts(self) -> None:
        """Where the data go while the server does not start, they are waited for instead."""
        self.start()
        self.server.up, self.server.failing = False, True
        self.reactor.advance(CHECK)
        self.server.here = False
        self.reactor.pump([CHECK] * (MISSING_TIMEOUT + 50))
        self.assertEqual((self.server.abandoned, len(self.given_up)), (1, 1))
