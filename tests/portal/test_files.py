"""What the portal sends of pictures, and how it tells the files of a content apart."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User
from tests.spec.files.support import File, FilesCase, blob, made_of, packed, picture
from tests.spec.shapes import CONTENT
from tests.support import pictures
from tests.support.pictures import PNG, WEBP


class FilesTests(WalkCase, FilesCase):
    connect = WalkCase.connect

    async def test_files(self) -> None:
        """A picture goes without its metadata, and files of packages have their platforms."""
        author: User = await self.user()
        shot, core = picture(), blob()
        one, other, third = (blob(size, "package") for size in (61, 62, 63))
        await self.upload(author, shot, core, one, other, third)
        made = await self.content(
            author,
            name="Two packages",
            screenshotUris=[shot.path],
            entity=made_of(core),
            originating=[],
            packagesOriginating=[packed(win64=one, linux64=other), packed(win64=third)],
        )
        photo = pictures.turned(6, WEBP)
        sent = File(pictures.without_metadata(photo, WEBP), "screenshot", WEBP)
        paths: list[str] = []

        def journey(ada: Person) -> None:
            self.told_apart(ada, f"/content/{made.id}")
            ada.register("/publish")
            paths.append(self.photo(ada, photo))

        await self.walk(journey)
        content = await self.read(f"/api/v1{paths[0]}", CONTENT)
        self.assertEqual([sent.path], content["screenshotUris"])
        self.assertEqual({"owner": 76561198012345678}, content["attributes"])

    @step
    def told_apart(self, ada: Person, path: str) -> None:
        """Each file of a package says its platform, and its package where there are several."""
        ada.go(path)
        expect(ada.main.get_by_role("button", name=re.compile("^Download .+"))).to_have_count(5)
        for words in (
            "all",
            "Core file",
            "Package 1, Windows",
            "Package 1, Linux",
            "Package 2, Windows",
        ):
            expect(button(ada.main, f"Download {words}")).to_have_count(1)

    @step
    def photo(self, ada: Person, photo: bytes) -> str:
        """A photo with another name than it has bytes, and a number with all of its digits."""
        ada.fill(Name="A photo")
        ada.main.get_by_label("File", exact=True).set_input_files(
            {"name": "level.bin", "mimeType": "application/octet-stream", "buffer": blob().data}
        )
        ada.main.get_by_label("Screenshots", exact=True).set_input_files(
            {"name": "photo.png", "mimeType": PNG, "buffer": photo}
        )
        ada.main.get_by_text("Requirements and attributes").click()
        ada.press("Add an attribute")
        ada.main.get_by_label("Attribute 1", exact=True).fill("owner")
        ada.main.get_by_label("Kind 1", exact=True).select_option("number")
        ada.main.get_by_label("Value 1", exact=True).fill("76561198012345678")
        ada.press("Publish")
        ada.page.wait_for_url("**/content/*")
        link = ada.main.get_by_role("link", name="owner 76561198012345678", exact=True)
        expect(link).to_be_visible()
        return ada.page.url.removeprefix(ada.base)
