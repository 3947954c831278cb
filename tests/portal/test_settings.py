"""Settings, and what a place that needs a log-in says to a visitor."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button


class SettingsTests(WalkCase):
    async def test_settings(self) -> None:
        """A visitor learns what a place is for, registers there, and finds their log-in."""

        def journey(ada: Person) -> None:
            self.visitor(ada)
            self.no_mail(ada)
            ada.register()
            self.sections(ada)
            self.dates(ada)

        await self.walk(journey)

    @step
    def visitor(self, ada: Person) -> None:
        """A place that needs a log-in says what it is, and leads to both ways in and back."""
        ada.go("/library")
        expect(ada.main).to_contain_text("your favourites and your collections")
        expect(ada.main.get_by_role("link", name="Log in", exact=True)).to_be_visible()
        ada.main.get_by_role("link", name="Register", exact=True).click()
        ada.page.wait_for_url("**/register?then=%2Flibrary")

    @step
    def no_mail(self, ada: Person) -> None:
        """Where the service sends no mails, nothing is offered that needs one."""
        ada.move("/account")
        expect(ada.main).to_contain_text("This service sends no mails.")
        ada.move("/log-in")
        button(ada.main, "Log in").wait_for()
        expect(ada.main.get_by_role("link", name="I forgot my password")).to_have_count(0)

    @step
    def sections(self, ada: Person) -> None:
        """The list of sections leads to each, and a log-in says its device."""
        ada.go("/settings")
        sections = ada.main.get_by_role("navigation", name="Sections", exact=True)
        sections.get_by_role("link", name="Log-ins", exact=True).click()
        ada.page.wait_for_url("**/settings#sessions")
        heading = ada.main.get_by_role("heading", name="Log-ins", exact=True)
        expect(heading).to_be_in_viewport()
        expect(ada.main.get_by_text("Chrome, Linux", exact=True)).to_be_visible()

    @step
    def dates(self, ada: Person) -> None:
        """Who chooses so reads dates, here and after a reload."""
        ended = ada.main.get_by_text("last used just now", exact=False)
        expect(ended).to_have_count(1)
        ada.main.get_by_label("Times", exact=True).select_option("exact")
        expect(ended).to_have_count(0)
        ada.page.reload()
        expect(ada.main.get_by_text(re.compile(r"last used \w+ \d+, \d{4}"))).to_have_count(1)
