"""Who watches the embedded Postgres, on a clock of the test's."""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.store.embedded import EmbeddedError
from contentsvc.store.keeper import CHECK, FIRST_PAUSE, LAST_PAUSE, Keeper

URL = "postgresql://postgres@/contentsvc"


class Server:
    """A server whose state is the test's to set."""

    def __init__(self) -> None:
        self.up = False
        self.starts = 0
        self.failing = False
        self.stopped = False

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
    """Threads that are done at once."""

    def getThreadPool(self) -> "Reactor":
        return self

    def callFromThread(self, act: Callable[..., object], *args: object) -> None:
        act(*args)

    def callInThreadWithCallback(
        self, done: Callable[[bool, Any], object], act: Callable[..., object], *args: object
    ) -> None:
        try:
            result: object = act(*args)
        except Exception:
            done(False, Failure())
        else:
            done(True, result)


class KeeperTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server: Any = Server()
        self.reactor = Reactor()
        self.keeper = Keeper(self.reactor, self.server)

    def start(self) -> None:
        """Begin to keep it."""
        started = Deferred.fromCoroutine(self.keeper.start())
        self.assertEqual(self.successResultOf(started), URL)

    def stop(self) -> None:
        """And end."""
        self.successResultOf(Deferred.fromCoroutine(self.keeper.stop()))

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

    def test_stop_amid_pause(self) -> None:
        """Nor where the next start was due."""
        self.start()
        self.server.up, self.server.failing = False, True
        self.reactor.advance(CHECK)
        self.stop()
        self.reactor.advance(60)
        self.assertEqual(self.server.starts, 2)
