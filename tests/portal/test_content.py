"""The page of a content, as visitors, players and authors use it (docs/portal.md)."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

from PIL import Image
from playwright.sync_api import Download, Route, expect

from tests.contract.browser import step
from tests.portal.test_face import PHONE, SHIFTS, SMALL, STILL
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, User, draft, entity, guid, name
from tests.spec.files.support import File, FilesCase, blob, made_of, packed
from tests.support.pictures import PNG, WEBP

WIDE = {"width": 1440, "height": 900}


def shot(width: int, height: int, colour: str) -> File:
    """A screenshot of this shape."""
    written = BytesIO()
    Image.new("RGB", (width, height), colour).save(written, "PNG")
    return File(written.getvalue(), "screenshot", PNG)


def moving() -> File:
    """A screenshot that moves."""
    written = BytesIO()
    first, *others = [Image.new("RGB", (160, 90), colour) for colour in ("teal", "olive")]
    first.save(written, "WEBP", save_all=True, append_images=others, duration=100, loop=0)
    return File(written.getvalue(), "screenshot", WEBP)


class ContentCase(WalkCase, FilesCase):
    connect = WalkCase.connect

    async def made(self, author: User, files: list[tuple[str, File]], **changes: Any) -> Content:
        """Content of these files by their names, the core first, and a tall and a wide picture."""
        shots = [shot(90, 160, "teal"), shot(320, 90, "olive")]
        (called, core), *others = files
        await self.upload(author, *shots, core, *(file for _, file in others))
        return await self.content(
            author,
            screenshotUris=[one.path for one in shots],
            entity=made_of(core) | {"name": called},
            originating=[made_of(file) | {"name": each} for each, file in others],
            packagesOriginating=[],
            **changes,
        )


class DownloadTests(ContentCase):
    async def test_all(self) -> None:
        """A visitor downloads all files in one archive, with their names."""
        author = await self.user()
        self.files = [
            ("tower.bin", blob(70_000)),
            ("texture.zip", blob(61)),
            ("texture.zip", blob(62)),
            ("Texture.ZIP", blob(63)),
            ("märchen ☃.txt", blob(64)),
        ]
        self.content_made = await self.made(author, self.files, name="Glass / Cathedral")

        def journey(ada: Person) -> None:
            ada.go(f"/content/{self.content_made.id}")
            self.archive(ada, "Download")
            self.archive(ada, "Download all")
            self.one(ada)
            self.cut(ada)
            self.damaged(ada)

        await self.walk(journey)

    @step
    def archive(self, ada: Person, text: str) -> None:
        """The archive has each file, and a second of a name has another one."""
        with ada.page.expect_download() as found:
            ada.press(text)
        self.assertEqual("Glass _ Cathedral.zip", found.value.suggested_filename)
        with ZipFile(found.value.path()) as archive:
            self.assertIsNone(archive.testzip())
            had = {one: archive.read(one) for one in archive.namelist()}
        names = ("tower.bin", "texture.zip", "texture (2).zip", "Texture (3).ZIP", "märchen ☃.txt")
        wanted = {each: file.data for each, (_, file) in zip(names, self.files, strict=True)}
        self.assertEqual(wanted, had)
        expect(ada.main.get_by_role("status").filter(has_text="verified")).to_have_count(1)

    @step
    def one(self, ada: Person) -> None:
        """A file alone is saved under its name."""
        with ada.page.expect_download() as found:
            ada.press("Download tower.bin")
        self.assertEqual("tower.bin", found.value.suggested_filename)
        with open(found.value.path(), "rb") as file:
            self.assertEqual(self.files[0][1].data, file.read())

    def saved(self, ada: Person) -> list[Download]:
        """What is saved from now on."""
        found: list[Download] = []

        def note(one: Download) -> None:
            found.append(one)

        ada.page.on("download", note)
        return found

    @step
    def cut(self, ada: Person) -> None:
        """Who cancels gets nothing, and no alert."""
        held: list[Route] = []
        saved = self.saved(ada)

        def hold(route: Route) -> None:
            held.append(route)

        ada.page.route(f"**{self.files[1][1].path}*", hold)
        ada.press("Download all")
        ada.until(lambda: bool(held), "the file is not asked for")
        cancel = ada.main.get_by_role("button", name="Cancel", exact=True)
        cancel.first.click()
        expect(cancel).to_have_count(0)
        expect(ada.main.get_by_role("alert")).to_have_count(0)
        ada.page.unroute_all()
        self.assertEqual([], saved)

    @step
    def damaged(self, ada: Person) -> None:
        """Where a file arrives damaged twice, nothing is saved, and an alert says so."""
        saved = self.saved(ada)
        wrong = self.files[2][1]
        ada.page.route(f"**{wrong.path}*", lambda route: route.fulfill(body=bytes(len(wrong.data))))
        ada.press("Download all")
        expect(ada.main.get_by_role("alert")).to_contain_text("damaged")
        ada.page.unroute_all()
        self.assertEqual([], saved)

    async def test_platforms(self) -> None:
        """A file that stands twice is in the archive once, and one alone is no archive."""
        author = await self.user()
        one, other = blob(61, "package"), blob(62, "package")
        core = blob(60)
        await self.upload(author, core, one, other)
        pack = packed(win64=one, linux64=other, osx64=other) | {"name": "pack.zip"}
        many = await self.content(
            author, entity=made_of(core), originating=[], packagesOriginating=[pack], name="Many"
        )
        alone = blob(59)
        await self.upload(author, alone)
        single = await self.content(
            author, entity=made_of(alone), originating=[], packagesOriginating=[]
        )

        def journey(ada: Person) -> None:
            ada.go(f"/content/{many.id}")
            for words in ("Core file", "pack.zip, Windows", "pack.zip, Linux", "pack.zip, macOS"):
                expect(button(ada.main, f"Download {words}")).to_have_count(1)
            with ada.page.expect_download() as found:
                ada.press("Download all")
            with ZipFile(found.value.path()) as archive:
                self.assertEqual(["Many.bin", "pack.zip", "pack (2).zip"], archive.namelist())
            ada.go(f"/content/{single.id}")
            expect(button(ada.main, "Download all")).to_have_count(0)
            with ada.page.expect_download() as found:
                ada.press("Download")
            self.assertEqual(f"{single.sent['name']}.bin", found.value.suggested_filename)

        await self.walk(journey)


class PageTests(ContentCase):
    async def test_pictures(self) -> None:
        """Pictures keep their shape, and are opened large."""
        made = await self.made(await self.user(), [("tower.bin", blob())], name="Two shapes")

        def journey(ada: Person) -> None:
            ada.go(f"/content/{made.id}")
            stage = ada.main.get_by_role("button", name="Screenshot 1 of Two shapes", exact=True)
            self.assertEqual(
                "contain",
                stage.locator("img").last.evaluate("one => getComputedStyle(one).objectFit"),
            )
            stage.click()
            self.turned(ada)
            ada.escape()
            expect(
                ada.main.get_by_role("button", name="Screenshot 2 of Two shapes", exact=True)
            ).to_be_focused()

        await self.walk(journey)

    @step
    def turned(self, ada: Person) -> None:
        """Arrow keys, buttons and a swipe lead to the next; the dialog says which it is."""
        said = ada.dialog.get_by_role("status")
        expect(ada.dialog).to_have_accessible_name("Two shapes")
        expect(said).to_have_text("Screenshot 1 of 2")
        ada.page.keyboard.press("ArrowRight")
        expect(said).to_have_text("Screenshot 2 of 2")
        ada.page.keyboard.press("ArrowLeft")
        expect(said).to_have_text("Screenshot 1 of 2")
        ada.press("Next screenshot", ada.dialog)
        expect(said).to_have_text("Screenshot 2 of 2")
        ada.press("Previous screenshot", ada.dialog)
        expect(said).to_have_text("Screenshot 1 of 2")
        ada.page.mouse.move(800, 450)
        ada.page.mouse.down()
        ada.page.mouse.move(600, 460, steps=3)
        ada.page.mouse.up()
        expect(said).to_have_text("Screenshot 2 of 2")
        expect(ada.dialog.get_by_role("img")).to_have_accessible_name("Screenshot 2 of Two shapes")

    async def test_moving(self) -> None:
        """A picture that moves stands still on the page, and can be stopped where it is large; it
        waits to be asked where little is to move."""
        author, shot, core = await self.user(), moving(), blob()
        await self.upload(author, shot, core)
        made = await self.content(
            author, name="Moving", screenshotUris=[shot.path], entity=made_of(core)
        )

        def journey(ada: Person) -> None:
            ada.go(f"/content/{made.id}")
            stage = ada.main.get_by_role("button", name="Screenshot 1 of Moving", exact=True)
            expect(stage.locator("canvas.own-shape")).to_be_visible()
            stage.click()
            expect(ada.dialog.locator("img")).to_be_visible()
            ada.press("Pause", ada.dialog)
            expect(ada.dialog.locator("canvas")).to_be_visible()
            ada.escape()
            ada.page.emulate_media(reduced_motion="reduce")
            stage.click()
            ada.press("Play", ada.dialog)
            expect(ada.dialog.locator("img")).to_be_visible()

        await self.walk(journey)

    async def test_older(self) -> None:
        """An older revision has a link, and its files."""
        author, core = await self.user(), blob()
        made = await self.made(author, [("old.bin", blob())], name="Two of them", version="1.0")
        await self.upload(author, core)
        body = draft(
            version="2.0",
            entity=made_of(core) | {"name": "new.bin"},
            originating=[],
            packagesOriginating=[],
        )
        await self.post(f"{made.path}/revisions", body, by=author, expect=201)

        def journey(ada: Person) -> None:
            ada.go(f"/content/{made.id}")
            ada.main.get_by_role("link", name="1.0", exact=True).click()
            ada.page.wait_for_url("**#revision-*")
            ada.main.get_by_text("Files of 1.0", exact=True).click()
            with ada.page.expect_download() as found:
                ada.press("Download old.bin")
            self.assertEqual("old.bin", found.value.suggested_filename)

        await self.walk(journey)

    async def test_order(self) -> None:
        """The name comes first, files before comments, at every width; nothing moves, and what is
        pressed on a phone is as large as a thumb."""
        author, player = await self.user(), await self.user()
        files = [(f"file {n}.bin", blob()) for n in range(4)]
        made = await self.made(author, files, name=name("tower"))
        await self.comment(made, player)

        def journey(ada: Person, ben: Person) -> None:
            ben.log_in(player)
            for who in (ada, ben):
                who.page.add_init_script(SHIFTS)
                for size in (WIDE, {"width": 768, "height": 1024}, PHONE):
                    with self.step(f"{who is ben} {size['width']}"):
                        who.page.set_viewport_size(size)  # type: ignore[arg-type]
                        self.ordered(who, made, size)

        await self.walk(journey, 2)

    def ordered(self, who: Person, made: Content, size: dict[str, int]) -> None:
        """Look at the page in a window of this size."""
        with who.read():
            who.go(f"/content/{made.id}")
            who.main.get_by_role("article").first.wait_for()
        self.assertLessEqual(who.page.evaluate("shifts"), STILL)
        if size is PHONE:
            self.assertEqual([], who.page.evaluate(SMALL))
        first = who.main.get_by_role("heading").first
        expect(first).to_have_text(made.sent["name"])
        order = "Files", "About", "Comments"
        found = [
            who.main.get_by_role("heading", name=re.compile(f"^{text}"), level=2) for text in order
        ]
        said = " ".join(who.main.get_by_role("heading").all_inner_texts())
        self.assertLess(said.index("Files"), said.index("Comments"))
        tops = [one.bounding_box() for one in found]
        upper, middle, lower = (box["y"] if box else 0 for box in tops)
        self.assertLess(upper, middle)
        self.assertLess(upper, lower)
        if size is not WIDE:
            self.assertLess(middle, lower)

    async def test_doing(self) -> None:
        """A player has one large button, and an author all that they can do behind another."""
        author, player = await self.user(), await self.user()
        made = await self.content(author)

        def journey(ada: Person, ben: Person) -> None:
            ada.log_in(author, f"/content/{made.id}")
            self.author(ada)
            ben.go(f"/content/{made.id}")
            self.visitor(ben)
            ben.log_in(player, f"/content/{made.id}")
            self.player(ben)

        await self.walk(journey, 2)

    @step
    def author(self, ada: Person) -> None:
        """An author cannot vote for it or subscribe to it, and finds the rest with `Manage`."""
        manage = button(ada.main, "Manage")
        expect(manage).to_have_attribute("aria-expanded", "false")
        for text in ("Vote up", "Subscribe", "Favourite", "Edit", "Withdraw", "More"):
            expect(button(ada.main, text)).to_have_count(0)
        manage.click()
        expect(manage).to_have_attribute("aria-expanded", "true")
        for text in ("Edit", "Withdraw", "Lock comments"):
            expect(button(ada.main, text)).to_be_visible()
        for text in ("New revision", "Statistics"):
            expect(ada.main.get_by_role("link", name=text, exact=True)).to_be_visible()
        expect(ada.main.get_by_label("Visibility", exact=True)).to_be_visible()
        manage.click()
        expect(button(ada.main, "Withdraw")).to_have_count(0)

    @step
    def visitor(self, ben: Person) -> None:
        """Anybody copies the address."""
        ben.press("Copy link")
        expect(button(ben.main, "Copied")).to_be_visible()

    @step
    def player(self, ben: Person) -> None:
        """A report is behind `More`, which Escape closes."""
        expect(button(ben.main, "Manage")).to_have_count(0)
        expect(button(ben.main, "Report")).to_have_count(0)
        more = button(ben.main, "More")
        more.click()
        ben.press("Report")
        expect(ben.dialog.get_by_label("Reason", exact=True)).to_be_focused()
        ben.escape()
        expect(button(ben.main, "Report")).to_be_focused()
        ben.page.keyboard.press("Escape")
        expect(button(ben.main, "Report")).to_have_count(0)
        expect(more).to_be_focused()

    async def test_suspended(self) -> None:
        """An author reads why content was suspended."""
        author = await self.user()
        made = await self.content(author)
        await self.moderate(made, "suspended", "It is not yours.")

        def journey(ada: Person) -> None:
            ada.log_in(author, f"/content/{made.id}")
            expect(ada.main.get_by_role("note")).to_contain_text("It is not yours.")

        await self.walk(journey)

    async def test_related(self) -> None:
        """What it uses is a link, and so is what else its author has made."""
        author, other = await self.user(), await self.user()
        id = guid()
        base = Content(id, other, draft(name=name("base"), entity=entity() | {"entityId": id}))
        await self.put(base.path, base.sent, by=other, expect=204)
        core = base.sent["entity"]
        used = {key: core[key] for key in ("entityId", "revisionId")}
        made = await self.content(author, using=[used])
        further = await self.content(author, name=name("further"))

        def journey(ada: Person) -> None:
            ada.go(f"/content/{made.id}")
            uses = ada.main.get_by_role("region", name="Uses", exact=True)
            expect(uses.get_by_role("link")).to_contain_text(base.sent["name"])
            more = ada.main.get_by_role("region", name=f"More by {author.username}", exact=True)
            expect(more.get_by_role("article")).to_have_count(1)
            expect(more).to_contain_text(further.sent["name"])
            uses.get_by_role("link").click()
            title = ada.main.get_by_role("heading", name=base.sent["name"], level=1)
            expect(title).to_be_visible()

        await self.walk(journey)
