"""From a report to what its reporter hears (portal §4)."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.spec.portal.visitor import VisitCase, Visitor

HEARD = "Your report was looked at. Thank you."


class ReportTests(VisitCase):
    async def test_ended(self) -> None:
        """Who reported hears live that a report was ended, by mouse and by keys."""
        author, reporter, admin = await self.user(), await self.user(), await self.admin()
        first, second = await self.content(author), await self.content(author)

        def steps(player: Visitor, moderator: Visitor) -> None:
            player.arrive(reporter)
            moderator.arrive(admin)
            for count, content in enumerate((first, second), 1):
                player.go(f"/content/{content.id}")
                player.press("Report")
                player.fill(player.dialog, Text="Not mine.")
                player.dialog.get_by_label("Reason", exact=True).select_option("copyright")
                player.press("Send", player.dialog)
                expect(player.dialog).to_have_count(0)
                moderator.go(f"/console/reports/content/{content.id}")
                moderator.main.get_by_text("Not mine.").wait_for()
                if content is first:
                    moderator.fill(Reason="It is not yours.")
                    moderator.press("Suspend")
                    moderator.main.get_by_role("button", name="Restore", exact=True).wait_for()
                    reason = moderator.main.get_by_label("Reason", exact=True)
                    expect(reason).to_have_value("")
                    moderator.press("Uphold")
                else:
                    moderator.page.keyboard.press("?")
                    moderator.dialog.get_by_text("Dismiss", exact=True).wait_for()
                    moderator.page.keyboard.press("Escape")
                    expect(moderator.dialog).to_have_count(0)
                    moderator.page.keyboard.press("d")
                uphold = moderator.main.get_by_role("button", name="Uphold", exact=True)
                expect(uphold).to_have_count(0)
                name = f"Notifications ({count})"
                player.header.get_by_role("link", name=name, exact=True).wait_for()
            player.header.get_by_role("link", name="Notifications (2)", exact=True).click()
            expect(player.main.get_by_text(HEARD)).to_have_count(2)
            # The first content is hidden now, and its page says so.
            player.go(f"/content/{first.id}")
            expect(player.main.get_by_role("heading", level=1)).to_have_text("Not found")
            player.said = [line for line in player.said if "404" not in line]

        await self.walk(steps, 2)
