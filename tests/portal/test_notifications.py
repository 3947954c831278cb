"""What a player is told: about what, by whom, and what can be done with it."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_blocked import FOLDED
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User, guid, name

PART = 50
"""So many are shown at first."""
MANY = PART + 2
PATIENCE = 10_500
"""Milliseconds after which nothing can be put back."""
NARROW = """() => [document.documentElement.scrollWidth,
    ...[...document.querySelectorAll("main :is(button, select)")]
        .filter((one) => one.checkVisibility())
        .map((one) => Math.min(one.offsetWidth, one.offsetHeight))]"""
"""The width of the page, and the smaller side of each control."""


class NotificationsTests(WalkCase):
    async def test_told(self) -> None:
        """A player reads what happened, narrows it, and takes rows away."""
        self.ada, self.ben, self.eve = await self.user(), await self.user(), await self.user()
        self.title = name("Tower")
        self.tower = await self.content(self.ada, name=self.title)
        for who, words in ((self.ben, "I fell."), (self.eve, "Me too."), (self.ben, "Twice now.")):
            await self.comment(self.tower, who, words)
        await self.put(f"user/{self.ben.id}/friend/{self.ada.id}", by=self.ben, expect=204)
        await self.put(f"user/{self.ada.id}/friend/{self.ben.id}", by=self.ada, expect=204)
        for words in ("Are you there?", "Tower at nine?"):
            path = f"user/{self.ben.id}/friend/{self.ada.id}/messages"
            await self.post(path, {"text": words}, by=self.ben, expect=201)

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.log_in(self.ada)
            self.says(ada)
            self.unread(ada)
            self.kind(ada)
            self.by_keys(ada)
            self.deletes(ada)
            self.narrow(ada)

        await self.walk(journey)

    def row(self, ada: Person, words: str) -> Locator:
        """The row with these words."""
        return ada.main.get_by_role("listitem").filter(has_text=words)

    @step
    def says(self, ada: Person) -> None:
        """Repeats about one thing are one row, with who, what, and a line of the newest; a page of
        them asks for players and content once."""
        asked: list[str] = []
        ada.page.on("request", lambda one: asked.append(one.url))
        with ada.read():
            ada.move("/notifications")
        who = f"{self.ben.username} and {self.eve.username}"
        row = self.row(ada, "commented on")
        link = row.get_by_role("link", name=f"{who} commented on {self.title}.", exact=True)
        expect(link).to_have_attribute(
            "href", re.compile(rf"/content/{self.tower.id}#comment-\d+$")
        )
        expect(row).to_contain_text("Twice now.")
        expect(row).to_contain_text("3 times")
        expect(self.row(ada, f"{self.ben.username} wrote to you.")).to_contain_text(
            "Tower at nine?"
        )
        for what in (rf"/user\?ids=.*{self.ben.id}", r"/content\?ids=", r"/comments/"):
            found = [one for one in asked if re.search(what, one)]
            self.assertEqual(1, len(found), found)

    @step
    def unread(self, ada: Person) -> None:
        """What was marked stays among the unread until something else is chosen."""
        unread = button(ada.main, "Unread")
        unread.click()
        expect(unread).to_have_attribute("aria-pressed", "true")
        expect(unread).to_be_focused()
        row = self.row(ada, "commented on")
        with ada.answered("PATCH */notifications/*"):
            row.get_by_role("button", name="Mark as read: ").click()
        expect(row.get_by_role("button", name="Mark as unread: ")).to_be_visible()
        expect(row.get_by_role("img", name="Unread")).to_have_count(0)
        ada.page.reload()
        expect(self.row(ada, "wrote to you")).to_be_visible()
        expect(row).to_have_count(0)
        states = {each["kind"]: each["read"] for each in self.wait(self.notifications(self.ada))}
        self.assertTrue(states["CommentOnContent"])
        self.assertFalse(states["FriendMessage"])

    @step
    def kind(self, ada: Person) -> None:
        """One kind is shown, and the address says so: back shows what was before."""
        ada.press("Unread")
        expect(self.row(ada, "commented on")).to_be_visible()
        kind = ada.main.get_by_label("Kind", exact=True)
        kind.select_option(label="Comments on my content")
        expect(self.row(ada, "wrote to you")).to_have_count(0)
        expect(ada.main.get_by_role("status").first).to_have_text("1 found")
        self.assertIn("kind=CommentOnContent", ada.page.url)
        ada.page.go_back()
        expect(self.row(ada, "wrote to you")).to_be_visible()
        expect(kind).to_have_value("")

    @step
    def by_keys(self, ada: Person) -> None:
        """Who deletes a row by keys goes on with the one in its place, also after `Undo`."""
        rows = ada.main.get_by_role("list", name="Notifications", exact=True).get_by_role(
            "listitem"
        )
        first = rows.first.get_by_role("link").inner_text()
        rows.first.get_by_role("button", name="Delete: ").press("Enter")
        expect(ada.main.get_by_role("link", name=first, exact=True)).to_have_count(0)
        expect(rows.first.get_by_role("link")).to_be_focused()
        undo = ada.page.get_by_role("button", name="Undo", exact=True)
        undo.wait_for()
        ada.page.keyboard.press("Tab")
        expect(undo).to_be_focused()
        ada.page.keyboard.press("Enter")
        expect(rows.first.get_by_role("link")).to_have_text(first)
        expect(rows.nth(1).get_by_role("link")).to_be_focused()

    @step
    def deletes(self, ada: Person) -> None:
        """A row goes with all that it stands for, once nobody puts it back any more."""
        row = self.row(ada, "commented on")
        row.get_by_role("button", name="Delete: ").click()
        expect(row).to_have_count(0)
        ada.page.get_by_role("button", name="Undo", exact=True).click()
        expect(row).to_contain_text("3 times")
        row.get_by_role("button", name="Delete: ").click()
        expect(row).to_have_count(0)
        with ada.read():
            ada.page.clock.run_for(PATIENCE)
        expect(row).to_have_count(0)
        kinds = {each["kind"] for each in self.wait(self.notifications(self.ada))}
        self.assertNotIn("CommentOnContent", kinds)
        self.assertIn("FriendMessage", kinds)

    @step
    def narrow(self, ada: Person) -> None:
        """On a phone nothing is cut off, what a thumb presses is large, and one button of each row
        shows the others."""
        ada.page.set_viewport_size({"width": 360, "height": 740})
        row = self.row(ada, "wrote to you")
        expect(row.get_by_role("button", name="Delete: ")).to_be_hidden()
        row.get_by_role("button", name="More: ").click()
        expect(row.get_by_role("button", name="Delete: ")).to_be_visible()
        width, *sides = ada.page.evaluate(NARROW)
        self.assertLessEqual(width, 360)
        self.assertGreaterEqual(min(sides), 44)

    async def test_more(self) -> None:
        """Who asks for more by keys goes on with the first of what comes."""
        admin, ada = await self.admin(), await self.user()
        for n in range(MANY):
            told = {"id": guid(), "topic": "news", "data": {"title": f"News {n}"}, "to": [ada.id]}
            await self.post("notifications", told, by=admin, expect=202)
        while len(await self.notifications(ada)) < MANY:
            pass

        def journey(who: Person) -> None:
            who.log_in(ada, "/notifications")
            rows = who.main.get_by_role("list", name="Notifications", exact=True)
            button(who.main, "Show more").press("Enter")
            expect(rows.get_by_role("listitem")).to_have_count(MANY)
            came = rows.get_by_role("listitem").nth(PART)
            expect(came.locator(":is(a, button):focus")).to_have_count(1)

        await self.walk(journey)

    async def test_hidden(self) -> None:
        """Of what is gone or blocked nothing is said, and nothing asked for."""
        ada, ben, eve = await self.user(), await self.user(), await self.user()
        await self.put(f"user/{ada.id}/following/{ben.id}", by=ada, expect=204)
        gone = await self.content(ben, name=name("Gone"))
        tower = await self.content(ada, name=name("Tower"))
        # Followers hear of it a moment later; of what is gone by then they do not.
        while not await self.notifications(ada):
            pass
        await self.delete(gone.path, by=ben, expect=204)
        await self.comment(tower, eve, "Psst.")
        await self.put(f"user/{ada.id}/blocked/{eve.id}", by=ada, expect=204)

        def journey(who: Person) -> None:
            asked: list[str] = []
            who.page.on("request", lambda one: asked.append(one.url))
            with who.read():
                who.log_in(ada, "/notifications")
            self.says_little(who, ben)
            self.folds(who, eve, asked)

        await self.walk(journey)

    @step
    def says_little(self, ada: Person, ben: User) -> None:
        """What was withdrawn has no name any more."""
        text = f"{ben.username} published something new."
        expect(ada.main.get_by_role("link", name=text, exact=True)).to_be_visible()

    @step
    def folds(self, ada: Person, eve: User, asked: list[str]) -> None:
        """What a blocked player did is folded, and asked for when it is shown."""
        expect(ada.main.get_by_text(FOLDED)).to_be_visible()
        self.assertEqual([], [url for url in asked if eve.id in url or "/comments/" in url])
        ada.press("Show")
        expect(ada.main.get_by_text(f"{eve.username} commented on", exact=False)).to_be_visible()
        expect(ada.main.get_by_text("Psst.", exact=True)).to_be_visible()
