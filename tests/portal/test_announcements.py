"""Curators announce something in the console, and every page shows it."""

from __future__ import annotations

from time import time

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User, guid, name


def entry(who: Person, title: str) -> Locator:
    """The announcement's entry in the list of the console."""
    rows = who.main.get_by_role("list", name="Announcements", exact=True)
    return rows.get_by_role("listitem").filter(has_text=title)


def banner(who: Person, title: str) -> Locator:
    """What everybody sees of it, above the place."""
    shown = who.page.get_by_role("region", name="Announcements", exact=True)
    return shown.get_by_role("article").filter(has_text=title)


class AnnouncementsTests(WalkCase):
    world = "portal-console"

    async def test_announced(self) -> None:
        """A curator announces something, changes and ends it; a stranger and a player see it."""
        curator, old = await self.member("curator"), name("old")
        body = {"title": old, "text": "", "level": "info", "until": int(time()) - 60}
        await self.put(f"announcements/{guid()}", body, by=curator, expect=201)

        def journey(ada: Person, ben: Person) -> None:
            ada.log_in(curator, "/console/announcements")
            self.draft(ada)
            self.stranger(ben, curator)
            ben.register("/settings")
            title = self.announce(ada, ben)
            self.change(ada, ben, title)
            self.dismiss(ben, title)
            self.end(ada, ben)
            self.delete_old(ada, curator, old)

        await self.walk(journey, 2)

    @step
    def draft(self, ada: Person) -> None:
        """What cannot be is said beside its field; what was typed outlives a reload, and is
        announced once."""
        title = name("release")
        ada.press("New announcement")
        ada.press("Save", ada.dialog)
        field = ada.dialog.get_by_label("Title", exact=True)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
        field.fill(title)
        ada.fill(ada.dialog, From="2031-05-06T07:08", Until="2031-05-06T07:07")
        ada.press("Save", ada.dialog)
        expect(ada.dialog.get_by_text("This must be later than the beginning.")).to_be_visible()
        ada.page.reload()
        ada.press("New announcement")
        expect(field).to_have_value(title)
        ada.fill(ada.dialog, Until="2031-05-07T07:08")
        ada.press("Save", ada.dialog)
        expect(entry(ada, title).get_by_text("to come", exact=True)).to_be_visible()
        expect(banner(ada, title)).to_have_count(0)
        ada.press("New announcement")
        expect(field).to_have_value("")
        ada.escape()

    @step
    def stranger(self, ben: Person, curator: User) -> None:
        """Who is not logged in sees it too, and dismisses it: it stays away until it says something
        else."""
        title, path = name("news"), f"announcements/{guid()}"
        body = {"title": title, "text": "One.", "level": "info"}
        self.wait(self.put(path, body, by=curator, expect=201))
        ben.go("/browse")
        button(banner(ben, title), f"Dismiss: {title}").click()
        expect(banner(ben, title)).to_have_count(0)
        with ben.answered("GET */announcements"):
            ben.page.reload()
        expect(ben.main.get_by_role("heading", name="Browse", exact=True)).to_be_visible()
        expect(banner(ben, title)).to_have_count(0)
        self.wait(self.put(path, body | {"text": "Two."}, by=curator, expect=204))
        ben.page.reload()
        expect(banner(ben, title)).to_contain_text("Two.")
        self.wait(self.delete(path, by=curator, expect=204))

    @step
    def announce(self, ada: Person, ben: Person) -> str:
        """What is announced appears on a player's page without a reload."""
        title = name("maintenance")
        ada.press("New announcement")
        ada.fill(ada.dialog, Title=title, Text="Tonight, for an hour.")
        ada.dialog.get_by_label("Level", exact=True).select_option("warning")
        ada.press("Save", ada.dialog)
        expect(entry(ada, title).get_by_text("announced", exact=True)).to_be_visible()
        expect(banner(ben, title)).to_contain_text("Tonight, for an hour.")
        expect(banner(ben, title).get_by_text("Warning:", exact=True)).to_be_visible()
        return title

    @step
    def change(self, ada: Person, ben: Person, title: str) -> None:
        """What is changed is there without a reload."""
        ada.press(f"Edit: {title}", entry(ada, title))
        ada.fill(ada.dialog, Text="Tomorrow.")
        ada.press("Save", ada.dialog)
        expect(banner(ben, title)).to_contain_text("Tomorrow.")

    @step
    def dismiss(self, ben: Person, title: str) -> None:
        """A player who dismisses it sees it no more."""
        button(banner(ben, title), f"Dismiss: {title}").click()
        expect(banner(ben, title)).to_have_count(0)

    @step
    def end(self, ada: Person, ben: Person) -> None:
        """What is ended goes from a player's page without a reload, and is over in the list, from
        where it is deleted."""
        title = self.announce(ada, ben)
        ada.press(f"End now: {title}", entry(ada, title))
        expect(entry(ada, title).get_by_text("over", exact=True)).to_be_visible()
        expect(banner(ben, title)).to_have_count(0)
        ada.press(f"Delete: {title}", entry(ada, title))
        ada.press("Delete", ada.dialog)
        expect(entry(ada, title)).to_have_count(0)

    @step
    def delete_old(self, ada: Person, curator: User, title: str) -> None:
        """An announcement that is over goes from the list, and is gone."""
        ada.press(f"Delete: {title}", entry(ada, title))
        with ada.answered("DELETE */announcements/*"):
            ada.press("Delete", ada.dialog)
        expect(entry(ada, title)).to_have_count(0)
        asked = self.get("announcements", query={"all": "true"}, by=curator, expect=200)
        self.assertNotIn(title, [each["title"] for each in self.wait(asked).json()])
