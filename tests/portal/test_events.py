"""Admins look at events and at statistics in the console."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.spec.data import User, name

PART = 50
"""Events that the place shows at once."""


class EventsTests(WalkCase):
    world = "portal-console"

    async def test_events(self) -> None:
        """An admin sees what happens, chooses kinds, goes back, and looks at the statistics."""
        admin, author, changed = await self.admin(), await self.user(), await self.user()
        for role in ("curator", "player") * (PART // 2 + 3):
            await self.put(f"user/{changed.id}/role", {"role": role}, by=admin, expect=204)

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/console/events")
            self.live(ada, author)
            self.kinds(ada, author)
            self.older(ada)
            self.statistics(ada)

        await self.walk(journey)

    def entries(self, who: Person) -> Locator:
        """What the place lists."""
        return who.main.get_by_role("list", name="Events", exact=True).get_by_role("listitem")

    @step
    def live(self, ada: Person, author: User) -> None:
        """What happens is on top without a reload, with the names of who did it and of what it is
        about."""
        title = name("tower")
        expect(self.entries(ada).first).to_be_visible()
        self.wait(self.content(author, name=title))
        entry = self.entries(ada).filter(has_text=title)
        expect(entry.get_by_role("link", name=title)).to_be_visible()
        expect(entry.get_by_text("Content published", exact=True)).to_be_visible()
        expect(entry.get_by_role("link", name=author.username, exact=True).first).to_be_visible()

    @step
    def kinds(self, ada: Person, author: User) -> None:
        """Only chosen kinds are listed. The address has the choice, which outlives a reload."""
        title = name("tower")
        content = self.wait(self.content(author, name=title))
        self.wait(self.comment(content, author))
        ada.go("/console/events?live=no")
        posted = self.entries(ada).get_by_text("Comment posted", exact=True)
        expect(posted.first).to_be_visible()
        ada.main.get_by_text("All kinds", exact=True).click()
        choice = ada.main.get_by_label("Content published", exact=True)
        choice.check()
        for _ in range(2):
            expect(self.entries(ada).filter(has_text=title)).to_have_count(1)
            expect(posted).to_have_count(0)
            ada.page.reload()
        self.assertTrue(ada.page.url.endswith("?kinds=ContentPublished&live=no"))

    @step
    def older(self, ada: Person) -> None:
        """Older events come with a button, each once and in order."""
        ada.go("/console/events?kinds=RoleChanged&live=no")
        expect(self.entries(ada)).to_have_count(PART)
        ada.press("Show more")
        expect(self.entries(ada)).not_to_have_count(PART)
        texts = self.entries(ada).locator(".mono:first-child").all_inner_texts()
        numbers = [int(text) for text in texts if text.isdecimal()]
        self.assertEqual(sorted(set(numbers), reverse=True), numbers)
        self.assertGreaterEqual(len(numbers), PART + 6)

    @step
    def statistics(self, ada: Person) -> None:
        """The plot of the last days has all of them in a table, for as long as was chosen."""
        ada.move("/console/statistics")
        for days in (30, 90, 365):
            ada.press(f"{days} days")
            expect(ada.main.get_by_role("img", name="New players")).to_be_visible()
            if days == 30:
                ada.main.get_by_text("All days as a table", exact=True).click()
            expect(ada.main.get_by_role("row")).to_have_count(days + 1)
        ada.main.get_by_role("button", name="Downloads").click()
        expect(ada.main.get_by_role("img", name="Downloads")).to_be_visible()
        self.assertTrue(ada.page.url.endswith("?days=365&of=downloads"))
