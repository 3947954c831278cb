"""The tokens of a log-in."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import ApiError, NotSignedIn, SessionEnded
from tests.client.fakes import ANN, BOB, TOKENS, World

NEW = {**TOKENS, "access_token": "access-2", "refresh_token": "refresh-2"}
INVALID = {"code": "invalid_token", "detail": "The token has expired."}
FRESH_FOR = 900 - 60
"""Seconds until a token of fifteen minutes is renewed."""


class SessionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World().signed_in()
        self.clock, self.agent = self.world.clock, self.world.agent
        self.client = self.world.client

    def follow(self) -> Deferred:
        return Deferred.fromCoroutine(self.client.social.follow(BOB))

    def test_log_in(self) -> None:
        """A log-in sends the form of the password grant, and says who has signed in."""
        world = World()
        calling = Deferred.fromCoroutine(world.client.log_in("ann", "secret & co"))
        asked = world.agent.last
        self.assertEqual((asked.method, asked.path), ("POST", "/oauth/token"))
        self.assertEqual(
            asked.form,
            {"grant_type": "password", "username": "ann", "password": "secret & co"},
        )
        asked.answer(200, TOKENS)
        self.assertEqual(self.successResultOf(calling).userId, ANN)
        self.assertEqual(world.client.user, ANN)

    def test_log_in_with(self) -> None:
        """A log-in with the token of another service is a token exchange, and is renewed as any."""
        world = World()
        calling = Deferred.fromCoroutine(world.client.log_in_with("a.b.c", "urn:x"))
        self.assertEqual(
            world.agent.last.form,
            {
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
                "subject_token": "a.b.c",
                "subject_token_type": "urn:x",
            },
        )
        world.agent.last.answer(200, {**TOKENS, "issued_token_type": "urn:y"})
        self.assertEqual(self.successResultOf(calling).issued_token_type, "urn:y")
        self.assertEqual(world.client.user, ANN)

    def test_renewal(self) -> None:
        """An access token is renewed before it expires, when it is next needed."""
        self.clock.advance(FRESH_FOR)
        self.agent.then(200, NEW)
        self.agent.then(204)
        self.successResultOf(self.follow())
        renewal, call = self.agent.asked
        self.assertEqual(
            renewal.form, {"grant_type": "refresh_token", "refresh_token": "refresh-1"}
        )
        self.assertEqual(call.token, "access-2")

    def test_not_yet(self) -> None:
        """One that is good for some time is used as it is."""
        self.clock.advance(FRESH_FOR - 1)
        self.follow()
        self.assertEqual(self.agent.last.token, "access-1")

    def test_single_flight(self) -> None:
        """Several calls at once share one renewal."""
        self.clock.advance(FRESH_FOR)
        calls = [self.follow() for _ in range(5)]
        (renewal,) = self.agent.asked
        for _ in calls:
            self.agent.then(204)
        renewal.answer(200, NEW)
        for call in calls:
            self.successResultOf(call)
        self.assertEqual(len(self.agent.asked), 6)

    def test_first_gives_up(self) -> None:
        """The renewal goes on where the call that began it is cancelled."""
        self.clock.advance(FRESH_FOR)
        first, second = self.follow(), self.follow()
        first.addErrback(lambda _: None).cancel()
        self.agent.then(204)
        self.agent.asked[0].answer(200, NEW)
        self.successResultOf(second)

    def test_refused(self) -> None:
        """A token that the service refuses is renewed, and the call made once more."""
        self.agent.then(401, INVALID)
        self.agent.then(200, NEW)
        self.agent.then(204)
        self.successResultOf(self.follow())
        self.assertEqual([asked.token for asked in self.agent.asked], ["access-1", "", "access-2"])

    def test_refused_twice(self) -> None:
        """If the new one is refused too, that is the answer."""
        self.agent.then(401, INVALID)
        self.agent.then(200, NEW)
        self.agent.then(401, INVALID)
        failure = self.failureResultOf(self.follow(), ApiError)
        self.assertEqual(failure.value.code, "invalid_token")
        self.assertEqual(len(self.agent.asked), 3)

    def test_refused_meanwhile(self) -> None:
        """A call whose token was renewed while it was under way uses the new one."""
        first, second = self.follow(), self.follow()
        one, two = self.agent.asked
        self.agent.then(200, NEW)
        self.agent.then(204)
        one.answer(401, INVALID)
        self.successResultOf(first)
        self.agent.then(204)
        two.answer(401, INVALID)
        self.successResultOf(second)
        self.assertEqual(len(self.agent.asked), 5)
        self.assertEqual(self.agent.last.token, "access-2")

    def test_ended(self) -> None:
        """A session that cannot be renewed has ended, and is forgotten."""
        self.agent.then(401, INVALID)
        self.agent.then(400, {"error": "invalid_grant", "error_description": "Gone."})
        self.failureResultOf(self.follow(), SessionEnded)
        self.failureResultOf(self.follow(), NotSignedIn)

    def test_renewal_fails(self) -> None:
        """While the service cannot renew it, a token is used as long as it is good."""
        self.clock.advance(FRESH_FOR)
        self.agent.then(500, {"code": "internal_error"})
        self.agent.then(204)
        self.successResultOf(self.follow())
        self.assertEqual(self.agent.last.token, "access-1")

    def test_renewal_fails_too_late(self) -> None:
        """Once it has expired, that is the error."""
        self.clock.advance(900)
        self.agent.then(500, {"code": "internal_error"})
        self.failureResultOf(self.follow(), ApiError)

    def test_resume(self) -> None:
        """A session goes on in another process with its refresh token."""
        world = World()
        calling = Deferred.fromCoroutine(world.client.resume_session("refresh-1"))
        self.assertEqual(world.agent.last.form["refresh_token"], "refresh-1")
        world.agent.last.answer(200, NEW)
        self.assertEqual(self.successResultOf(calling).refresh_token, "refresh-2")
        self.assertEqual(world.client.tokens.access_token, "access-2")

    def test_log_out(self) -> None:
        """A log-out ends the session on the service, and here."""
        calling = Deferred.fromCoroutine(self.client.log_out())
        self.assertEqual(self.agent.last.path, "/oauth/revoke")
        self.assertEqual(self.agent.last.form, {"token": "refresh-1"})
        self.agent.last.answer(200, {})
        self.successResultOf(calling)
        self.failureResultOf(self.follow(), NotSignedIn)

    def test_given_token(self) -> None:
        """An access token of another program is used as it is, for its user if that is said."""
        world = World()
        world.client.use_token("access-9")
        calling = Deferred.fromCoroutine(world.client.comments.delete(BOB, 7))
        self.assertEqual(world.agent.last.token, "access-9")
        world.agent.last.answer(204)
        self.successResultOf(calling)
        self.failureResultOf(Deferred.fromCoroutine(world.client.social.follow(BOB)), NotSignedIn)
        world.client.use_token("access-9", ANN)
        self.assertEqual(world.client.user, ANN)
        self.assertRaises(NotSignedIn, lambda: world.client.tokens)

    def test_given_token_expires(self) -> None:
        """When the service refuses it, it cannot be renewed: the session has ended."""
        world = World()
        world.client.use_token("access-9", ANN)
        world.agent.then(401, INVALID)
        calling = Deferred.fromCoroutine(world.client.social.follow(BOB))
        self.assertEqual(self.failureResultOf(calling, SessionEnded).value.code, "invalid_token")
        self.assertEqual(len(world.agent.asked), 1)

    def test_given_token_ends(self) -> None:
        """A log-out with it ends its session."""
        world = World()
        world.client.use_token("access-9")
        Deferred.fromCoroutine(world.client.log_out())
        self.assertEqual(world.agent.last.form, {"token": "access-9"})

    def test_log_in_meanwhile(self) -> None:
        """A log-in while a renewal is under way wins over it."""
        self.clock.advance(FRESH_FOR)
        self.follow()
        renewal = self.agent.last
        self.agent.then(200, {**TOKENS, "access_token": "access-3", "userId": BOB})
        self.successResultOf(Deferred.fromCoroutine(self.client.log_in("bob", "secret")))
        renewal.answer(200, NEW)
        self.assertEqual(self.client.user, BOB)
        self.assertEqual(self.agent.last.token, "access-3")
