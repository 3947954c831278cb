"""Collections in the portal."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import guid, name


class CollectionCase(WalkCase):
    """A player with a collection of three."""

    async def setUp(self) -> None:
        await super().setUp()
        self.owner, author = await self.user(), await self.user()
        self.made = [await self.content(author, name=f"{title} {guid()[:4]}") for title in "ABC"]
        self.shelf, self.name = guid(), name("shelf")
        await self.say(public=True)
        for content in self.made:
            path = f"{self.path}/items/{content.id}"
            await self.put(path, {"before": None}, by=self.owner, expect=204)

    @property
    def path(self) -> str:
        """Where its owner writes it."""
        return f"user/{self.owner.id}/collections/{self.shelf}"

    async def say(self, **changes: Any) -> None:
        """Change what it says of itself."""
        body = {"name": self.name, "description": "Three of a kind.", "public": False} | changes
        await self.put(self.path, body, by=self.owner, expect=204)

    def order(self) -> str:
        """The first letters of what is in it, in its order."""
        found = self.wait(self.get(f"collections/{self.shelf}/items", by=self.owner)).json()
        return "".join(one["name"][0] for one in found)

    def shown(self, person: Person, order: str) -> None:
        """Wait until this is the order that is shown."""
        titles = person.main.get_by_role("article").get_by_role("heading")
        expect(titles).to_have_text(
            [
                next(one.sent["name"] for one in self.made if one.sent["name"][0] == letter)
                for letter in order
            ]
        )

    def handle(self, person: Person, at: int) -> Locator:
        """What moves this item."""
        return button(person.main, f"Move {self.made[at].sent['name']}")


class OrderTests(CollectionCase):
    async def test_order(self) -> None:
        """An owner puts a collection in order, and takes an item out of it."""

        def journey(ada: Person) -> None:
            ada.log_in(self.owner, f"/collections/{self.shelf}")
            self.by_keys(ada)
            self.by_dragging(ada)
            self.refused(ada)
            self.remove(ada)

        await self.walk(journey)

    @step
    def by_keys(self, ada: Person) -> None:
        """Arrow keys, Home and End on a handle move an item, which keeps the focus."""

        def press(key: str, order: str) -> None:
            with ada.answered("PUT */items/*"):
                ada.page.keyboard.press(key)
            self.shown(ada, order)

        self.shown(ada, "ABC")
        handle = self.handle(ada, 0)
        handle.focus()
        press("ArrowDown", "BAC")
        expect(handle).to_be_focused()
        expect(ada.main.get_by_role("status").last).to_contain_text("place 2 of 3")
        press("End", "BCA")
        press("ArrowUp", "BAC")
        press("Home", "ABC")
        press("ArrowDown", "BAC")
        self.assertEqual("BAC", self.order())

    @step
    def by_dragging(self, ada: Person) -> None:
        """An item is dragged to its place."""
        with ada.answered("PUT */items/*"):
            self.handle(ada, 2).drag_to(self.handle(ada, 1))
        self.shown(ada, "CBA")
        ada.page.reload()
        self.shown(ada, "CBA")
        self.assertEqual("CBA", self.order())

    @step
    def refused(self, ada: Person) -> None:
        """An order that the service refuses is taken back."""
        self.handle(ada, 2).focus()
        with ada.held("**/collections/*/items/*") as waiting:
            ada.page.keyboard.press("ArrowDown")
        self.shown(ada, "BCA")
        ada.refuse(waiting, title="No", status=422, code="unknown_item")
        expect(ada.main.get_by_role("alert")).to_contain_text("no longer in the collection")
        self.shown(ada, "CBA")
        ada.spare("422")

    @step
    def remove(self, ada: Person) -> None:
        """An item is taken out."""
        ada.press(f"Remove {self.made[1].sent['name']}")
        self.shown(ada, "CA")
        with ada.answered("DELETE */items/*"):
            ada.press(f"Remove {self.made[0].sent['name']}")
        ada.press("Undo", ada.page.get_by_role("status"))
        self.shown(ada, "CA")
        self.assertEqual("CA", self.order())


class CollectionTests(CollectionCase):
    async def test_own(self) -> None:
        """A player makes collections, and puts content into them."""

        def journey(ada: Person) -> None:
            ada.log_in(self.owner, "/library/collections")
            title = name("new shelf")
            self.nameless(ada)
            self.make(ada, title)
            self.edit(ada, title)
            self.delete_it(ada, title)
            self.favourites(ada)
            self.add(ada)

        await self.walk(journey)

    @step
    def nameless(self, ada: Person) -> None:
        """A collection without a name is refused with words, and what was typed stays."""
        ada.press("New collection")
        ada.fill(ada.dialog, Description="Tall.")
        ada.press("Save", ada.dialog)
        field = ada.dialog.get_by_label("Name", exact=True)
        expect(field).to_be_focused()
        expect(field).to_have_accessible_description("Give it a name.")
        expect(ada.dialog.get_by_label("Description", exact=True)).to_have_value("Tall.")

    @step
    def make(self, ada: Person, title: str) -> None:
        """With a name it is made, and private."""
        ada.fill(ada.dialog, Name=title, Description="")
        ada.press("Save", ada.dialog)
        ada.main.get_by_role("heading", name=title, level=1).wait_for()
        expect(ada.main.get_by_text("Private", exact=True)).to_be_visible()

    @step
    def edit(self, ada: Person, title: str) -> None:
        """It is renamed, described and made public."""
        ada.press("Edit")
        ada.fill(ada.dialog, Name=f"{title} again", Description="Tall.")
        ada.dialog.get_by_label("Everybody can see it").check()
        ada.press("Save", ada.dialog)
        ada.main.get_by_role("heading", name=f"{title} again", level=1).wait_for()
        expect(ada.main.get_by_text("Public", exact=True)).to_be_visible()
        ada.page.reload()
        expect(ada.main.get_by_text("Tall.", exact=True)).to_be_visible()

    @step
    def delete_it(self, ada: Person, title: str) -> None:
        """It is deleted, and leaves the list."""
        ada.press("Delete")
        ada.press("Really delete", ada.dialog)
        ada.page.wait_for_url("**/library/collections")
        expect(ada.main.get_by_role("link", name="Favourites", exact=True)).to_be_visible()
        expect(ada.main.get_by_role("link", name=f"{title} again")).to_have_count(0)

    @step
    def favourites(self, ada: Person) -> None:
        """The favourites are made public, and cannot be deleted."""
        ada.main.get_by_role("link", name="Favourites", exact=True).click()
        ada.main.get_by_role("heading", name="Favourites", level=1).wait_for()
        expect(button(ada.main, "Delete")).to_have_count(0)
        ada.press("Edit")
        ada.dialog.get_by_label("Everybody can see it").check()
        ada.press("Save", ada.dialog)
        expect(ada.main.get_by_text("Public", exact=True)).to_be_visible()
        found = self.wait(self.get(f"collections/{self.owner.id}")).json()
        self.assertIs(True, found["public"])

    @step
    def add(self, ada: Person) -> None:
        """Content is put into a collection on its page, also into a new one, and taken out."""
        content = self.wait(self.content(self.made[0].author, name=name("Door")))
        ada.move(f"/content/{content.id}")
        ada.press("Add to collection")
        box = ada.dialog.get_by_label(self.name)
        with ada.answered("PUT */items/*"):
            box.check()
        ada.fill(ada.dialog, New_collection="Doors")
        ada.press("Create", ada.dialog)
        expect(ada.dialog.get_by_label("Doors")).to_be_checked()
        expect(box).to_be_checked()
        with ada.answered("DELETE */items/*"):
            box.uncheck()
        path = f"user/{self.owner.id}/collections?content={content.id}"
        held = self.wait(self.get(path, by=self.owner))
        self.assertEqual(["Doors"], [one["name"] for one in held.json()])

    async def test_others(self) -> None:
        """Somebody looks at a collection of another."""
        await self.say(public=False)

        def journey(ben: Person) -> None:
            self.private(ben)
            self.wait(self.say(public=True))
            ben.register(f"/collections/{self.shelf}")
            self.public(ben)

        await self.walk(journey)

    @step
    def private(self, ben: Person) -> None:
        """A private collection is to others as a wrong address is."""
        ben.go(f"/collections/{self.shelf}")
        ben.main.get_by_role("heading", name="Not found", level=1).wait_for()
        ben.spare("404", "404")

    @step
    def public(self, ben: Person) -> None:
        """Others see a public collection in its order, and can report it."""
        self.shown(ben, "ABC")
        expect(button(ben.main, "Edit")).to_have_count(0)
        ben.press("Report")
        ben.press("Send", ben.dialog)
        expect(ben.main.get_by_text("Thank you.", exact=False)).to_be_visible()
        path = f"moderation/reports/collection/{self.shelf}"
        found = self.wait(self.get(path, by=self.wait(self.admin()))).json()
        self.assertEqual(self.name, found[0]["evidence"]["name"])
