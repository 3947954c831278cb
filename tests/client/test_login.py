"""The tokens of a log-in."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import ApiError, NotSignedIn, SessionEnded, guest_secret
from contentsvc.wire.progress import ProgressBody
from tests.client.fakes import ANN, BOB, TOKENS, World, lost

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

    def test_log_in_as_guest(self) -> None:
        """A log-in as a guest sends the secret, and again after a lost answer."""
        world, secret = World(), guest_secret()
        world.agent.then_fail(lost())
        calling = Deferred.fromCoroutine(world.client.log_in_as_guest(secret))
        world.clock.pump([1.0] * 3)
        form = {"grant_type": "urn:contentsvc:grant:guest", "secret": secret}
        self.assertEqual([form, form], [asked.form for asked in world.agent.asked])
        world.agent.last.answer(200, TOKENS)
        self.assertEqual(self.successResultOf(calling).userId, ANN)

    def test_guest_secret(self) -> None:
        """A secret is one that the service takes, and no other is the same."""
        secret = guest_secret()
        self.assertRegex(secret, r"\A[A-Za-z0-9_-]{43,128}\Z")
        self.assertGreaterEqual(len({*secret}), 16)
        self.assertNotEqual(secret, guest_secret())

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

    def test_on_tokens(self) -> None:
        """A program is told the refresh token of the log-in, and that of each renewal."""
        kept: list[str] = []
        world = World(on_tokens=lambda tokens: kept.append(tokens.refresh_token)).signed_in()
        world.clock.advance(FRESH_FOR)
        world.agent.then(200, NEW)
        world.agent.then(204)
        self.successResultOf(Deferred.fromCoroutine(world.client.social.follow(BOB)))
        self.assertEqual(kept, ["refresh-1", "refresh-2"])

    def test_on_tokens_fails(self) -> None:
        """An error of what keeps the tokens is logged, and does not fail the call."""

        def keep(tokens: object) -> None:
            raise OSError("no room")

        World(on_tokens=keep).signed_in().client.tokens  # noqa: B018, raises without a log-in
        self.assertEqual(len(self.flushLoggedErrors(OSError)), 1)

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


SERVICE = {"access_token": "bot-1", "token_type": "Bearer", "expires_in": 900, "scope": "progress"}
ASKED = {"grant_type": "client_credentials", "client_id": BOB, "client_secret": "csvc_x"}


class ServiceTests(SynchronousTestCase):
    """A client that acts as a service account."""

    def setUp(self) -> None:
        self.world = World()
        self.clock, self.agent, self.client = self.world.clock, self.world.agent, self.world.client
        self.agent.then(200, SERVICE)
        log_in = self.client.log_in_as_service(BOB, "csvc_x")
        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(log_in)).scope, "progress")

    def call(self) -> Deferred:
        """Write a user's progress."""
        writing = self.client.progress.put("wins", ProgressBody(value={}), ANN)
        return Deferred.fromCoroutine(writing)

    def test_log_in(self) -> None:
        """A log-in sends the id and the secret. Operations say which user they are about."""
        self.assertEqual((self.agent.last.path, self.agent.last.form), ("/oauth/token", ASKED))
        self.agent.then(204)
        self.successResultOf(self.call())
        self.assertEqual(self.agent.last.path, f"/api/v1/user/{ANN}/progress/wins")
        self.assertEqual(self.agent.last.token, "bot-1")
        for ask in (lambda: self.client.user, lambda: self.client.tokens):
            self.assertRaises(NotSignedIn, ask)

    def test_scope(self) -> None:
        """It may ask for fewer scopes."""
        Deferred.fromCoroutine(self.client.log_in_as_service(BOB, "csvc_x", "events"))
        self.assertEqual(self.agent.last.form, ASKED | {"scope": "events"})

    def test_renewal(self) -> None:
        """The secret gets the next token before this one expires, or when it is refused."""
        self.clock.advance(FRESH_FOR)
        self.agent.then(200, SERVICE | {"access_token": "bot-2"})
        self.agent.then(401, INVALID)
        self.agent.then(200, SERVICE | {"access_token": "bot-3"})
        self.agent.then(204)
        self.successResultOf(self.call())
        grants = [asked for asked in self.agent.asked if asked.path == "/oauth/token"]
        self.assertEqual([asked.form for asked in grants], [ASKED] * 3)
        tokens = [asked.token for asked in self.agent.asked]
        self.assertEqual(tokens, ["", "", "bot-2", "", "bot-3"])

    def test_ended(self) -> None:
        """When the account, the secret or a scope has gone, the session has ended."""
        self.clock.advance(FRESH_FOR)
        self.agent.then(401, {"error": "invalid_client", "error_description": "Gone."})
        ended = self.failureResultOf(self.call(), SessionEnded)
        self.assertEqual(ended.value.code, "invalid_client")
        self.agent.then(401, {"code": "unauthorized"})
        self.failureResultOf(self.call(), NotSignedIn)
        self.assertEqual(self.agent.last.token, "")

    def test_renewal_fails(self) -> None:
        """While the service cannot give the next token, this one is used as long as it is good."""
        self.clock.advance(FRESH_FOR)
        self.agent.then(500, {"code": "internal_error"})
        self.agent.then(204)
        self.successResultOf(self.call())
        self.assertEqual(self.agent.last.token, "bot-1")

    def test_log_out(self) -> None:
        """A log-out ends the token."""
        calling = Deferred.fromCoroutine(self.client.log_out())
        self.assertEqual(self.agent.last.form, {"token": "bot-1"})
        self.agent.last.answer(200, {})
        self.successResultOf(calling)
        self.assertRaises(NotSignedIn, lambda: self.client.user)
