"""What players made whom the visitor blocks is folded on every page."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import Content, User, guid, name

FOLDED = "From a player you have blocked."
EFFECTS = ("friendship and following", "write", "comment", "folded", "not told")


class BlockedTests(WalkCase, ChallengeCase):
    async def test_blocked(self) -> None:
        """A player blocks another, whose things are folded from then on, and are not after the
        block is taken back."""
        ada, rex = await self.user(), await self.user()
        tower = await self.content(ada, name=name("tower"))
        self.title, self.said = name("ruin"), name("words")
        ruin = await self.content(rex, name=self.title)
        self.made = await self.challenge()
        await self.enter(self.made, ruin)
        for target, body in ((tower, self.said), (ruin, "First.")):
            await self.comment(target, rex, body)
        gathered = guid()
        body = {"name": name("gathered"), "description": "", "public": True}
        await self.put(f"user/{rex.id}/collections/{gathered}", body, by=rex, expect=204)
        await self.put(f"user/{ada.id}/subscription/{ruin.id}", {"pin": None}, by=ada, expect=204)
        await self.put(f"user/{rex.id}/friend/{ada.id}", by=rex, expect=204)
        await self.put(f"user/{ada.id}/friend/{rex.id}", by=ada, expect=204)
        message = {"id": guid(), "text": name("psst")}
        await self.post(f"user/{rex.id}/friend/{ada.id}/messages", message, by=rex, expect=201)
        self.hidden = {
            f"/browse?author={rex.id}": self.title,
            f"/browse?q={self.title}": self.title,
            f"/content/{ruin.id}": self.title,
            f"/content/{tower.id}": self.said,
            f"/user/{rex.id}": self.title,
            f"/collections/{gathered}": body["name"],
            f"/challenges/{self.made.id}": self.title,
            "/library": self.title,
            "/notifications": "commented",
            "/friends": message["text"],
            f"/messages/{rex.id}": message["text"],
        }

        def journey(visitor: Person) -> None:
            visitor.log_in(ada, f"/user/{rex.id}")
            self.blocks(visitor)
            self.everywhere(visitor)
            self.shows(visitor, ruin)
            self.takes_back(visitor, rex)

        await self.walk(journey)

    @step
    def blocks(self, ada: Person) -> None:
        """The button says what it does, and what the player made is folded at once."""
        expect(ada.main.get_by_text(self.title)).to_have_count(1)
        said = button(ada.main, "Block").get_attribute("aria-describedby")
        for effect in EFFECTS:
            expect(ada.page.locator(f"#{said}")).to_contain_text(effect)
        ada.press("Block")
        ada.press("Block", ada.dialog)
        expect(ada.main.get_by_text("You have blocked this player.", exact=True)).to_be_visible()
        expect(ada.main.get_by_text(self.title)).to_have_count(0)

    @step
    def everywhere(self, ada: Person) -> None:
        """It is folded on each page, of a page that is loaded too, and its picture is not asked
        for."""
        for move in (ada.go, ada.move):
            for path, text in self.hidden.items():
                with self.step(f"{move.__name__} {path}"):
                    move(path)
                    expect(self.folds(ada).first).to_be_visible()
                    expect(ada.main.get_by_text(text)).to_have_count(0)
                    self.assertNotIn(text, ada.page.title())

    @step
    def shows(self, ada: Person, ruin: Content) -> None:
        """The word shows what is folded, with what lies within."""
        ada.go(f"/content/{ruin.id}")
        ada.press("Show")
        ada.main.get_by_role("heading", name=self.title, level=1).wait_for()
        expect(ada.main.get_by_text("First.", exact=True)).to_be_visible()
        expect(self.folds(ada)).to_have_count(0)

    @step
    def takes_back(self, ada: Person, rex: User) -> None:
        """Without the block all is there again."""
        ada.go("/settings")
        row = ada.main.get_by_role("listitem").filter(has_text=rex.username)
        ada.press(f"Unblock: {rex.username}", row)
        expect(row).to_have_count(0)
        ada.move(f"/browse?author={rex.id}")
        expect(ada.main.get_by_text(self.title)).to_have_count(1)
        expect(self.folds(ada)).to_have_count(0)

    def folds(self, ada: Person) -> Locator:
        """What is folded on the page."""
        return ada.main.get_by_text(FOLDED)
