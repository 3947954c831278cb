"""Revocation: refused tokens and closed sockets, here and in the other processes."""

from collections.abc import Iterable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.revocation import Revocation
from contentsvc.store.accounts import sessions
from contentsvc.tokens import Revoked
from tests.push.fakes import Commits


class Db(Commits):
    """Commits when told to. It gives the ended sessions to who asks, or fails with `error`."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[str] = []
        self.error: Exception | None = None
        self.asked: list[int] = []

    async def run(self, statement: object, args: tuple[Any, ...]) -> list[tuple[str]]:
        (seconds,) = args
        self.asked.append(seconds)
        if self.error is not None:
            raise self.error
        return [(sid,) for sid in self.ended]


class Listener:
    """Stands for the hub and the relay."""

    def __init__(self) -> None:
        self.closed: list[str] = []
        self.announced: list[str] = []

    def revoke(self, sids: Iterable[str]) -> None:
        self.closed.extend(sids)

    def announce_revoked(self, sid: str) -> None:
        self.announced.append(sid)


class EndingsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.db, self.listener = Clock(), Db(), Listener()
        self.revoked = Revoked(self.clock, self.clock)
        self.revocation = Revocation(
            self.clock, self.db, self.revoked, self.listener, self.listener
        )

    def learn(self) -> None:
        """Ask the database."""
        self.successResultOf(Deferred.fromCoroutine(self.revocation.learn()))

    def test_end(self) -> None:
        """Once the end is committed, and not before, the tokens are refused, the sockets closed and
        the other processes announced."""
        self.revocation.end(self.db, ["s1", "s2"])
        self.assertNotIn("s1", self.revoked)
        self.assertEqual((self.listener.closed, self.listener.announced), ([], []))
        self.db.commit()
        self.assertTrue("s1" in self.revoked and "s2" in self.revoked)
        self.assertEqual(self.listener.closed, ["s1", "s2"])
        self.assertEqual(self.listener.announced, ["s1", "s2"])

    def test_heard(self) -> None:
        """A session that another process has ended is announced to nobody, and ends once."""
        for _ in range(2):
            self.revocation.heard(["s1"])
        self.assertIn("s1", self.revoked)
        self.assertEqual((self.listener.closed, self.listener.announced), (["s1"], []))

    def test_learn(self) -> None:
        """FakeRevocation that nobody announced are read from the database."""
        self.db.ended = ["s1"]
        self.learn()
        self.assertIn("s1", self.revoked)
        self.assertEqual(self.listener.closed, ["s1"])

    def test_learn_long_ago(self) -> None:
        """The longer the database was away, the further back it is asked."""
        self.learn()
        self.clock.advance(4 * 3600)
        self.learn()
        self.learn()
        late = sessions.LATELY
        self.assertEqual(self.db.asked, [late, late + 4 * 3600, late])

    def test_first(self) -> None:
        """At the start all ended sessions are known before anyone can ask."""
        self.db.ended = ["s1"]
        self.successResultOf(Deferred.fromCoroutine(self.revocation.learn_first()))
        self.assertTrue(self.revoked.complete)
        self.assertIn("s1", self.revoked)

    def test_first_locked(self) -> None:
        """Where somebody holds a lock on the sessions, they are not, until they can be read."""
        self.db.error = Unavailable("locked", "lock")
        with capturedLogs() as events:
            self.successResultOf(Deferred.fromCoroutine(self.revocation.learn_first()))
        self.assertIn("Requests with a token get 503", formatEvent(events[0]))
        self.assertFalse(self.revoked.complete)
        self.db.error = None
        self.learn()
        self.assertTrue(self.revoked.complete)

    def test_first_away(self) -> None:
        """Where the database is away, the start has to wait."""
        self.db.error = Unavailable("gone")
        first = Deferred.fromCoroutine(self.revocation.learn_first())
        self.failureResultOf(first, Unavailable)
        self.assertFalse(self.revoked.complete)
