"""Reading files at the URLs that were given: files#downloads."""

from __future__ import annotations

import re
from hashlib import sha256
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.spec.client import Response
from tests.spec.files.support import FilesCase, blob, picture, unknown, with_query
from tests.spec.test_http import ORIGIN

SIZE = 1_000


class DownloadsTests(FilesCase):
    """What holds wherever files lie."""

    async def given(self) -> tuple[str, bytes]:
        """A URL of content, and what it gives."""
        file = blob(SIZE)
        made = await self.holding(await self.user(), file)
        return await self.link(made, file), file.data

    async def test_whole(self):
        """files#downloads: who has the URL gets the bytes, without a token, as
        application/octet-stream."""
        url, data = await self.given()
        response = await self.gets(url, data)
        self.assertEqual("application/octet-stream", response.header("Content-Type"))

    async def test_range(self):
        """files#downloads: downloads resume: Range is 206 with that part, 416 beyond the end."""
        url, data = await self.given()
        for asked, first, last in (
            ("bytes=0-9", 0, 9),
            ("bytes=990-", 990, 999),
            ("bytes=-10", 990, 999),
            ("bytes=0-", 0, 999),
            ("bytes=5-5", 5, 5),
            ("bytes=990-5000", 990, 999),
        ):
            response = await self.fetch(url, Range=asked)
            self.assertEqual(206, response.status, repr(response))
            self.assertEqual(data[first : last + 1], response.body, asked)
            self.assertEqual(f"bytes {first}-{last}/{SIZE}", response.header("Content-Range"))
        response = await self.fetch(url, Range="bytes=1000-")
        self.assertEqual(416, response.status, repr(response))

    async def test_stable(self):
        """files#downloads: the ETag is strong and stable, from one URL of the file to the next."""
        author, file = await self.user(), blob()
        tags = set()
        for _ in range(2):
            made = await self.holding(author, file)
            tags.add((await self.gets(await self.link(made, file), file.data)).header("ETag"))
        (tag,) = tags
        self.assertRegex(tag or "", '^"[^"]+"$')

    async def test_not_modified(self):
        """files#downloads: If-None-Match with it is 304."""
        url, data = await self.given()
        tag = (await self.gets(url, data)).header("ETag") or ""
        response = await self.fetch(url, If_None_Match=tag)
        self.assertEqual((304, b""), (response.status, response.body))

    async def test_query(self):
        """files#downloads: every parameter is signed: without one, or with another value, the URL
        gives nothing."""
        url, _ = await self.given()
        given = parse_qsl(urlsplit(url).query, keep_blank_values=True)
        self.assertNotEqual([], given)
        for name, value in given:
            left = [one for one in given if one[0] != name]
            changed = value[:-1] + ("1" if value[-1:] != "1" else "2")
            for query in (left, [*left, (name, changed)], []):
                response = await self.fetch(with_query(url, urlencode(query)))
                self.assertTrue(400 <= response.status < 500, (name, response))

    async def test_other_path(self):
        """files#downloads: the URL of one file gives no other."""
        author, file = await self.user(), blob()
        await self.upload(author, file)
        url, _ = await self.given()
        at = urlsplit(url)
        folder = at.path.rsplit("/", 2)[0]
        for path in (f"{folder}/{file.path}", f"{folder}/{unknown()}"):
            response = await self.fetch(at._replace(path=path).geturl())
            self.assertTrue(400 <= response.status < 500, repr(response))

    async def test_for_reading_only(self):
        """files#downloads: it takes no upload."""
        url, data = await self.given()
        for method in ("PUT", "POST", "DELETE"):
            response = await self.bare(method, url, headers={}, data=b"x")
            self.assertTrue(400 <= response.status < 500, repr(response))
        await self.gets(url, data)

    async def test_media(self):
        """files#downloads: media is public at mediaUrl/path, of its type, and immutable."""
        file = picture()
        await self.holding(await self.user(), file)
        response = await self.gets(await self.media(file), file.data)
        self.assertEqual("image/png", response.header("Content-Type"))
        kept = response.listed("Cache-Control")
        self.assertLessEqual({"public", "max-age=31536000", "immutable"}, kept)

    async def test_no_media(self):
        """files#downloads: nothing is there before the bytes are, nor entities."""
        user, shot, entity = await self.user(), picture(), blob()
        await self.missing(user, shot)
        await self.upload(user, entity)
        for file in (shot, picture(), entity):
            response = await self.fetch(await self.media(file))
            self.assertIn(response.status, (403, 404), repr(response))


class ServedTests(FilesCase):
    """What the daemon serves itself."""

    async def given(self) -> tuple[str, bytes]:
        """A URL of content, and what it gives."""
        file = blob(SIZE)
        made = await self.holding(await self.user(), file)
        return await self.link(made, file), file.data

    async def image(self) -> tuple[str, bytes]:
        """A URL of an image, and what it gives."""
        file = picture()
        await self.holding(await self.user(), file)
        return await self.media(file), file.data

    async def part(self, url: str, **headers: str) -> Response:
        """The response to the first ten bytes, under these conditions."""
        return await self.fetch(url, Range="bytes=0-9", **headers)

    def kept(self, response: Response) -> str:
        """Who may keep it. For how long depends on the second."""
        return re.sub("[0-9]+", "N", response.header("Cache-Control") or "")

    async def test_head(self):
        """files#downloads: HEAD answers as GET does, without the bytes, whose length it has; the
        ETag is the digest."""
        for url, data in (await self.given(), await self.image()):
            got = await self.gets(url, data)
            self.assertEqual(f'"{sha256(data).hexdigest()}"', got.header("ETag"))
            head = await self.fetch(url, "HEAD")
            self.assertEqual((200, b""), (head.status, head.body))
            self.assertEqual(f"{len(data)}", head.header("Content-Length"))
            for name in ("Content-Type", "ETag", "Accept-Ranges"):
                self.assertEqual(got.header(name), head.header(name), name)
            self.assertEqual(self.kept(got), self.kept(head))
            # A range means something to GET alone.
            head = await self.fetch(url, "HEAD", Range="bytes=2-9")
            self.assertEqual((200, f"{len(data)}"), (head.status, head.header("Content-Length")))

    async def test_accept_ranges(self):
        """files#downloads: that it takes ranges, it says."""
        for url, data in (await self.given(), await self.image()):
            response = await self.gets(url, data)
            self.assertEqual("bytes", response.header("Accept-Ranges"))

    async def test_unsatisfiable(self):
        """files#downloads: 416 names the length; a range that ends beyond the file ends with it."""
        url, data = await self.given()
        beyond = "9" * 20
        for asked in (f"bytes=990-{beyond}", "bytes=990-1000", f"BYTES=990-{beyond}"):
            response = await self.fetch(url, Range=asked)
            self.assertEqual((206, data[990:]), (response.status, response.body), asked)
        for asked in ("bytes=-5000", f"bytes=-{beyond}"):
            response = await self.fetch(url, Range=asked)
            self.assertEqual(data, response.body, asked)
        for asked in ("bytes=1000-", "bytes=1000-2000", "bytes=-0", f"bytes={beyond}-"):
            response = await self.fetch(url, Range=asked)
            self.problem(response, 416, "range_not_satisfiable")
            self.assertEqual(f"bytes */{SIZE}", response.header("Content-Range"))

    async def test_no_range(self):
        """RFC 9110 §14.2: a Range that is none, of another unit, or of several parts may be
        answered with the whole."""
        url, data = await self.given()
        for asked in ("bytes=9-5", "bytes=x-y", "lines=1-2", "bytes", "bytes=", "0-9", "bytes=--1"):
            response = await self.fetch(url, Range=asked)
            self.assertEqual((200, data), (response.status, response.body), asked)
        response = await self.fetch(url, Range="bytes=0-1,5-6")
        self.assertIn(response.status, (200, 206))
        if response.status == 200:
            self.assertEqual(data, response.body)

    async def test_if_range(self):
        """files#downloads: If-Range with the file's tag gives the part, with another the whole."""
        for url, data in (await self.given(), await self.image()):
            tag = (await self.gets(url, data)).header("ETag") or ""
            response = await self.part(url, If_Range=tag)
            self.assertEqual((206, data[:10]), (response.status, response.body))
            dated = "Sat, 01 Jan 2022 00:00:00 GMT"
            for other in ('"other"', f"W/{tag}", dated, "x", f"{tag}, {tag}"):
                for asked in ("bytes=0-9", f"bytes={len(data)}-"):
                    response = await self.fetch(url, Range=asked, If_Range=other)
                    self.assertEqual((200, data), (response.status, response.body), other)

    async def test_if_none_match(self):
        """RFC 9110 §13.1.2: one of several tags, a weak one and * match; another does not; the
        304 goes before the range."""
        for url, data in (await self.given(), await self.image()):
            got = await self.gets(url, data)
            tag = got.header("ETag") or ""
            for match in (tag, f'"x", {tag}', f"W/{tag}", "*"):
                for method in ("GET", "HEAD"):
                    response = await self.fetch(url, method, If_None_Match=match)
                    self.assertEqual((304, b""), (response.status, response.body), match)
                    self.assertEqual(tag, response.header("ETag"))
                    self.assertEqual(self.kept(got), self.kept(response))
                self.assertEqual(304, (await self.part(url, If_None_Match=match)).status)
            response = await self.fetch(url, If_None_Match='"x"')
            self.assertEqual((200, data), (response.status, response.body))

    async def test_content_is_inert(self):
        """files#downloads: nosniff on all; attachment and a sandbox on all but images."""
        url, data = await self.given()
        for response in (await self.gets(url, data), await self.part(url)):
            self.assertEqual("nosniff", response.header("X-Content-Type-Options"))
            disposition = response.header("Content-Disposition") or ""
            self.assertEqual("attachment", disposition.partition(";")[0])
            self.assertIn("sandbox", response.header("Content-Security-Policy") or "")

    async def test_images_are_shown(self):
        """files#downloads: images have nosniff, and can be shown in place."""
        url, data = await self.image()
        response = await self.gets(url, data)
        self.assertEqual("nosniff", response.header("X-Content-Type-Options"))
        self.assertNotIn("attachment", response.header("Content-Disposition") or "")

    async def test_cors(self):
        """files#downloads: file URLs answer preflights as the API does, signed or not, and pages
        may read them, and their headers."""
        for url, _ in (await self.given(), await self.image()):
            asked = {
                "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "content-type,traceparent",
            }
            for place in (url, with_query(url, "")):
                response = await self.bare("OPTIONS", place, headers=ORIGIN | asked)
                self.assertEqual(204, response.status, repr(response))
                self.assertEqual("GET, HEAD, OPTIONS, PUT", response.header("Allow"))
                origin = response.header("Access-Control-Allow-Origin")
                self.assertIn(origin, ("*", ORIGIN["Origin"]))
                methods = response.listed("Access-Control-Allow-Methods")
                self.assertLessEqual({"get", "put"}, methods)
                allowed = response.listed("Access-Control-Allow-Headers")
                self.assertLessEqual({"content-type", "range", "traceparent"}, allowed)
            for more in (
                {},
                {"Range": "bytes=0-1"},
                {"If-None-Match": "*"},
                {"Range": "bytes=9999-"},
            ):
                response = await self.fetch(url, **ORIGIN, **more)
                origin = response.header("Access-Control-Allow-Origin")
                self.assertIn(origin, ("*", ORIGIN["Origin"]), more)
                exposed = response.listed("Access-Control-Expose-Headers")
                self.assertLessEqual({"etag", "content-range"}, exposed)

    async def test_unknown(self):
        """What is no file is a problem: 404, or 403 where it is not signed."""
        content, _ = await self.given()
        media, _ = await self.image()
        for url, path in (
            (content, unknown()),
            (media, unknown(".png")),
            (media, "x"),
            (media, ""),
            (media, "../content"),
            (media, "%2e%2e/%2e%2e/secret.keys"),
        ):
            at = urlsplit(url)
            folder = at.path.rsplit("/", 2)[0]
            response = await self.fetch(at._replace(path=f"{folder}/{path}", query="").geturl())
            self.problem(response, (400, 403, 404))

    async def test_methods(self):
        """Other methods are 405 with Allow."""
        for url, _ in (await self.given(), await self.image()):
            for method in ("DELETE", "POST", "PATCH"):
                response = await self.bare(method, url, headers={})
                self.problem(response, 405, "method_not_allowed")
                self.assertIn("get", response.listed("Allow"))

    async def test_request_id(self):
        """conventions#errors: each of these answers has a request id."""
        for url, data in (await self.given(), await self.image()):
            self.assertTrue((await self.gets(url, data)).header("X-Request-Id"))
