"""An author publishes: what the editor says of what is refused, and how it is mended."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.support.pictures import png

LEVEL = {"name": "level.bin", "mimeType": "application/octet-stream", "buffer": b"level"}
SHOT = {"name": "shot.png", "mimeType": "image/png", "buffer": png(64, 36)}


class EditorTests(WalkCase):
    async def test_publish(self) -> None:
        """An author publishes, mends what is refused, and sees the content's page."""

        def journey(ada: Person) -> None:
            ada.register("/publish")
            self.lacking(ada)
            self.empty_file(ada)
            self.others(ada)
            self.published(ada)

        await self.walk(journey)

    @step
    def lacking(self, ada: Person) -> None:
        """What is wrong stands beside its field, the first of which has the focus, until it is
        changed."""
        label = ada.main.get_by_label
        name, file = label("Name", exact=True), label("File", exact=True)
        ada.press("Publish")
        expect(name).to_be_focused()
        expect(name).to_have_accessible_description("Give it a name.")
        expect(file).to_have_accessible_description(re.compile("Choose the file.$"))
        ada.fill(Name="Tilting tower")
        expect(name).to_have_accessible_description("")

    @step
    def empty_file(self, ada: Person) -> None:
        """A file without a byte is refused, beside its field and in an alert."""
        file = ada.main.get_by_label("File", exact=True)
        file.set_input_files(LEVEL | {"buffer": b""})
        ada.main.get_by_label("Screenshots", exact=True).set_input_files(SHOT)
        ada.press("Publish")
        expect(file).to_be_focused()
        expect(ada.main.get_by_text("The file is empty.")).to_be_visible()
        expect(ada.main.get_by_role("alert")).to_contain_text("Look at the marked fields")

    @step
    def others(self, ada: Person) -> None:
        """What is about no field stands together, in an alert, in the page's own words: what the
        service says of a code that the page does not know is not shown."""
        ada.main.get_by_label("File", exact=True).set_input_files(LEVEL)
        problems = [
            {"code": "unknown_reference", "detail": "One is not there."},
            {"code": "something_new", "detail": "A newer service says this."},
        ]

        def refuse(route: Route) -> None:
            route.fulfill(json={"needed": [], "neededPackages": [], "problems": problems})

        ada.page.route("**/upload-precheck", refuse)
        ada.press("Publish")
        alert = ada.main.get_by_role("alert")
        expect(alert).to_contain_text("Something it uses does not exist.")
        expect(alert).to_contain_text("Something went wrong.")
        expect(alert).not_to_contain_text("A newer service says this.")
        expect(ada.main.locator("[aria-invalid]")).to_have_count(0)
        ada.page.unroute_all()

    @step
    def published(self, ada: Person) -> None:
        """What nothing is wrong with is published by the same button, with what was typed."""
        ada.press("Publish")
        ada.page.wait_for_url("**/content/*")
        ada.main.get_by_role("heading", name="Tilting tower", level=1).wait_for()
