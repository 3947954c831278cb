"""Whether a store is one that the service can rely on."""

from collections.abc import Callable

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from contentsvc.framework.storage.bucket import BadStore, StorageUnavailable
from contentsvc.framework.storage.calls import StoreResponse
from tests.framework.storage.flaws import Making, Send, Sent, said
from tests.support import stores

TOKEN = "x-amz-meta-upload"
WHOLE = 6
"""Seconds for a proof."""


class ProofCase(TestCase):
    async def prove(self, store: stores.Store, **others) -> None:
        bucket = store.bucket(reactor, **others)
        self.addCleanup(bucket.stop)
        await bucket.prove()

    async def refused(self, reason: str, store: stores.Store, **others) -> None:
        """Assert that the store is a bad one."""
        with self.assertRaises(BadStore) as caught:
            await self.prove(store, **others)
        self.assertIn(reason, str(caught.exception))
        self.assertIn(store.endpoint, str(caught.exception))


class StoreTests(ProofCase):
    """Real stores."""

    async def test_good(self):
        """A good store proves itself, and keeps nothing of that."""
        store = stores.new()
        await self.prove(store)
        self.nothing_left(store)

    def nothing_left(self, store: stores.Store) -> None:
        """Assert that the buckets are empty."""
        for name in (store.content, store.media):
            listed = store.ask("GET", name, query={"list-type": "2"})
            self.assertNotIn(b"<Key>", listed.body)

    async def test_at_once(self):
        """Many processes can try the same store at the same time."""
        store = stores.new()
        proofs = [Deferred.fromCoroutine(self.prove(store)) for _ in range(8)]
        for proof in proofs:
            await proof
        self.nothing_left(store)

    async def test_bad(self):
        """A store that takes wrong bytes is refused."""
        await self.refused("takes wrong bytes under a signed digest", stores.rclone())

    async def test_missing_bucket(self):
        """A missing bucket is named."""
        store = stores.new()
        for missing in ("content", "media"):
            one = store._replace(**{missing: "nowhere"})
            await self.refused("bucket nowhere: the store answers a GET of a list with 404", one)

    async def test_keys(self):
        """Refused keys are named as the store does."""
        store = stores.new()
        unknown = stores.Credentials("unknown", stores.SECRET_KEY)
        await self.refused("403 InvalidAccessKeyId", store, credentials=unknown)
        wrong = stores.Credentials(stores.ACCESS_KEY, "wrong")
        await self.refused("403 SignatureDoesNotMatch", store, credentials=wrong)


class FlawTests(ProofCase):
    """A store with one flaw in one of its buckets."""

    def setUp(self) -> None:
        self.store = stores.new()

    async def flawed(
        self,
        reason: str,
        has: Callable[[Sent], bool],
        gives: StoreResponse | Callable[[StoreResponse], StoreResponse],
    ) -> None:
        """Assert that a store is bad which answers the requests to its media bucket that have
        something with another answer."""

        async def flaw(sent: Sent, send: Send) -> StoreResponse:
            if f"/{self.store.media}" not in sent.url or not has(sent):
                return await send()
            return gives if isinstance(gives, StoreResponse) else gives(await send())

        await self.refused(f"bucket {self.store.media}: {reason}", self.store, calls=Making(flaw))

    async def test_missing_checksum(self):
        """It takes an upload without the digest."""
        await self.flawed(
            "the store takes an upload without its signed digest",
            lambda sent: sent.method == "PUT" and "x-amz-checksum-sha256" not in sent.headers,
            said(200),
        )

    async def test_other_token(self):
        """It takes an upload whose token was changed."""
        tokens: list[str] = []

        def is_other(sent: Sent) -> bool:
            tokens.append(sent.headers.get(TOKEN, ""))
            return sent.method == "PUT" and tokens.count(tokens[-1]) == 1 and len(set(tokens)) > 2

        await self.flawed("the store takes an upload with another token", is_other, said(200))

    async def test_right_bytes(self):
        """It refuses what it should take, and says why."""
        refused = said(403, b"<Code>AccessDenied</Code>")
        await self.flawed(
            "the store answers a PUT with 403 AccessDenied",
            lambda sent: sent.method == "PUT",
            refused,
        )

    async def test_forgets(self):
        """It does not keep a header, or gives another."""
        for name in ("Content-Type", "Cache-Control", TOKEN):
            for value in (None, "other"):

                def changed(
                    answer: StoreResponse, name: str = name, value: str | None = value
                ) -> StoreResponse:
                    headers = answer.headers.copy()
                    headers.removeHeader(name)
                    if value is not None:
                        headers.setRawHeaders(name, [value])
                    return answer._replace(headers=headers)

                await self.flawed(
                    f"the store does not keep {name}", lambda sent: sent.method == "HEAD", changed
                )

    async def test_other_length(self):
        """It has another length."""
        await self.flawed(
            "the store does not have what it has taken",
            lambda sent: sent.method == "HEAD",
            lambda answer: answer if answer.status == 404 else said(200, Content_Length="5"),
        )

    async def test_range(self):
        """It answers a range with the whole, or with another part."""
        for gives, reason in (
            (said(200, b"x" * 32), "the store answers a GET of a range with 200"),
            (said(206, b"x" * 8), "the store answers a range with another"),
        ):
            await self.flawed(reason, lambda sent: "Range" in sent.headers, gives)
        await self.flawed(
            "the store answers a range with another",
            lambda sent: "Range" in sent.headers,
            lambda answer: said(206, answer.body, Content_Range="bytes 0-7/32"),
        )

    async def test_missing_file(self):
        """It does not say that a file is missing."""
        await self.flawed(
            "the store answers a HEAD of a file that is not there with 403",
            lambda sent: sent.method == "HEAD",
            said(403),
        )

    async def test_deletes_nothing(self):
        """It only says that it has deleted."""
        await self.flawed(
            "the store answers a HEAD of a file that was deleted with 200",
            lambda sent: sent.method == "DELETE",
            said(204),
        )

    async def test_redirect(self):
        """It is elsewhere."""
        await self.flawed(
            "the store answers a GET of a list with 301 PermanentRedirect",
            lambda sent: sent.method == "GET",
            said(301, b"<Code>PermanentRedirect</Code>", Location="http://127.0.0.1:1/"),
        )


class Failing:
    """Fails at one step."""

    def __init__(self, step: int, status: int) -> None:
        self.left = step
        self.status = status

    async def flaw(self, sent: Sent, send: Send) -> StoreResponse:
        self.left -= 1
        return said(self.status) if self.left == -1 else await send()


class AwayTests(ProofCase):
    """A store that cannot be reached."""

    async def test_nobody(self):
        """Where nobody listens, the start goes on, and a look fails."""
        bucket = stores.Store("http://127.0.0.1:1", "content", "media").bucket(reactor)
        self.addCleanup(bucket.stop)
        await bucket.start()
        for again in (bucket.stat([]), bucket.prove(), bucket.reach()):
            with self.assertRaises(StorageUnavailable) as caught:
                await again
            self.assertNotIsInstance(caught.exception, BadStore)
            self.assertIn("Connection was refused", str(caught.exception))

    async def test_server_error(self):
        """A 5xx, or a request to slow down, at any step is no bad store."""
        store = stores.new()
        for status in (500, 503, 429):
            for step in range(20):
                failing = Failing(step, status)
                bucket = store.bucket(reactor, calls=Making(failing.flaw))
                self.addCleanup(bucket.stop)
                try:
                    await bucket.prove()
                except StorageUnavailable as error:
                    self.assertNotIsInstance(error, BadStore)
                    self.assertIn(f"with {status}", str(error))
                else:
                    self.assertGreaterEqual(failing.left, 0)

    async def test_silent(self):
        """A store that says nothing is given up after some seconds."""

        async def flaw(sent: Sent, send: Send) -> StoreResponse:
            await Deferred()
            raise AssertionError

        clock = Clock()
        bucket = stores.new().bucket(clock, calls=Making(flaw))
        self.addCleanup(bucket.stop)
        proving = Deferred.fromCoroutine(bucket.prove())
        clock.advance(WHOLE - 0.1)
        self.assertNoResult(proving)
        clock.advance(0.1)
        self.failureResultOf(proving, StorageUnavailable)

    async def test_comes_back(self):
        """Once it could not be reached, it must prove itself anew before a look works."""
        making = Making()
        bucket = stores.new().bucket(reactor, calls=making)
        self.addCleanup(bucket.stop)
        await bucket.start()
        asked: list[str] = []

        async def away(sent: Sent, send: Send) -> StoreResponse:
            return said(503)

        async def note(sent: Sent, send: Send) -> StoreResponse:
            asked.append(sent.method)
            return await send()

        making.made.flaw = note
        await bucket.reach()
        self.assertEqual(asked, ["HEAD", "HEAD"])
        making.made.flaw = away
        with self.assertRaises(StorageUnavailable):
            await bucket.reach()
        making.made.flaw = note
        with self.assertRaises(StorageUnavailable):
            await bucket.stat([])
        await bucket.reach()
        self.assertIn("PUT", asked)
        self.assertEqual(await bucket.stat([]), {})
