"""What the studio announces to everybody (studio#announcements)."""

from __future__ import annotations

import time
from typing import Any

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import ANNOUNCED, ANNOUNCEMENT

PATIENCE = 5.0
"""Seconds within which sockets hear."""


def announcement(**changes: Any) -> dict[str, Any]:
    """A body."""
    return {"title": "Servers move", "text": "On Monday.", "level": "warning", **changes}


class AnnouncementCase(SpecCase):
    async def announce(self, id: str | None = None, expect: int = 201, **changes: Any) -> str:
        """Announce something as an admin; its id."""
        id = id or guid()
        body = announcement(**changes)
        await self.put(f"announcements/{id}", body, by=await self.admin(), expect=expect)
        return id

    async def listed(self, by: User | None = None, **query: str) -> dict[str, dict[str, Any]]:
        """All that is listed, by id."""
        path = "announcements"
        pages = await self.pages(path, [ANNOUNCEMENT], by=by, query={"limit": "200", **query})
        return {one["id"]: one for page in pages for one in page}

    def now(self) -> int:
        """Unix seconds."""
        return int(time.time())


class AnnouncementTests(AnnouncementCase):
    async def test_listed(self) -> None:
        """Everybody reads what is announced, as it was written."""
        id = await self.announce()
        expected = {"id": id, "from": None, "until": None, **announcement()}
        self.assertEqual((await self.listed())[id], expected)
        self.assertEqual((await self.listed(await self.user()))[id], expected)

    async def test_created(self) -> None:
        """The first PUT is 201 with a Location, the next one is 204 and replaces."""
        path, admin = f"announcements/{guid()}", await self.admin()
        response = await self.put(path, announcement(), by=admin, expect=201)
        self.assertEqual(response.header("Location"), f"/api/v1/{path}")
        await self.put(path, announcement(text="On Tuesday."), by=admin, expect=204)
        found = (await self.listed())[path.partition("/")[2]]
        self.assertEqual(found["text"], "On Tuesday.")

    async def test_newest_first(self) -> None:
        """The newest is first, and to replace one does not move it."""
        ids = [await self.announce() for _ in range(3)]
        await self.announce(ids[0], 204, title="Later")
        found = [id for id in await self.listed() if id in ids]
        self.assertEqual(found, ids[::-1])

    async def test_deleted(self) -> None:
        """What was deleted is announced no more, and to delete it again is 204."""
        id = await self.announce()
        for _ in range(2):
            await self.delete(f"announcements/{id}", by=await self.admin(), expect=204)
        self.assertNotIn(id, await self.listed(await self.admin(), all="true"))

    async def test_only_now(self) -> None:
        """What is to come and what is over is only for those who write announcements, and only with
        `all=true`."""
        coming = await self.announce(**{"from": self.now() + 3600})
        over = await self.announce(until=self.now() - 1)
        now = await self.announce(**{"from": self.now() - 10, "until": self.now() + 3600})
        admin, user = await self.admin(), await self.user()
        every = {"all": "true"}
        for by, query in ((None, {}), (None, every), (user, every), (admin, {})):
            found = await self.listed(by, **query)
            self.assertEqual({coming, over, now} & set(found), {now}, (by, query))
        found = await self.listed(admin, all="true")
        self.assertEqual({coming, over, now} & set(found), {coming, over, now})

    async def test_backwards(self) -> None:
        """An end that is not after the beginning is refused at its member."""
        for end in (5, 4):
            body = announcement(**{"from": 5, "until": end})
            path = f"announcements/{guid()}"
            self.invalid(await self.put(path, body, by=await self.admin()), "/until")

    async def test_validators(self) -> None:
        """Who asks again with the ETag gets 304 until something changes."""
        await self.announce()
        tag = (await self.get("announcements", expect=200)).header("ETag") or ""
        await self.get("announcements", headers={"If-None-Match": tag}, expect=304)
        await self.announce()
        await self.get("announcements", headers={"If-None-Match": tag}, expect=200)


class SocketTests(AnnouncementCase):
    async def test_changes(self) -> None:
        """Each socket hears that something was announced, replaced and deleted."""
        sockets = [await self.socket(await self.user()) for _ in range(2)]
        admin, id = await self.admin(), guid()

        async def hear() -> None:
            began = time.monotonic()
            for socket in sockets:
                message = await socket.announced()
                self.shape(message, ANNOUNCED)
                self.assertIsNone((await self.contract()).wrong_message(message))
                self.assertGreaterEqual(message["within"], 1)
            self.assertLess(time.monotonic() - began, PATIENCE)

        await self.announce(id)
        await hear()
        await self.announce(id, 204, text="Never.")
        await hear()
        await self.delete(f"announcements/{id}", by=admin, expect=204)
        await hear()

    async def test_begins(self) -> None:
        """Sockets hear when an announcement begins."""
        socket = await self.socket(await self.user())
        id = await self.announce(**{"from": self.now() + 2})
        while id not in await self.listed():
            await socket.announced()

    async def test_over(self) -> None:
        """Sockets hear when an announcement is over."""
        socket = await self.socket(await self.user())
        id = await self.announce(until=self.now() + 4)
        while id in await self.listed():
            await socket.announced()
