"""How /sitemap.xml reads the database."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

from twisted.internet.defer import Deferred

from contentsvc.app.root import Root
from contentsvc.framework.http.errors import Problem, Unavailable
from contentsvc.framework.http.reply import Reply
from contentsvc.portal import sitemap
from contentsvc.portal.sitemap import FRESH, Sitemap
from contentsvc.store.content.sitemap import NUMBERS, Listed
from tests.framework.http.support import Client, Service, WebCase, site_of

URL = "https://play.example/a&b"


class Away(Exception):
    """The database is away."""


def translated(error: Exception) -> Problem | None:
    """A problem where the database is away."""
    return Unavailable(cause="connection") if isinstance(error, Away) else None


class SitemapTests(WebCase):
    def setUp(self) -> None:
        super().setUp()
        self.read: list[tuple[int, Deferred[list[Listed]]]] = []
        self.away = False
        self.last = 3 * NUMBERS - 1
        for name in ("last", "content", "challenges"):
            patcher = patch.object(sitemap.sitemap, name, getattr(self, f"give_{name}"))
            patcher.start()
            self.addCleanup(patcher.stop)
        service = Service([])
        self.clock = service.clock
        reply = Reply((), lambda cause: None)
        db: Any = None
        asset = Sitemap(self.clock, db, reply, URL, ["game"], translated, service.api.fail)
        root = Root(service.api, None, {b"/sitemap.xml": asset})
        self.site = site_of(root, self.clock, judge=root.judge, refuse=service.api.refuse)

    async def give_last(self, db: object) -> int:
        """The last number."""
        if self.away:
            raise Away()
        return self.last

    async def give_content(self, db: object, types: list[str], first: int) -> list[Listed]:
        """Content, when the test gives it."""
        answer: Deferred[list[Listed]] = Deferred()
        self.read.append((first, answer))
        return await answer

    async def give_challenges(self, db: object) -> list[str]:
        """A challenge."""
        return ["c1"]

    def ask(self, query: str) -> Client:
        """A client that has asked."""
        client = Client(self.site)
        client.ask("GET", f"/sitemap.xml{query}")
        return client

    def urls(self, client: Client) -> list[str | None]:
        """The URLs of an answer."""
        answer = client.answer()
        self.assertEqual(answer.status, 200)
        return [each[0].text for each in ElementTree.fromstring(answer.body)]

    def test_index(self) -> None:
        """The index names a page for each range of numbers, and may be kept for an hour."""
        client = self.ask("")
        answer = client.answer()
        self.assertEqual(answer.headers["Cache-Control"], "public, max-age=3600")
        self.assertEqual(answer.headers["Content-Type"], "application/xml; charset=utf-8")
        found = [each[0].text for each in ElementTree.fromstring(answer.body)]
        self.assertEqual(found, [f"{URL}/sitemap.xml?page={n}" for n in range(3)])

    def test_page(self) -> None:
        """A page has content and each author once; the first has the places and challenges too."""
        client = self.ask("?page=1")
        self.read[0][1].callback([Listed("x", "a"), Listed("y", "a")])
        self.assertEqual(self.read[0][0], NUMBERS)
        self.assertEqual(
            self.urls(client), [f"{URL}/content/x", f"{URL}/content/y", f"{URL}/user/a"]
        )
        first = self.ask("?page=0")
        self.read[1][1].callback([])
        found = self.urls(first)
        self.assertEqual((found[0], found[-1]), (f"{URL}/", f"{URL}/challenges/c1"))

    def test_missing(self) -> None:
        """A page that there is not is 404, and reads nothing."""
        for query in ("?page=3", "?page=-1", "?page=", "?page=1&x=1", "?x", "?page=999999999"):
            self.problem(self.ask(query).answer(), 404, "not_found")
        self.assertEqual(self.read, [])

    def test_shared(self) -> None:
        """Whoever asks for a page shares its reading, and the page counts for an hour."""
        clients = [self.ask("?page=1"), self.ask("?page=1")]
        self.read[0][1].callback([Listed("x", "a")])
        for client in (*clients, self.ask("?page=1")):
            self.assertEqual(len(self.urls(client)), 2)
        self.assertEqual(len(self.read), 1)
        self.clock.advance(FRESH)
        self.ask("?page=1")
        self.assertEqual(len(self.read), 2)

    def test_turns(self) -> None:
        """One page is read at a time."""
        clients = [self.ask("?page=1"), self.ask("?page=2")]
        self.assertEqual([first for first, _ in self.read], [NUMBERS])
        self.read[0][1].errback(Away())
        self.assertEqual([first for first, _ in self.read], [NUMBERS, 2 * NUMBERS])
        self.read[1][1].callback([])
        self.problem(clients[0].answer(), 503, "unavailable")
        self.assertEqual(self.urls(clients[1]), [])

    def test_away(self) -> None:
        """While the database is away, the answer is 503, and nothing keeps it."""
        self.away = True
        self.problem(self.ask("").answer(), 503, "unavailable")
        self.away = False
        self.assertEqual(len(self.urls(self.ask(""))), 3)

    def test_kept(self) -> None:
        """No more than some pages are kept."""
        self.last = 200 * NUMBERS
        for page in range(1, 102):
            self.ask(f"?page={page}")
            self.read[-1][1].callback([])
        self.ask("?page=101")
        self.assertEqual(len(self.read), 101)
        self.ask("?page=1")
        self.assertEqual(len(self.read), 102)
