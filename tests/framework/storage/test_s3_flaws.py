"""Two buckets of a store that has misbehaved since it proved itself."""

from collections.abc import Awaitable

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase
from twisted.web.http_headers import Headers

from contentsvc.framework.storage.bucket import StorageUnavailable, StoredFile
from contentsvc.framework.storage.calls import StoreResponse
from tests.framework.storage.flaws import Flaw, Making, Send, Sent, said
from tests.framework.storage.test_listing import FILE, listing
from tests.support import stores

PATH = f"ab/ab{'0' * 62}"
OTHERS = [f"{number:02x}/{number:064x}" for number in range(256)]
STAT_TIMEOUT = 20
"""Seconds for a look."""


class FlawedCase(TestCase):
    """A bucket on a clock of the test's own, whose store answers as a flaw has it."""

    async def setUp(self) -> None:
        self.clock = Clock()
        self.making = Making()
        self.bucket = stores.new().bucket(self.clock, calls=self.making)
        self.addCleanup(self.bucket.stop)
        await self.bucket.start()
        self.sent: list[Sent] = []

    def answers(self, *answers: StoreResponse) -> None:
        """Let the store give these answers; the last one goes on."""
        left = list(answers)

        async def flaw(sent: Sent, send: Send) -> StoreResponse:
            self.sent.append(sent)
            return left.pop(0) if len(left) > 1 else left[0]

        self.has(flaw)

    def has(self, flaw: Flaw) -> None:
        """Let the store have this flaw from now on."""
        self.making.made.flaw = flaw

    def hangs(self) -> list["Deferred[None]"]:
        """Let the store say nothing; the requests that wait for it."""
        waiting: list[Deferred[None]] = []

        async def flaw(sent: Sent, send: Send) -> StoreResponse:
            wait: Deferred[None] = Deferred()
            waiting.append(wait)
            await wait
            return said(404)

        self.has(flaw)
        return waiting

    async def away(self, asking: Awaitable[object], reason: str) -> None:
        """Assert that the store counts as away."""
        with self.assertRaises(StorageUnavailable) as caught:
            await asking
        self.assertIn(reason, str(caught.exception))

    async def listed(self) -> list[str]:
        """The paths of all files."""
        return [file.path async for file in self.bucket.list()]


class StatTests(FlawedCase):
    """A look."""

    async def test_strange(self):
        """Only 200 and 404 say whether a file is there: after all else nothing is known."""
        for status in (204, 301, 307, 400, 403, 405, 503):
            self.answers(said(status))
            await self.away(self.bucket.stat([PATH]), f"with {status}")

    async def test_one_of_many(self):
        """One file that cannot be looked at fails the look, and no further request is sent."""
        self.answers(*[said(404)] * 50, said(403))
        await self.away(self.bucket.stat(OTHERS), "403")
        self.assertLess(len(self.sent), len(OTHERS))

    async def test_no_length(self):
        """A file without length, or with none that is a number, is none."""
        for headers in (
            {},
            {"Content_Length": "many"},
            {"Content_Length": "-1"},
            {"Content_Length": "9" * 9999},
        ):
            self.answers(said(200, **headers))
            await self.away(self.bucket.stat([PATH]), "without Content-Length")

    async def test_strange_token(self):
        """A token that can be none of the service's is none."""
        for token in ("", "a b", "ü", "\x00", "x" * 201):
            self.answers(said(200, Content_Length="5", X_Amz_Meta_Upload=token))
            self.assertEqual(await self.bucket.stat([PATH]), {PATH: StoredFile(5, None)})
        headers = Headers({"Content-Length": ["5"], b"x-amz-meta-upload": [b"\xff"]})
        self.answers(StoreResponse(200, headers, b"", True))
        self.assertEqual(await self.bucket.stat([PATH]), {PATH: StoredFile(5, None)})

    async def test_deadline(self):
        """A look ends after some seconds, however many files it is at, and leaves nothing under
        way."""
        waiting = self.hangs()
        asking = Deferred.fromCoroutine(self.bucket.stat(OTHERS))
        begun = len(waiting)
        self.clock.advance(STAT_TIMEOUT - 0.1)
        self.assertNoResult(asking)
        self.clock.advance(0.1)
        await self.away(asking, f"in {STAT_TIMEOUT} s")
        self.assertTrue(all(wait.called for wait in waiting))
        self.assertEqual(len(waiting), begun)

    async def test_bounded(self):
        """A look sends some requests at once, and another as soon as one has ended."""
        waiting = self.hangs()
        asking = Deferred.fromCoroutine(self.bucket.stat(OTHERS))
        begun = len(waiting)
        self.assertLess(begun, len(OTHERS) / 10)
        waiting[5].callback(None)
        self.assertEqual(len(waiting), begun + 1)
        asking.cancel()
        self.failureResultOf(asking)


class ReadTests(FlawedCase):
    """The first bytes of a file."""

    async def test_strange(self):
        """What is neither the file nor a missing one is no answer."""
        for status in (204, 307, 403, 500):
            self.answers(said(status, b"xyz"))
            await self.away(self.bucket.read(PATH, 3), f"with {status}")

    async def test_whole_file(self):
        """A store that sends the whole file is heard up to the limit."""
        self.answers(said(200, b"abc"))
        self.assertEqual(await self.bucket.read(PATH, 3), b"abc")
        self.assertEqual(self.sent[0].headers["Range"], "bytes=0-2")


class DeleteTests(FlawedCase):
    """Deletions."""

    async def test_strange(self):
        """What does not say that the file is gone is no answer."""
        for status in (202, 307, 403, 500):
            self.answers(said(status))
            await self.away(self.bucket.delete([PATH]), f"with {status}")

    async def test_gone(self):
        """A missing file is gone."""
        for status in (200, 204, 404):
            self.answers(said(status))
            await self.bucket.delete([PATH])

    async def test_cancelled(self):
        """A deletion that is cancelled ends its requests and begins no more."""
        waiting = self.hangs()
        deleting = Deferred.fromCoroutine(self.bucket.delete(OTHERS))
        begun = len(waiting)
        deleting.cancel()
        self.failureResultOf(deleting)
        self.assertTrue(all(wait.called for wait in waiting))
        self.assertEqual(len(waiting), begun)


class ListTests(FlawedCase):
    """Listings."""

    def page(self, key: str, more: str | None = None) -> StoreResponse:
        """A page with a file, and the token of the next one."""
        following = f"<NextContinuationToken>{more}</NextContinuationToken>" if more else ""
        truncated = f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
        return said(200, listing(FILE.format(key, 1), truncated, following))

    async def test_pages(self):
        """The next page is asked for by its token."""
        self.answers(self.page("a", "one +"), self.page("d"), self.page("b", "two"), self.page("c"))
        self.assertEqual(sorted(await self.listed()), ["a", "b", "c", "d"])
        tokens = [sent.url.partition("continuation-token=")[2][:9] for sent in self.sent]
        self.assertEqual(sorted(tokens), ["", "", "one%20%2B", "two&encod"])

    async def test_circle(self):
        """A store that gives the same page again and again is not asked for ever."""
        self.answers(self.page("a", "one"))
        await self.away(self.listed(), "the same page again")

    async def test_garbage(self):
        """What is no listing is no end of one."""
        self.answers(said(200, b"<html>"))
        await self.away(self.listed(), "a list with something else")
        self.answers(said(404))
        await self.away(self.listed(), "404")
        self.answers(said(200, listing(FILE.format("a", 1)))._replace(whole=False))
        await self.away(self.listed(), "without end")
