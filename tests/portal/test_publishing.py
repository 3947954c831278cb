"""An author's files on their way: what is taken, what is sent, and what it is built upon."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import FilePayload, Locator, expect

from tests.contract.browser import step
from tests.portal.walk import SITE, Person, WalkCase, button
from tests.spec.data import guid, name
from tests.support.pictures import png

WIDE, HIGH, SQUARE = png(64, 36), png(36, 64), png(50, 50)
GIF: FilePayload = {"name": "moving.gif", "mimeType": "image/gif", "buffer": b"GIF89a" + bytes(50)}


def picture(called: str, data: bytes) -> FilePayload:
    """A picture as a file of the device."""
    return {"name": called, "mimeType": "image/png", "buffer": data}


def binary(called: str) -> FilePayload:
    """A file with bytes of its own."""
    return {"name": called, "mimeType": "application/octet-stream", "buffer": guid().encode()}


class Author(Person):
    """Somebody who publishes."""

    @property
    def form(self) -> Locator:
        """The form with the pictures."""
        return self.main.locator("form").filter(has=self.page.get_by_label("Tags", exact=True))

    def choose(self, label: str, *files: FilePayload) -> None:
        """Choose files for the field with this label."""
        self.form.get_by_label(label, exact=True).set_input_files(files)

    def order(self, *names: str) -> None:
        """Assert that the pictures are these, in this order."""
        shots = self.form.get_by_role("list", name="Chosen: Screenshots").get_by_role("listitem")
        expect(shots).to_have_text([re.compile(re.escape(one)) for one in names])

    def read_back(self, case: WalkCase, path: str) -> Any:
        """What the service answers to everybody."""
        return case.wait(case.get(path.removeprefix("/"), expect=200)).json()


class PublishingTests(WalkCase):
    person = Author

    async def test_five_files(self) -> None:
        """An author publishes five files, built upon the work of another."""
        self.title = name("cathedral")
        self.other = await self.content(await self.user(), name=name("foundation"))

        def journey(ada: Author) -> None:
            ada.register("/publish")
            self.no_enter(ada)
            self.refused(ada)
            self.ordered(ada)
            self.built(ada)
            self.published(ada)
            self.revised(ada)

        await self.walk(journey)

    @step
    def no_enter(self, ada: Author) -> None:
        """Enter publishes nothing: in a field it does nothing, and in the tags it ends one."""
        ada.fill(Name=self.title)
        ada.choose("File", binary("core.bin"))
        ada.choose("Further files", binary("texture-pack.zip"), binary("soundtrack.ogg"))
        ada.choose("Screenshots", picture("wide.png", WIDE), picture("high.png", HIGH))
        for field in ("Name", "Version"):
            ada.main.get_by_label(field, exact=True).press("Enter")
        tags = ada.main.get_by_label("Tags", exact=True)
        tags.fill("glass")
        tags.press("Enter")
        tags.press_sequentially("tall")
        expect(tags).to_have_value("glass, tall")
        expect(button(ada.main, "Cancel")).to_have_count(0)

    @step
    def refused(self, ada: Author) -> None:
        """A picture of another type than are taken is refused before it is sent, with those that
        are."""
        field = ada.form.get_by_label("Screenshots", exact=True)
        expect(field).to_have_accessible_description(re.compile("PNG, JPEG, or WebP.*8,192 pixels"))
        ada.choose("Screenshots", GIF)
        why = re.compile("moving.gif.* is not taken: pictures are PNG, JPEG, or WebP.")
        expect(field).to_have_accessible_description(why)
        ada.order("wide.png", "high.png")

    @step
    def ordered(self, ada: Author) -> None:
        """Keys on the handle of a picture move it, and it keeps the focus."""
        handle = button(ada.form, "Move high.png")
        handle.press("ArrowUp")
        ada.order("high.png", "wide.png")
        expect(handle).to_be_focused()
        button(ada.form, "Remove wide.png").click()
        ada.choose("Screenshots", picture("square.png", SQUARE))
        ada.order("high.png", "square.png")

    @step
    def built(self, ada: Author) -> None:
        """What of others it is built upon is found by its name, with keys alone."""
        field = ada.main.get_by_label("Built upon", exact=True)
        found = self.other.sent["name"]
        field.fill(found)
        expect(ada.main.get_by_role("option", name=found)).to_be_visible()
        field.press("ArrowDown")
        field.press("Enter")
        expect(button(ada.main, f"Remove {found}")).to_be_visible()
        expect(field).to_have_value("")

    @step
    def published(self, ada: Author) -> None:
        """The page of the content says that it is published, and copies its address."""
        ada.press("Publish")
        ada.page.wait_for_url("**/content/*")
        said = ada.page.get_by_role("status").filter(has_text="It is published.")
        button(said, "Copy link").click()
        expect(button(said, "Copied")).to_be_visible()
        self.path = ada.page.url.removeprefix(ada.base)
        made = ada.read_back(self, self.path)
        self.assertEqual(["glass", "tall"], sorted(made["tags"]))
        self.assertEqual(2, len(made["screenshotUris"]))
        self.assertEqual([self.core], [one["entityId"] for one in made["using"]])
        files = ada.read_back(self, f"{self.path}/files")
        called = {one["name"] for one in files if one["use"] == "entity"}
        self.assertLessEqual({"core.bin", "texture-pack.zip", "soundtrack.ogg"}, called)
        ada.move("/browse")
        expect(said).to_have_count(0)

    @property
    def core(self) -> str:
        """The core of what it is built upon."""
        return str(self.other.sent["entity"]["entityId"])

    @step
    def revised(self, ada: Author) -> None:
        """The form of a revision says that it is one, and goes on using what is used."""
        ada.move(self.path.replace("/content/", "/publish/"))
        ada.main.get_by_role("heading", name="New revision", level=1).wait_for()
        expect(ada.page).to_have_title(f"{self.title}: new revision {SITE}")
        ada.fill(Version="2.0")
        ada.main.get_by_label("File", exact=True).set_input_files(binary("core-2.bin"))
        ada.press("Publish")
        ada.page.wait_for_url(f"**{self.path}")
        # The client first asks whether it is new.
        ada.said = [one for one in ada.said if "409 (Conflict)" not in one]
        made = ada.read_back(self, self.path)
        told = made["revision"]["version"], [one["entityId"] for one in made["using"]]
        self.assertEqual(("2.0", [self.core]), told)

    async def test_cancel(self) -> None:
        """An author cancels what is being sent, and publishes it after all."""
        self.title = name("tower")

        def journey(ada: Author) -> None:
            ada.register("/publish")
            self.sending(ada)
            self.back(ada)
            self.cancelled(ada)
            self.after_all(ada)

        await self.walk(journey)

    @step
    def sending(self, ada: Author) -> None:
        """While files are sent, one total is in sight."""
        ada.fill(Name=self.title)
        ada.choose("File", binary("core.bin"))
        ada.choose("Screenshots", picture("wide.png", WIDE))
        with ada.held("**/files/**") as waiting:
            ada.press("Publish")
        self.waiting = waiting
        expect(ada.main.get_by_role("progressbar", name="All files")).to_be_in_viewport()
        expect(button(ada.main, "Cancel")).to_be_in_viewport()
        expect(ada.main.get_by_label("Name", exact=True)).to_be_hidden()

    @step
    def back(self, ada: Author) -> None:
        """Who goes elsewhere and comes back finds it as it is."""
        ada.move("/browse")
        ada.move("/publish")
        expect(
            ada.main.get_by_role("heading", name=re.compile(self.title), level=2)
        ).to_be_focused()
        expect(ada.main.get_by_role("progressbar")).to_have_count(1)

    @step
    def cancelled(self, ada: Author) -> None:
        """What was cancelled is not published; all that was filled in and chosen is there."""
        ada.press("Cancel")
        expect(
            ada.main.get_by_role("status").filter(has_text="Nothing was published")
        ).to_be_visible()
        expect(button(ada.main, "Publish")).to_be_focused()
        expect(ada.main.get_by_label("Name", exact=True)).to_have_value(self.title)
        expect(button(ada.main, "Remove core.bin")).to_be_visible()
        found = self.wait(self.get(f"user/{ada.id}/content", expect=200)).json()
        self.assertEqual([], found)
        ada.page.unroute_all()

    @step
    def after_all(self, ada: Author) -> None:
        """The same button then publishes it."""
        ada.press("Publish")
        ada.page.wait_for_url("**/content/*")
        ada.main.get_by_role("heading", name=self.title, level=1).wait_for()

    async def test_screenshots(self) -> None:
        """An author adds, orders and removes pictures of what is published."""

        def journey(ada: Author) -> None:
            ada.register("/publish")
            self.path = ada.publish_here(name("garden"))
            self.added(ada)
            self.none_left(ada)

        await self.walk(journey)

    @step
    def added(self, ada: Author) -> None:
        """A picture that is added and moved to the front is the first."""
        before = ada.read_back(self, self.path)["screenshotUris"]
        ada.open("Manage")
        ada.press("Edit")
        ada.choose("Screenshots", picture("high.png", HIGH))
        ada.order("Screenshot 1", "high.png")
        button(ada.form, "Move high.png").press("Home")
        ada.order("high.png", "Screenshot 1")
        ada.press("Save")
        expect(ada.form).to_have_count(0)
        after = ada.read_back(self, self.path)["screenshotUris"]
        self.assertEqual(before, after[1:])
        self.assertEqual(2, len(after))

    @step
    def none_left(self, ada: Author) -> None:
        """Without a picture it cannot be saved; another takes its place."""
        ada.open("Manage")
        ada.press("Edit")
        for shot in ("high.png", "Screenshot 2"):
            button(ada.form, f"Remove {shot}").click()
        ada.press("Save")
        field = ada.form.get_by_label("Screenshots", exact=True)
        expect(field).to_be_focused()
        expect(field).to_have_accessible_description(re.compile("Add at least one screenshot.$"))
        ada.choose("Screenshots", picture("square.png", SQUARE))
        ada.press("Save")
        expect(ada.form).to_have_count(0)
        self.assertEqual(1, len(ada.read_back(self, self.path)["screenshotUris"]))
