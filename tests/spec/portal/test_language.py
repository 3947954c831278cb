"""The languages of the portal (portal §2)."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.spec.portal.visitor import VisitCase, Visitor


class LanguageTests(VisitCase):
    async def test_switch(self) -> None:
        """Another language is there at once, and after a reload; the texts of the one that is not
        read are not loaded."""

        def steps(who: Visitor) -> None:
            loaded: list[str] = []
            who.page.on("request", lambda request: loaded.append(request.url))
            who.go("/settings")
            heading = who.main.get_by_role("heading", level=1)
            expect(heading).to_have_text("Settings")
            self.assertEqual([], [url for url in loaded if url.endswith("/texts/de.js")])
            who.main.get_by_label("Language", exact=True).select_option("de")
            expect(heading).to_have_text("Einstellungen")
            expect(who.page.locator("html")).to_have_attribute("lang", "de")
            who.page.reload()
            expect(heading).to_have_text("Einstellungen")
            who.main.get_by_label("Sprache", exact=True).select_option("en")
            expect(heading).to_have_text("Settings")

        await self.walk(steps)

    async def test_away(self) -> None:
        """Where the texts cannot be had, the page says so, and stays as it was."""

        def steps(who: Visitor) -> None:
            who.go("/settings")
            heading = who.main.get_by_role("heading", level=1)
            expect(heading).to_have_text("Settings")
            who.page.route("**/texts/de.js", lambda route: route.abort())
            choice = who.main.get_by_label("Language", exact=True)
            choice.select_option("de")
            expect(who.main.get_by_text("The service does not answer.")).to_be_visible()
            expect(heading).to_have_text("Settings")
            expect(choice).to_have_value("en")
            who.said = [line for line in who.said if "Failed to load resource" not in line]

        await self.walk(steps)
