"""What is taken away can be put back for a while; what cannot be is asked for."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, User, name
from tests.support.pictures import png

SHOT = png(64, 36)
PATIENCE = 10_500
"""Milliseconds after which nothing can be put back."""


def undo(who: Person) -> Locator:
    """The button that puts something back."""
    return who.page.get_by_role("status").get_by_role("button", name="Undo", exact=True)


class UndoTests(WalkCase):
    async def test_comments(self) -> None:
        """A player deletes comments, which go when nobody puts them back any more."""
        self.ada = await self.user()
        self.tower = await self.content(self.ada)
        for words in ("First", "Second", "Third", "Fourth"):
            await self.comment(self.tower, self.ada, words)

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(self.ada, f"/content/{self.tower.id}")
            self.put_back(ada)
            self.held(ada)
            self.next_one(ada)
            self.refused(ada)
            self.left(ada)

        await self.walk(journey)

    def words(self) -> set[str]:
        """The comments that the service has."""
        found = self.wait(self.get(f"{self.tower.path}/comments", expect=200)).json()
        return {one["body"] for one in found["items"] if not one["deleted"]}

    def delete_it(self, ada: Person, words: str) -> None:
        """Delete a comment: it goes at once."""
        shown = ada.main.get_by_text(words, exact=True)
        comment = ada.main.get_by_role("article").filter(has_text=words)
        ada.press(f"Delete the comment of {self.ada.username}", comment)
        expect(shown).to_have_count(0)
        expect(undo(ada)).to_be_visible()

    @step
    def put_back(self, ada: Person) -> None:
        """`Undo`, the next stop of the keyboard, puts it back, and nothing was sent."""
        self.delete_it(ada, "First")
        ada.page.keyboard.press("Tab")
        expect(undo(ada)).to_be_focused()
        ada.page.keyboard.press("Enter")
        expect(ada.main.get_by_text("First", exact=True)).to_be_visible()
        expect(undo(ada)).to_have_count(0)
        self.assertIn("First", self.words())

    @step
    def held(self, ada: Person) -> None:
        """The time stands still while `Undo` has the pointer or the focus; when it is over, the
        comment is deleted."""
        self.delete_it(ada, "First")
        ada.page.clock.run_for(PATIENCE // 2)
        undo(ada).hover()
        ada.page.clock.run_for(2 * PATIENCE)
        expect(undo(ada)).to_be_visible()
        ada.page.mouse.move(0, 0)
        undo(ada).focus()
        ada.page.clock.run_for(2 * PATIENCE)
        expect(undo(ada)).to_be_visible()
        self.assertIn("First", self.words())
        undo(ada).blur()
        with ada.answered("DELETE */comments/*"):
            ada.page.clock.run_for(PATIENCE)
        expect(undo(ada)).to_have_count(0)
        self.assertNotIn("First", self.words())

    @step
    def next_one(self, ada: Person) -> None:
        """The next such thing has the one before sent."""
        self.delete_it(ada, "Second")
        with ada.answered("DELETE */comments/*"):
            self.delete_it(ada, "Third")
        undo(ada).click()
        expect(ada.main.get_by_text("Third", exact=True)).to_be_visible()
        self.assertEqual({"Third", "Fourth"}, self.words())

    @step
    def refused(self, ada: Person) -> None:
        """What the service refuses is there again, with an alert."""
        self.delete_it(ada, "Third")
        with ada.held("**/comments/*") as waiting:
            ada.page.clock.run_for(PATIENCE)
        expect(undo(ada)).to_have_count(0)
        ada.until(lambda: bool(waiting), "nothing was asked")
        ada.refuse(waiting, title="No", status=403, code="forbidden")
        expect(ada.page.get_by_role("alert")).to_be_visible()
        expect(ada.page.get_by_text("It is there again.", exact=False)).to_be_visible()
        expect(ada.main.get_by_text("Third", exact=True)).to_be_visible()
        ada.page.get_by_role("button", name=re.compile("^Dismiss: ")).click()
        ada.spare("403")

    @step
    def left(self, ada: Person) -> None:
        """A move leaves it as it is; a reload has it sent."""
        self.delete_it(ada, "Third")
        ada.move("/challenges")
        expect(undo(ada)).to_be_visible()
        self.assertIn("Third", self.words())
        ada.page.go_back()
        expect(ada.main.get_by_text("Fourth", exact=True)).to_be_visible()
        expect(ada.main.get_by_text("Third", exact=True)).to_have_count(0)
        ada.page.reload()
        expect(ada.main.get_by_text("Fourth", exact=True)).to_be_visible()
        expect(ada.main.get_by_text("Third", exact=True)).to_have_count(0)
        self.assertEqual({"Fourth"}, self.words())

    async def test_another_user(self) -> None:
        """Who logs in as another user leaves what was taken away to the first, whose friend is the
        friend of both."""
        ada, eve, rex = await self.user(), await self.user(), await self.user()
        for one in (ada, eve):
            await self.put(f"user/{one.id}/friend/{rex.id}", by=one, expect=204)
            await self.put(f"user/{rex.id}/friend/{one.id}", by=rex, expect=204)

        def journey(who: Person) -> None:
            who.page.clock.install()
            who.log_in(ada, f"/user/{rex.id}")
            who.press("End friendship")
            expect(undo(who)).to_be_visible()
            who.move("/log-in")
            who.fill(Username=eve.username, Password=eve.password)
            with who.answered(f"DELETE */user/{ada.id}/friend/{rex.id}"):
                who.press("Log in")
            expect(who.header.get_by_text(eve.username, exact=True)).to_be_visible()
            who.page.clock.run_for(2 * PATIENCE)

        await self.walk(journey)
        found = (await self.get(f"user/{rex.id}/friends", by=rex, expect=200)).json()
        self.assertEqual([eve.id], [one["user"]["id"] for one in found])

    async def test_others(self) -> None:
        """A player withdraws content, parts from a friend, ends a log-in and blocks somebody."""
        ada, rex = await self.user(), await self.user()
        content = await self.content(ada, name=name("tower"))
        for one, other in ((ada, rex), (rex, ada)):
            await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)

        def journey(who: Person) -> None:
            who.log_in(ada, f"/content/{content.id}")
            self.withdrawn(who, content)
            self.parted(who, ada, rex)
            self.ended(who)
            self.blocked(who, rex)

        await self.walk(journey)

    @step
    def withdrawn(self, who: Person, content: Content) -> None:
        """What is withdrawn is so at once, and `Undo` restores it."""
        who.open("Manage")
        with who.answered("DELETE */content/*"):
            who.press("Withdraw")
        expect(button(who.main, "Restore")).to_be_visible()
        self.wait(self.get(content.path, expect=404))
        who.move("/challenges")
        with who.answered("POST */restore"):
            undo(who).click()
        self.wait(self.get(content.path, expect=200))
        who.page.go_back()
        expect(button(who.main, "Withdraw")).to_be_visible()

    @step
    def parted(self, who: Person, ada: User, rex: User) -> None:
        """A friendship ends at once; `Undo` brings it back, and a log-out has it sent."""
        who.move(f"/user/{rex.id}")
        who.press("End friendship")
        expect(button(who.main, "Ask for friendship")).to_be_visible()
        undo(who).click()
        who.press("End friendship")
        friends = f"user/{ada.id}/friends"
        self.assertEqual(1, len(self.wait(self.get(friends, by=ada, expect=200)).json()))
        with who.answered(f"DELETE */friend/{rex.id}"):
            who.press("Log out", who.header)
        who.left()
        self.assertEqual([], self.wait(self.get(friends, by=ada, expect=200)).json())
        who.log_in(ada, "/settings")

    @step
    def ended(self, who: Person) -> None:
        """A log-in is ended after a dialog that names it."""
        one = who.main.get_by_role("button", name="End: ").first
        one.click()
        expect(who.dialog).to_contain_text("last used")
        with who.answered("DELETE */sessions/*"):
            who.press("End", who.dialog)
        expect(who.dialog).to_have_count(0)

    @step
    def blocked(self, who: Person, rex: User) -> None:
        """A player is blocked after a dialog that names them."""
        who.move(f"/user/{rex.id}")
        who.press("Block")
        dialog = who.page.get_by_role("dialog", name=f"Block {rex.username}?", exact=True)
        expect(dialog).to_be_visible()
        who.escape()
        expect(who.main.get_by_text("You have blocked this player.")).to_have_count(0)
        who.press("Block")
        who.press("Block", dialog)
        expect(who.main.get_by_text("You have blocked this player.")).to_be_visible()


class AwayTests(WalkCase):
    async def test_away(self) -> None:
        """An author publishes, goes on, and is told where they are then. Who closes the tab
        meanwhile is asked."""

        def journey(ada: Person) -> None:
            ada.register("/publish")
            self.going_on(ada)
            self.told(ada)

        await self.walk(journey)

    @step
    def going_on(self, ada: Person) -> None:
        """A move while files are under way asks nothing; a reload does."""
        self.asked: list[str] = []
        ada.page.on("dialog", lambda one: (self.asked.append(one.type), one.dismiss()))
        ada.fill(Name="Tilting tower")
        ada.main.get_by_label("File", exact=True).set_input_files(
            {"name": "level.bin", "mimeType": "application/octet-stream", "buffer": b"level"}
        )
        ada.main.get_by_label("Screenshots", exact=True).set_input_files(
            {"name": "shot.png", "mimeType": "image/png", "buffer": SHOT}
        )
        with ada.held("**/api/v1/content/*") as self.waiting:
            ada.press("Publish")
        ada.header.get_by_role("link", name="Challenges", exact=True).click()
        ada.main.get_by_role("heading", name="Challenges", level=1).wait_for()
        self.assertEqual([], self.asked)
        ada.page.evaluate("location.reload()")
        ada.until(lambda: self.asked == ["beforeunload"], "nobody was asked")

    @step
    def told(self, ada: Person) -> None:
        """What is published then says so, with a link, and nobody is taken there."""
        (route,) = self.waiting
        route.continue_()
        ada.page.unroute_all()
        said = ada.page.get_by_role("status").filter(has_text="Tilting tower is published.")
        expect(said).to_be_visible()
        self.assertTrue(ada.page.url.endswith("/challenges"))
        said.get_by_role("link", name="Open it", exact=True).click()
        ada.main.get_by_role("heading", name="Tilting tower", level=1).wait_for()
        with ada.read():
            ada.page.reload()
        self.assertEqual(["beforeunload"], self.asked)
