"""Who sees content, and who tests it or works on it, in the portal."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import name


class SharingTests(WalkCase):
    async def test_sharing(self) -> None:
        """An author lets somebody test a draft, work on it and see it, and then everybody."""
        self.author, self.guest = await self.user(), await self.user()
        title = name("draft")
        self.made = await self.content(self.author, name=title, visibility="private")

        def journey(ada: Person, guest: Person) -> None:
            ada.log_in(self.author, f"/content/{self.made.id}")
            with self.step("A draft says that only its author sees it"):
                ada.open("Manage")
                expect(ada.main.get_by_text("A draft: only you", exact=False)).to_be_visible()
            self.nobody(ada)
            self.invited(ada, guest)
            self.uninvited(ada, guest)
            self.accepted(ada, guest)
            self.edited(guest)
            self.declined(guest)
            self.shown(ada)

        await self.walk(journey, 2)

    @property
    def title(self) -> str:
        """What the draft is called."""
        return str(self.made.sent["name"])

    @step
    def nobody(self, ada: Person) -> None:
        """A name that nobody has is refused with words."""
        ada.fill(Username="nobody-at-all")
        ada.press("Invite")
        field = ada.main.get_by_label("Username", exact=True)
        expect(field).to_have_accessible_description("Nobody is called nobody-at-all.")

    @step
    def invited(self, ada: Person, guest: Person) -> None:
        """A tester who is invited sees a draft, and cannot change it."""
        ada.fill(Username=self.guest.username.upper())
        ada.press("Invite")
        said = ada.main.get_by_role("status").filter(has_text="is invited")
        expect(said).to_be_visible()
        guest.log_in(self.guest, f"/content/{self.made.id}")
        title = guest.main.get_by_role("heading", name=self.title, level=1)
        expect(title).to_be_visible()
        expect(button(guest.main, "Manage")).to_have_count(0)

    @step
    def uninvited(self, ada: Person, guest: Person) -> None:
        """A tester who is removed does not see it any more."""
        with ada.answered("DELETE */testers/*"):
            ada.press(f"Remove {self.guest.username}")
        expect(ada.main.get_by_role("list", name="Testers and members")).to_have_count(0)
        guest.page.reload()
        guest.main.get_by_role("heading", name="Not found", level=1).wait_for()
        # The shell of what is hidden is a 404 too.
        guest.spare("404", "404")

    @step
    def accepted(self, ada: Person, guest: Person) -> None:
        """Who is invited to be a member accepts."""
        ada.fill(Username=self.guest.username)
        ada.main.get_by_label("Invite as", exact=True).select_option("editor")
        ada.press("Invite")
        guests = ada.main.get_by_role("list", name="Testers and members", exact=True)
        expect(guests).to_contain_text("invited")
        guest.move("/library/memberships")
        row = guest.main.get_by_role("article", name=self.title, exact=True)
        button(row, "Accept").click()
        expect(button(row, "Leave")).to_be_visible()
        row.get_by_role("link", name=self.title).click()

    @step
    def edited(self, guest: Person) -> None:
        """A member may edit, but no more."""
        guest.open("Manage")
        expect(guest.main.get_by_role("link", name="New revision")).to_be_visible()
        expect(button(guest.main, "Withdraw")).to_have_count(0)
        guest.press("Edit")
        guest.fill(Description="We changed it.")
        guest.press("Save")
        # The preview says it before it is saved.
        expect(button(guest.main, "Save")).to_have_count(0)
        expect(guest.main.get_by_text("We changed it.", exact=True)).to_be_visible()

    @step
    def declined(self, guest: Person) -> None:
        """Who is invited declines on the content's page, which is then hidden."""
        path = f"{self.made.path}/members/{self.guest.id}"
        self.wait(self.delete(path, by=self.author, expect=204))
        self.wait(self.put(path, by=self.author, expect=204))
        guest.move("/library")
        guest.move(f"/content/{self.made.id}")
        expect(guest.main.get_by_text("You are invited to work on this together.")).to_be_visible()
        guest.press("Decline")
        expect(button(guest.main, "Accept")).to_have_count(0)
        guest.spare("404", "404")
        guest.move("/library/memberships")
        expect(guest.main.get_by_text("Nothing is shared with you yet")).to_be_visible()

    @step
    def shown(self, ada: Person) -> None:
        """An author shows a draft to everybody, and it is in the list."""
        # What her page knows may be older than what the guest has changed.
        ada.page.reload()
        ada.open("Manage")
        ada.spare("404")  # the shell of a draft
        with ada.answered("PUT */visibility"):
            ada.main.get_by_label("Visibility", exact=True).select_option("public")
        expect(ada.main.get_by_text("Everybody sees it.", exact=True)).to_be_visible()
        ada.move(f"/browse?q={self.title}")
        expect(ada.main.get_by_role("article")).to_have_count(1)
