"""Who sees content, and who tests it or works on it, in the portal."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.portal.test_library import button
from tests.portal.walk import Person, WalkCase
from tests.spec.data import Content, User, name


class SharingTests(WalkCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author, self.guest = await self.user(), await self.user()
        self.made = await self.draft()

    async def draft(self) -> Content:
        """Publish what nobody else sees."""
        return await self.content(self.author, name=name("draft"), visibility="private")

    def enter(self, person: Person, user: User) -> None:
        """Open the content as this user."""
        person.log_in(user.username, user.password)
        person.go(f"/content/{self.made.id}")

    def waive(self, person: Person) -> None:
        """The shell of what is hidden is a 404, which the console has."""
        person.said = [line for line in person.said if "404" not in line]

    async def test_visibility(self) -> None:
        """An author shows a draft to everybody, and it is in the list."""

        def steps(ada: Person) -> None:
            self.enter(ada, self.author)
            expect(ada.main.get_by_text("A draft: only you", exact=False)).to_be_visible()
            ada.main.get_by_label("Visibility", exact=True).select_option("public")
            expect(ada.main.get_by_text("Everybody sees it.", exact=True)).to_be_visible()
            ada.page.wait_for_load_state("networkidle")
            self.waive(ada)
            ada.go(f"/browse?q={self.made.sent['name']}")
            expect(ada.main.get_by_role("article")).to_have_count(1)

        await self.walk(steps)

    async def test_tester(self) -> None:
        """A tester who is invited sees a draft; who is removed does not."""

        def steps(ada: Person, guest: Person) -> None:
            self.enter(ada, self.author)
            ada.fill(Username=self.guest.username.upper())
            ada.press("Invite")
            expect(ada.main.get_by_role("status").last).to_contain_text("is invited")
            self.enter(guest, self.guest)
            title = guest.main.get_by_role("heading", name=self.made.sent["name"], level=1)
            expect(title).to_be_visible()
            expect(button(guest.main, "New revision")).to_have_count(0)
            ada.press(f"Remove {self.guest.username}")
            expect(ada.main.get_by_role("list", name="Testers and members")).to_have_count(0)
            ada.page.wait_for_load_state("networkidle")
            guest.page.reload()
            guest.main.get_by_role("heading", name="Not found", level=1).wait_for()
            self.waive(ada)
            self.waive(guest)

        await self.walk(steps, 2)

    async def test_member(self) -> None:
        """Who is invited to be a member accepts, and may edit, but no more."""

        def steps(ada: Person, guest: Person) -> None:
            self.enter(ada, self.author)
            ada.fill(Username=self.guest.username)
            ada.main.get_by_label("Invite as", exact=True).select_option("editor")
            ada.press("Invite")
            expect(ada.main.get_by_text("invited", exact=False).first).to_be_visible()
            guest.log_in(self.guest.username, self.guest.password)
            guest.go("/library/memberships")
            row = guest.main.get_by_role("article", name=self.made.sent["name"], exact=True)
            button(row, "Accept").click()
            expect(button(row, "Leave")).to_be_visible()
            row.get_by_role("link", name=self.made.sent["name"]).click()
            expect(guest.main.get_by_role("link", name="New revision")).to_be_visible()
            expect(button(guest.main, "Withdraw")).to_have_count(0)
            guest.press("Edit")
            guest.fill(Description="We changed it.")
            guest.press("Save")
            expect(guest.main.get_by_text("We changed it.", exact=True)).to_be_visible()
            self.waive(ada)
            self.waive(guest)

        await self.walk(steps, 2)

    async def test_decline(self) -> None:
        """Who is invited declines on the content's page, which is then hidden."""
        path = f"{self.made.path}/members/{self.guest.id}"
        await self.put(path, by=self.author, expect=204)

        def steps(guest: Person) -> None:
            self.enter(guest, self.guest)
            expect(guest.main.get_by_text("You are invited to work on this.")).to_be_visible()
            guest.press("Decline")
            expect(button(guest.main, "Accept")).to_have_count(0)
            guest.go("/library/memberships")
            expect(guest.main.get_by_text("Nobody has invited you yet")).to_be_visible()
            self.waive(guest)

        await self.walk(steps)

    async def test_nobody(self) -> None:
        """A name that nobody has is refused with words."""

        def steps(ada: Person) -> None:
            self.enter(ada, self.author)
            ada.fill(Username="nobody-at-all")
            ada.press("Invite")
            expect(ada.main.get_by_role("alert")).to_contain_text("Nobody is called nobody-at-all")
            self.waive(ada)

        await self.walk(steps)
