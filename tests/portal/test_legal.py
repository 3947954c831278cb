"""What each page says of the law: whom to write to, the terms, and the form for notices."""

from __future__ import annotations

import tomllib
from typing import ClassVar

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import PASSWORD, Person, WalkCase
from tests.support import daemon
from tests.support.daemon import ROOT

SAMPLE = ROOT / "etc/legal.toml.sample"
CONTACTS = tomllib.loads(SAMPLE.read_text("utf-8"))["contacts"]


class LegalTests(WalkCase):
    ENVIRON: ClassVar = {"FILES": "local", "LEGAL": str(SAMPLE)}

    async def connect(self) -> None:
        self.own_daemon()
        made = daemon.shared("portal-legal", lambda: daemon.Daemon(environ=self.ENVIRON))
        self.use(await made)

    async def test_links(self) -> None:
        """Each page ends with the links, and in a game with those that stay in the portal."""

        def journey(ada: Person) -> None:
            self.pages(ada)
            self.contacts(ada)
            self.in_game(ada)

        await self.walk(journey)

    @step
    def pages(self, ada: Person) -> None:
        """The terms, the contacts and the form are linked from every page."""
        for path in ("/", "/browse", "/log-in"):
            ada.go(path)
            links = ada.page.get_by_role("contentinfo").get_by_role("link")
            names = ["Terms", "Legal contacts", "Report illegal content"]
            expect(links).to_have_text(names, use_inner_text=True)

    @step
    def contacts(self, ada: Person) -> None:
        """The page of contacts has all of the file, and leads to the form."""
        ada.page.get_by_role("contentinfo").get_by_role("link", name="Legal contacts").click()
        ada.page.wait_for_url("**/legal")
        for contact in CONTACTS.values():
            expect(ada.main.get_by_text(contact.splitlines()[0])).to_be_visible()
        ada.main.get_by_role("link", name="Read the terms", exact=True).wait_for()
        ada.main.get_by_role("link", name="Report illegal content", exact=True).click()
        ada.page.wait_for_url("**/notice")

    @step
    def in_game(self, ada: Person) -> None:
        """In the layout of a game the links that stay are there, and Enter follows them."""
        ada.go("/browse?layout=game")
        links = ada.page.get_by_role("contentinfo").get_by_role("link")
        expect(links).to_have_text(
            ["Legal contacts", "Report illegal content"], use_inner_text=True
        )
        # The place gives the focus first.
        expect(ada.page.locator(":focus:not(main)")).to_have_count(1)
        links.last.focus()
        ada.page.keyboard.press("Enter")
        ada.page.wait_for_url("**/notice?*")
        ada.main.get_by_role("heading", name="Report illegal content", level=1).wait_for()

    async def test_register(self) -> None:
        """Who registers is asked to accept the terms first, beside the box."""

        def journey(ada: Person) -> None:
            ada.go("/register")
            ada.fill(Username=ada.username, Password=PASSWORD)
            ada.main.get_by_label("E-mail", exact=True).fill(f"{ada.username}@example.com")
            ada.press("Register")
            box = ada.main.get_by_role("checkbox", name="I accept the terms of use", exact=True)
            expect(box).to_be_focused()
            expect(box).to_have_accessible_description("Accept the terms first.")
            box.check()
            ada.press("Register")
            ada.arrive()

        await self.walk(journey)
