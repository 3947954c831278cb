"""From a report to what its reporter hears (docs/portal.md)."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content

HEARD = re.compile(r"We have looked at your report.*\. Thank you\.")


class ReportTests(WalkCase):
    async def test_ended(self) -> None:
        """A player reports two contents, and hears live that each report was ended."""
        author, reporter, admin = await self.user(), await self.user(), await self.admin()
        first, second = await self.content(author), await self.content(author)

        def journey(player: Person, moderator: Person) -> None:
            player.log_in(reporter, f"/content/{first.id}")
            moderator.log_in(admin, "/console")
            self.report(player, moderator, first)
            self.uphold(moderator)
            self.heard(player, moderator, 1)
            self.report(player, moderator, second)
            self.dismiss(moderator)
            self.heard(player, moderator, 2)
            self.notified(player, first)

        await self.walk(journey, 2)

    @step
    def report(self, player: Person, moderator: Person, content: Content) -> None:
        """What a player reports is before a moderator, with the player's words."""
        player.move(f"/content/{content.id}")
        player.open("More")
        player.press("Report")
        player.fill(player.dialog, Text="Not mine.")
        player.dialog.get_by_label("Reason", exact=True).select_option("copyright")
        player.press("Send", player.dialog)
        expect(player.dialog).to_have_count(0)
        # Their page would ask for the comments of what is suspended meanwhile.
        player.move("/library")
        moderator.move(f"/console/reports/content/{content.id}")
        moderator.main.get_by_text("Not mine.").wait_for()

    @step
    def uphold(self, moderator: Person) -> None:
        """A moderator suspends by mouse, and upholds the report; until then the reason stays."""
        moderator.fill(Reason="It is not yours.")
        moderator.press("Suspend")
        button(moderator.main, "Restore").wait_for()
        reason = moderator.main.get_by_label("Reason", exact=True)
        expect(reason).to_have_value("It is not yours.")
        moderator.press("Uphold")

    @step
    def dismiss(self, moderator: Person) -> None:
        """A moderator looks up the keys, switches them on, and dismisses a report by one."""
        moderator.page.keyboard.press("?")
        moderator.dialog.get_by_text("Dismiss", exact=True).wait_for()
        moderator.dialog.get_by_role("switch", name="Use keys", exact=True).check()
        moderator.escape()
        moderator.page.keyboard.press("d")

    @step
    def heard(self, player: Person, moderator: Person, count: int) -> None:
        """When a report was ended there is nothing left to uphold, and its reporter hears live."""
        uphold = moderator.main.get_by_role("button", name="Uphold", exact=True, disabled=False)
        expect(uphold).to_have_count(0)
        name = f"Notifications ({count})"
        player.header.get_by_role("link", name=name, exact=True).wait_for()

    @step
    def notified(self, player: Person, first: Content) -> None:
        """The reporter reads of both. What was suspended is hidden, and its page says so."""
        player.header.get_by_role("link", name="Notifications (2)", exact=True).click()
        expect(player.main.get_by_text(HEARD)).to_have_count(2)
        player.go(f"/content/{first.id}")
        expect(player.main.get_by_role("heading", level=1)).to_have_text("Not found")
        player.spare("404", "404")
