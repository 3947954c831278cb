"""Pages whose previews come late or not at all."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred

from contentsvc.app.root import Root
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.identity.issuer import Issuers
from contentsvc.portal.assets import Assets
from contentsvc.portal.heads import LEAD
from contentsvc.portal.pages import ANSWER_PATIENCE, Pages
from contentsvc.portal.previews import Preview
from tests.framework.http.support import Client, Service, WebCase, site_of
from tests.spec.data import guid


class PreviewTests(WebCase):
    def setUp(self) -> None:
        super().setUp()
        self.answer: Deferred[Preview | None] = Deferred()
        self.cancelled: list[Any] = []
        self.answer.addErrback(self.cancelled.append)
        service = Service([])
        self.clock = service.clock

        async def previews(kind: str, id: str) -> Preview | None:
            return await self.answer

        pages = Pages(
            self.clock,
            Reply((), lambda cause: None),
            Assets(),
            previews,
            Issuers(WallClock(), []),
            public_url=None,
            media_url=None,
            store=["https://content.s3_1.example/a", "https://media.s3_1.example:8443"],
        )
        root = Root(service.api, None, {}, portal=pages)
        self.client = Client(site_of(root, self.clock, judge=root.judge, refuse=service.api.refuse))
        self.client.ask("GET", f"/content/{guid()}", Accept="text/html")

    def test_late(self) -> None:
        """A page waits for its preview for some seconds, and is sent without; what asks the
        database goes on."""
        self.clock.advance(ANSWER_PATIENCE)
        answer = self.client.answer()
        self.assertEqual(answer.status, 200)
        self.assertNotIn(b"og:title", answer.body)
        self.assertNotIn(b"noindex", answer.body)
        self.answer.callback(None)
        self.assertEqual(self.cancelled, [])

    def test_in_time(self) -> None:
        """A preview that comes in time is on the page."""
        self.answer.callback(Preview("Tower", "", ""))
        self.assertIn(b'<meta property="og:title" content="Tower">', self.client.answer().body)

    def test_wordless(self) -> None:
        """What says nothing of itself is shown with what the site is."""
        self.answer.callback(Preview("Tower", "", ""))
        page = self.client.answer().body.decode()
        self.assertIn(f'<meta property="og:description" content="{LEAD.en}">', page)

    def test_search_engines(self) -> None:
        """A page says what it is about to what lists pages, and how large its picture is shown."""
        self.answer.callback(Preview("Tower", 'It "leans".', ""))
        page = self.client.answer().body.decode()
        self.assertIn('<meta name="description" content="It &quot;leans&quot;.">', page)
        self.assertNotIn("noindex", page)
        self.assertIn('<meta name="twitter:card" content="summary_large_image">', page)
        self.assertNotIn("canonical", page)

    def test_policy(self) -> None:
        """A page may send to both buckets of a store, and read from them."""
        self.answer.callback(None)
        policy = self.client.answer().headers["Content-Security-Policy"]
        found = dict(part.split(" ", 1) for part in policy.split("; ") if " " in part)
        buckets = "https://content.s3_1.example https://media.s3_1.example:8443"
        self.assertEqual(found["connect-src"], f"'self' {buckets}")
