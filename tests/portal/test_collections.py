"""Collections in the portal."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.portal.test_library import button
from tests.portal.walk import Person, WalkCase
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

    async def order(self) -> str:
        """The first letters of what is in it, in its order."""
        found = (await self.get(f"collections/{self.shelf}/items", by=self.owner)).json()
        return "".join(one["name"][0] for one in found)

    def enter(self, person: Person) -> None:
        """Open it as its owner."""
        person.log_in(self.owner.username, self.owner.password)
        person.go(f"/collections/{self.shelf}")
        person.main.get_by_role("article").nth(2).wait_for()

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
        """What moves the item at this place."""
        return button(person.main, f"Move {self.made[at].sent['name']}")


class OrderTests(CollectionCase):
    async def test_keys(self) -> None:
        """Arrow keys, Home and End on a handle move an item, which keeps the focus."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            handle = self.handle(ada, 0)
            handle.focus()
            ada.page.keyboard.press("ArrowDown")
            self.shown(ada, "BAC")
            expect(handle).to_be_focused()
            expect(ada.main.get_by_role("status").last).to_contain_text("place 2 of 3")
            ada.page.keyboard.press("End")
            self.shown(ada, "BCA")
            ada.page.keyboard.press("ArrowUp")
            self.shown(ada, "BAC")
            ada.page.keyboard.press("Home")
            self.shown(ada, "ABC")
            ada.page.keyboard.press("ArrowDown")
            self.shown(ada, "BAC")
            ada.page.wait_for_load_state("networkidle")

        await self.walk(steps)
        self.assertEqual("BAC", await self.order())

    async def test_drag(self) -> None:
        """An item is dragged to its place."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            self.handle(ada, 2).drag_to(self.handle(ada, 0))
            self.shown(ada, "CAB")
            ada.page.wait_for_load_state("networkidle")
            ada.page.reload()
            self.shown(ada, "CAB")

        await self.walk(steps)
        self.assertEqual("CAB", await self.order())

    async def test_refused(self) -> None:
        """An order that the service refuses is taken back."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            held = ada.hold("**/collections/*/items/*")
            self.handle(ada, 0).focus()
            ada.page.keyboard.press("ArrowDown")
            self.shown(ada, "BAC")
            problem = {"title": "No", "status": 422, "code": "unknown_item"}
            held[0].fulfill(status=422, json=problem, content_type="application/problem+json")
            expect(ada.main.get_by_role("alert")).to_contain_text("no longer in the collection")
            self.shown(ada, "ABC")
            ada.said = [line for line in ada.said if "422" not in line]

        await self.walk(steps)

    async def test_remove(self) -> None:
        """An item is taken out."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.press(f"Remove {self.made[1].sent['name']}")
            self.shown(ada, "AC")
            ada.page.wait_for_load_state("networkidle")

        await self.walk(steps)
        self.assertEqual("AC", await self.order())


class CollectionTests(CollectionCase):
    async def test_make(self) -> None:
        """A collection is made, renamed, made public and deleted."""
        title = name("new shelf")

        def steps(ada: Person) -> None:
            ada.log_in(self.owner.username, self.owner.password)
            ada.go("/library/collections")
            ada.press("New collection")
            dialog = ada.page.get_by_role("dialog")
            ada.fill(dialog, Name=title)
            ada.press("Save", dialog)
            ada.main.get_by_role("heading", name=title, level=1).wait_for()
            expect(ada.main.get_by_text("Private", exact=True)).to_be_visible()
            ada.press("Edit")
            ada.fill(dialog, Name=f"{title} again", Description="Tall.")
            dialog.get_by_label("Everybody sees it").check()
            ada.press("Save", dialog)
            ada.main.get_by_role("heading", name=f"{title} again", level=1).wait_for()
            expect(ada.main.get_by_text("Public", exact=True)).to_be_visible()
            ada.page.reload()
            expect(ada.main.get_by_text("Tall.", exact=True)).to_be_visible()
            ada.press("Delete")
            ada.press("Really delete")
            ada.page.wait_for_url("**/library/collections")
            expect(ada.main.get_by_role("link", name="Favourites", exact=True)).to_be_visible()
            expect(ada.main.get_by_role("link", name=f"{title} again")).to_have_count(0)

        await self.walk(steps)

    async def test_nameless(self) -> None:
        """A collection without a name is refused with words, and what was typed stays."""

        def steps(ada: Person) -> None:
            ada.log_in(self.owner.username, self.owner.password)
            ada.go("/library/collections")
            ada.press("New collection")
            dialog = ada.page.get_by_role("dialog")
            ada.fill(dialog, Description="Tall.")
            ada.press("Save", dialog)
            expect(dialog.get_by_role("alert")).to_contain_text("Give it a name.")
            expect(dialog.get_by_label("Description", exact=True)).to_have_value("Tall.")
            ada.said = [line for line in ada.said if "400" not in line]

        await self.walk(steps)

    async def test_favourites(self) -> None:
        """The favourites are made public, and cannot be deleted."""

        def steps(ada: Person) -> None:
            ada.log_in(self.owner.username, self.owner.password)
            ada.go(f"/collections/{self.owner.id}")
            ada.main.get_by_role("heading", name="Favourites", level=1).wait_for()
            expect(button(ada.main, "Delete")).to_have_count(0)
            ada.press("Edit")
            dialog = ada.page.get_by_role("dialog")
            dialog.get_by_label("Everybody sees it").check()
            ada.press("Save", dialog)
            expect(ada.main.get_by_text("Public", exact=True)).to_be_visible()
            # The shell of what strangers do not see is a 404, which the console has.
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)
        found = (await self.get(f"collections/{self.owner.id}")).json()
        self.assertIs(True, found["public"])

    async def test_add(self) -> None:
        """Content is put into a collection on its page, also into a new one, and taken out."""
        content = await self.content(await self.user(), name=name("Door"))

        def steps(ada: Person) -> None:
            ada.log_in(self.owner.username, self.owner.password)
            ada.go(f"/content/{content.id}")
            ada.press("Add to collection")
            dialog = ada.page.get_by_role("dialog")
            box = dialog.get_by_label(self.name)
            box.check()
            ada.page.wait_for_load_state("networkidle")
            ada.fill(dialog, New_collection="Doors")
            ada.press("Make it", dialog)
            expect(dialog.get_by_label("Doors")).to_be_checked()
            expect(box).to_be_checked()
            box.uncheck()
            ada.page.wait_for_load_state("networkidle")

        await self.walk(steps)
        held = await self.get(
            f"user/{self.owner.id}/collections?content={content.id}", by=self.owner
        )
        self.assertEqual(["Doors"], [one["name"] for one in held.json()])

    async def test_public(self) -> None:
        """Others see a public collection in its order, and can report it."""

        def steps(ada: Person) -> None:
            ada.register()
            ada.go(f"/collections/{self.shelf}")
            self.shown(ada, "ABC")
            expect(button(ada.main, "Edit")).to_have_count(0)
            ada.press("Report")
            dialog = ada.page.get_by_role("dialog")
            ada.press("Send", dialog)
            expect(ada.main.get_by_text("Thank you.", exact=False)).to_be_visible()

        await self.walk(steps)
        admin = await self.admin()
        found = await self.get(f"moderation/reports/collection/{self.shelf}", by=admin)
        self.assertEqual(self.name, found.json()[0]["evidence"]["name"])

    async def test_private(self) -> None:
        """A private collection is to others as a wrong address is."""
        await self.say(public=False)

        def steps(ada: Person) -> None:
            ada.go(f"/collections/{self.shelf}")
            ada.main.get_by_role("heading", name="Not found", level=1).wait_for()
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)
