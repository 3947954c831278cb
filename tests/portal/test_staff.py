"""Admins see who has which role, and change it, in the console."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import SITE, Person, WalkCase
from tests.spec.data import User

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

    async def test_staff(self) -> None:
        """An admin gives, changes and takes roles; a moderator sees nothing of it."""
        self.chief, player = await self.admin(), await self.user()
        curator, moderator = await self.member("curator"), await self.member("moderator")

        def journey(ada: Person, ben: Person) -> None:
            ada.log_in(self.chief, "/console/staff")
            self.add(ada, player)
            self.change(ada, curator)
            self.take(ada, curator)
            self.hidden(ben, moderator)

        await self.walk(journey, 2)

    @step
    def add(self, ada: Person, player: User) -> None:
        """An admin gives a role to a player by the whole name; a name that nobody has is said
        beside the field."""
        ada.press("Add somebody")
        ada.fill(ada.dialog, Whole_name_or_address=f"{player.username}x")
        ada.press("Save", ada.dialog)
        field = ada.dialog.get_by_label("Whole name or address", exact=True)
        expect(field).to_have_attribute("aria-invalid", "true")
        field.fill(player.username)
        ada.dialog.get_by_label("Role", exact=True).select_option("curator")
        ada.press("Save", ada.dialog)
        expect(row(ada, player.username).get_by_text("Curator", exact=True)).to_be_visible()

    @step
    def change(self, ada: Person, curator: User) -> None:
        """An admin changes a role in the list."""
        ada.press(f"Change the role: {curator.username}", row(ada, curator.username))
        ada.dialog.get_by_label("Role", exact=True).select_option("moderator")
        ada.press("Save", ada.dialog)
        expect(row(ada, curator.username).get_by_text("Moderator", exact=True)).to_be_visible()

    @step
    def take(self, ada: Person, curator: User) -> None:
        """An admin takes a role on the player's page of the console."""
        row(ada, curator.username).get_by_role("link", name="Their account").click()
        # The list has one for each member, and stays until the player's page has come.
        change = ada.main.get_by_role("button", name="Change the role", exact=True)
        expect(change).to_have_count(1)
        change.click()
        ada.dialog.get_by_label("Role", exact=True).select_option("player")
        ada.press("Save", ada.dialog)
        expect(ada.main.get_by_text("Player", exact=True).first).to_be_visible()
        expect(ada.dialog).to_have_count(0)
        staff = self.wait(self.get("moderation/staff", by=self.chief, expect=200)).json()
        self.assertNotIn(curator.id, [one["user"]["id"] for one in staff])

    @step
    def hidden(self, ben: Person, moderator: User) -> None:
        """A moderator sees what a wrong address shows, and no links to it."""
        ben.log_in(moderator, "/console/reports")
        for path in HIDDEN:
            with self.step(path):
                ben.move(path)
                expect(ben.main.get_by_role("heading", name="Not found")).to_be_visible()
                expect(ben.page).to_have_title(f"Not found {SITE}")
        ben.move("/console/reports")
        expect(ben.page).to_have_title(f"Reports {SITE}")
        places = ben.main.get_by_role("navigation")
        expect(places.get_by_role("link", name="Reports", exact=True)).to_be_visible()
        expect(places.get_by_role("link", name="Staff", exact=True)).to_have_count(0)
