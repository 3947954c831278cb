"""The first page, cards, the search and the filters of Browse, as people use them."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from playwright.sync_api import Route, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import name

SHIFTS = """
self.shifts = 0;
new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) self.shifts += one.value;
}).observe({ type: "layout-shift", buffered: true });
const ask = self.fetch;
self.fetch = async (...given) => (await new Promise((on) => setTimeout(on, 500)), ask(...given));
"""
"""Each answer takes half a second more; how far what is shown has moved is counted."""
SMALL = """
() => [...document.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((one) => one.checkVisibility() && !one.closest(".skip, .unseen"))
    .map((one) => (["checkbox", "radio"].includes(one.type) && one.closest("label")) || one)
    // Links in a sentence are as large as its words.
    .filter((one) => getComputedStyle(one).display !== "inline" || one.localName !== "a"
        || one.textContent.trim() === one.parentElement.textContent.trim())
    .filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 44)
    .map((one) => `${one.offsetWidth} x ${one.offsetHeight} ${one.outerHTML.slice(0, 200)}`)
"""
PHONE = {"width": 360, "height": 740}
STILL = 0.05


class FaceTests(WalkCase, ChallengeCase):
    world = "portal-face"

    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.word = name("lighthouse")
        self.tags = ["glass", f"Tag {name('a')}"]
        self.made = await self.content(self.author, name=self.word, tags=self.tags)

    async def test_search(self) -> None:
        """A visitor finds content and players from the header, and what they nearly typed."""

        def journey(ada: Person) -> None:
            self.finds(ada)
            self.suggests(ada)
            self.none(ada)
            self.friends(ada)

        await self.walk(journey)

    @step
    def finds(self, ada: Person) -> None:
        """Both are found by what was typed in any place, with their numbers."""
        ada.go("/challenges")
        field = ada.header.get_by_role("searchbox", name="Search", exact=True)
        field.fill(self.word)
        field.press("Enter")
        expect(ada.main.get_by_role("heading", name="Search", level=1)).to_be_visible()
        contents = ada.main.get_by_role("region", name="Content", exact=True)
        expect(contents.get_by_role("article")).to_have_count(1)
        expect(contents).to_contain_text("1 found")
        card = contents.get_by_role("article")
        card.get_by_role("link", name=self.author.username, exact=True).click()
        expect(ada.main.get_by_role("heading", name=self.author.username, level=1)).to_be_visible()
        field.fill(self.author.username)
        field.press("Enter")
        players = ada.main.get_by_role("region", name="Players", exact=True)
        expect(players.get_by_role("link", name=self.author.username, exact=True)).to_be_visible()

    @step
    def suggests(self, ada: Person) -> None:
        """Where no content is found, that of the suggestion is shown, and the page says so."""

        def suggest(route: Route) -> None:
            route.fulfill(json={"q": self.word})

        ada.page.route("**/api/v1/suggestions?*", suggest)
        wrong = f"{self.word}x"
        ada.move(f"/search?q={wrong}")
        contents = ada.main.get_by_role("region", name="Content", exact=True)
        expect(contents.get_by_role("article")).to_contain_text(self.word)
        expect(contents).to_contain_text(f"Nothing was found for “{wrong}”")
        ada.page.unroute("**/api/v1/suggestions?*", suggest)

    @step
    def none(self, ada: Person) -> None:
        """Where nothing is like it, the page says that nothing was found."""
        ada.move(f"/search?q={name('nothing')}")
        expect(ada.main.get_by_text("No content found", exact=True)).to_be_visible()

    @step
    def friends(self, ada: Person) -> None:
        """Who has no friends yet is led to the search."""
        ada.register("/friends")
        ada.main.get_by_role("link", name="Search", exact=True).click()
        expect(ada.main.get_by_role("searchbox", name="Search", exact=True)).to_be_visible()

    async def test_chips(self) -> None:
        """Each filter of Browse is a button that ends it; one that is typed comes to them."""

        def journey(ada: Person) -> None:
            ada.go(f"/browse?q={self.word}&tags=glass&featured=true")
            expect(ada.main.get_by_text("Nothing found", exact=True)).to_be_visible()
            ada.press("Remove Featured")
            expect(ada.main.get_by_role("article")).to_have_count(1)
            ada.fill(Tags=self.tags[1])
            ada.main.get_by_label("Tags", exact=True).press("Enter")
            expect(button(ada.main, f"Remove {self.tags[1]}")).to_be_visible()
            ada.press("Remove glass")
            expect(button(ada.main, "Remove glass")).to_have_count(0)
            self.assertNotIn("glass", ada.page.url)
            expect(ada.main.get_by_role("article")).to_have_count(1)

        await self.walk(journey)

    async def test_first(self) -> None:
        """The first page has a picture, then the open challenge, then each content once."""
        admin = await self.admin()
        closes = int(time.time()) + 250_000
        made = await self.challenge(closes=closes)
        for n in range(6):
            await self.content(self.author, name=f"{self.word} {n}")
        path = f"{self.made.path}/featured"
        await self.put(path, {"featured": True}, by=admin, expect=204)

        def journey(ada: Person) -> None:
            with ada.read():
                ada.go("/")
            hero = ada.main.locator(".hero")
            expect(hero.get_by_role("link", name=f"{self.word} by", exact=False)).to_be_visible()
            article = ada.main.get_by_role("article").first
            expect(article).to_contain_text(made.sent["name"])
            expect(article).to_contain_text("Closes in 2 days")
            links = ada.main.get_by_role("article").get_by_role("heading").get_by_role("link")
            shown = Counter(one.get_attribute("href") for one in links.all())
            self.assertGreater(len(shown), 4)
            self.assertEqual([], [href for href, count in shown.items() if count > 1])

        await self.walk(journey)

    async def test_still(self) -> None:
        """Where each answer takes half a second, nothing moves, wide or on a phone; what is pressed
        there is as large as a thumb."""
        words = {"title": name("News"), "text": "It is there.", "level": "info"}

        def journey(ada: Person) -> None:
            ada.page.route("**/api/v1/announcements?*", lambda route: route.fulfill(json=[news]))
            ada.page.add_init_script(SHIFTS)
            for size in ({"width": 1440, "height": 900}, PHONE):
                ada.page.set_viewport_size(size)
                for path in ("/", f"/search?q={self.word}", f"/browse?tags=glass&q={self.word}"):
                    with self.step(f"{path} {size['width']}"):
                        with ada.read():
                            ada.go(path)
                            ada.main.get_by_role("article").first.wait_for()
                        self.assertLessEqual(ada.page.evaluate("shifts"), STILL)
                        if size is PHONE:
                            self.assertEqual([], ada.page.evaluate(SMALL))

        news: dict[str, Any] = {"id": self.made.id, "begins": None, "ends": None, **words}
        await self.walk(journey)
