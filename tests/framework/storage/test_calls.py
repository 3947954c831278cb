"""Requests to stores that misbehave. What they cost is bounded, and none is taken for an answer."""

from random import Random

from twisted.internet import reactor
from twisted.internet.defer import Deferred, fail
from twisted.internet.error import DNSLookupError
from twisted.internet.ssl import KeyPair
from twisted.internet.task import Clock
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import TestCase
from twisted.web.client import HTTPConnectionPool
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent
from zope.interface import implementer

from contentsvc.framework.core.http_client import agent_of
from contentsvc.framework.storage.bucket import BadStore as Bad
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.storage.calls import MOST, Calls, StoreResponse
from contentsvc.framework.storage.sigv4 import Credentials, Endpoint, Signer
from tests.support.badstore import HANG, BadStore, Say, answer
from tests.support.names import Names


class Quiet(Random):
    """No jitter."""

    def uniform(self, a: float, b: float) -> float:
        return 1.0


@implementer(IAgent)
class Nameless:
    """Finds no host."""

    def request(self, *request: object) -> "Deferred[object]":
        return fail(DNSLookupError())


class CallsCase(TestCase):
    """Calls on a clock of the test's own. The connections are real."""

    def setUp(self) -> None:
        self.clock = Clock()

    def store(self, *says: bytes | Say) -> BadStore:
        """A store that says this."""
        store = BadStore(says)
        self.addCleanup(store.stop)
        return store

    def calls(self, store: BadStore, **others) -> Calls:
        """The calls to it."""
        signer = Signer(Endpoint.of(store.url), "us-east-1", Credentials("id", "secret"))
        others.setdefault("agent", agent_of(reactor, HTTPConnectionPool(reactor, False)))
        return Calls(self.clock, self.clock, Quiet(), signer, **others)

    async def fails(self, asking: "Deferred[StoreResponse]", reason: str) -> StorageUnavailable:
        """Assert that the store counts as away, for this reason."""
        with self.assertRaises(StorageUnavailable) as caught:
            await asking
        self.assertIn(reason, str(caught.exception))
        return caught.exception

    def asking(self, calls: Calls, method: str = "GET", **others) -> "Deferred[StoreResponse]":
        """A request that is under way."""
        return Deferred.fromCoroutine(calls.ask(method, "bucket/key", **others))


class AnswerTests(CallsCase):
    """Answers that are none."""

    async def once(self, *says: bytes | Say, **others) -> StoreResponse:
        """The answer to a request that is not repeated."""
        return await self.asking(self.calls(self.store(*says), tries=1), **others)

    async def away(self, reason: str, *says: bytes | Say, **others) -> None:
        """Assert that the store counts as away."""
        calls = self.calls(self.store(*says), tries=1)
        await self.fails(self.asking(calls, **others), reason)

    async def test_odd_name(self):
        """A store may have a name that IDNA refuses."""
        store = self.store(answer(body=b"ab"))
        signer = Signer(
            Endpoint.of(store.url.replace("127.0.0.1", "media_store")),
            "us-east-1",
            Credentials("id", "secret"),
        )
        names = Names()
        agent = agent_of(names, HTTPConnectionPool(reactor, False))
        calls = Calls(self.clock, self.clock, Quiet(), signer, agent=agent)
        self.assertEqual((await self.asking(calls)).body, b"ab")
        self.assertEqual(names.asked, ["media_store"])

    async def test_good(self):
        """An answer has its status, headers and body; that to a HEAD has the length of the body."""
        found = await self.once(answer(404, b"<Code>NoSuchKey</Code>", X_Amz="1"))
        self.assertEqual((found.status, found.header("x-amz"), found.whole), (404, "1", True))
        self.assertEqual((await self.once(answer(body=b"ab"), method="HEAD")).length, 2)

    async def test_no_answer(self):
        """A store that hangs up, before its answer or in it, is away."""
        for said in (b"", b"HTTP/1.1 200 OK\r\nContent-Le"):
            await self.away("the store cannot be reached", Say(said, "close"))

    async def test_cut_off(self):
        """So is one that hangs up in a body, be it long, in chunks or without end."""
        for head in ("Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n", ""):
            said = f"HTTP/1.1 200 OK\r\n{head}\r\n5;\r\nab".encode()
            await self.away("the store cannot be reached", Say(said, "close"))

    async def test_no_http(self):
        """So is one that speaks something else."""
        for said in (b"SSH-2.0-x\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x28", b"HTTP/1.1 OK\r\n\r\n"):
            await self.away("the store cannot be reached", Say(said, "close"))

    async def test_wrong_length(self):
        """So is one whose Content-Length is no number, or two."""
        for length in ("x", "-1", "1\r\nContent-Length: 2"):
            await self.away("cannot be reached", Say(answer(Content_Length=length), "close"))

    async def test_more_than_length(self):
        """What comes after an answer is no answer to the next request."""
        more = Say(answer(body=b"ab") + answer(body=b"forged"))
        store = self.store(more, answer(body=b"own"))
        calls = self.calls(store)
        self.assertEqual((await self.asking(calls)).body, b"ab")
        self.assertEqual((await self.asking(calls)).body, b"own")

    async def test_head_with_body(self):
        """A HEAD has no body, whatever comes, and that is no answer to the next request."""
        store = self.store(answer(body=b"HTTP/1.1 200 X\r\n\r\n"), answer(Content_Length="7"))
        calls = self.calls(store)
        self.assertEqual((await self.asking(calls, "HEAD")).body, b"")
        self.assertEqual((await self.asking(calls, "HEAD")).length, 7)

    async def test_endless(self):
        """An answer without end is read up to the limit, and the connection closed."""
        for head in ("Content-Length: 99999999999\r\n", "Transfer-Encoding: chunked\r\n", ""):
            said = f"HTTP/1.1 200 OK\r\n{head}\r\n".encode()
            store = self.store(Say(said, "endless", b"10000\r\n" + b"x" * 0x10000 + b"\r\n"))
            (found) = await self.asking(self.calls(store), limit=1000)
            self.assertEqual((len(found.body), found.whole), (1000, False))

    async def test_endless_headers(self):
        """One whose headers have no end is away. So is one that answers without end that the answer
        will come."""
        ok, line = b"HTTP/1.1 200 OK\r\n", b"X: " + b"x" * 1000 + b"\r\n"
        early = b"HTTP/1.1 103 X\r\n\r\n"
        for said, more in ((ok, line * 60), (early + ok, line * 60), (early, early * 3000)):
            await self.away("the store cannot be reached", Say(said, "endless", more))

    async def test_interim(self):
        """An answer may come after others that say that it will come."""
        found = await self.once(
            b"HTTP/1.1 100 X\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\n" + answer(403)
        )
        self.assertEqual(found.status, 403)

    async def test_packed(self):
        """Nothing is unpacked, so that no small answer becomes a big one."""
        found = await self.once(answer(body=b"\x1f\x8bx", Content_Encoding="gzip"))
        self.assertEqual(found.body, b"\x1f\x8bx")

    async def test_cookies(self):
        """Cookies are not kept."""
        store = self.store(answer(Set_Cookie="a=b; Path=/"))
        calls = self.calls(store)
        await self.asking(calls)
        await self.asking(calls)
        self.assertNotIn(b"cookie", store.asked[1].lower())

    async def test_redirect(self):
        """A redirect is not followed: nothing that is signed goes elsewhere."""
        other = self.store(answer())
        for status in (301, 302, 303, 307, 308):
            found = await self.once(answer(status, Location=other.url + "/bucket/key"))
            self.assertEqual(found.status, status)
            self.assertIsInstance(found.unexpected("GET"), Bad)
        self.assertEqual(other.asked, [])

    async def test_refused(self):
        """A store at a port where nobody listens is away."""
        store = self.store(answer())
        calls = self.calls(store, tries=1)
        await store.stop()
        await self.fails(self.asking(calls), "Connection was refused")

    async def test_unknown_host(self):
        """So is one whose name nobody knows."""
        calls = self.calls(self.store(answer()), tries=1, agent=Nameless())
        await self.fails(self.asking(calls), "the store cannot be reached: DNS lookup failed")

    async def test_tls(self):
        """So is one whose certificate nobody has signed."""
        own = KeyPair.generate(size=2048).selfSignedCert(1, CN="127.0.0.1")
        store = BadStore([answer()], certificate=own)
        self.addCleanup(store.stop)
        await self.fails(self.asking(self.calls(store, tries=1)), "certificate verify failed")
        self.flushLoggedErrors()  # Twisted says what else is wrong with it
        self.assertEqual(store.asked, [])


class TimeTests(CallsCase):
    """Stores that are slow."""

    async def test_silent(self):
        """A request ends after its time, whatever has come until then."""
        for said in (
            HANG,
            b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        ):
            store = self.store(said)
            asking = self.asking(self.calls(store, tries=1, whole=15))
            await store.requests(1)
            self.clock.advance(14.9)
            self.assertNoResult(asking)
            self.clock.advance(0.1)
            await self.fails(asking, "no whole answer in 15 s")

    async def test_connect(self):
        """A connection that nobody accepts is given up sooner."""
        away = MemoryReactorClock()
        signer = Signer(Endpoint.of("http://10.0.0.1"), "x", Credentials("id", "secret"))
        calls = Calls(away, away, Quiet(), signer, tries=1, connect=5, whole=15)
        asking = self.asking(calls)
        ((_, port, _, timeout, _),) = away.tcpClients
        self.assertEqual((port, timeout), (80, 5))
        away.advance(15)
        self.failureResultOf(asking, StorageUnavailable)

    async def test_cancelled(self):
        """A request that is cancelled is not tried again, and its connection is closed."""
        store = self.store(HANG)
        asking = self.asking(self.calls(store))
        await store.requests(1)
        (talk,) = store.connections
        talk.gone = Deferred()
        asking.cancel()
        self.assertFailure(asking, Exception)
        await talk.gone
        talk.gone = None
        self.clock.advance(60)
        self.assertEqual(len(store.asked), 1)


class TriesTests(CallsCase):
    """Requests that are repeated."""

    async def test_again(self):
        """A 5xx is asked again after pauses that double."""
        store = self.store(answer(500), answer(503), answer(body=b"at last"))
        asking = self.asking(self.calls(store))
        for pause in (0.1, 0.2):
            asked = len(store.asked) + 1
            await store.requests(asked)
            await self.pausing(pause)
        self.assertEqual((await asking).body, b"at last")

    async def pausing(self, seconds: float) -> None:
        """Wait until a pause of so long has begun, and let it pass."""
        while not self.due(seconds):
            await turn()
        self.clock.advance(seconds)

    def due(self, seconds: float) -> bool:
        """Whether a pause of so long has begun."""
        times = [call.getTime() - self.clock.seconds() for call in self.clock.getDelayedCalls()]
        return any(abs(time - seconds) < 1e-6 for time in times)

    async def test_gives_up(self):
        """After the third failure the store is away, with what it has said last."""
        store = self.store(answer(503, b"<Error><Code>SlowDown</Code></Error>"))
        asking = self.asking(self.calls(store))
        for pause in (0.1, 0.2):
            await self.pausing(pause)
        error = await self.fails(asking, "answers a GET with 503 SlowDown")
        self.assertNotIsInstance(error, Bad)
        self.assertEqual(len(store.asked), 3)

    async def test_broken_connection(self):
        """A connection that breaks is another attempt too."""
        store = self.store(Say(b"HTTP/1.1 2", "close"), answer(body=b"x"))
        asking = self.asking(self.calls(store))
        await self.pausing(0.1)
        self.assertEqual((await asking).body, b"x")

    async def test_not_4xx(self):
        """What the store refuses is asked once."""
        for status in (400, 403, 404, 429):
            store = self.store(answer(status))
            self.assertEqual((await self.asking(self.calls(store))).status, status)
            self.assertEqual(len(store.asked), 1)

    async def test_signed_anew(self):
        """Each attempt is signed at its own time."""
        self.clock.advance(1_800_000_000)
        store = self.store(answer(500), answer())
        asking = self.asking(self.calls(store))
        while not self.due(0.1):
            await turn()
        self.clock.advance(3600)
        await asking
        first, second = (request.lower() for request in store.asked)
        self.assertIn(b"x-amz-date: 20270115t080000z", first)
        self.assertIn(b"x-amz-date: 20270115t090000z", second)


class NumberTests(CallsCase):
    """How many requests there are at once."""

    async def test_most(self):
        """Beyond the limit, a request waits until another has ended, and its time begins then."""
        store = self.store(*[HANG] * MOST, answer(body=b"late"))
        calls = self.calls(store, tries=1, whole=10)
        hanging = [self.asking(calls) for _ in range(MOST)]
        late = self.asking(calls)
        await store.requests(MOST)
        self.clock.advance(9)
        self.assertEqual(len(store.asked), MOST)
        hanging[0].cancel()
        self.clock.advance(0.9)
        self.assertEqual((await late).body, b"late")
        for one in hanging:
            one.cancel()
            self.assertFailure(one, Exception)


class UnexpectedTests(TestCase):
    """The errors of answers that nobody expects."""

    async def test_kinds(self):
        """What waiting may heal is no bad store."""
        for status, bad in ((301, 1), (400, 1), (403, 1), (404, 1), (408, 0), (429, 0), (503, 0)):
            error = StoreResponse(status, Headers(), b"", True).unexpected("PUT")
            self.assertEqual(isinstance(error, Bad), bool(bad), status)

    async def test_code(self):
        """A code of the store is shown, but no other text of it."""
        body = b"<Error><Code>AccessDenied</Code><Message>\x1b[2J</Message></Error>"
        text = str(StoreResponse(403, Headers(), body, True).unexpected("PUT"))
        self.assertEqual(text, "the store answers a PUT with 403 AccessDenied")


def turn() -> "Deferred[None]":
    """The next turn of the reactor."""
    later: Deferred[None] = Deferred()
    reactor.callLater(0, later.callback, None)
    return later
