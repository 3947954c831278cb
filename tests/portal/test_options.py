"""What the portal shows of a service with types of its own, without events, with one admin, and
without registration."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.spec.data import User, name
from tests.support import daemon

OFFER = re.compile("Register|Create an account")


class OptionsTests(WalkCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "CONTENT_TYPES": "race_track", "EVENTS": "off"}
        environ |= {"PLATFORMS": "ps5,linux64,retro", "SPECIFIED_TYPES": "no"}
        self.use(await daemon.shared("portal-options", lambda: daemon.Daemon(environ=environ)))

    async def test_options(self) -> None:
        """The only admin finds the options of the service on its pages."""
        admin = await self.admin()

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/publish")
            self.types(ada)
            self.platforms(ada)
            self.no_events(ada)
            self.last_admin(ada, admin)

        await self.walk(journey)

    @step
    def types(self, ada: Person) -> None:
        """A type of the studio's own is in Publish and in Browse, and is called by its name."""
        title = name("bend")
        ada.main.get_by_label("Type", exact=True).select_option("race_track")
        ada.publish_here(title)
        expect(ada.main.get_by_text("race_track", exact=True)).to_be_visible()
        ada.move("/browse")
        ada.main.get_by_label("Type", exact=True).select_option("race_track")
        ada.page.wait_for_url("**category=race_track")
        expect(ada.main.get_by_role("article").filter(has_text=title)).to_have_count(1)

    @step
    def platforms(self, ada: Person) -> None:
        """The platforms of the service, and no others, are in Browse, with what they are called;
        so are the types."""
        ada.go("/browse?platform=retro")
        choice = ada.main.get_by_label("Platform", exact=True)
        expect(choice.get_by_role("option")).to_have_text(
            ["Any platform", "PlayStation 5", "Linux", "retro"]
        )
        expect(choice).to_have_value("retro")
        expect(ada.main.get_by_role("button", name="Remove retro")).to_be_visible()
        expect(ada.main.get_by_label("Type", exact=True).get_by_role("option")).to_have_text(
            ["All types", "race_track"]
        )

    @step
    def no_events(self, ada: Person) -> None:
        """Where events are off, the places of webhooks and of events say so."""
        for path in ("/console/webhooks", "/console/events"):
            with self.step(path):
                ada.move(path)
                said = ada.main.get_by_text("This service writes no events.", exact=True)
                expect(said).to_be_visible()
                expect(ada.main.get_by_role("button")).to_have_count(0)
                # The answer is a 404.
                ada.spare("404")

    @step
    def last_admin(self, ada: Person, admin: User) -> None:
        """The only admin stays one, and reads why."""
        ada.move("/console/staff")
        row = ada.main.get_by_role("listitem").filter(has_text=admin.username)
        ada.press(f"Change the role: {admin.username}", row)
        ada.dialog.get_by_label("Role", exact=True).select_option("player")
        ada.press("Save", ada.dialog)
        expect(ada.dialog.get_by_role("alert")).to_contain_text("No other admin would be left.")
        # The refusal is a 409.
        ada.spare("409")


class ClosedTests(WalkCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "REGISTRATION": "off"}
        self.use(await daemon.shared("portal-closed", lambda: daemon.Daemon(environ=environ)))

    async def test_closed(self) -> None:
        """Where registration is off, no page of a stranger offers it, and its own place says so."""
        await self.walk(self.nothing_offered)

    def nothing_offered(self, ada: Person) -> None:
        """Look at what a stranger may see."""
        for path in ("/", "/browse", "/challenges", "/log-in", "/register", "/friends", "/publish"):
            with self.step(path):
                ada.go(path)
                ada.main.get_by_role("heading", level=1).wait_for()
                for role in ("link", "button"):
                    offered = ada.page.get_by_role(role).filter(has_text=OFFER)
                    expect(offered).to_have_count(0)
                expect(ada.page.locator("a[href*='/register']")).to_have_count(0)
                expect(ada.page).not_to_have_title(OFFER)
        ada.go("/register?then=/browse")
        expect(ada.main.get_by_role("textbox")).to_have_count(0)
        ada.main.get_by_role("link", name="Log in", exact=True).click()
        ada.page.wait_for_url("**/log-in?then=*")
