"""The languages of the portal (docs/portal.md)."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase


class LanguageTests(WalkCase):
    async def test_language(self) -> None:
        """A visitor chooses another language, first while its texts cannot be had."""

        def journey(who: Person) -> None:
            self.own_texts(who)
            self.away(who)
            self.switch(who)

        await self.walk(journey)

    @step
    def own_texts(self, who: Person) -> None:
        """The texts of a language that is not read are not loaded."""
        loaded: list[str] = []
        who.page.on("request", lambda request: loaded.append(request.url))
        who.go("/settings")
        expect(who.main.get_by_role("heading", level=1)).to_have_text("Settings")
        self.assertIn("en.js", [url.rpartition("/")[2] for url in loaded])
        self.assertEqual([], [url for url in loaded if url.endswith("/texts/de.js")])

    @step
    def away(self, who: Person) -> None:
        """Where the texts cannot be had, the page says so, and stays as it was."""
        who.page.route("**/texts/de.js", lambda route: route.abort())
        choice = who.main.get_by_label("Language", exact=True)
        choice.select_option("de")
        expect(who.main.get_by_text("The service does not answer.")).to_be_visible()
        expect(who.main.get_by_role("heading", level=1)).to_have_text("Settings")
        expect(choice).to_have_value("en")
        who.page.unroute_all()
        who.spare("Failed to load resource")

    @step
    def switch(self, who: Person) -> None:
        """Another language is there at once, and after a reload."""
        heading = who.main.get_by_role("heading", level=1)
        who.page.reload()
        who.main.get_by_label("Language", exact=True).select_option("de")
        expect(heading).to_have_text("Einstellungen")
        expect(who.page.locator("html")).to_have_attribute("lang", "de")
        who.page.reload()
        expect(heading).to_have_text("Einstellungen")
        who.main.get_by_label("Sprache", exact=True).select_option("en")
        expect(heading).to_have_text("Settings")
