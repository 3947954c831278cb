"""The queue is live, what was done is filtered, and challenges get all that they take."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, Service, User, guid, name
from tests.support.pictures import png

SOON = 15_000
"""Milliseconds until what is new is shown."""


def case(who: Person, text: str) -> Locator:
    """What was reported, in the queue."""
    return who.main.get_by_role("article").filter(has_text=text)


def act(who: Person, text: str) -> Locator:
    """A row of what was done."""
    rows = who.main.get_by_role("list", name="What was done", exact=True)
    return rows.locator("> li").filter(has_text=text)


class QueueTests(WalkCase):
    world = "portal-console"

    async def test_live(self) -> None:
        """A moderator sees what was reported and whose it is, hears of more, and filters."""
        self.moderator, self.reporter = await self.admin(), await self.user()
        author = await self.user()
        content = await self.content(author, name=name("tower"))
        later = await self.content(author, name=name("later"))
        said = f"{name('buy')} {'very ' * 20}much"
        comment = await self.comment(content, author, said)
        for path in (content.path, comment):
            await self.report(path, "copyright")

        def journey(ada: Person) -> None:
            ada.log_in(self.moderator, "/console/reports")
            self.rows(ada, author, content, said)
            self.comes(ada, later)
            self.filters(ada, content, later, said)

        await self.walk(journey)

    async def report(self, path: str, reason: str) -> None:
        """Report something."""
        await self.post(f"{path}/report", {"reason": reason}, by=self.reporter, expect=204)

    @step
    def rows(self, ada: Person, author: User, content: Content, said: str) -> None:
        """Each has its author, its text, a blurred picture, reasons, and how long it waits."""
        row = case(ada, content.sent["name"])
        expect(row.get_by_text(author.username, exact=True)).to_be_visible()
        expect(row.get_by_text("Copyright 1", exact=True)).to_be_visible()
        expect(row.get_by_text("first just now", exact=True)).to_be_visible()
        expect(row.locator(".blurred")).to_have_count(1)
        expect(case(ada, said)).to_contain_text(author.username)

    @step
    def comes(self, ada: Person, later: Content) -> None:
        """A new report comes by itself, a status says so, and the navigation counts it."""
        expect(ada.main.get_by_role("status")).to_contain_text("found")
        self.wait(self.report(later.path, "spam"))
        status = ada.main.get_by_role("status").filter(has_text="1 new report")
        expect(status).to_be_visible(timeout=SOON)
        expect(case(ada, later.sent["name"]).get_by_text("new", exact=True)).to_be_visible()
        path = "moderation/reports?limit=100"
        count = len(self.wait(self.get(path, by=self.moderator, expect=200)).json())
        places = ada.main.get_by_role("navigation", name="Console", exact=True)
        link = places.get_by_role("link", name="Reports", exact=True)
        expect(link).to_contain_text(str(count))

    @step
    def filters(self, ada: Person, content: Content, later: Content, said: str) -> None:
        """Kind and reason are chosen, and the address has them."""
        ada.main.get_by_label("Reason", exact=True).select_option("copyright")
        expect(case(ada, later.sent["name"])).to_have_count(0)
        expect(case(ada, content.sent["name"])).to_be_visible()
        kind = ada.main.get_by_label("Kind", exact=True)
        kind.focus()
        kind.select_option("comment")
        expect(case(ada, content.sent["name"])).to_have_count(0)
        expect(case(ada, said)).to_be_visible()
        expect(kind).to_be_focused()
        self.assertTrue(ada.page.url.endswith("/console/reports?kind=comment&reason=copyright"))
        ada.page.go_back()
        expect(case(ada, content.sent["name"])).to_be_visible()


class ActionsTests(WalkCase):
    world = "portal-console"

    async def test_filters(self) -> None:
        """What programs did is one row until it is opened, and what was done is filtered."""
        admin, player = await self.admin(), await self.user()
        service, token = await self.service("curate")
        for _ in range(3):
            body = {"title": name("news"), "text": "", "level": "info", "until": 1}
            await self.put(f"announcements/{guid()}", body, by=token, expect=201)
        reason = name("reason")
        await self.post(f"user/{player.id}/warning", {"reason": reason}, by=admin, expect=204)

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/console/actions")
            self.folded(ada, service)
            self.chosen(ada, reason)

        await self.walk(journey)

    @step
    def folded(self, ada: Person, service: Service) -> None:
        """Three acts of a program stand in one row, which opens."""
        run = act(ada, "Programs did 3 things").filter(has_text=service.name)
        expect(run).to_contain_text("Announced 3")
        ada.press("Show each", run)
        expect(run.get_by_role("listitem")).to_have_count(3)

    @step
    def chosen(self, ada: Person, reason: str) -> None:
        """What, kind and who are chosen, and the address has them."""
        ada.main.get_by_label("What", exact=True).select_option(label="Warned")
        expect(act(ada, reason)).to_be_visible()
        expect(act(ada, "Programs did")).to_have_count(0)
        ada.main.get_by_label("Kind", exact=True).select_option("user")
        ada.main.get_by_label("Who", exact=True).select_option(label="Programs")
        expect(ada.main.get_by_text("Nothing of this kind was done", exact=True)).to_be_visible()
        query = "action=user_warned&kind=user&adminKind=service"
        self.assertTrue(ada.page.url.endswith(f"/console/actions?{query}"))
        ada.main.get_by_label("Who", exact=True).select_option(label="People")
        expect(act(ada, reason)).to_be_visible()


class ChallengeTests(WalkCase):
    world = "portal-console"

    async def test_made(self) -> None:
        """A curator makes a challenge with pictures and texts of its rewards, and types."""
        admin, title = await self.admin(), name("castles")

        def journey(ada: Person) -> None:
            ada.log_in(admin, "/console/challenges")
            ada.press("New challenge")
            self.refused(ada)
            self.filled(ada, title)
            self.kept(self.made(title), title)
            self.changed(ada, title)

        await self.walk(journey)

    def made(self, title: str) -> dict[str, Any]:
        """The challenge, as the service has it."""
        (found,) = [
            one
            for one in self.wait(self.get("design-challenges", expect=200)).json()
            if one["name"] == title
        ]
        return dict(found)

    @step
    def refused(self, ada: Person) -> None:
        """A reward needs a picture, and the form says so before it is sent."""
        ada.press("Save", ada.dialog)
        picture = ada.dialog.get_by_label("Picture for the winners", exact=True)
        expect(picture).to_have_attribute("aria-invalid", "true")
        expect(ada.dialog.get_by_text("Choose a picture.", exact=True)).to_have_count(2)

    @step
    def filled(self, ada: Person, title: str) -> None:
        """Pictures are sent as they are chosen, and shown."""
        ada.fill(ada.dialog, Name=title, For_the_winners="Castle builder")
        ada.fill(ada.dialog, For_everybody_who_takes_part="Mason")
        ada.fill(ada.dialog, Text_for_the_winners="Built the best castle.")
        ada.fill(ada.dialog, Colour_for_the_winners="#ffb000")
        ada.dialog.get_by_label("Scene", exact=True).check()
        for label in ("Picture for the winners", "Picture for everybody who takes part"):
            with ada.answered("POST */uploads"):
                ada.dialog.get_by_label(label, exact=True).set_input_files(
                    {"name": "a.png", "mimeType": "image/png", "buffer": png(64, 64)}
                )
        expect(ada.dialog.locator("img")).to_have_count(2)
        with ada.answered("POST */design-challenges"):
            ada.press("Save", ada.dialog)
        expect(ada.page.locator("dialog")).to_have_count(0)

    @step
    def kept(self, found: dict[str, Any], title: str) -> None:
        """The service has it all."""
        win, taken = found["win"], found["participate"]
        self.assertEqual(["scene_box"], found["types"], title)
        self.assertEqual("Built the best castle.", win["achievement"]["description"])
        emblem = win["emblem"]["name"], win["emblem"]["color"]
        self.assertEqual(("Castle builder", "#ffb000"), emblem)
        self.assertTrue(win["emblem"]["image"].endswith(".png"))
        self.assertEqual("Mason", taken["achievement"]["name"])

    @step
    def changed(self, ada: Person, title: str) -> None:
        """All types may enter when none is chosen, and the rest stays."""
        before = self.made(title)
        button(ada.main, f"Edit: {title}").click()
        ada.dialog.get_by_label("Scene", exact=True).uncheck()
        with ada.answered("PUT *"):
            ada.press("Save", ada.dialog)
        expect(ada.page.locator("dialog")).to_have_count(0)
        self.assertEqual(before | {"types": None}, self.made(title))
