"""A player and an author go all of their way by the keyboard alone, and find what they use by its
name in the accessibility tree. A moderator does so in test_moderator."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_moderator import enter, reach
from tests.portal.test_undo import undo
from tests.portal.walk import PASSWORD, Person, WalkCase, button
from tests.spec.data import Content, guid, name
from tests.spec.files.support import FilesCase, blob, made_of
from tests.support.pictures import png


def write(who: Person, label: str, text: str) -> None:
    """Type into a field of the place."""
    reach(who, who.main.get_by_label(label, exact=True))
    who.page.keyboard.type(text)


def choose(who: Person, label: str, *paths: Path) -> None:
    """Choose files in what the field opens. While it takes them, the browser opens no other."""
    reach(who, who.main.get_by_label(label, exact=True))
    with who.page.expect_file_chooser() as opened:
        who.page.keyboard.press("Enter")
    opened.value.set_files(paths)
    for path in paths:
        button(who.main, f"Remove {path.name}").wait_for()


def follow(who: Person, link: Locator) -> None:
    """Go where a link leads."""
    reach(who, link)
    who.page.keyboard.press("Enter")


class PlayerTests(WalkCase, FilesCase):
    connect = WalkCase.connect

    async def test_player(self) -> None:
        """A player registers, finds content, downloads it, comments, deletes that, and takes it
        back."""
        author, core = await self.user(), blob()
        await self.upload(author, core)
        made = await self.content(
            author, name=name("tower"), entity=made_of(core) | {"name": "tower.bin"}
        )

        def journey(who: Person) -> None:
            self.register(who)
            self.find(who, made)
            self.download(who)
            self.comment_and_undo(who)

        await self.walk(journey)

    @step
    def register(self, who: Person) -> None:
        """From the first page to an account."""
        who.go("/")
        follow(who, who.header.get_by_role("link", name="Register", exact=True))
        expect(who.main.get_by_role("heading", level=1)).to_have_text("Register")
        write(who, "Username", who.username)
        write(who, "E-mail", f"{who.username}@example.com")
        write(who, "Password", PASSWORD)
        who.page.keyboard.press("Enter")
        who.arrive()

    @step
    def find(self, who: Person, made: Content) -> None:
        """The search of the header leads to the page of the content."""
        title = made.sent["name"]
        reach(who, who.header.get_by_role("searchbox", name="Search", exact=True))
        who.page.keyboard.type(title)
        who.page.keyboard.press("Enter")
        who.page.wait_for_url("**/search?q=*")
        follow(who, who.main.get_by_role("link", name=title, exact=True))
        who.main.get_by_role("heading", name=title, level=1).wait_for()

    @step
    def download(self, who: Person) -> None:
        """A file is saved under its name."""
        reach(who, button(who.main, "Download tower.bin"))
        with who.page.expect_download() as saved:
            who.page.keyboard.press("Enter")
        self.assertEqual("tower.bin", saved.value.suggested_filename)

    @step
    def comment_and_undo(self, who: Person) -> None:
        """A comment has the focus when it is sent; what was deleted is put back."""
        write(who, "Comment", "Higher!")
        enter(who, "Comment")
        comment = who.main.get_by_role("article").filter(has_text="Higher!")
        expect(comment).to_be_focused()
        enter(who, f"Delete the comment of {who.username}")
        expect(comment).to_have_count(0)
        expect(undo(who)).to_be_visible()
        who.page.keyboard.press("Tab")
        expect(undo(who)).to_be_focused()
        who.page.keyboard.press("Enter")
        expect(comment).to_be_visible()


class AuthorTests(WalkCase):
    async def test_author(self) -> None:
        """An author publishes with five files, changes a screenshot, withdraws, and takes that
        back."""

        def journey(who: Person) -> None:
            self.write_files()
            who.register("/publish")
            self.publish(who)
            self.reshoot(who)
            self.withdraw(who)

        await self.walk(journey)

    def write_files(self) -> None:
        """Five files, and two pictures."""
        folder = Path(self.mktemp())
        folder.mkdir()
        self.files = [folder / f"{each}.bin" for each in ("core", "one", "two", "three", "four")]
        for file in self.files:
            file.write_bytes(guid().encode())
        self.shots = [folder / f"{each}.png" for each in ("wide", "high")]
        for shot in self.shots:
            shot.write_bytes(png(64, 36))

    def screenshots(self) -> list[str]:
        """Those that the service has."""
        found = self.wait(self.get(self.path.removeprefix("/"), expect=200))
        return list(found.json()["screenshotUris"])

    @step
    def publish(self, who: Person) -> None:
        """A form is filled in, and its button publishes."""
        title = name("tower")
        write(who, "Name", title)
        choose(who, "Screenshots", self.shots[0])
        core, *others = self.files
        choose(who, "File", core)
        choose(who, "Further files", *others)
        enter(who, "Publish")
        who.page.wait_for_url("**/content/*")
        who.main.get_by_role("heading", name=title, level=1).wait_for()
        self.path = who.page.url.removeprefix(who.base)
        for file in self.files:
            expect(button(who.main, f"Download {file.name}")).to_be_visible()

    @step
    def reshoot(self, who: Person) -> None:
        """A screenshot is taken out, and another takes its place."""
        before = self.screenshots()
        enter(who, "Manage")
        enter(who, "Edit")
        choose(who, "Screenshots", self.shots[1])
        enter(who, "Remove Screenshot 1")
        with who.answered("PUT */content/*"):
            enter(who, "Save")
        expect(button(who.main, "Save")).to_have_count(0)
        after = self.screenshots()
        self.assertEqual((1, 1), (len(before), len(after)))
        self.assertNotEqual(before, after)

    @step
    def withdraw(self, who: Person) -> None:
        """What was withdrawn is restored."""
        if button(who.main, "Withdraw").count() == 0:
            enter(who, "Manage")
        with who.answered("DELETE */content/*"):
            enter(who, "Withdraw")
        expect(button(who.main, "Restore")).to_be_visible()
        with who.answered("POST */restore"):
            follow(who, undo(who))
        expect(button(who.main, "Withdraw")).to_be_visible()
