"""GET /statistics, over HTTP (studio#statistics)."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import ClassVar

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.files.support import FilesCase, blob, picture
from tests.spec.harness import SpecCase

MEMBERS = [
    *("day", "registered", "guests", "active", "deleted", "published", "revised", "comments"),
    *("messages", "ratings", "downloads", "bytes"),
]


WRITTEN_WITHIN = 20.0
"""Seconds until a process has written its downloads. It does so every second."""


class StatisticsCase(SpecCase):
    async def lately(self) -> dict[str, int]:
        """The numbers of today and the day before together: midnight may come."""
        today = datetime.now(UTC).date()
        query = {"from": str(today - timedelta(days=1)), "to": str(today)}
        response = await self.get("statistics", by=await self.admin(), query=query, expect=200)
        return {name: sum(day[name] for day in response.json()) for name in MEMBERS[1:]}


class StatisticsTests(StatisticsCase):
    async def test_counted(self) -> None:
        """What somebody does is counted at once, and stays so when the account goes."""
        await self.be_alone()
        await self.admin()
        before = await self.lately()
        user = await self.user()
        content = await self.content(user)
        await self.comment(content, user)
        done = {"registered": 1, "active": 1, "published": 1, "comments": 1}
        now = await self.lately()
        found = {name: now[name] - before[name] for name in now if now[name] != before[name]}
        self.assertEqual(found, done)
        await self.delete(f"user/{user.id}", body={"password": user.password}, by=user, expect=204)
        now = await self.lately()
        found = {name: now[name] - before[name] for name in now if now[name] != before[name]}
        self.assertEqual(found, done | {"deleted": 1})

    async def test_days(self) -> None:
        """Thirty days until today, or those that are asked for, in order, each with all members."""
        admin = await self.admin()
        today = datetime.now(UTC).date()
        usual = (await self.get("statistics", by=admin, expect=200)).json()
        self.assertEqual(len(usual), 30)
        self.assertIn(usual[-1]["day"], {str(today), str(today + timedelta(days=1))})
        query = {"from": "2024-01-01", "to": "2024-12-31"}
        year = (await self.get("statistics", by=admin, query=query, expect=200)).json()
        self.assertEqual([len(year), year[0]["day"]], [366, "2024-01-01"])
        self.assertEqual([*year[59]], MEMBERS)
        self.assertEqual(year[59]["day"], "2024-02-29")

    async def test_wrong(self) -> None:
        """Days that there are not, in the wrong order, or more than 366 of them, are 400."""
        admin = await self.admin()
        for query in (
            {"from": "2025-02-29"},
            {"to": "tomorrow"},
            {"to": "2025-13-01"},
            {"from": "2025-01-02", "to": "2025-01-01"},
            {"from": "2024-01-01", "to": "2025-01-01"},
            {"from": "2025-1-1"},
        ):
            response = await self.get("statistics", by=admin, query=query)
            self.problem(response, 400, "invalid_query")

    async def test_permission(self) -> None:
        """Players are refused."""
        self.problem(await self.get("statistics", by=await self.someone()), 403, "forbidden")
        self.problem(await self.get("statistics"), 401, "unauthorized")


class DownloadTests(StatisticsCase, FilesCase):
    settings: ClassVar[Mapping[str, str]] = {"FILES": "local"}

    async def downloads(self) -> tuple[int, int]:
        """The numbers of downloads and of their bytes."""
        now = await self.lately()
        return now["downloads"], now["bytes"]

    async def test_downloads(self) -> None:
        """A file that was sent to its end is a download, a part of one is only bytes; neither are
        images, heads, and what a client has already."""
        user, file, shot = await self.user(), blob(100_000), picture()
        made = await self.holding(user, file)
        await self.upload(user, shot)
        url = await self.link(made, file)
        downloads, sent = await self.downloads()
        whole = await self.fetch(url)
        await self.fetch(url, Range="bytes=0-9")
        await self.fetch(url, Range="bytes=99000-")
        await self.fetch(url, "HEAD")
        await self.fetch(url, If_None_Match=whole.header("ETag") or "")
        await self.fetch(url, Range="bytes=100000-")
        await self.fetch(await self.media(shot))
        expected = (downloads + 2, sent + 100_000 + 10 + 1_000)
        deadline = reactor.seconds() + WRITTEN_WITHIN
        while (found := await self.downloads()) != expected:
            self.assertLess(reactor.seconds(), deadline, f"{found}, not {expected}")
            await deferLater(reactor, 0.1)
