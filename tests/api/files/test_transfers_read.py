"""Downloads from the daemon itself, and what browsers are told (files#sending)."""

import os
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, succeed

from tests.api.files.transferring import TransferCase, Wire, fresh
from tests.framework.storage.support import named
from tests.support.pictures import png

MIB = 1024 * 1024


class ReadTests(TransferCase):
    async def test_content(self) -> None:
        """A browser may not show what is no image, and only the client itself may keep it, until
        the URL expires."""
        headers = (await self.ask("GET", await self.stored(fresh()))).headers
        self.assertEqual(headers["Content-Type"], "application/octet-stream")
        self.assertEqual(headers["Content-Disposition"], "attachment")
        self.assertEqual(headers["Content-Security-Policy"], "sandbox")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Cache-Control"], "private, max-age=7200")
        self.assertIsNone(headers["Vary"])

    async def test_name(self) -> None:
        """A file comes under the name that its URL has signed: whole, in part and for HEAD."""
        data = fresh()
        await self.stored(data)
        target = self.links.download(named(data), 'tür "1".zip')[0]
        expected = "attachment; filename=\"t_r _1_.zip\"; filename*=UTF-8''t%C3%BCr%20%221%22.zip"
        for method, head in (("GET", {}), ("HEAD", {}), ("GET", {"Range": "bytes=0-1"})):
            answer = await self.ask(method, target, **head)
            self.assertIn(answer.status, (200, 206))
            self.assertEqual(answer.headers["Content-Disposition"], expected)
        other = target.replace("t%C3%BCr", "tor")
        self.problem(await self.ask("GET", other), 403, "invalid_signature")

    async def test_no_header(self) -> None:
        """No name ends the header, or begins another."""
        data = fresh()
        await self.stored(data)
        for name in ("a\r\nX-Evil: 1", 'a"; filename="b', "a\0b", "a\u2028b", "\u202egpj.exe"):
            answer = await self.ask("GET", self.links.download(named(data), name)[0])
            self.assertEqual(answer.status, 200)
            self.assertIsNone(answer.headers["X-Evil"])
            found = answer.headers["Content-Disposition"]
            self.assertRegex(
                found, r"""\Aattachment; filename="[ !#-\[\]-~]+"; filename\*=UTF-8''[\w.~%-]+\Z"""
            )

    async def test_media(self) -> None:
        """An image is public, for good, with its type."""
        for kind in ("png", "jpeg", "webp"):
            answer = await self.ask("GET", await self.stored(fresh(), f"image/{kind}"))
            headers = answer.headers
            self.assertEqual(answer.status, 200)
            self.assertEqual(headers["Content-Type"], f"image/{kind}")
            self.assertIsNone(headers["Content-Disposition"])
            self.assertIsNone(headers["Content-Security-Policy"])
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Cache-Control"], "public, max-age=31536000, immutable")
        target = await self.stored(png(1, 1), "image/png")
        self.assertEqual((await self.ask("GET", target + "?anything=1")).status, 200)

    async def test_missing(self) -> None:
        """A file that is not there is 404, also with a good URL."""
        target = self.links.download(named(fresh()))[0]
        for method in ("GET", "HEAD"):
            self.assertEqual((await self.ask(method, target)).status, 404)
        self.problem(await self.ask("GET", target), 404, "not_found")
        image = self.links.download(named(fresh(), "image/png"))[0]
        self.problem(await self.ask("GET", image, Range="bytes=0-1"), 404, "not_found")

    async def test_deleted(self) -> None:
        """So is one whose bytes were deleted, at a URL from before."""
        data = fresh()
        target = await self.stored(data)
        await self.bucket.delete([named(data)])
        self.problem(await self.ask("GET", target), 404, "not_found")

    async def test_signature(self) -> None:
        """A URL that is not ours, or is over, is 403, and the codes differ."""
        target = await self.stored(fresh())
        for wrong in (target[:-1], target + "&x=1", target.partition("?")[0]):
            self.problem(await self.ask("GET", wrong), 403, "invalid_signature")
        self.wall.advance(7199)
        self.assertEqual((await self.ask("GET", target)).status, 200)
        self.wall.advance(1)
        self.problem(await self.ask("GET", target), 403, "url_expired")

    async def test_disk_fails(self) -> None:
        """A disk that fails is 503."""
        target = await self.stored(fresh())
        (self.root / "content").rename(self.root / "away")
        (self.root / "content").write_bytes(b"")
        self.problem(await self.ask("GET", target), 503, "storage_unavailable")
        (self.root / "content").unlink()
        (self.root / "away").rename(self.root / "content")

    async def test_body(self) -> None:
        """A body that comes with a GET is read, and has no meaning."""
        target = await self.stored(fresh())
        self.assertEqual((await self.ask("GET", target, b"x" * 100)).status, 200)
        answer = await self.ask("GET", target, b"x", Content_Length=20_000)
        self.problem(answer, 413, "payload_too_large")


class RangeTests(TransferCase):
    async def part(self, target: str, value: str, **head: str) -> Any:
        """The answer to a Range."""
        return await self.ask("GET", target, Range=value, **head)

    async def test_parts(self) -> None:
        """A range is answered with just its bytes."""
        data = fresh(3 * MIB)
        target, end = await self.stored(data), 3 * MIB - 1
        for value, first, last in (
            ("bytes=0-0", 0, 0),
            ("bytes=10-19", 10, 19),
            ("bytes=65530-65540", 65530, 65540),
            ("bytes=100-", 100, end),
            (f"bytes={MIB}-", MIB, end),
            ("bytes=-5", end - 4, end),
            (f"bytes=-{9 * MIB}", 0, end),
            (f"bytes={end}-{end + 9}", end, end),
        ):
            answer = await self.part(target, value)
            self.assertEqual(answer.status, 206, value)
            self.assertEqual(answer.headers["Content-Range"], f"bytes {first}-{last}/{3 * MIB}")
            self.assertTrue(answer.body == data[first : last + 1], value)


class OneOriginTests(TransferCase):
    origins = ("https://portal.example",)

    async def test_vary(self) -> None:
        """If only some origins may read it, caches are told that the answer depends on that."""
        target = self.links.download(named(fresh()))[0]
        data = fresh()
        await self.put(await self.announce(data), data)
        target = self.links.download(named(data))[0]
        for origin, allowed in (
            ("https://portal.example", "https://portal.example"),
            ("https://other.example", None),
        ):
            answer = await self.ask("GET", target, Origin=origin)
            self.assertEqual(answer.headers["Access-Control-Allow-Origin"], allowed)
            self.assertEqual(answer.headers["Vary"], "Origin")


class FlowTests(TransferCase):
    async def slow(self, target: str) -> Wire:
        """A client that has asked, and reads nothing."""
        wire = await self.connect()
        wire.transport.pauseProducing()  # type: ignore[union-attr]
        wire.head("GET", target)
        return wire

    async def test_no_faster(self) -> None:
        """No more is read of a file than the client takes, and all of it arrives in the end."""
        data = fresh(64 * MIB)
        wire = await self.slow(await self.stored(data))
        while not self.site.slow_clients.total:
            await self.turn()
        self.assertLessEqual(self.site.slow_clients.total, 2 * MIB)
        wire.transport.resumeProducing()  # type: ignore[union-attr]
        answer = await wire.answer()
        self.assertTrue(answer.body == data)
        while self.site.traffic.active:
            await self.turn()

    async def test_vanished(self) -> None:
        """A client that goes amid the answer ends it, with a line in the log."""
        seen: list[str] = []
        wire = await self.slow(await self.stored(fresh(64 * MIB)))
        self.site.log_request = lambda request, status: seen.append(  # type: ignore[method-assign]
            f"{request.route} {status}"
        )
        while not self.site.slow_clients.total:
            await self.turn()
        await self.drop(wire)
        while self.site.traffic.active:
            await self.turn()
        self.assertEqual(seen, ["/files/content 200"])

    async def test_deleted_meanwhile(self) -> None:
        """If the file is deleted amid the answer, the connection is cut off: half a file is never
        taken for the whole."""
        data = fresh(64 * MIB)
        await self.breaks(data, lambda: Deferred.fromCoroutine(self.bucket.delete([named(data)])))

    async def test_truncated_meanwhile(self) -> None:
        """The same holds if the disk has only a part of it any more, and no error is logged."""
        data = fresh(64 * MIB)
        file = self.root / "content" / named(data)
        await self.breaks(data, lambda: succeed(os.truncate(file, MIB)))
        self.assertEqual(self.flushLoggedErrors(), [])

    async def breaks(self, data: bytes, act: Callable[[], "Deferred[None]"]) -> None:
        """Read a file, `act`, and assert that the connection was cut off."""
        wire = await self.slow(await self.stored(data))
        while not self.site.slow_clients.total:
            await self.turn()
        seen: list[str] = []
        self.site.log_request = lambda request, status: seen.append(  # type: ignore[method-assign]
            f"{request.route} {status}{request.note}"
        )
        await act()
        wire.transport.resumeProducing()  # type: ignore[union-attr]
        await wire.ended
        while self.site.traffic.active:
            await self.turn()
        self.assertEqual(seen, ["/files/content 200 cut-off"])
        self.assertLess(len(wire.received), len(data))
        self.assertIn(b"Content-Length: 67108864", wire.received)

    async def test_pipelined(self) -> None:
        """Requests that are sent together are answered in their order."""
        data = fresh(3 * MIB)
        target = await self.stored(data)
        wire = await self.connect()
        for _ in range(3):
            wire.head("GET", target)
            wire.head("GET", "/small")
        for _ in range(3):
            self.assertTrue((await wire.answer()).body == data)
            self.assertEqual((await wire.answer()).status, 200)
