"""What staff does to an account in the console, and the own name in the settings."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.spec.data import Content, User, name


class AccountActTests(WalkCase):
    world = "portal-console"

    async def test_acts(self) -> None:
        """A moderator changes a name and takes content away; an admin gives an address."""
        chief, moderator = await self.admin(), await self.member("moderator")
        self.made = await self.content(await self.user())
        player = self.made.author

        def journey(ada: Person, ben: Person) -> None:
            ben.log_in(moderator, f"/console/users/{player.id}")
            self.rename(ben, player)
            self.clear(ben, self.made)
            expect(ben.main.get_by_role("button", name="Change the e-mail address")).to_have_count(
                0
            )
            ada.log_in(chief, f"/console/users/{player.id}")
            self.readdress(ada)

        await self.walk(journey, 2)
        await self.get(self.made.path, expect=404)

    @step
    def rename(self, ben: Person, player: User) -> None:
        """The new name is shown in the place at once."""
        wanted = name()
        ben.press("Change the name")
        ben.fill(ben.dialog, Username=wanted)
        ben.press("Save", ben.dialog)
        expect(ben.main.get_by_role("link", name=wanted).first).to_be_visible()

    @step
    def clear(self, ben: Person, made: Content) -> None:
        """The dialog says how much there is, and asks once more."""
        ben.press("Remove contributions")
        ben.dialog.get_by_label("1 content", exact=True).check()
        ben.fill(ben.dialog, Reason="spam")
        ben.press("Remove contributions", ben.dialog)
        ben.press("Yes, remove it", ben.dialog)
        expect(ben.main.get_by_text("This takes a moment.")).to_be_visible()

    @step
    def readdress(self, ada: Person) -> None:
        """An admin gives another address, with a reason."""
        address = f"{name()}@example.com"
        ada.press("Change the e-mail address")
        ada.fill(ada.dialog, **{"E-mail": address, "Reason": "lost"})
        ada.press("Save", ada.dialog)
        expect(ada.main.get_by_text(address)).to_be_visible()

    async def test_own_name(self) -> None:
        """A player changes the own name in the settings: the header shows it at once; a second
        change is refused in words."""
        player, wanted = await self.user(), name()

        def journey(ada: Person) -> None:
            ada.log_in(player, "/settings")
            form = ada.main.get_by_role("region", name="Your name")
            ada.fill(form, Username=wanted)
            ada.press("Change the name", form)
            expect(ada.page.get_by_role("banner").get_by_text(wanted)).to_be_visible()
            ada.fill(form, Username=name())
            ada.press("Change the name", form)
            expect(form.get_by_role("alert")).to_contain_text("not long ago")
            (refused,) = ada.said
            self.assertIn("429", refused)
            ada.said.clear()

        await self.walk(journey, 1)
