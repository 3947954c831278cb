"""Back, forward and a reload find a place as it was left."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_places import LATE
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User, name

PART = 24
"""Contents that Browse shows at once."""
SLOW = """
() => {
    const fetch = self.fetch;
    self.fetch = async (...given) => {
        const answer = await fetch(...given);
        await new Promise((done) => setTimeout(done, 300));
        return answer;
    };
}
"""
LATER = "700"
"""Milliseconds after which nothing seems to come any more."""
NEAR = 5
"""Pixels that the scroll may be off."""


class HistoryTests(WalkCase):
    async def test_history(self) -> None:
        """A visitor scrolls, loads more, chooses and opens, leaves, and comes back to all of it."""
        self.author = await self.user()
        self.word = name("tower").replace(" ", "")
        for count in range(PART + 6):
            await self.content(self.author, name=f"{self.word} {count}")

        def journey(ada: Person, ben: Person) -> None:
            self.onwards(ada)
            self.scroll(ada)
            self.chosen(ada)
            self.tabs(ada, self.author)
            self.late(ben)

        await self.walk(journey, 2)

    def cards(self, ada: Person) -> Locator:
        """What Browse has found."""
        return ada.main.get_by_role("article")

    def is_at(self, ada: Person, top: int) -> None:
        """Assert that the page comes to be scrolled there, and stays."""
        ada.until(lambda: abs(ada.page.evaluate("scrollY") - top) <= NEAR, f"not at {top}")
        with ada.read():
            pass
        self.assertLessEqual(abs(ada.page.evaluate("scrollY") - top), NEAR)

    @step
    def onwards(self, ada: Person) -> None:
        """Who asks for more by keys goes on with the first of what comes."""
        ada.go(f"/browse?author={self.author.id}&sort=newest")
        button(ada.main, "Show more").press("Enter")
        expect(self.cards(ada).nth(PART).get_by_role("link").first).to_be_focused()

    @step
    def scroll(self, ada: Person) -> None:
        """What `Show more` has brought is there again, scrolled to where it was: after a way back,
        a way forward, and a reload, with answers that take their time."""
        ada.go(f"/browse?author={self.author.id}")
        expect(ada.main.get_by_text(f"more than {PART} found")).to_be_visible()
        ada.press("Show more")
        expect(self.cards(ada)).to_have_count(PART + 6)
        expect(ada.main.get_by_text(f"{PART + 6} found")).to_be_visible()
        top = 1_234
        ada.page.evaluate("(top) => scrollTo(0, top)", top)
        ada.page.evaluate(SLOW)
        self.cards(ada).nth(15).get_by_role("link").first.evaluate("(link) => link.click()")
        ada.main.get_by_role("heading", level=1, name=self.word).wait_for()
        self.assertEqual(0, ada.page.evaluate("scrollY"))
        ada.page.go_back()
        self.is_at(ada, top)
        expect(self.cards(ada)).to_have_count(PART + 6)
        ada.page.go_forward()
        self.is_at(ada, 0)
        ada.page.go_back()
        ada.page.reload()
        self.is_at(ada, top)
        expect(self.cards(ada)).to_have_count(PART + 6)

    @step
    def late(self, ben: Person) -> None:
        """On a busy machine, where the page asks for what it shows long after it is drawn, a reload
        finds it scrolled as it was."""
        ben.go(f"/browse?author={self.author.id}")
        ben.press("Show more")
        expect(self.cards(ben)).to_have_count(PART + 6)
        ben.page.evaluate("scrollTo(0, 1234)")
        ben.page.add_init_script(LATE.replace("400", LATER))
        ben.page.reload()
        self.is_at(ben, 1_234)
        expect(self.cards(ben)).to_have_count(PART + 6)

    @step
    def chosen(self, ada: Person) -> None:
        """A choice leaves the keyboard where it is, says how many there are, and what was opened
        is open again."""
        ada.go(f"/browse?q={self.word}")
        sort = ada.main.get_by_label("Sort by", exact=True)
        sort.focus()
        for order in ("newest", "updated", "top"):
            ada.page.keyboard.press("ArrowDown")
            ada.page.wait_for_url(f"**sort={order}**")
            expect(sort).to_be_focused()
        said = ada.main.get_by_role("status").filter(has_text="found")
        expect(said).to_have_text(f"more than {PART} found")
        search = ada.main.get_by_role("searchbox", name="Search", exact=True)
        search.fill(f"{self.word} 29")
        search.press("Enter")
        expect(search).to_be_focused()
        expect(said).to_have_text("1 found")
        summary = ada.main.get_by_text("More filters", exact=True)
        summary.click()
        expect(ada.main.get_by_label("Platform", exact=True)).to_be_visible()
        self.cards(ada).first.get_by_role("link").first.click()
        ada.main.get_by_role("heading", level=1, name=self.word).wait_for()
        ada.page.go_back()
        expect(ada.main.get_by_label("Platform", exact=True)).to_be_visible()

    @step
    def tabs(self, ada: Person, author: User) -> None:
        """A tab is in the address, and names what it controls."""
        ada.go(f"/user/{author.id}")
        tab = ada.main.get_by_role("tab", name="Collections", exact=True)
        tab.click()
        ada.page.wait_for_url(f"**/user/{author.id}?tab=collections")
        ada.page.keyboard.press("ArrowLeft")
        ada.page.wait_for_url(f"**/user/{author.id}?tab=emblems")
        panel = ada.main.get_by_role("tabpanel", name="Emblems", exact=True)
        shown = ada.main.get_by_role("tab", name="Emblems", exact=True)
        expect(shown).to_be_focused()
        self.assertEqual(panel.get_attribute("id"), shown.get_attribute("aria-controls"))
        ada.move("/challenges")
        ada.page.go_back()
        ada.page.reload()
        expect(shown).to_have_attribute("aria-selected", "true")
        expect(button(ada.main, "Emblems")).to_have_count(0)
