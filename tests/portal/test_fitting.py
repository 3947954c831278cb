"""What fits the visitor's game, what content says of itself, and how often it was played, in the
portal."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.content.test_plays import PlayCase
from tests.spec.data import User, draft, name


class FittingTests(WalkCase, PlayCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author, self.mode = await self.user(), name("mode")
        self.made = await self.content(
            self.author,
            name=name("tower"),
            version="1.0",
            requires={"game": {"max": "1.3"}},
            attributes={"mode": self.mode, "players": 4},
        )
        body = draft(version="2.0", requires={"game": {"min": "1.4"}, "platforms": ["win64"]})
        await self.post(f"{self.made.path}/revisions", body, by=self.author, expect=201)

    async def test_visitor(self) -> None:
        """A visitor looks for what fits, by attributes, by the game's version and in Settings."""

        def journey(ada: Person) -> None:
            self.attributes(ada)
            self.filter(ada)
            self.settings(ada)

        await self.walk(journey)

    @step
    def attributes(self, ada: Person) -> None:
        """A page shows attributes, and each leads to what says the same."""
        mode = name("another")
        other = self.wait(self.content(self.author, attributes={"mode": mode}))
        ada.go(f"/content/{self.made.id}")
        shown = ada.main.get_by_role("list", name="Attributes", exact=True)
        expect(shown.get_by_role("link", name="players 4")).to_be_visible()
        shown.get_by_role("link", name=f"mode {self.mode}").click()
        card = ada.main.get_by_role("article")
        expect(card).to_have_count(1)
        expect(card).to_contain_text(self.made.sent["name"])
        ada.fill(Value_1=mode)
        ada.press("Apply")
        expect(card).to_have_count(1)
        expect(card).to_contain_text(other.sent["name"])

    @step
    def filter(self, ada: Person) -> None:
        """The list is filtered by the game's version, by its address as well, and the page keeps to
        it."""
        ada.go(f"/browse?q={self.made.sent['name']}&game=1.4&platform=win64")
        card = ada.main.get_by_role("article")
        expect(card).to_have_count(1)
        card.get_by_role("heading").get_by_role("link").click()
        expect(ada.main.get_by_text("Fits your game: version 1.4, Windows")).to_be_visible()
        ada.page.go_back()
        ada.main.get_by_label("Platform", exact=True).select_option("osx64")
        ada.page.wait_for_url("**platform=osx64**")
        expect(ada.main.get_by_text("Nothing found", exact=True)).to_be_visible()

    @step
    def settings(self, ada: Person) -> None:
        """A page says which revision fits the game that the visitor has named in Settings."""
        ada.move("/settings")
        ada.fill(Game_version="1.x")
        ada.press("Remember my game")
        version = ada.main.get_by_label("Game version", exact=True)
        expect(version).to_have_attribute("aria-invalid", "true")
        version.fill("1.2.9")
        ada.press("Remember my game")
        expect(ada.main.get_by_text("Saved", exact=True)).to_be_visible()
        ada.move(f"/content/{self.made.id}")
        note = ada.main.get_by_role("note")
        expect(note).to_contain_text("does not fit your game: version 1.2.9")
        expect(note).to_contain_text("version 1.0")
        ada.move("/settings")
        ada.fill(Game_version="1.4")
        ada.main.get_by_label("Platform", exact=True).select_option("linux64")
        ada.press("Remember my game")
        expect(ada.main.get_by_text("Saved", exact=True)).to_be_visible()
        ada.go(f"/content/{self.made.id}")
        expect(note).to_contain_text("No revision of this fits")

    async def test_author(self) -> None:
        """An author says what content requires, changes it, and sees how often it was played."""
        player = await self.user()
        await self.play(player, self.made, seconds=120, completed=True)
        await self.counts(self.made, plays=1, players=1, completions=1)

        def journey(ada: Person, ben: Person) -> None:
            ada.log_in(self.author, "/publish")
            self.publish(ada)
            self.change(ada)
            self.statistics(ada)
            self.no_statistics(ben, player)

        await self.walk(journey, 2)

    @step
    def publish(self, ada: Person) -> None:
        """What is published says what it requires, what it is, and who sees it."""
        ada.main.get_by_label("Visibility", exact=True).select_option("unlisted")
        ada.main.get_by_text("Requirements and attributes").click()
        ada.fill(From_game_version="1.2")
        ada.main.get_by_label("Linux", exact=True).check()
        ada.fill(Needed_features="vr, mods")
        ada.press("Add an attribute")
        ada.fill(Attribute_1="players", Value_1="4")
        ada.main.get_by_label("Kind 1", exact=True).select_option("number")
        path = ada.publish_here(name("bridge"))
        expect(ada.main.get_by_text("Game 1.2 or later", exact=True)).to_be_visible()
        expect(ada.main.get_by_text("Unlisted", exact=True).first).to_be_visible()
        detail = self.wait(self.get(path.removeprefix("/"))).json()
        self.assertEqual({"players": 4}, detail["attributes"])
        self.assertEqual("unlisted", detail["visibility"])
        requires = {"game": {"min": "1.2"}, "platforms": ["linux64"], "features": ["vr", "mods"]}
        self.assertEqual(requires, detail["requires"])

    @step
    def change(self, ada: Person) -> None:
        """An author changes what a revision requires, when a patch breaks it."""
        ada.move(f"/content/{self.made.id}")
        ada.press("Requires, version 2.0")
        expect(ada.dialog.get_by_label("From game version", exact=True)).to_have_value("1.4")
        ada.fill(ada.dialog, Up_to_game_version="1.6")
        ada.press("Save", ada.dialog)
        expect(ada.main.get_by_text("Game 1.4 to 1.6", exact=True)).to_be_visible()

    @step
    def statistics(self, ada: Person) -> None:
        """An author sees the plays of a day as a plot and in a table."""
        ada.open("Manage")
        ada.main.get_by_role("link", name="Statistics", exact=True).click()
        expect(ada.main.get_by_role("img", name="Plays")).to_be_visible()
        completions = ada.main.get_by_role("button", name="Completions")
        completions.click()
        expect(completions).to_have_attribute("aria-pressed", "true")
        ada.page.wait_for_url("**of=completions")
        ada.main.get_by_text("All days as a table", exact=True).click()
        row = ada.main.get_by_role("row").nth(1)
        expect(row.get_by_role("cell")).to_have_text(["1", "1", "1", "2 min", "0", "0"])

    @step
    def no_statistics(self, ben: Person, player: User) -> None:
        """Others do not see them."""
        ben.log_in(player, f"/content/{self.made.id}/statistics")
        expect(ben.main.get_by_role("alert")).to_contain_text("You may not do this.")
        expect(button(ben.main, "30 days")).to_have_count(0)
        ben.spare("403")
