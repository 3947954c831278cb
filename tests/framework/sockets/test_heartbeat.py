"""The heartbeat: pings, and an end for silent sockets (docs/interface/socket.md)."""

from typing import Any

from twisted.internet.base import DelayedCall
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.sockets.heartbeat import BATCH, Heartbeat
from tests.push.fakes import FakeSocket, make


class Turning(Clock):
    """A clock that can go on by one turn of a reactor."""

    def step(self, seconds: float) -> None:
        """Let the time pass, without what is asked for meanwhile: that comes in the next turn."""
        later: list[DelayedCall] = []
        call_later = self.callLater

        def next_turn(delay: float, *args: Any, **kwargs: Any) -> DelayedCall:
            call = call_later(max(delay, 1e-9), *args, **kwargs)
            later.append(call)
            return call

        self.callLater = next_turn  # type: ignore[method-assign]
        self.advance(seconds)
        self.callLater = call_later  # type: ignore[method-assign]
        for call in later:
            call.reset(max(0, call.getTime() - self.seconds() - 1e-9))


class HeartbeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Turning()
        _, _, self.hub = make(clock=self.clock)
        self.hub.start()
        self.addCleanup(self.hub.stop)
        self.socket = self.at(0)

    def at(self, seconds: int) -> FakeSocket:
        """A socket that opens after so many seconds."""
        self.pass_time(seconds)
        socket = FakeSocket(self.hub, f"user-{seconds}").join()
        socket.heard = self.hub.heartbeat.tick
        socket.turn = socket.heard % 15
        return socket

    def pass_time(self, seconds: int) -> None:
        self.clock.pump([1.0] * seconds)

    def test_ping(self) -> None:
        """A socket is pinged every 15 s."""
        self.pass_time(14)
        self.assertEqual(self.socket.pings, 0)
        self.pass_time(1)
        self.assertEqual(self.socket.pings, 1)
        self.socket.heard = self.hub.heartbeat.tick
        self.pass_time(15)
        self.assertEqual(self.socket.pings, 2)

    def test_own_turn(self) -> None:
        """Each socket is pinged 15 s after it opened, so that not all are at once."""
        second = self.at(4)
        self.pass_time(11)
        self.assertEqual((self.socket.pings, second.pings), (1, 0))
        self.pass_time(4)
        self.assertEqual((self.socket.pings, second.pings), (1, 1))

    def test_silence(self) -> None:
        """A socket that has been silent for 25 s is cut off."""
        self.pass_time(24)
        self.assertFalse(self.socket.cut)
        self.pass_time(1)
        self.assertTrue(self.socket.cut)

    def test_any_byte(self) -> None:
        """Any bytes from the client keep its socket open."""
        self.pass_time(20)
        self.socket.heard = self.hub.heartbeat.tick
        self.pass_time(24)
        self.assertFalse(self.socket.cut)

    def test_stall(self) -> None:
        """A process that stood still does not take its clients for silent."""
        self.clock.advance(60)
        self.assertFalse(self.socket.cut)

    def test_crowd(self) -> None:
        """Sockets that opened in the same second are pinged over several turns, those that went
        silent together are cut off so; one that goes meanwhile is passed over."""
        crowd = [FakeSocket(self.hub, f"crowd-{n}").join() for n in range(5 * BATCH)]
        crowd.append(self.socket)
        self.pass_time(14)
        self.clock.step(1.0)
        self.assertEqual(sum(socket.pings for socket in crowd), BATCH)
        gone = next(socket for socket in crowd if not socket.pings)
        gone.leave()
        self.clock.advance(0)
        self.assertEqual(sum(socket.pings == 1 for socket in crowd), len(crowd) - 1 + gone.pings)
        self.pass_time(9)
        self.clock.step(1.0)
        self.assertEqual(sum(socket.cut for socket in crowd), BATCH)
        self.hub.stop()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_one_timer(self) -> None:
        """All sockets share one timer."""
        for _ in range(50):
            FakeSocket(self.hub).join()
        self.assertEqual(len(self.clock.getDelayedCalls()), 1)

    def test_stop_twice(self) -> None:
        """Stopping again, or before the start, does nothing."""
        heartbeat = Heartbeat(Clock(), ())
        heartbeat.stop()
        self.hub.stop()
        self.hub.stop()
