"""Where answers take their time, nothing moves at any place; what a thumb presses is as large."""

from __future__ import annotations

from itertools import product

from playwright.sync_api import expect

from tests.portal.test_face import PHONE, SHIFTS, SMALL, STILL
from tests.portal.walk import Person
from tests.portal.world import CONSOLE, OWN, VISITOR, WorldCase

WIDE = {"width": 1440, "height": 900}


PUBLIC = ("/content/", "/collections/", "/user/", "/challenges/")
EACH_WIDTH = (320, 390, 1280)
EACH_TEXT = (16, 32)
"""Sizes of text that a browser can be set to, in px."""


class StillTests(WorldCase):
    world = "portal-still"

    async def setUp(self) -> None:
        await super().setUp()
        self.there = await self.made()

    def look(self, who: Person, places: tuple[str, ...], wide: tuple[str, ...] = ()) -> None:
        """Load each place with slow answers on a phone, and those that are `wide` so too."""
        found: list[str] = []
        who.page.add_init_script(SHIFTS)
        for path in (*places, *wide):
            for size in (PHONE, WIDE) if path in wide else (PHONE,):
                with self.step(f"{path} {size['width']}"):
                    who.page.set_viewport_size(size)  # type: ignore[arg-type]
                    with who.read():
                        who.go(path)
                        who.main.get_by_role("heading", level=1).first.wait_for()
                    shifts = who.page.evaluate("shifts")
                    if shifts > STILL:
                        found.append(f"{path} {size['width']}: moves by {shifts:.3f}")
                    if size is PHONE:
                        found += [f"{path}: {one}" for one in who.page.evaluate(SMALL)]
        self.assertEqual([], found)

    async def test_visitor(self) -> None:
        """For somebody without an account."""

        def journey(ada: Person) -> None:
            self.look(ada, (*VISITOR, *OWN))

        await self.walk(journey)

    async def test_width(self) -> None:
        """No place that anybody sees is wider than the window, also where its text is twice as
        large."""
        places = (*VISITOR, *(one for one in self.there.places if one.startswith(PUBLIC)))

        def journey(ada: Person) -> None:
            found: list[str] = []
            session = ada.page.context.new_cdp_session(ada.page)
            for path in places:
                with ada.read():
                    ada.go(path)
                    ada.main.get_by_role("heading", level=1).first.wait_for()
                for text, width in product(EACH_TEXT, EACH_WIDTH):
                    session.send("Page.setFontSizes", {"fontSizes": {"standard": text}})
                    ada.page.set_viewport_size({"width": width, "height": 800})
                    needed = ada.page.evaluate("document.documentElement.scrollWidth")
                    if needed > width:
                        found.append(f"{path} {width}, text {text}: {needed} wide")
            self.assertEqual([], found)

        await self.walk(journey)

    async def test_menu(self) -> None:
        """The menu opens below its button on a phone, also where the text is twice as large."""

        def journey(ada: Person) -> None:
            session = ada.page.context.new_cdp_session(ada.page)
            with ada.read():
                ada.go("/browse")
                ada.main.get_by_role("heading", level=1).first.wait_for()
            for text in EACH_TEXT:
                ada.page.set_viewport_size({"width": 390, "height": 844})
                session.send("Page.setFontSizes", {"fontSizes": {"standard": text}})
                menu = ada.page.get_by_role("button", name="Menu")
                menu.click()
                expect(ada.page.get_by_role("banner").get_by_role("searchbox")).to_be_in_viewport()
                menu.click()

        await self.walk(journey)

    async def test_player(self) -> None:
        """For a player."""

        def journey(ada: Person) -> None:
            ada.log_in(self.there.player)
            self.look(ada, OWN[-2:], wide=(*OWN[:-2], *self.there.places))

        await self.walk(journey)

    async def test_console(self) -> None:
        """For those who keep order."""

        def journey(ada: Person) -> None:
            ada.log_in(self.there.admin)
            self.look(ada, CONSOLE[1:], wide=(CONSOLE[0], *self.there.console))

        await self.walk(journey)
