"""When the keys of an issuer are read, and what is taken meanwhile."""

import json
from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase
from twisted.web.client import ResponseDone
from twisted.web.http_headers import Headers

from contentsvc.framework.identity.fetch import Fetch, FetchError
from contentsvc.framework.identity.issuer import (
    FRESH,
    MOST_WAITING,
    Endpoints,
    Issuer,
    IssuerSettings,
)
from contentsvc.framework.identity.subject import IdentityUnavailable, InvalidSubjectToken
from contentsvc.framework.identity.token import Head
from tests.support.issuers import SigningKey

URL = "https://id.example"
CONFIGURATION = f"{URL}/.well-known/openid-configuration"
FIRST, SECOND = SigningKey("first").jwk(), SigningKey("second").jwk()


class Fetched:
    """Stands for Fetch: gives `keys`, or fails with `error`. With `slow` it waits for `go`."""

    def __init__(self) -> None:
        self.configuration: Any = {"issuer": URL, "jwks_uri": f"{URL}/jwks"}
        self.keys = [FIRST]
        self.error: str | None = None
        self.asked: list[str] = []
        self.ends: list[float | None] = []
        self.slow = False
        self._waiting: list[Deferred[None]] = []

    @property
    def reads(self) -> int:
        """How often the keys were asked for, or would have been."""
        return self.asked.count(CONFIGURATION)

    def end(self) -> float:
        return 5.0

    async def json(self, url: str, headers: object = None, *, end: float | None = None) -> Any:
        self.asked.append(url)
        self.ends.append(end)
        if self.slow:
            self._waiting.append(Deferred())
            await self._waiting[-1]
        if self.error is not None:
            raise FetchError(self.error)
        return self.configuration if url == CONFIGURATION else {"keys": self.keys}

    def go(self) -> None:
        """Let all go on, also what follows."""
        self.slow = False
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            each.callback(None)


class IssuerCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.fetched = Clock(), Fetched()
        self.issuer = Issuer(self.clock, self.fetched, IssuerSettings(URL, ("game",)))

    def ask(self, kid: str | None = "first", algorithm: str = "ES256") -> Deferred[Any]:
        """Ask for the keys of a token."""
        return Deferred.fromCoroutine(self.issuer.keys(Head(URL, algorithm, kid)))

    def found(self, kid: str | None = "first") -> list[str | None]:
        """The ids of the keys that are found at once."""
        return [key.kid for key in self.successResultOf(self.ask(kid))]

    def refused(self, kid: str | None = "other", algorithm: str = "ES256") -> str:
        """The sentence with which the token is refused at once."""
        error = self.failureResultOf(self.ask(kid, algorithm), InvalidSubjectToken).value
        return str(error)


class KeysTests(IssuerCase):
    def test_first(self) -> None:
        """The first token has the configuration read and the keys, others need nothing more."""
        self.assertEqual(self.found(), ["first"])
        self.assertEqual(self.found(), ["first"])
        self.assertEqual(self.fetched.asked, [CONFIGURATION, f"{URL}/jwks"])

    def test_at_once(self) -> None:
        """Many that come at once share one read."""
        self.fetched.slow = True
        asking = [self.ask() for _ in range(20)]
        self.fetched.go()
        for each in asking:
            self.assertEqual(len(self.successResultOf(each)), 1)
        self.assertEqual(self.fetched.reads, 1)

    def test_one_goes(self) -> None:
        """A request that ends does not end the read for the others."""
        self.fetched.slow = True
        gone, other = self.ask(), self.ask()
        gone.cancel()
        self.failureResultOf(gone, CancelledError)
        self.fetched.go()
        self.assertEqual(len(self.successResultOf(other)), 1)

    def test_too_many(self) -> None:
        """Only so many may wait; the next one is told to come again."""
        self.fetched.slow = True
        asking = [self.ask() for _ in range(MOST_WAITING)]
        self.failureResultOf(self.ask(), IdentityUnavailable)
        self.fetched.go()
        self.assertEqual(len(list(map(self.successResultOf, asking))), MOST_WAITING)

    def test_algorithm(self) -> None:
        """An algorithm that the issuer does not use is refused without a read."""
        for algorithm in ("none", "HS256", "RS512", "es256", ""):
            self.assertIn("alg", self.refused("first", algorithm))
        self.assertEqual(self.fetched.asked, [])

    def test_pinned(self) -> None:
        """A key of an algorithm that the file does not allow is none."""
        settings = IssuerSettings(URL, ("game",), ("RS256",))
        self.issuer = Issuer(self.clock, self.fetched, settings)
        self.assertIn("RS256", self.refused("first"))
        self.refused("first", "RS256")

    def test_without_kid(self) -> None:
        """A token without kid means the only key, if there is only one."""
        self.assertEqual(self.found(None), ["first"])
        self.fetched.keys = [FIRST, SECOND]
        self.clock.advance(600)
        self.refused(None)


class SlowTests(SynchronousTestCase):
    """An issuer that takes its time, by the clock of the reactor."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.fetch = Fetch(self.clock, agent=self)
        self.issuer = Issuer(self.clock, self.fetch, IssuerSettings(URL, ("game",)))
        self.asked: list[Deferred[Any]] = []

    def request(self, *args: Any) -> Deferred[Any]:
        """As IAgent has it."""
        self.asked.append(Deferred())
        return self.asked[-1]

    def ask(self) -> Deferred[Any]:
        """Ask for the keys of a token."""
        return Deferred.fromCoroutine(self.issuer.keys(Head(URL, "ES256", "first")))

    def test_together(self) -> None:
        """The configuration and the keys have 5 s together, also for one who comes later."""
        first = self.ask()
        self.clock.advance(3)
        later = self.ask()
        body = json.dumps({"issuer": URL, "jwks_uri": f"{URL}/jwks"}).encode()
        self.asked[0].callback(Answer(body))
        self.assertEqual(len(self.asked), 2)
        self.clock.advance(1.9)
        self.assertNoResult(first)
        self.assertNoResult(later)
        with capturedLogs():
            self.clock.advance(0.2)
        self.failureResultOf(first, InvalidSubjectToken)
        self.failureResultOf(later, InvalidSubjectToken)
        self.assertEqual(self.clock.getDelayedCalls(), [])


class Answer:
    """A whole answer of 200, for treq."""

    code, length = 200, 0

    def __init__(self, body: bytes) -> None:
        self.headers, self._body = Headers(), body

    def deliverBody(self, protocol: Any) -> None:
        protocol.makeConnection(None)
        protocol.dataReceived(self._body)
        protocol.connectionLost(Failure(ResponseDone()))


class UnknownTests(IssuerCase):
    def test_rotated(self) -> None:
        """A kid that is not known has the keys read again, which may have it."""
        self.found()
        self.fetched.keys = [SECOND]
        self.assertEqual(self.found("second"), ["second"])
        self.refused("first")

    def test_once_a_minute(self) -> None:
        """Kids that are not known have the keys read once a minute at most, however many come."""
        self.found()
        for n in range(50):
            self.refused(f"random {n}")
        self.assertEqual(self.fetched.reads, 2)
        self.clock.advance(59.9)
        self.refused()
        self.assertEqual(self.fetched.reads, 2)
        self.clock.advance(0.1)
        self.refused()
        self.refused()
        self.assertEqual(self.fetched.reads, 3)

    def test_does_not_count(self) -> None:
        """Such a token is no failed log-in: its key may be a new one."""
        error = self.failureResultOf(self.ask("other"), InvalidSubjectToken).value
        self.assertFalse(error.counts)

    def test_known_ones_do_not_wait(self) -> None:
        """While the keys are read for one that is not known, the known ones serve."""
        self.found()
        self.fetched.slow = True
        waiting = self.ask("second")
        self.assertEqual(self.found("first"), ["first"])
        self.fetched.go()
        self.failureResultOf(waiting, InvalidSubjectToken)


class AwayTests(IssuerCase):
    def test_old_ones_stay(self) -> None:
        """While the issuer is away the old keys serve on, for however long; others are refused."""
        self.found()
        self.fetched.error = "away"
        for _ in range(10):
            self.clock.advance(599)
            self.assertEqual(self.found(), ["first"])
            self.assertIn("cannot be read", self.refused("second"))
        self.fetched.error = None
        self.clock.advance(60)
        self.fetched.keys = [FIRST, SECOND]
        self.assertEqual(self.found("second"), ["second"])

    def test_nobody_waits(self) -> None:
        """Nobody waits for an issuer that was away the last time, if the key is known."""
        self.found()
        self.fetched.error = "away"
        self.clock.advance(600)
        self.found()
        self.fetched.slow = True
        self.clock.advance(600)
        self.assertEqual(self.found(), ["first"])
        self.assertEqual(self.fetched.reads, 3)

    def test_pauses(self) -> None:
        """It is asked again after 5 s, then 10, 20, 40, and then each minute."""
        self.found()
        self.fetched.error = "away"
        times = []
        for second in range(200):
            before = self.fetched.reads
            self.refused()
            if self.fetched.reads > before:
                times.append(second)
            self.clock.advance(1)
        self.assertEqual(times, [0, 5, 15, 35, 75, 135, 195])

    def test_from_the_start(self) -> None:
        """As long as there are no keys at all, each log-in asks for them, once a second."""
        self.fetched.error = "away"
        for _ in range(5):
            self.refused("first")
            self.refused("first")
            self.clock.advance(1)
        self.assertEqual(self.fetched.reads, 5)
        self.fetched.error = None
        self.assertEqual(self.found(), ["first"])

    def test_log(self) -> None:
        """The log says once that the keys cannot be read, and why."""
        with capturedLogs() as logs:
            self.fetched.error = "the answer is 500"
            self.refused()
            self.clock.advance(1)
            self.refused()
        (line,) = [event for event in logs if "log_format" in event]
        self.assertIn("Cannot read the keys", line["log_format"])
        self.assertEqual((line["issuer"], line["reason"]), (URL, "the answer is 500"))


class StaleTests(IssuerCase):
    def test_withdrawn(self) -> None:
        """A key that the issuer has withdrawn is no good after ten minutes."""
        self.found()
        self.fetched.keys = [SECOND]
        self.clock.advance(599)
        self.assertEqual(self.found(), ["first"])
        self.clock.advance(1)
        self.refused("first")

    def test_all_wait(self) -> None:
        """Those who come while old keys are read anew wait too."""
        self.found()
        self.clock.advance(600)
        self.fetched.slow, self.fetched.keys = True, [SECOND]
        asking = [self.ask("first"), self.ask("first")]
        self.fetched.go()
        for each in asking:
            self.failureResultOf(each, InvalidSubjectToken)

    def test_none_left(self) -> None:
        """An issuer that answers with no keys has withdrawn all."""
        self.found()
        self.fetched.keys = []
        self.clock.advance(600)
        self.refused("first")


class ConfigurationTests(IssuerCase):
    def test_wrong(self) -> None:
        """A configuration of another issuer, or whose keys are at no https URL, is none."""
        for wrong in (
            {"issuer": URL + "/", "jwks_uri": f"{URL}/jwks"},
            {"issuer": "https://other.example", "jwks_uri": f"{URL}/jwks"},
            {"jwks_uri": f"{URL}/jwks"},
            {"issuer": URL},
            {"issuer": URL, "jwks_uri": "http://id.example/jwks"},
            {"issuer": URL, "jwks_uri": "http://127.0.0.1:5432/"},
            {"issuer": URL, "jwks_uri": "file:///etc/passwd"},
            {"issuer": URL, "jwks_uri": "https://user:secret@id.example/jwks"},
            {"issuer": URL, "jwks_uri": 7},
            [],
            "text",
            None,
        ):
            self.fetched.configuration = wrong
            self.refused("first")
            self.clock.advance(1)
        self.assertEqual(set(self.fetched.asked), {CONFIGURATION})

    def test_wrong_keys(self) -> None:
        """What is no JWK Set leaves the old keys as they are."""
        self.found()
        for wrong in ({"n": 1}, None, [{}] * 101):
            self.fetched.keys = wrong  # type: ignore[assignment]
            self.clock.advance(600)
            self.assertEqual(self.found(), ["first"])


class EndpointsTests(IssuerCase):
    """Where people log in."""

    def setUp(self) -> None:
        super().setUp()
        settings = IssuerSettings(URL, ("game",), name="Studio", client_id="pages")
        self.issuer = Issuer(self.clock, self.fetched, settings)
        self.configure()

    def configure(self, **changes: Any) -> None:
        """Have the issuer another configuration. A change to None leaves a member out."""
        whole = {
            "issuer": URL,
            "jwks_uri": f"{URL}/jwks",
            "authorization_endpoint": f"{URL}/authorize?at=first",
            "token_endpoint": "https://tokens.example/token",
            **changes,
        }
        self.fetched.configuration = {k: v for k, v in whole.items() if v is not None}

    def test_known(self) -> None:
        """They are read with the keys. Who asks does not wait."""
        self.fetched.slow = True
        self.assertIsNone(self.issuer.endpoints)
        self.fetched.go()
        expected = Endpoints(f"{URL}/authorize?at=first", "https://tokens.example/token", False)
        self.assertEqual(self.issuer.endpoints, expected)
        self.assertEqual(self.fetched.reads, 1)

    def test_iss(self) -> None:
        """An issuer that says who it is in its answers is known as one."""
        self.configure(authorization_response_iss_parameter_supported=True)
        self.issuer.begin()
        self.assertTrue(self.issuer.endpoints and self.issuer.endpoints.sends_iss)

    def test_unusable(self) -> None:
        """Endpoints that are missing, without TLS or no URLs are left out with a line in the log;
        the keys are taken."""
        for changes in (
            {"authorization_endpoint": None},
            {"token_endpoint": None},
            {"token_endpoint": 7},
            {"token_endpoint": "http://127.0.0.1/token"},
            {"token_endpoint": "https://a;sandbox/token"},
            {"authorization_endpoint": "javascript:alert(1)"},
        ):
            self.configure(**changes)
            with capturedLogs() as lines:
                self.issuer.begin()
            self.assertIsNone(self.issuer.endpoints, changes)
            (line,) = lines
            self.assertEqual(URL, line["issuer"])
        self.assertEqual(self.found(), ["first"])

    def test_away(self) -> None:
        """An issuer that is away is asked again once a second at most; what is known stays."""
        self.fetched.error = "away"
        for _ in range(3):
            self.assertIsNone(self.issuer.endpoints)
        self.assertEqual(self.fetched.reads, 1)
        self.fetched.error = None
        self.clock.advance(1)
        self.assertIsNotNone(self.issuer.endpoints)
        self.fetched.error = "away"
        self.clock.advance(FRESH)
        self.assertIsNotNone(self.issuer.endpoints)
        self.assertEqual(self.fetched.reads, 3)

    def test_wait(self) -> None:
        """Who waits for them waits for the read that is under way, and for no other."""
        self.fetched.slow = True
        waiting = Deferred.fromCoroutine(self.issuer.known())
        self.assertNoResult(waiting)
        self.fetched.error = "away"
        self.fetched.go()
        self.successResultOf(waiting)
        self.successResultOf(Deferred.fromCoroutine(self.issuer.known()))
        self.assertEqual(self.fetched.reads, 1)
