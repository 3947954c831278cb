"""Uploads to keys of their own, in a real S3 store."""

import time
from email.utils import formatdate

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import TestCase

from contentsvc.framework.storage.bucket import BadStore, StorageUnavailable, StoredFile
from contentsvc.framework.storage.calls import StoreResponse
from contentsvc.framework.storage.paths import held_path_of
from tests.framework.storage.flaws import Making, Send, Sent, said
from tests.framework.storage.test_s3 import BODY, HOUR, PNG, S3Case, path
from tests.support import stores

STALE = 25 * HOUR
COPYING = "x-amz-copy-source"


class CopyTests(S3Case):
    async def sent(self, token: str = "token-1", media_type: str = "application/octet-stream"):
        """Have sent the bytes to a key of its own, with more headers than were asked for; the
        key."""
        upload = self.upload(BODY, media_type, token=token, staged=True)
        self.assertEqual(self.put(upload, Content_Language="de"), 200)
        return self.bucket.staging_key(path(BODY, media_type), token)

    async def test_place(self) -> None:
        """A staged upload goes to a key of its own, in the same bucket, and `stat` finds it
        there only."""
        for media_type, bucket in (
            ("application/octet-stream", self.store.content),
            (PNG, self.store.media),
        ):
            key = await self.sent(media_type=media_type)
            self.assertEqual(key, f"incoming/token-1/{path(BODY, media_type)}")
            self.assertEqual(self.store.ask("HEAD", f"{bucket}/{key}").status, 200)
            found = await self.found(key, path(BODY, media_type))
            self.assertEqual(found, {key: StoredFile(len(BODY), "token-1")})

    async def test_copied(self) -> None:
        """A copy has the bytes, the token, the media type and, for media, Cache-Control, and
        nothing else that the sender has declared."""
        for media_type, cached in (
            ("application/octet-stream", None),
            (PNG, "public, max-age=31536000, immutable"),
        ):
            key = await self.sent(media_type=media_type)
            there = path(BODY, media_type)
            await self.bucket.copy({there: "token-1"})
            got = self.store.ask("GET", self.store.path(there))
            self.assertEqual((got.status, got.body), (200, BODY))
            self.assertEqual(got.headers["Content-Type"], media_type)
            self.assertEqual(got.headers.get("Cache-Control"), cached)
            self.assertNotIn("Content-Language", got.headers)
            found = StoredFile(len(BODY), "token-1")
            self.assertEqual(await self.found(key, there), {key: found, there: found})

    async def test_hold(self) -> None:
        """What is kept apart outlives its file, lies in the bucket that is not public, and has
        nothing of the sender's but the bytes."""
        for media_type in ("application/octet-stream", PNG):
            there = path(BODY, media_type)
            self.assertEqual(self.put(self.upload(BODY, media_type)), 200)
            self.assertTrue(await self.bucket.hold(there))
            await self.bucket.delete([there])
            held = held_path_of(there)
            self.assertEqual(await self.found(there, held), {held: StoredFile(len(BODY), None)})
            got = self.store.ask("GET", f"{self.store.content}/{held}")
            self.assertEqual((got.status, got.body), (200, BODY))
            self.assertEqual(got.headers["Content-Type"], "application/octet-stream")
            await self.bucket.delete([held])

    async def test_hold_nothing(self) -> None:
        """What is not there is not kept apart."""
        self.assertFalse(await self.bucket.hold(path()))

    async def test_nothing_sent(self) -> None:
        """A key without bytes is no error."""
        await self.bucket.copy({path(): "token-1"})
        self.assertEqual(await self.found(path()), {})

    async def test_packed_source(self) -> None:
        """What the sender declares as packed after it was found is copied as the plain bytes that
        it is."""
        upload = self.upload(staged=True)
        self.assertEqual(self.put(upload, Content_Encoding="gzip"), 200)
        self.assertEqual(await self.found(self.bucket.staging_key(path(), "token-1")), {})
        await self.bucket.copy({path(): "token-1"})
        self.assertEqual(await self.found(path()), {path(): StoredFile(len(BODY), "token-1")})

    async def test_packed_target(self) -> None:
        """What is packed at the path counts as not there, and is replaced."""
        self.assertEqual(self.put(self.upload(token="other"), Content_Encoding="gzip"), 200)
        await self.sent()
        await self.bucket.copy({path(): "token-1"})
        self.assertEqual(await self.found(path()), {path(): StoredFile(len(BODY), "token-1")})

    async def test_damaged_target(self) -> None:
        """So is what has another length; what has the same stays."""
        await self.sent()
        for data, stays in ((BODY + b".", False), (BODY, True)):
            self.store.ask("PUT", self.store.path(path()), data)
            await self.bucket.copy({path(): "token-1"})
            found = StoredFile(len(BODY), None if stays else "token-1")
            self.assertEqual(await self.found(path()), {path(): found})

    async def test_many(self) -> None:
        """Many are copied in one call."""
        bodies = {path(body): body for body in (str(n).encode() for n in range(50))}
        for body in bodies.values():
            self.assertEqual(self.put(self.upload(body, staged=True), body), 200)
        await self.bucket.copy(dict.fromkeys(bodies, "token-1"))
        self.assertEqual((await self.found(*bodies)).keys(), bodies.keys())

    async def test_url(self) -> None:
        """The URL of such an upload writes to its key only, with its headers."""
        upload = self.upload(staged=True)
        for other in (path(), self.bucket.staging_key(path(), "token-2")):
            url = upload.url.replace(self.bucket.staging_key(path(), "token-1"), other)
            self.assertEqual(stores.send("PUT", url, upload.headers, BODY).status, 403)
        self.assertEqual(self.put(upload, x_amz_meta_upload="token-2"), 403)
        self.assertEqual(self.put(upload, BODY[::-1]), 400)


class ConditionTests(TestCase):
    """Stores that differ in what they make of the condition of a copy, and stores that fail."""

    async def copied(self, *answers: StoreResponse | None) -> list[bool]:
        """Copy a file that was sent, in a store that gives these answers to the attempts, its own
        for None; which attempts had the condition."""
        left, had = list(answers), []

        async def flaw(sent: Sent, send: Send) -> StoreResponse:
            answer = None
            if COPYING in sent.headers:
                had.append("If-None-Match" in sent.headers)
                answer = left.pop(0)
            return answer or await send()

        making = Making()
        bucket = stores.new().bucket(reactor, calls=making)
        self.addCleanup(bucket.stop)
        await bucket.start()
        upload = bucket.sign_upload("", path(), len(BODY), "token-1", staged=True)
        stores.send("PUT", upload.url, upload.headers, BODY)
        making.made.flaw = flaw
        await bucket.copy({path(): "token-1"})
        return had

    async def test_unknown(self) -> None:
        """A store that says that it does not know the condition copies without it."""
        self.assertEqual(await self.copied(said(501), None), [True, False])

    async def test_gone(self) -> None:
        """If the key has gone meanwhile, another call has copied it: that is no error."""
        self.assertEqual(await self.copied(said(404, b"<Code>NoSuchKey</Code>")), [True])

    async def test_fails(self) -> None:
        """A copy that the store refuses, or breaks off in a 200, fails."""
        for answer, reason in (
            (said(403, b"<Code>AccessDenied</Code>"), "a copy with 403 AccessDenied"),
            (said(200, b"<Error><Code>SlowDown</Code></Error>"), "breaks off a copy"),
            (said(500), "500"),
        ):
            with self.assertRaises(StorageUnavailable) as caught:
                await self.copied(answer)
            self.assertIn(reason, str(caught.exception))

    async def test_no_copies(self) -> None:
        """A store that cannot copy is refused at the start, and one that only says that it does."""
        for answer, reason in (
            (said(501, b"<Code>NotImplemented</Code>"), "a copy with 501 NotImplemented"),
            (said(200), "the store does not copy"),
            (said(200, b"<CopyObjectResult/>"), "a HEAD with 404"),
        ):

            async def flaw(sent: Sent, send: Send, answer: StoreResponse = answer) -> StoreResponse:
                return answer if COPYING in sent.headers else await send()

            bucket = stores.new().bucket(reactor, calls=Making(flaw))
            self.addCleanup(bucket.stop)
            with self.assertRaises(BadStore) as caught:
                await bucket.start()
            self.assertIn(reason, str(caught.exception))


class BrokenUploadTests(TestCase):
    """What nobody has verified. The store's clock is what its answers say."""

    async def setUp(self) -> None:
        self.store = stores.new()
        self.making = Making()
        self.bucket = self.store.bucket(reactor, calls=self.making)
        self.addCleanup(self.bucket.stop)
        await self.bucket.start()
        self.keys = []
        for media_type in ("application/octet-stream", PNG):
            upload = self.bucket.sign_upload(
                "", path(BODY, media_type), len(BODY), "token-1", staged=True
            )
            self.assertEqual(stores.send("PUT", upload.url, upload.headers, BODY).status, 200)
            self.keys.append(self.bucket.staging_key(path(BODY, media_type), "token-1"))
        self.others = [path(), "incoming/readme", "incoming/token-1/readme"]
        for key in self.others:
            self.store.ask("PUT", f"{self.store.content}/{key}", BODY)

    def later(self, seconds: float) -> None:
        """The store's clock is ahead by so much."""

        async def flaw(sent: Sent, send: Send) -> StoreResponse:
            answer = await send()
            date = formatdate(time.time() + seconds, usegmt=True)
            answer.headers.setRawHeaders("Date", [date])
            return answer

        self.making.made.flaw = flaw

    async def round(self) -> None:
        """Sweep both buckets."""
        while await self.bucket.delete_broken_uploads() is not None:
            pass

    async def left(self) -> list[str]:
        """Those of the keys that are there."""
        return list(await self.bucket.stat(self.keys))

    async def test_old(self) -> None:
        """What is older than 25 hours is deleted, in both buckets, and nothing younger, nothing
        that others have put there, and no file."""
        self.later(STALE - 60)
        await self.round()
        self.assertEqual(sorted(await self.left()), sorted(self.keys))
        self.later(STALE + 60)
        for _ in range(2):
            await self.round()
        self.assertEqual(await self.left(), [])
        for key in self.others:
            self.assertEqual(self.store.ask("HEAD", f"{self.store.content}/{key}").status, 200)

    async def test_not_listed(self) -> None:
        """Nothing of this is listed as a file."""
        self.assertEqual([file.path async for file in self.bucket.list()], [path()])

    async def test_no_clock(self) -> None:
        """If the store does not say its time, nothing is deleted."""

        async def flaw(sent: Sent, send: Send) -> StoreResponse:
            answer = await send()
            answer.headers.removeHeader("Date")
            return answer

        self.making.made.flaw = flaw
        with self.assertRaises(StorageUnavailable):
            await Deferred.fromCoroutine(self.bucket.delete_broken_uploads())
        self.assertEqual(sorted(await self.left()), sorted(self.keys))
