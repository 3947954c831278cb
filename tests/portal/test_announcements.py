"""Curators announce something in the console, and every page shows it."""

from __future__ import annotations

from time import time

from playwright.sync_api import Locator, expect

from tests.portal.walk import Person, WalkCase
from tests.spec.data import guid, name


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

    async def test_live(self) -> None:
        """What is announced, changed and ended appears on a player's page without a reload."""
        curator, title = await self.member("curator"), name("maintenance")

        def steps(ada: Person, ben: Person) -> None:
            ben.register()
            ben.go("/settings")
            ada.log_in(curator.username, curator.password)
            ada.go("/console/announcements")
            ada.press("New announcement")
            dialog = ada.page.get_by_role("dialog")
            ada.fill(dialog, Title=title, Text="Tonight, for an hour.")
            dialog.get_by_label("Level", exact=True).select_option("warning")
            ada.press("Save", dialog)
            expect(entry(ada, title).get_by_text("announced", exact=True)).to_be_visible()
            expect(banner(ben, title)).to_contain_text("Tonight, for an hour.")
            expect(banner(ben, title).get_by_text("Warning:", exact=True)).to_be_visible()
            ada.press("Edit", entry(ada, title))
            ada.fill(dialog, Text="Tomorrow.")
            ada.press("Save", dialog)
            expect(banner(ben, title)).to_contain_text("Tomorrow.")
            ada.press("End now", entry(ada, title))
            expect(entry(ada, title).get_by_text("over", exact=True)).to_be_visible()
            expect(banner(ben, title)).to_have_count(0)

        await self.walk(steps, 2)

    async def test_dismissed(self) -> None:
        """Who is not logged in sees it too, and dismisses it: it stays away until it says something
        else."""
        curator, title, path = await self.member("curator"), name("news"), f"announcements/{guid()}"
        body = {"title": title, "text": "One.", "level": "info"}
        await self.put(path, body, by=curator, expect=201)
        again = body | {"text": "Two."}

        def steps(ada: Person) -> None:
            ada.go("/browse")
            banner(ada, title).get_by_role("button", name=f"Dismiss: {title}", exact=True).click()
            expect(banner(ada, title)).to_have_count(0)
            ada.page.reload()
            expect(ada.main.get_by_role("heading", name="Browse", exact=True)).to_be_visible()
            ada.page.wait_for_load_state("networkidle")
            expect(banner(ada, title)).to_have_count(0)
            self.wait(self.put(path, again, by=curator, expect=204))
            ada.page.reload()
            expect(banner(ada, title)).to_contain_text("Two.")
            self.wait(self.delete(path, by=curator, expect=204))

        await self.walk(steps)

    async def test_draft(self) -> None:
        """What cannot be is said beside its field; what was typed outlives a reload, and is
        announced once."""
        curator, title = await self.member("curator"), name("release")

        def steps(ada: Person) -> None:
            ada.log_in(curator.username, curator.password)
            ada.go("/console/announcements")
            ada.press("New announcement")
            dialog = ada.page.get_by_role("dialog")
            ada.press("Save", dialog)
            field = dialog.get_by_label("Title", exact=True)
            expect(field).to_have_attribute("aria-invalid", "true")
            expect(field).to_be_focused()
            field.fill(title)
            ada.fill(dialog, From="2031-05-06T07:08", Until="2031-05-06T07:07")
            ada.press("Save", dialog)
            expect(dialog.get_by_text("This must be later than the beginning.")).to_be_visible()
            ada.page.reload()
            ada.press("New announcement")
            expect(field).to_have_value(title)
            ada.fill(dialog, Until="2031-05-07T07:08")
            ada.press("Save", dialog)
            expect(entry(ada, title).get_by_text("to come", exact=True)).to_be_visible()
            expect(banner(ada, title)).to_have_count(0)
            ada.press("New announcement")
            expect(field).to_have_value("")

        await self.walk(steps)

    async def test_delete(self) -> None:
        """An announcement that is over goes from the list."""
        curator, title, path = await self.member("curator"), name("old"), f"announcements/{guid()}"
        body = {"title": title, "text": "", "level": "info", "until": int(time()) - 60}
        await self.put(path, body, by=curator, expect=201)

        def steps(ada: Person) -> None:
            ada.log_in(curator.username, curator.password)
            ada.go("/console/announcements")
            ada.press("Delete", entry(ada, title))
            expect(entry(ada, title)).to_have_count(0)

        await self.walk(steps)
        listed = await self.get("announcements", query={"all": "true"}, by=curator, expect=200)
        self.assertNotIn(title, [each["title"] for each in listed.json()])
