"""What search engines find at /sitemap.xml."""

from __future__ import annotations

import re

from tests.spec.challenges.support import ChallengeCase
from tests.support import daemon

PUBLIC = "https://play.example/games"


class SitemapTests(ChallengeCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"PUBLIC_URL": PUBLIC}
        self.use(await daemon.shared("sitemap", lambda: daemon.Daemon(environ=environ)))

    async def urls(self, path: str) -> list[str]:
        """The URLs of a list, below the public one."""
        found = await self.request("GET", path, expect=200)
        self.assertEqual("application/xml; charset=utf-8", found.header("Content-Type"))
        return re.findall(f"<loc>{PUBLIC}([^<]*)</loc>", found.body.decode())

    async def test_listed(self) -> None:
        """The pages of the index have public content and its authors, and challenges; nothing that
        is unlisted, suspended or deleted, and nobody who has nothing public or has left."""
        author, quiet, leaver = [await self.user() for _ in range(3)]
        public = await self.content(author)
        hidden = [await self.content(quiet, visibility=one) for one in ("unlisted", "private")]
        suspended, deleted = await self.content(quiet), await self.content(quiet)
        await self.moderate(suspended, "suspended")
        await self.delete(deleted.path, by=quiet, expect=204)
        left = await self.content(leaver)
        body = {"password": leaver.password}
        await self.delete(f"user/{leaver.id}", body=body, by=leaver, expect=204)
        challenge = await self.challenge()
        found: list[str] = []
        for page in await self.urls("/sitemap.xml"):
            found += await self.urls(page)
        for path in ("/", "/browse", f"/challenges/{challenge.id}", f"/content/{public.id}"):
            self.assertEqual(1, found.count(path), path)
        self.assertIn(f"/user/{author.id}", found)
        for content in (*hidden, suspended, deleted, left):
            self.assertNotIn(f"/content/{content.id}", found)
        for user in (quiet, leaver):
            self.assertNotIn(f"/user/{user.id}", found)

    async def test_robots(self) -> None:
        """robots.txt says where it is."""
        found = (await self.request("GET", "/robots.txt", expect=200)).body.decode()
        self.assertIn(f"\nSitemap: {PUBLIC}/sitemap.xml\n", found)

    async def test_missing(self) -> None:
        """There is no page beyond those of the index."""
        self.problem(await self.request("GET", "/sitemap.xml?page=9999"), 404, "not_found")


class HostlessTests(ChallengeCase):
    async def test_none(self) -> None:
        """Without a public URL there is no list, for it would have to name a host."""
        self.own_daemon()
        self.problem(await self.request("GET", "/sitemap.xml"), 404, "not_found")
        found = (await self.request("GET", "/robots.txt", expect=200)).body.decode()
        self.assertNotIn("Sitemap", found)
