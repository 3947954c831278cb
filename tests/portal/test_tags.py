"""Tags of groups in the portal: chosen, completed, narrowed by, and given by curators."""

# ruff: noqa: RUF001 (an apostrophe is one)

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect
from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.contract.browser import step
from tests.portal.test_accessibility import AxeCase
from tests.portal.walk import Person, WalkCase, button
from tests.spec.content.test_tags import with_tags
from tests.spec.data import name, word
from tests.support import daemon

GROUPS = """
[[groups]]
key = "genre"
label = {en = "Genre", de = "Art des Spiels"}
most = 2
tags = [
    {name = "puzzle", label = {en = "Puzzle", de = "Rätsel"}}, {name = "Race"}, {name = "Quiz"},
    {name = "t4"}, {name = "t5"}, {name = "t6"}, {name = "t7"}, {name = "t8"}, {name = "t9"},
    {name = "t10"}, {name = "t11"}, {name = "t12"}, {name = "t13"}, {name = "t14"},
]

[[groups]]
key = "size"
label = "Size"
types = ["asset"]
most = 1
tags = [{name = "small"}, {name = "large"}]

[[groups]]
key = "studio"
label = "From the studio"
staff = true
tags = [{name = "pick", label = "Staff pick"}, {name = "event", label = "Event"}]
"""


def choice(within: Locator, text: str) -> Locator:
    """The tag of a group with this name."""
    return within.get_by_role("checkbox", name=text, exact=True)


class TagsTests(WalkCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared("portal-tags", lambda: with_tags(GROUPS, files="local")))

    async def test_chosen(self) -> None:
        """An author chooses tags of groups, writes others, and changes both."""
        self.free = word()
        await self.content(await self.user(), tags=[self.free, "puzzle"])
        await self.counted(self.free)

        def journey(ada: Person) -> None:
            ada.register("/publish")
            self.groups(ada)
            self.completed(ada)
            self.published(ada)
            self.edited(ada)
            self.refused(ada)

        await self.walk(journey)

    async def counted(self, tag: str) -> None:
        """Wait until a tag is in the list of all."""
        for _ in range(100):
            if (await self.get("tags", query={"q": tag}, expect=200)).json():
                return
            await deferLater(reactor, 0.1)

    @step
    def groups(self, ada: Person) -> None:
        """The groups of the type are there, as many tags of each as it allows, and none of the
        studio's; what one was chosen makes room where one is all."""
        expect(ada.main.get_by_role("group", name="Genre")).to_be_visible()
        expect(ada.main.get_by_text("Staff pick")).to_have_count(0)
        expect(choice(ada.main, "t14")).to_have_count(0)
        button(ada.main, "2 more: Genre").click()
        expect(choice(ada.main, "t14")).to_be_visible()
        expect(choice(ada.main, "small")).to_have_count(0)
        ada.main.get_by_label("Type", exact=True).select_option("asset")
        choice(ada.main, "small").check(force=True)
        choice(ada.main, "large").check(force=True)
        expect(choice(ada.main, "small")).not_to_be_checked()
        choice(ada.main, "Puzzle").check(force=True)
        choice(ada.main, "Race").check(force=True)
        expect(choice(ada.main, "Quiz")).to_be_disabled()
        choice(ada.main, "Race").uncheck(force=True)
        expect(choice(ada.main, "Quiz")).to_be_enabled()

    @step
    def completed(self, ada: Person) -> None:
        """The field completes the last tag from those that content has, by keys alone; Enter ends
        a tag, and publishes nothing."""
        field = ada.main.get_by_label("Tags", exact=True)
        field.fill("my own")
        field.press("Enter")
        field.press_sequentially(self.free[:6])
        option = ada.main.get_by_role("option", name=re.compile(self.free))
        expect(option).to_be_visible()
        expect(field).to_have_attribute("aria-expanded", "true")
        field.press("Escape")
        expect(option).to_have_count(0)
        field.press_sequentially(self.free[6])
        expect(option).to_be_visible()
        field.press("ArrowDown")
        expect(option).to_have_attribute("aria-selected", "true")
        field.press("Enter")
        expect(field).to_have_value(f"my own, {self.free}, ")
        field.press("Enter")
        expect(button(ada.main, "Cancel")).to_have_count(0)

    @step
    def published(self, ada: Person) -> None:
        """What was chosen for another type is not sent."""
        ada.main.get_by_label("Type", exact=True).select_option("game")
        self.title = name("tagged")
        ada.publish_here(self.title, f"my own, {self.free}, ")
        shown = ada.main.get_by_role("list", name="Tags", exact=True)
        expect(shown.get_by_role("link")).to_have_text(["Puzzle", "my own", self.free])
        self.path = ada.page.url.removeprefix(ada.base)

    @step
    def edited(self, ada: Person) -> None:
        """Edit has the chosen tags apart from those that are written."""
        ada.press("Manage")
        ada.press("Edit")
        expect(choice(ada.main, "Puzzle")).to_be_checked()
        field = ada.main.get_by_label("Tags", exact=True)
        expect(field).to_have_value(f"my own, {self.free}")
        choice(ada.main, "Quiz").check(force=True)
        field.fill("my own")
        ada.press("Save")
        shown = ada.main.get_by_role("list", name="Tags", exact=True)
        expect(shown.get_by_role("link")).to_have_text(["Puzzle", "Quiz", "my own"])

    @step
    def refused(self, ada: Person) -> None:
        """A tag of the studio's is refused at the field, in words."""
        ada.press("Edit")
        field = ada.main.get_by_label("Tags", exact=True)
        field.fill("my own, Pick")
        ada.press("Save")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_have_accessible_description(
            re.compile("Only the studio gives these tags: pick")
        )
        ada.spare("422")

    async def test_narrowed(self) -> None:
        """Browse narrows by tags of groups, with how much content has each; the address has it."""
        self.made = [
            await self.content(await self.user(), tags=tags)
            for tags in (["puzzle", "Race"], ["puzzle"], [])
        ]
        await self.counted("puzzle")

        def journey(ada: Person) -> None:
            ada.go("/browse")
            genre = ada.main.get_by_role("group", name="Genre")
            expect(genre.get_by_text(re.compile(r"^Race\s*\d+$"))).to_be_visible()
            genre.get_by_text(re.compile("^Puzzle")).click()
            ada.page.wait_for_url("**tags=puzzle**")
            expect(button(ada.main, "Remove Puzzle")).to_be_visible()
            genre.get_by_text(re.compile("^Race")).click()
            ada.page.wait_for_url("**tags=puzzle%2C+Race**")
            expect(genre.get_by_role("checkbox", name=re.compile("Quiz"))).to_be_disabled()
            title = ada.main.get_by_role("article").filter(has_text=self.made[0].sent["name"])
            expect(title).to_have_count(1)
            button(ada.main, "Remove Puzzle").click()
            expect(genre.get_by_role("checkbox", name=re.compile("Puzzle"))).not_to_be_checked()

        await self.walk(journey)

    async def test_given(self) -> None:
        """A curator gives content tags of the studio's in the console and on its page."""
        admin, title = await self.admin(), name("picked")
        made = await self.content(await self.user(), name=title, tags=["puzzle"])

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/console/tags")
            ada.fill(Search=title)
            ada.press("Search")
            ada.press(f"Studio’s tags: {title}")
            choice(ada.dialog, "Staff pick").check(force=True)
            ada.press("Save", ada.dialog)
            expect(ada.dialog).to_have_count(0)
            ada.move(f"/content/{made.id}")
            shown = ada.main.get_by_role("list", name="Tags", exact=True)
            expect(shown.get_by_role("link")).to_have_text(["Puzzle", "Staff pick"])
            ada.press("Studio’s tags")
            expect(choice(ada.dialog, "Staff pick")).to_be_checked()
            choice(ada.dialog, "Staff pick").uncheck(force=True)
            choice(ada.dialog, "Event").check(force=True)
            ada.press("Save", ada.dialog)
            expect(shown.get_by_role("link")).to_have_text(["Puzzle", "Event"])

        await self.walk(journey)


class TagsAccessibilityTests(AxeCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared("portal-tags", lambda: with_tags(GROUPS, files="local")))

    async def test_places(self) -> None:
        """axe-core finds nothing in the places that have tags of groups, dark and light, wide and
        narrow, nor in the list of a field that is completed."""
        admin, tag = await self.admin(), word()
        made = await self.content(await self.user(), tags=[tag, "puzzle"])

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/publish")
            self.look(ada, ("/browse", "/publish", "/console/tags"))
            ada.move(f"/content/{made.id}")
            ada.press("Studio’s tags")
            expect(choice(ada.dialog, "Staff pick")).to_be_visible()
            self.assertEqual([], self.seen(ada))

        await self.walk(journey)
