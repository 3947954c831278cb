"""What the editor says of a publication that is refused."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from tests.portal.walk import Person, WalkCase
from tests.support.pictures import png

LEVEL = {"name": "level.bin", "mimeType": "application/octet-stream", "buffer": b"level"}
SHOT = {"name": "shot.png", "mimeType": "image/png", "buffer": png(64, 36)}


class EditorTests(WalkCase):
    async def test_problems(self) -> None:
        """What is wrong stands beside its field, the first of which has the focus, until it is
        changed."""

        def steps(ada: Person) -> None:
            ada.register()
            ada.go("/publish")
            label = ada.main.get_by_label
            name, file = label("Name", exact=True), label("File", exact=True)
            shots = label("Screenshots", exact=True)
            ada.press("Publish")
            expect(name).to_be_focused()
            expect(name).to_have_accessible_description("Give it a name.")
            expect(file).to_have_accessible_description(re.compile("Choose the file.$"))
            ada.fill(Name="Tilting tower")
            expect(name).to_have_accessible_description("")
            file.set_input_files(LEVEL | {"buffer": b""})
            shots.set_input_files(SHOT)
            ada.press("Publish")
            expect(file).to_be_focused()
            expect(ada.main.get_by_text("The file is empty.")).to_be_visible()
            expect(ada.main.get_by_role("alert")).to_contain_text("not published")

        await self.walk(steps)

    async def test_others(self) -> None:
        """What is about no field stands together, in an alert."""

        def steps(ada: Person) -> None:
            ada.register()
            ada.go("/publish")
            ada.fill(Name="Tilting tower")
            ada.main.get_by_label("File", exact=True).set_input_files(LEVEL)
            ada.main.get_by_label("Screenshots", exact=True).set_input_files(SHOT)
            problems = [
                {"code": "unknown_reference", "detail": "One is not there."},
                {"code": "something_new", "detail": "A newer service says this."},
            ]

            def refuse(route: Route) -> None:
                route.fulfill(json={"needed": [], "neededPackages": [], "problems": problems})

            ada.page.route("**/upload-precheck", refuse)
            ada.press("Publish")
            alert = ada.main.get_by_role("alert")
            expect(alert).to_contain_text("Something that it uses is not there.")
            expect(alert).to_contain_text("A newer service says this.")
            expect(ada.main.locator("[aria-invalid]")).to_have_count(0)

        await self.walk(steps)
