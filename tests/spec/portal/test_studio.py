"""What the studio tells is in the portal (studio §4)."""

from __future__ import annotations

import time

from playwright.sync_api import expect

from tests.portal.walk import WalkCase
from tests.spec.data import guid
from tests.spec.portal.visitor import Visitor


class StudioTests(WalkCase):
    person = Visitor

    async def test_announced(self) -> None:
        """An admin's announcement is on an open page without a reload, and who dismisses it sees it
        no more."""
        user, admin, title = await self.user(), await self.admin(), f"Move {guid()}"

        def steps(player: Visitor, warden: Visitor) -> None:
            player.arrive(user)
            expect(player.header.get_by_role("button", name="Log out", exact=True)).to_be_visible()
            warden.arrive(admin, "/console/announcements")
            warden.press("New announcement")
            warden.dialog.get_by_label("Title", exact=True).fill(title)
            warden.dialog.get_by_label("Level", exact=True).select_option("warning")
            warden.press("Save", warden.dialog)
            shown = player.page.get_by_role("region", name="Announcements").get_by_text(title)
            expect(shown).to_be_visible()
            player.page.get_by_role("button", name=f"Dismiss: {title}", exact=True).click()
            expect(shown).to_be_hidden()
            row = warden.main.get_by_role("listitem").filter(has_text=title)
            warden.press("End now", row)
            expect(row.get_by_text("over", exact=True)).to_be_visible()
            warden.press("Delete", row)
            expect(row).to_have_count(0)

        await self.walk(steps, 2)

    async def test_notified(self) -> None:
        """A notification of the studio shows its title and text, as text; one that has expired is
        not shown; its topic can be muted."""
        user, admin = await self.user(), await self.admin()
        for data, expires in (
            ({"title": "<b>Spring</b>", "text": "It begins."}, None),
            ({"title": "Over"}, int(time.time()) + 3),
        ):
            body = {"id": guid(), "topic": "season", "data": data, "to": [user.id]}
            await self.post("notifications", body | {"expires": expires}, by=admin, expect=202)

        def steps(who: Visitor) -> None:
            who.arrive(user, "/notifications")
            expect(who.main.get_by_text("<b>Spring</b>")).to_be_visible()
            expect(who.main.get_by_text("It begins.")).to_be_visible()
            while who.main.get_by_text("Over", exact=True).count():
                who.page.reload()
                expect(who.main.get_by_text("<b>Spring</b>")).to_be_visible()
            who.press("Mute this topic")
            expect(who.main.get_by_text("From the studio: season").last).to_be_visible()
            expect(who.main.get_by_role("button", name="Mute this topic")).to_have_count(0)

        await self.walk(steps)
