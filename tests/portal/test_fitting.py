"""What fits the visitor's game, what content says of itself, and how often it was played, in the
portal."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.portal.test_library import button
from tests.portal.walk import Person, WalkCase
from tests.spec.content.test_plays import PlayCase
from tests.spec.data import draft, name
from tests.support import daemon


class FittingTests(WalkCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.made = await self.content(
            self.author,
            name=name("tower"),
            version="1.0",
            requires={"game": {"max": "1.3"}},
            attributes={"mode": self.mode, "players": 4},
        )
        body = draft(version="2.0", requires={"game": {"min": "1.4"}, "platforms": ["win64"]})
        await self.post(f"{self.made.path}/revisions", body, by=self.author, expect=201)

    @property
    def mode(self) -> str:
        """What no other content says of itself."""
        return f"mode-{self.id().rpartition('.')[2]}"

    async def test_settings(self) -> None:
        """A page says which revision fits the game that the visitor has named in Settings."""

        def steps(ada: Person) -> None:
            ada.go("/settings")
            ada.fill(Game_version="1.x")
            ada.press("Remember it")
            version = ada.main.get_by_label("Game version", exact=True)
            expect(version).to_have_attribute("aria-invalid", "true")
            version.fill("1.2.9")
            ada.press("Remember it")
            expect(ada.main.get_by_text("Saved", exact=True)).to_be_visible()
            ada.go(f"/content/{self.made.id}")
            note = ada.main.get_by_role("note")
            expect(note).to_contain_text("does not fit your game: version 1.2.9")
            expect(note).to_contain_text("version 1.0")
            ada.go("/settings")
            ada.fill(Game_version="1.4")
            ada.main.get_by_label("Platform", exact=True).select_option("linux64")
            ada.press("Remember it")
            ada.go(f"/content/{self.made.id}")
            expect(note).to_contain_text("No revision of this fits")

        await self.walk(steps)

    async def test_filter(self) -> None:
        """The list is filtered by the game's version, by its address as well, and the page keeps to
        it."""

        def steps(ada: Person) -> None:
            ada.go(f"/browse?q={self.made.sent['name']}&game=1.4&platform=win64")
            card = ada.main.get_by_role("article")
            expect(card).to_have_count(1)
            card.get_by_role("heading").get_by_role("link").click()
            expect(ada.main.get_by_text("Fits your game: version 1.4, Windows")).to_be_visible()
            ada.page.go_back()
            ada.main.get_by_label("Platform", exact=True).select_option("osx64")
            ada.page.wait_for_url("**platform=osx64**")
            expect(ada.main.get_by_text("Nothing fits", exact=True)).to_be_visible()

        await self.walk(steps)

    async def test_attributes(self) -> None:
        """A page shows attributes, and each leads to what says the same."""
        other = await self.content(self.author, attributes={"mode": "another"})

        def steps(ada: Person) -> None:
            ada.go(f"/content/{self.made.id}")
            shown = ada.main.get_by_role("list", name="Attributes", exact=True)
            expect(shown.get_by_role("link", name="players 4")).to_be_visible()
            shown.get_by_role("link", name=f"mode {self.mode}").click()
            card = ada.main.get_by_role("article")
            expect(card).to_have_count(1)
            expect(card).to_contain_text(self.made.sent["name"])
            ada.fill(Value_1="another")
            ada.press("Apply")
            expect(card).to_have_count(1)
            expect(card).to_contain_text(other.sent["name"])

        await self.walk(steps)

    async def test_publish(self) -> None:
        """What is published says what it requires, what it is, and who sees it."""
        title = name("bridge")

        def steps(ada: Person) -> str:
            ada.register()
            ada.go("/publish")
            ada.main.get_by_label("Visibility", exact=True).select_option("unlisted")
            ada.main.get_by_text("What it requires, and attributes").click()
            ada.fill(From_game_version="1.2")
            ada.main.get_by_label("Linux", exact=True).check()
            ada.fill(Needed_features="vr, mods")
            ada.press("Add an attribute")
            ada.fill(Attribute_1="players", Value_1="4")
            ada.main.get_by_label("Kind 1", exact=True).select_option("number")
            path = ada.publish_here(title)
            expect(ada.main.get_by_text("Game 1.2 or later", exact=True)).to_be_visible()
            expect(ada.main.get_by_text("Unlisted", exact=True).first).to_be_visible()
            return path

        found: list[str] = []
        await self.walk(lambda ada: found.append(steps(ada)))
        detail = (await self.get(found[0].removeprefix("/"))).json()
        self.assertEqual({"players": 4}, detail["attributes"])
        self.assertEqual("unlisted", detail["visibility"])
        requires = {"game": {"min": "1.2"}, "platforms": ["linux64"], "features": ["vr", "mods"]}
        self.assertEqual(requires, detail["requires"])

    async def test_requires(self) -> None:
        """An author changes what a revision requires, when a patch breaks it."""

        def steps(ada: Person) -> None:
            ada.log_in(self.author.username, self.author.password)
            ada.go(f"/content/{self.made.id}")
            ada.press("Requires, version 2.0")
            dialog = ada.page.get_by_role("dialog")
            expect(dialog.get_by_label("From game version", exact=True)).to_have_value("1.4")
            ada.fill(dialog, Up_to_game_version="1.6")
            ada.press("Save", dialog)
            expect(ada.main.get_by_text("Game 1.4 to 1.6", exact=True)).to_be_visible()

        await self.walk(steps)


class StatisticsTests(WalkCase, PlayCase):
    async def test_statistics(self) -> None:
        """An author sees the plays of a day as a plot and in a table; others do not."""
        author, player = await self.user(), await self.user()
        made = await self.content(author, name=name("tower"))
        await self.play(player, made, seconds=120, completed=True)
        await self.counts(made, plays=1, players=1, completions=1)

        def steps(ada: Person, ben: Person) -> None:
            ada.log_in(author.username, author.password)
            ada.go(f"/content/{made.id}")
            ada.main.get_by_role("link", name="Statistics", exact=True).click()
            expect(ada.main.get_by_role("img", name="Plays")).to_be_visible()
            completions = ada.main.get_by_role("button", name="Completions")
            completions.click()
            expect(completions).to_have_attribute("aria-pressed", "true")
            ada.page.wait_for_url("**of=completions")
            ada.main.get_by_text("All days as a table", exact=True).click()
            row = ada.main.get_by_role("row").nth(1)
            expect(row.get_by_role("cell")).to_have_text(["1", "1", "1", "2 min", "0", "0"])
            ben.log_in(player.username, player.password)
            ben.go(f"/content/{made.id}/statistics")
            expect(ben.main.get_by_role("alert")).to_contain_text("You may not do this.")
            expect(button(ben.main, "30 days")).to_have_count(0)
            ben.said = [line for line in ben.said if "403" not in line]

        await self.walk(steps, 2)


class TypesTests(WalkCase):
    world = "portal-types"

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "CONTENT_TYPES": "race_track"}
        self.use(await daemon.shared(self.world, lambda: daemon.Daemon(environ=environ)))

    async def test_types(self) -> None:
        """A type of the studio's own is in Publish and in Browse, and is shown as words."""
        title = name("bend")

        def steps(ada: Person) -> None:
            ada.register()
            ada.go("/publish")
            ada.main.get_by_label("Type", exact=True).select_option("race_track")
            ada.publish_here(title)
            expect(ada.main.get_by_text("Race track", exact=True)).to_be_visible()
            ada.go("/browse")
            ada.main.get_by_label("Type", exact=True).select_option("race_track")
            ada.page.wait_for_url("**category=race_track")
            expect(ada.main.get_by_role("article").filter(has_text=title)).to_have_count(1)

        await self.walk(steps)
