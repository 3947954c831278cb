"""The hub: how many sockets it holds, and how it sends them away."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.stream import DRAINING, OVERLOADED, REPLACED, REVOKED, encode
from contentsvc.wire.socket import AnnouncementsMessage
from tests.push.fakes import FakeSocket, make


class LimitTests(SynchronousTestCase):
    def test_per_user(self) -> None:
        """One socket above a user's limit replaces the oldest."""
        _, log, hub = make(sockets_per_user=2)
        first, second, third = (FakeSocket(hub).join() for _ in range(3))
        hub.deliver(log.commit())
        self.assertEqual([first.closes, second.closes, third.closes], [[REPLACED], [], []])
        self.assertEqual([first.seqs, second.seqs, third.seqs], [[], [1], [1]])

    def test_per_process(self) -> None:
        """A socket above the process's limit is sent away, signed in or not."""
        _, _, hub = make(sockets=2)
        for user in "ab":
            FakeSocket(hub, user).join()
        third = FakeSocket(hub, "c").join()
        self.assertEqual(third.closes, [OVERLOADED])
        third.leave()
        self.assertEqual(len(hub.sockets), 2)

    def test_revoke(self) -> None:
        """Ending a session closes its sockets, and no others."""
        _, _, hub = make()
        ended = FakeSocket(hub, session="s1").join(), FakeSocket(hub, session="s1").join()
        other = FakeSocket(hub, session="s2").join()
        hub.revoke(["s1", "s9"])
        self.assertEqual([each.closes for each in ended], [[REVOKED], [REVOKED]])
        self.assertEqual(other.closes, [])

    def test_revoke_asking(self) -> None:
        """Ending a session closes the sockets of what began with its portal codes."""
        _, _, hub = make()
        socket = FakeSocket(hub, session="s2")
        socket.asked_by = "s1"
        socket.join()
        hub.revoke(["s1"])
        self.assertEqual(socket.closes, [REVOKED])


class AnnouncementTests(SynchronousTestCase):
    def test_all(self) -> None:
        """All sockets that have had their hello hear of announcements, a batch in each turn."""
        clock, _, hub = make()
        sockets = [FakeSocket(hub, f"user-{n}").join() for n in range(250)]
        Deferred.fromCoroutine(hub.send_announcements(7))
        heard = [socket.types for socket in sockets]
        self.assertEqual(heard.count(["hello", "announcements"]), 100)
        clock.pump([0, 0, 0])
        frames = {socket.seen[-1].frame for socket in sockets}
        self.assertEqual(frames, {encode(AnnouncementsMessage(7))})


class DrainTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.log, self.hub = make()
        self.sockets = [FakeSocket(self.hub, f"user-{n}").join() for n in range(250)]

    def drain(self) -> object:
        return Deferred.fromCoroutine(self.hub.drain(5))

    def ended(self) -> int:
        return sum(bool(socket.closes) for socket in self.sockets)

    def test_batches(self) -> None:
        """Draining says goodbye to all, but not to all in one turn of the reactor."""
        self.drain()
        self.assertEqual(self.ended(), 100)
        self.clock.advance(0)
        self.assertEqual({socket.closes[0] for socket in self.sockets}, {DRAINING})

    def test_done(self) -> None:
        """Draining is done when the last socket has gone."""
        done = self.drain()
        self.clock.pump([0] * 3)
        for socket in self.sockets:
            self.assertNoResult(done)
            socket.leave()
        self.successResultOf(done)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_timeout(self) -> None:
        """Sockets that do not finish the close in time are cut off."""
        done = self.drain()
        self.clock.pump([0] * 3)
        self.clock.advance(5)
        self.successResultOf(done)
        self.assertTrue(all(socket.cut for socket in self.sockets))

    def test_late(self) -> None:
        """A socket that comes in while the hub drains is sent away too."""
        self.drain()
        self.assertEqual(FakeSocket(self.hub, "late").join().closes, [DRAINING])

    def test_none(self) -> None:
        """Draining a hub without sockets is done at once."""
        _, _, hub = make()
        self.successResultOf(Deferred.fromCoroutine(hub.drain(5)))


class StopTests(SynchronousTestCase):
    def test_nothing_left(self) -> None:
        """A stopped hub leaves no timer behind."""
        clock, log, hub = make()
        hub.start()
        FakeSocket(hub).join()
        log.commit()
        log.error = Unavailable("away")
        hub.noticed("ann", 1)
        FakeSocket(hub, "bob").join()
        hub.stop()
        self.assertEqual(clock.getDelayedCalls(), [])
