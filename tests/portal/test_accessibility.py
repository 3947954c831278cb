"""axe-core finds nothing on the portal's places, dark and light."""

from __future__ import annotations

from typing import Literal

from playwright.sync_api import Locator, ViewportSize, expect

from tests.javascript.harness import PACKAGE, NpmCase
from tests.portal.walk import Person, WalkCase, button
from tests.portal.world import CONSOLE, OWN, VISITOR, WorldCase
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import guid

RUN = """
async (rules) => (await axe.run(rules ? { runOnly: rules } : {})).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)
"""
GROUND = "(one) => getComputedStyle(one).backgroundColor"
SCHEMES: tuple[tuple[Literal["light", "dark"], list[str] | None], ...] = (
    ("light", None),
    ("dark", ["color-contrast", "link-in-text-block"]),
)
"""Colours, and the rules that depend on them; None for all."""
SIZES: tuple[ViewportSize, ...] = (
    {"width": 1280, "height": 900},
    {"width": 360, "height": 740},
)
DIALOGS = (
    ("/console/service-accounts", "New service account", "Save"),
    ("/console/webhooks", "New webhook", "Save"),
    ("/console/announcements", "New announcement", "Save"),
    ("/console/notifications", "Notify players", "Send"),
)
"""A place, what opens a form there, and what sends it."""


class AxeCase(WalkCase, NpmCase):
    async def setUp(self) -> None:
        await WalkCase.setUp(self)
        await self.prepare()

    def look(self, person: Person, places: tuple[str, ...]) -> None:
        """Have axe-core look at these places."""
        found: list[str] = []
        for path in places:
            with self.step(path):
                with person.read():
                    person.move(path)
                found += [f"{path} {one}" for one in self.seen(person)]
        self.assertEqual([], found)

    def look_at_dialogs(self, person: Person) -> None:
        """Have it look at the forms that places of the console open, as empty ones are refused."""
        found: list[str] = []
        for path, opens, sends in DIALOGS:
            with self.step(opens):
                person.move(path)
                person.press(opens)
                person.press(sends, person.dialog)
                person.dialog.get_by_role("alert").wait_for()
                found += [f"{opens} {one}" for one in self.seen(person)]
                person.escape()
        self.assertEqual([], found)

    def seen(self, person: Person) -> list[str]:
        """What axe-core finds on the page as it is, in light and dark colours, wide and narrow."""
        if not person.page.evaluate("'axe' in self"):
            person.page.evaluate((PACKAGE / "node_modules/axe-core/axe.min.js").read_text())
        found: list[str] = []
        for scheme, rules in SCHEMES:
            # A colour that is still changing is none that anybody reads.
            person.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            for size in SIZES:
                person.page.set_viewport_size(size)
                found += [f"{scheme} {size} {one}" for one in person.page.evaluate(RUN, rules)]
        person.page.set_viewport_size(SIZES[0])
        return found


class PlacesTests(AxeCase, ChallengeCase):
    async def test_places(self) -> None:
        """axe-core finds nothing where a player goes."""
        challenge = await self.challenge()

        def journey(ada: Person) -> None:
            ada.register("/publish")
            with ada.read():
                made = ada.publish_here("Tilting tower")
            with ada.read():
                ada.fill(Comment="Made by hand.")
                ada.press("Comment")
                expect(ada.main.get_by_text("Made by hand.")).to_be_visible()
            ada.open("Manage")
            own = (f"{made}/statistics", f"/collections/{ada.id}", f"/user/{ada.id}?tab=emblems")
            self.look(ada, (*VISITOR, *OWN, made, *own, f"/challenges/{challenge.id}"))
            self.look_large(ada, made)
            with self.step("A wrong address"):
                ada.go("/nowhere")
                ada.main.get_by_role("heading", name="Not found", level=1).wait_for()
                ada.spare("404")
                self.assertEqual([], self.seen(ada))

        await self.walk(journey)

    def look_large(self, ada: Person, made: str) -> None:
        """Have it look at a picture that is opened large."""
        with self.step("A large picture"):
            ada.move(made)
            ada.press("Screenshot 1 of Tilting tower")
            ada.dialog.get_by_role("img").wait_for()
            self.assertEqual([], self.seen(ada))
            ada.escape()

    async def test_in_game(self) -> None:
        """It finds nothing in the layout of a game, nor in the values of a choice."""
        made = await self.content(await self.user())

        def journey(ada: Person) -> None:
            with ada.read():
                ada.go("/search?layout=game")
            content = f"/content/{made.id}"
            self.look(ada, ("/search", "/", content, "/notifications", "/settings", "/browse"))
            ada.main.get_by_label("Sort by", exact=True).focus()
            ada.page.keyboard.press("Enter")
            ada.dialog.get_by_role("button", name="Newest", exact=True).wait_for()
            self.assertEqual([], self.seen(ada))

        await self.walk(journey)


class CompanyTests(AxeCase, WorldCase):
    world = "portal-still"

    async def test_company(self) -> None:
        """axe-core finds nothing where a player has to do with others."""
        there = await self.made()

        def journey(ada: Person) -> None:
            ada.log_in(there.player)
            self.look(ada, (*OWN, *there.places))
            self.report(ada, there.places[3])

        await self.walk(journey)

    def report(self, ada: Person, other: str) -> None:
        """Have it look at a report of content."""
        with self.step("A report"):
            ada.move(other)
            ada.press("More")
            # Each comment has one too.
            button(ada.main, "Report").first.click()
            ada.dialog.wait_for()
            self.assertEqual([], self.seen(ada))
            ada.escape()


class ForcedTests(WorldCase):
    world = "portal-still"

    async def test_forced(self) -> None:
        """Where the system forces its colours, what is pressed, chosen, marked or unread has others
        than what is not."""
        there = await self.made()

        def journey(ada: Person) -> None:
            ada.page.emulate_media(forced_colors="active")
            ada.log_in(there.player)
            with self.step("Pressed"):
                ada.go(there.places[1])
                self.differ(button(ada.main, "30 days"), button(ada.main, "90 days"))
                ada.go(there.places[3])
                ada.press("Vote up")
                self.differ(button(ada.main, "Vote up"), button(ada.main, "Vote down"))
            with self.step("Chosen"):
                ada.go(there.places[5])
                tabs = ada.main.get_by_role("tab")
                self.differ(tabs.first, tabs.last)
                ada.go("/library")
                places = ada.main.get_by_role("navigation").get_by_role("link")
                self.differ(places.first, places.last)
            with self.step("Unread"):
                ada.go("/notifications")
                rows = ada.main.get_by_role("list", name="Notifications", exact=True)
                dot = rows.get_by_role("img", name="Unread", exact=True).first
                self.differ(dot, rows.get_by_role("listitem").first)

        await self.walk(journey)

    def differ(self, one: Locator, other: Locator) -> None:
        """Assert that the two have different grounds, of which the first is a solid one."""
        ground, beside = [each.evaluate(GROUND) for each in (one, other)]
        self.assertNotEqual(ground, beside)
        self.assertNotIn(ground, {"rgba(0, 0, 0, 0)", "transparent"})


class ConsoleTests(AxeCase, WorldCase):
    world = "portal-still"

    async def test_console(self) -> None:
        """axe-core finds nothing where those who keep order work."""
        there = await self.made()
        words, path = {"title": "News", "text": "", "level": "warning"}, f"announcements/{guid()}"
        await self.put(path, words, by=there.admin, expect=201)

        def journey(ada: Person) -> None:
            ada.log_in(there.admin, "/console/reports")
            self.look(ada, ("/console", *CONSOLE, *there.console))
            self.look_at_dialogs(ada)

        await self.walk(journey)
        await self.delete(path, by=there.admin, expect=204)
