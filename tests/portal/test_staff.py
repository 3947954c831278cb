"""Admins see who has which role, and change it, in the console."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.portal.walk import Person, WalkCase

HIDDEN = (
    *("/console/staff", "/console/service-accounts", "/console/webhooks"),
    *("/console/events", "/console/statistics", "/console/notifications"),
)
"""Places that only admins see."""


def row(who: Person, username: str) -> Locator:
    """The entry of this user in the list of the staff."""
    return who.main.get_by_role("listitem").filter(has_text=username)


class StaffTests(WalkCase):
    world = "portal-console"

    async def test_add(self) -> None:
        """An admin gives a role to a player by the whole name; a name that nobody has is said
        beside the field."""
        admin, player = await self.admin(), await self.user()

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/staff")
            ada.press("Add somebody")
            dialog = ada.page.get_by_role("dialog")
            ada.fill(dialog, Whole_name_or_address=f"{player.username}x")
            ada.press("Save", dialog)
            field = dialog.get_by_label("Whole name or address", exact=True)
            expect(field).to_have_attribute("aria-invalid", "true")
            field.fill(player.username)
            dialog.get_by_label("Role", exact=True).select_option("curator")
            ada.press("Save", dialog)
            expect(row(ada, player.username).get_by_text("Curator", exact=True)).to_be_visible()

        await self.walk(steps)

    async def test_change(self) -> None:
        """An admin changes a role in the list, and on the player's page of the console."""
        admin, curator = await self.admin(), await self.member("curator")

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/staff")
            dialog = ada.page.get_by_role("dialog")
            ada.press("Change the role", row(ada, curator.username))
            dialog.get_by_label("Role", exact=True).select_option("moderator")
            ada.press("Save", dialog)
            expect(row(ada, curator.username).get_by_text("Moderator", exact=True)).to_be_visible()
            row(ada, curator.username).get_by_role("link", name="Their account").click()
            # The list has one for each member, and stays until the player's page has come.
            change = ada.main.get_by_role("button", name="Change the role", exact=True)
            expect(change).to_have_count(1)
            change.click()
            dialog.get_by_label("Role", exact=True).select_option("player")
            ada.press("Save", dialog)
            expect(ada.main.get_by_text("Player", exact=True).first).to_be_visible()
            expect(dialog).to_have_count(0)

        await self.walk(steps)
        staff = (await self.get("moderation/staff", by=admin, expect=200)).json()
        self.assertNotIn(curator.id, [one["user"]["id"] for one in staff])

    async def test_hidden(self) -> None:
        """A moderator sees what a wrong address shows, and no links to it."""
        moderator = await self.member("moderator")

        def steps(ada: Person) -> None:
            ada.log_in(moderator.username, moderator.password)
            for path in HIDDEN:
                ada.go(path)
                expect(ada.main.get_by_role("heading", name="Not found")).to_be_visible()
            ada.go("/console/reports")
            places = ada.main.get_by_role("navigation")
            expect(places.get_by_role("link", name="Reports", exact=True)).to_be_visible()
            expect(places.get_by_role("link", name="Staff", exact=True)).to_have_count(0)

        await self.walk(steps)


class LastAdminTests(WalkCase):
    world = "portal-last-admin"

    async def test_last_admin(self) -> None:
        """The only admin stays one, and reads why."""
        admin = await self.admin()

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/staff")
            ada.press("Change the role", row(ada, admin.username))
            dialog = ada.page.get_by_role("dialog")
            dialog.get_by_label("Role", exact=True).select_option("player")
            ada.press("Save", dialog)
            expect(dialog.get_by_role("alert")).to_contain_text("No other admin would be left.")
            # The refusal is a 409, which the console has.
            ada.said = [line for line in ada.said if "409" not in line]

        await self.walk(steps)
