"""Ended sessions stay ended, whatever becomes of the wall clock."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.tokens import ACCESS_LIFETIME, InvalidToken, Key, Keys, Revoked, Tokens

USER = "00000000-0000-4000-8000-00000000000a"
SESSION = "00000000-0000-4000-8000-00000000005e"
NOW = 1_700_000_000
KEYS = Keys([Key("new", b"n" * 32)])


class RevokedTests(SynchronousTestCase):
    """Sessions that were ended."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.clock.advance(NOW)
        self.tokens = Tokens(KEYS, self.clock)

    def issue(self) -> str:
        """An access token."""
        return self.tokens.issue(USER, SESSION)

    def test_revoked(self) -> None:
        """Every access token of an ended session is refused, remembered or not."""
        known, other = self.issue(), self.issue()
        self.tokens.verify(known)
        self.tokens.revoked.add(SESSION)
        for token in (known, other, self.issue()):
            self.assertRaises(InvalidToken, self.tokens.verify, token)

    def test_other_sessions(self) -> None:
        """The user's other sessions go on."""
        self.tokens.revoked.add("another")
        self.tokens.verify(self.issue())

    def test_bounded(self) -> None:
        """A session is kept for as long as a token of it may live, and no longer."""
        revoked = Revoked(self.clock, self.clock)
        for n in range(100):
            revoked.add(f"early {n}")
        self.clock.advance(ACCESS_LIFETIME - 1)
        revoked.add("late")
        self.assertEqual(len(revoked), 101)
        self.assertIn("early 0", revoked)
        self.clock.advance(1)
        revoked.add("last")
        self.assertEqual(len(revoked), 2)
        self.assertIn("late", revoked)

    def test_again(self) -> None:
        """To hear of it again changes nothing."""
        revoked = Revoked(self.clock, self.clock)
        revoked.add("x")
        self.clock.advance(1)
        revoked.add("x")
        self.assertEqual(len(revoked), 1)
        self.clock.advance(ACCESS_LIFETIME - 1)
        revoked.add("y")
        self.assertNotIn("x", revoked)


class SetClockTests(SynchronousTestCase):
    """An ended session, and a wall clock that is set while the process runs."""

    def setUp(self) -> None:
        self.wall, self.steady = Clock(), Clock()
        self.wall.advance(NOW)
        self.tokens = Tokens(KEYS, self.wall, steady=self.steady)
        self.token = self.tokens.issue(USER, SESSION)

    def passes(self, seconds: float) -> None:
        """Time passes, and other sessions end, which is when old ones are forgotten."""
        for clock in (self.wall, self.steady):
            clock.advance(seconds)
        self.tokens.revoked.add(f"another at {self.steady.seconds()}")

    def refused(self) -> str:
        """Why the token is refused."""
        return str(self.assertRaises(InvalidToken, self.tokens.verify, self.token))

    def test_back_after_the_end(self) -> None:
        """An ended session stays so until its tokens expire, which is later by the clock's step."""
        self.tokens.revoked.add(SESSION)
        self.wall.rightNow -= 120
        self.passes(ACCESS_LIFETIME + 60)
        self.assertEqual(self.refused(), "The session of this token has ended.")
        self.passes(60)
        self.assertEqual(self.refused(), "The token has expired.")

    def test_back_before_the_end(self) -> None:
        """So does one that is ended after the clock was set."""
        self.wall.rightNow -= 120
        self.tokens.revoked.add(SESSION)
        self.passes(ACCESS_LIFETIME + 60)
        self.assertEqual(self.refused(), "The session of this token has ended.")

    def test_back_after_a_restart(self) -> None:
        """So does one whose token is from before the process started, and was seen here."""
        self.wall.rightNow -= 120
        restarted = self.tokens = Tokens(KEYS, self.wall, steady=self.steady)
        restarted.verify(self.token)
        restarted.revoked.add(SESSION)
        self.passes(ACCESS_LIFETIME + 60)
        self.assertEqual(self.refused(), "The session of this token has ended.")

    def test_forward_and_back(self) -> None:
        """Nor is it forgotten where the clock goes forward for a while."""
        self.tokens.revoked.add(SESSION)
        self.wall.advance(3600)
        self.passes(60)
        self.wall.rightNow -= 3600
        self.passes(60)
        self.assertEqual(self.refused(), "The session of this token has ended.")

    def test_forgotten(self) -> None:
        """After either step ended sessions are forgotten again, if later."""
        for step in (-120, 240):
            self.wall.rightNow += step
            for _ in range(10):
                self.passes(ACCESS_LIFETIME / 2)
            self.assertLessEqual(len(self.tokens.revoked), 3)
