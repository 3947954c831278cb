"""Sending bytes to the URLs that were given: files#sending."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from tests.spec.data import guid
from tests.spec.files.support import FilesCase, blob, picture, with_query
from tests.spec.test_http import ORIGIN
from tests.support.daemon import Daemon, until
from tests.support.deferreds import together


class UploadUrlTests(FilesCase):
    """What the store takes and what it refuses, whichever it is."""

    async def test_expires(self):
        """files#sending: an upload expires in the future."""
        upload = await self.place(await self.someone(), blob())
        self.assertGreater(upload["expires"], time.time())

    async def test_wrong_bytes(self):
        """files#sending: other bytes than announced are refused, and nothing is stored."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        other = secrets.token_bytes(len(file.data))
        await self.refused_bytes(await self.sending(upload, other), "wrong_digest")
        await self.missing(user, file)
        await self.unusable(user, file)

    async def test_wrong_length(self):
        """files#sending: so is another length, shorter, longer or none."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        for data in (file.data[:-1], file.data + b"x", b"", file.data * 2):
            await self.refused_bytes(await self.sending(upload, data), "wrong_length")
        await self.missing(user, file)

    async def test_wrong_size_announced(self):
        """files#sending: a digest announced with another size than its bytes have is never
        there."""
        user, file = await self.someone(), blob()
        response = await self.announcing(user, file.announced | {"size": len(file.data) + 1})
        (one,) = response.json()["files"]
        for data, code in ((file.data, "wrong_length"), (file.data + b"x", "wrong_digest")):
            await self.refused_bytes(await self.sending(one["upload"], data), code)
        await self.unusable(user, file)

    async def test_right_after_wrong(self):
        """After a refusal the same URL takes the right bytes."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        wrong = b"x" * len(file.data)
        await self.refused_bytes(await self.sending(upload, wrong), "wrong_digest")
        await self.send(upload, file.data)
        await self.there(user, file)

    async def test_headers(self):
        """files#sending: the headers of an upload are signed: another value is refused."""
        user, file = await self.someone(), picture()
        upload = await self.place(user, file)
        for name in upload["headers"]:
            if name.lower() in ("content-length", "host"):
                continue
            response = await self.sending(upload, file.data, **{name: "text/html"})
            await self.refused_bytes(response, "unsupported_media_type")
        await self.missing(user, file)

    async def test_content_type(self):
        """files#sending: the type of an image is among the headers of its upload."""
        upload = await self.place(await self.someone(), picture())
        headers = {name.lower(): value for name, value in upload["headers"].items()}
        self.assertEqual("image/png", headers.get("content-type"))

    async def test_query(self):
        """files#sending: every query parameter is signed: without one, or with another value,
        the upload is refused."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        given = parse_qsl(urlsplit(upload["url"]).query, keep_blank_values=True)
        self.assertNotEqual([], given)
        for name, value in given:
            left = [one for one in given if one[0] != name]
            changed = value[:-1] + ("1" if value[-1:] != "1" else "2")
            for query in (left, [*left, (name, changed)]):
                altered = upload | {"url": with_query(upload["url"], urlencode(query))}
                await self.refused_bytes(
                    await self.sending(altered, file.data), "invalid_signature"
                )
        bare = upload | {"url": with_query(upload["url"], "")}
        await self.refused_bytes(await self.sending(bare, file.data), "invalid_signature")
        await self.missing(user, file)

    async def test_other_path(self):
        """files#sending: nobody can write to another's path."""
        user, file, other = await self.someone(), blob(), blob()
        upload = await self.place(user, file)
        await self.missing(user, other)
        elsewhere = upload | {"url": upload["url"].replace(file.path, other.path)}
        self.assertNotEqual(upload, elsewhere)
        for data in (file.data, other.data):
            await self.refused_bytes(await self.sending(elsewhere, data), "invalid_signature")
        await self.missing(user, file, other)

    async def test_other_method(self):
        """files#sending: the URL of an upload is for PUT alone."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        await self.send(upload, file.data)
        for method in ("GET", "POST", "DELETE"):
            response = await self.bare(method, upload["url"], headers=upload["headers"])
            self.assertTrue(400 <= response.status < 500, repr(response))
        await self.there(user, file)

    async def test_breaks_off(self):
        """files#sending: an upload that breaks off leaves nothing."""
        user, file = await self.someone(), blob(300_000)
        wire = await self.begun(await self.place(user, file), file.data[:200_000], 300_000)
        await wire.vanish()
        await self.missing(user, file)
        await self.unusable(user, file)
        await self.upload(user, file)

    async def test_at_once(self):
        """files#sending: of two users who send the same file at once, each has sent it: by a key of
        its own, if need be."""
        file = blob(200_000)
        users = [await self.user() for _ in range(2)]
        uploads = [await self.place(user, file) for user in users]
        await together(*(self.send(upload, file.data) for upload in uploads))
        for user in users:
            await self.there(user, file)

    async def test_object_path(self):
        """files#sending: the URL ends in the file's path."""
        for file in (blob(), picture()):
            upload = await self.place(await self.someone(), file)
            self.assertTrue(urlsplit(upload["url"]).path.endswith(f"/{file.path}"), upload)


class LocalUploadTests(FilesCase):
    """Uploads that the daemon takes itself."""

    async def test_no_length(self):
        """files#sending: an upload without a length is refused."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(file.data), file.data)
        given = upload["headers"].items()
        head = [f"{name}: {value}" for name, value in given if name != "Content-Length"]
        wire = await self.part(upload["url"], [*head, "Transfer-Encoding: chunked"], chunk)
        await self.refused_bytes(await wire.answer(), "length_required")
        await self.missing(user, file)

    async def test_content_coding(self):
        """files#sending: a file is sent as it is. With a Content-Encoding it is refused before its
        bytes, and can be sent without."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        for coding in ("gzip", "br, identity"):
            response = await self.sending(upload, file.data, **{"Content-Encoding": coding})
            await self.refused_bytes(response, "unsupported_media_type")
            self.assertEqual("identity", response.header("Accept-Encoding"))
        await self.missing(user, file)
        await self.send(upload, file.data)
        await self.there(user, file)

    async def test_more_query(self):
        """files#sending: a parameter that was not signed, or one that comes twice, is refused, and
        so is the URL of a download."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        query = urlsplit(upload["url"]).query
        for more in ("x=1", query.split("&")[0]):
            altered = upload | {"url": f"{upload['url']}&{more}"}
            await self.refused_bytes(await self.sending(altered, file.data), "invalid_signature")
        made = await self.holding(user, blob())
        read = upload | {"url": (await self.files(made))[0]["url"]}
        await self.refused_bytes(await self.sending(read, file.data), "invalid_signature")
        await self.missing(user, file)

    async def test_refused_before_the_body(self):
        """files#sending: what is wrong in the head of an upload is answered
        without its body."""
        upload = await self.place(await self.someone(), blob(300_000))
        bad = upload | {"url": with_query(upload["url"], "")}
        typed = upload | {"headers": upload["headers"] | {"Content-Type": "text/html"}}
        for given, length, code in (
            (bad, 300_000, "invalid_signature"),
            (upload, 300_001, "wrong_length"),
            (upload, "9" * 30, "wrong_length"),
            (typed, 300_000, "unsupported_media_type"),
        ):
            wire = await self.begun(given, b"", length)
            await self.refused_bytes(await wire.answer(), code)

    async def test_leaves_nothing(self):
        """files#sending: wrong bytes and a broken connection leave no file in the folder."""
        await self.be_alone()
        assert self.daemon is not None
        folder = self.daemon.data_dir / "files"
        user, wrong, broken = await self.someone(), blob(2 * 2**20), blob(100_000)
        uploads = await self.announce(user, wrong, broken)
        before = listing(folder)
        response = await self.sending(uploads[0] or {}, b"x" * len(wrong.data))
        await self.refused_bytes(response, "wrong_digest")
        wire = await self.begun(uploads[1] or {}, broken.data[:70_000], 100_000)
        await wire.vanish()
        await until(lambda: listing(folder) == before, 10, "the folder as it was")

    async def test_continue(self):
        """conventions#error-order: who asks first whether to send is told to go on,
        or what is wrong."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        asking = upload | {"headers": upload["headers"] | {"Expect": "100-continue"}}
        wire = await self.begun(asking, b"", len(file.data))
        await until(lambda: b"100 Continue" in wire.received, 10, "100 Continue")
        wire.send(file.data)
        await wire.ended()
        self.assertRegex(wire.received.partition(b"\r\n\r\n")[2], b"^HTTP/1.1 20[014] ")
        await self.there(user, file)
        wire = await self.begun(asking, b"", len(file.data) + 1)
        await wire.ended()
        self.assertRegex(wire.received, b"^HTTP/1.1 4")

    async def test_preflight(self):
        """files#sending: upload URLs answer preflights as the API does, for the upload's own
        headers, and let the page read the answer."""
        file = picture()
        upload = await self.place(await self.someone(), file)
        names = ",".join(sorted(name.lower() for name in upload["headers"]))
        asked = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": names}
        response = await self.bare("OPTIONS", upload["url"], headers=ORIGIN | asked)
        self.assertIn(response.status, (200, 204))
        self.assertIn(response.header("Access-Control-Allow-Origin"), ("*", ORIGIN["Origin"]))
        self.assertIn("put", response.listed("Access-Control-Allow-Methods"))
        allowed = response.listed("Access-Control-Allow-Headers")
        self.assertLessEqual({name.lower() for name in upload["headers"]}, allowed)
        for data in (b"x" * len(file.data), file.data):
            response = await self.sending(upload, data, **ORIGIN)
            self.assertIn(response.header("Access-Control-Allow-Origin"), ("*", ORIGIN["Origin"]))

    async def test_problems(self):
        """conventions#errors: a refused upload is answered with a problem, with a request
        id."""
        upload = await self.place(await self.someone(), blob())
        response = await self.sending(upload, guid().encode() + b"x" * 24)
        self.assertTrue(400 <= response.status < 500, repr(response))
        self.problem(response, response.status)

    async def test_bearer(self):
        """files#sending: an Authorization header beside the signature does no
        harm."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        response = await self.sending(upload, file.data, Authorization=f"Bearer {user.token}")
        self.assertIn(response.status, (200, 201, 204), repr(response))


class KilledTests(FilesCase):
    """A daemon that dies while it receives."""

    async def connect(self) -> None:
        self.own_daemon()
        service = Daemon()
        self.addCleanup(lambda: Deferred.fromCoroutine(service.stop()))
        await service.start()
        self.use(service)

    async def test_killed(self):
        """files#sending: an upload that breaks off so leaves nothing; what had arrived is there, at
        the same URL."""
        assert self.daemon is not None
        folder, port = self.daemon.data_dir / "files", self.daemon.port
        user, whole, broken = await self.user(), blob(), blob(300_000)
        made = await self.holding(user, whole)
        url = await self.link(made, whole)
        before = listing(folder)
        wire = await self.begun(await self.place(user, broken), broken.data[:200_000], 300_000)
        await until(lambda: listing(folder) != before, 10, "the first bytes")
        await self.daemon.kill()
        await wire.ended()
        await self._http.close()
        await self.daemon.start(port)
        # The daemon may try the disk with files of its own at any moment.
        await until(lambda: listing(folder) <= before, 10, "the end of the first bytes")
        await self.there(user, whole)
        await self.gets(url, whole.data)
        await self.missing(user, broken)
        await self.upload(user, broken)


class SlowTests(FilesCase):
    """Uploads that take their time."""

    settings: ClassVar[dict[str, str]] = {"BODY_TIMEOUT": "2"}

    async def test_slow(self):
        """files#sending: `body_timeout` bounds silence, not the whole upload."""
        user, file = await self.someone(), blob(12)
        wire = await self.begun(await self.place(user, file), file.data[:1], 12)
        for at in range(1, 12):
            await deferLater(reactor, 0.3)
            wire.send(file.data[at : at + 1])
        response = await wire.answer()
        self.assertIn(response.status, (200, 201, 204), repr(response))
        await self.there(user, file)

    async def test_silent(self):
        """files#sending: a silent one is ended, and leaves nothing."""
        user, file = await self.someone(), blob(12)
        wire = await self.begun(await self.place(user, file), file.data[:6], 12)
        self.problem(await wire.answer(), 408, "timeout")
        await self.missing(user, file)


def listing(folder: Path) -> set[Path]:
    """All files below a folder."""
    return {path for path in folder.rglob("*") if path.is_file()}
