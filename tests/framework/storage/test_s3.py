"""Two buckets of a real S3 store: what is signed, and what is found."""

import re
from base64 import b64encode
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

from twisted.internet import reactor
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.storage.attachments import attachment
from contentsvc.framework.storage.bucket import StoredFile
from contentsvc.framework.storage.paths import path_of
from tests.support import stores
from tests.support.names import Names

PNG = "image/png"
BODY = b"the bytes of a file"
HOUR = 3600


def path(body: bytes = BODY, media_type: str = "application/octet-stream") -> str:
    """Where a file with these bytes lies."""
    return path_of(sha256(body).hexdigest(), media_type)


class S3Case(TestCase):
    """Buckets of its own, in the shared store."""

    async def setUp(self) -> None:
        self.store = stores.new()
        self.bucket = self.store.bucket(reactor)
        self.addCleanup(self.bucket.stop)
        await self.bucket.start()

    def put(self, upload, body: bytes = BODY, **changed: str | None) -> int:
        """Send an upload, with some headers changed, or left out if they are None; its status."""
        headers = upload.headers | {k.replace("_", "-"): v for k, v in changed.items()}
        sent = {name: value for name, value in headers.items() if value is not None}
        return stores.send("PUT", upload.url, sent, body).status

    def upload(self, body: bytes = BODY, media_type: str = "application/octet-stream", **others):
        """A signed upload of these bytes."""
        of = {"size": len(body), "token": "token-1"} | others
        return self.bucket.sign_upload("", path(body, media_type), **of)

    async def found(self, *paths: str) -> dict[str, StoredFile]:
        """What a look finds."""
        return dict(await self.bucket.stat(paths))


class VirtualTests(S3Case):
    """A store that has its buckets as host names."""

    async def setUp(self) -> None:
        await super().setUp()
        self.names = Names()
        port = self.store.endpoint.rpartition(":")[2]
        endpoint = f"http://{stores.DOMAIN}:{port}"
        self.bucket = self.store.bucket(self.names, endpoint=endpoint, virtual=True)
        self.addCleanup(self.bucket.stop)
        self.hosts = [f"{name}.{stores.DOMAIN}" for name in (self.store.content, self.store.media)]
        self.urls = [f"http://{host}:{port}" for host in self.hosts]

    async def test_proves_itself(self):
        """It does all that the service relies on, and is asked by those names alone."""
        await self.bucket.start()
        await self.bucket.reach()
        image = path(BODY, PNG)
        await self.bucket.write(image, BODY)
        self.assertEqual(await self.found(image), {image: StoredFile(len(BODY), None)})
        self.assertEqual([file.path async for file in self.bucket.list()], [image])
        await self.bucket.delete([image])
        self.assertEqual(await self.found(image), {})
        self.assertEqual(set(self.names.asked), set(self.hosts))

    async def test_urls(self):
        """What clients get has the bucket in the host, and not in the path."""
        self.assertEqual(self.bucket.urls(), tuple(self.urls))
        self.assertEqual(self.bucket.media_url(""), self.urls[1])
        for media_type, url in zip(("application/octet-stream", PNG), self.urls, strict=True):
            where = path(BODY, media_type)
            for signed in (
                self.upload(BODY, media_type).url,
                self.bucket.sign_download("", where).url,
            ):
                self.assertEqual(signed.partition("?")[0], f"{url}/{where}")


class UploadTests(S3Case):
    """What a client can do with a signed upload."""

    async def test_stored(self):
        """The announced bytes are taken, and found with their length and the announcement's
        token."""
        self.assertEqual(self.put(self.upload()), 200)
        self.assertEqual(await self.found(path()), {path(): StoredFile(len(BODY), "token-1")})
        self.assertEqual(await self.bucket.read(path(), 100), BODY)

    async def test_headers(self):
        """The headers are the media type, the digest in base64, the token and, for media, how long
        it is good; nothing that a client sets by itself."""
        digest = b64encode(sha256(BODY).digest()).decode()
        headers = {
            "Content-Type": "application/octet-stream",
            "x-amz-checksum-sha256": digest,
            "x-amz-meta-upload": "token-1",
        }
        self.assertEqual(self.upload().headers, headers)
        cached = "public, max-age=31536000, immutable"
        of_media = headers | {"Content-Type": PNG, "Cache-Control": cached}
        self.assertEqual(self.upload(BODY, PNG).headers, of_media)

    async def test_signed(self):
        """All of them are signed, with the host and the length."""
        for media_type, more in (("application/octet-stream", []), (PNG, ["cache-control"])):
            query = parse_qs(urlsplit(self.upload(BODY, media_type).url).query)
            (signed,) = query["X-Amz-SignedHeaders"]
            named = ["content-length", "content-type", "host", "x-amz-checksum-sha256"]
            self.assertEqual(signed.split(";"), sorted([*more, *named, "x-amz-meta-upload"]))

    async def test_media(self):
        """Media lies in its bucket, where everybody reads it with its type, for good."""
        self.assertEqual(self.put(self.upload(BODY, PNG)), 200)
        answer = stores.send("GET", f"{self.bucket.media_url('')}/{path(BODY, PNG)}")
        self.assertEqual((answer.status, answer.body), (200, BODY))
        self.assertEqual(answer.headers["Content-Type"], PNG)
        self.assertEqual(answer.headers["Cache-Control"], "public, max-age=31536000, immutable")

    async def test_other_bytes(self):
        """Other bytes of the same length are refused, and nothing is stored."""
        self.assertEqual(self.put(self.upload(), BODY[::-1]), 400)
        self.assertEqual(await self.found(path()), {})

    async def test_other_length(self):
        """Fewer or more bytes are refused, with their own digest too."""
        for body in (BODY[:-1], BODY + b"."):
            digest = b64encode(sha256(body).digest()).decode()
            self.assertEqual(self.put(self.upload(), body), 403)
            self.assertEqual(self.put(self.upload(), body, x_amz_checksum_sha256=digest), 403)
        self.assertEqual(await self.found(path()), {})

    async def test_changed_headers(self):
        """No signed header can be changed or left out."""
        for name in ("Content_Type", "x_amz_checksum_sha256", "x_amz_meta_upload", "Cache_Control"):
            for value in ("other", None):
                upload = self.upload(BODY, PNG)
                self.assertEqual(self.put(upload, **{name.replace("_", "-"): value}), 403)
        self.assertEqual(await self.found(path(BODY, PNG)), {})

    async def test_other_path(self):
        """An upload writes to its own path only, and by PUT only."""
        upload = self.upload()
        other = upload.url.replace(path(), path(b"other"))
        self.assertEqual(stores.send("PUT", other, upload.headers, BODY).status, 403)
        for method in ("DELETE", "GET"):
            self.assertEqual(stores.send(method, upload.url, upload.headers).status, 403)

    async def test_expired(self):
        """An upload URL is good for an hour."""
        wall = Clock()
        wall.advance(WallClock().seconds())
        bucket = self.store.bucket(reactor, wall)
        self.addCleanup(bucket.stop)
        upload = bucket.sign_upload("", path(), len(BODY), "t")
        self.assertEqual(upload.expires, int(wall.seconds()) + HOUR)
        wall.rightNow -= HOUR + 60
        late = bucket.sign_upload("", path(), len(BODY), "t")
        self.assertEqual(self.put(late), 403)
        self.assertEqual(self.put(upload), 200)

    async def test_last_token(self):
        """The object says whose upload came last."""
        for token in ("one", "two"):
            self.assertEqual(self.put(self.upload(token=token)), 200)
            self.assertEqual((await self.found(path()))[path()].token, token)


class DownloadTests(S3Case):
    """Signed downloads."""

    async def test_read(self):
        """Anybody with the URL reads the file, and ranges of it; nobody without."""
        self.put(self.upload())
        url = self.bucket.sign_download("", path()).url
        self.assertEqual(stores.send("GET", url).body, BODY)
        part = stores.send("GET", url, {"Range": "bytes=4-"})
        self.assertEqual((part.status, part.body), (206, BODY[4:]))
        self.assertEqual(stores.send("GET", url.partition("?")[0]).status, 403)

    async def test_name(self):
        """The store gives the file the name that the URL has signed, and no other."""
        self.put(self.upload())
        for name in ("tower.zip", 'tür & "1"%41+\U0001f5fc.zip', "ü" * 255):
            url = self.bucket.sign_download("", path(), name).url
            answer = stores.send("GET", url)
            self.assertEqual((answer.status, answer.body), (200, BODY))
            self.assertEqual(answer.headers["Content-Disposition"], attachment(name))
        for other in (url.replace("%25C3%25BC", "x", 1), re.sub("&response[^&]*", "", url)):
            self.assertNotEqual(other, url)
            self.assertEqual(stores.send("GET", other).status, 403)

    async def test_media(self):
        """Media can be read so too."""
        self.put(self.upload(BODY, PNG))
        url = self.bucket.sign_download("", path(BODY, PNG)).url
        self.assertEqual(stores.send("GET", url).body, BODY)

    async def test_stable(self):
        """A URL is the same for a whole hour, and good for one to two hours."""
        wall = Clock()
        wall.advance(1_800_000_000 // HOUR * HOUR)
        bucket = self.store.bucket(reactor, wall)
        self.addCleanup(bucket.stop)
        first = bucket.sign_download("", path())
        wall.advance(HOUR - 1)
        self.assertEqual(bucket.sign_download("", path()), first)
        self.assertEqual(first.expires - int(wall.seconds()), HOUR + 1)
        wall.advance(1)
        second = bucket.sign_download("", path())
        self.assertEqual((second.expires, second.expires % HOUR), (first.expires + HOUR, 0))
        self.assertNotEqual(second.url, first.url)


class StatTests(S3Case):
    """What is there."""

    async def test_many(self):
        """A look finds those that are there among 1,000."""
        bodies = [str(number).encode() for number in range(10)]
        for body in bodies:
            self.put(self.upload(body), body)
        asked = [path(str(number).encode()) for number in range(1000)]
        found = await self.found(*asked)
        self.assertEqual(found.keys(), {path(body) for body in bodies})

    async def test_none(self):
        """A look at nothing finds nothing."""
        self.assertEqual(await self.found(), {})

    async def test_copied(self):
        """A copy that the operator made is found without token, and with its own length."""
        self.store.ask("PUT", self.store.path(path()), BODY + b"more")
        self.assertEqual(await self.found(path()), {path(): StoredFile(len(BODY) + 4, None)})

    async def test_encoded(self):
        """What a sender has declared as packed is not there: clients would unpack it."""
        upload = self.upload()
        self.assertEqual(self.put(upload, Content_Encoding="gzip"), 200)
        self.assertEqual(await self.found(path()), {})

    async def test_read(self):
        """The first bytes of a file can be read; of one that is not there, or is empty, none."""
        self.put(self.upload())
        self.assertEqual(await self.bucket.read(path(), 3), BODY[:3])
        self.assertEqual(await self.bucket.read(path(b"other"), 3), b"")
        self.store.ask("PUT", self.store.path(path(b"")))
        self.assertEqual(await self.bucket.read(path(b""), 3), b"")

    async def test_delete(self):
        """Deleted files are gone; those that were not there are no error."""
        self.put(self.upload())
        self.put(self.upload(BODY, PNG))
        await self.bucket.delete([path(), path(BODY, PNG), path(b"other")])
        self.assertEqual(await self.found(path(), path(BODY, PNG)), {})

    async def test_list(self):
        """All files of both buckets are listed in the order of their paths, page by page, with
        whatever name others have given them."""
        odd = ["a+b ~(ü", "x%20y", "<&>.txt", "deep/er/key"]
        for key in odd:
            self.store.ask("PUT", f"{self.store.content}/{key}", b"1")
        names = [
            path(str(n).encode(), PNG if n % 2 else "application/octet-stream") for n in range(9)
        ]
        for name in names:
            self.store.ask("PUT", self.store.path(name), name.encode())
        listed = [file async for file in self.bucket.list()]
        self.assertEqual([file.path for file in listed], sorted([*odd, *names], key=str.encode))
        self.assertEqual({f.size for f in listed if f.path in names}, {len(n) for n in names})
