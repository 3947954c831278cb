"""What players keep, in the portal."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, draft, name

LONG_AGO = """
() => {
    for (const key of Object.keys(localStorage)) {
        if (!key.startsWith("contentsvc.library.")) continue;
        const visit = JSON.parse(localStorage.getItem(key));
        localStorage.setItem(key, JSON.stringify({ ...visit, at: visit.at - 86400 }));
    }
}
"""
REFUSED = {"title": "No", "status": 403, "code": "quota_exceeded", "limit": 2000, "used": 2000}


class LibraryCase(WalkCase):
    """A player who keeps what somebody has published."""

    async def setUp(self) -> None:
        await super().setUp()
        self.keeper, self.author = await self.user(), await self.user()
        self.made = await self.content(self.author, name=name("tower"))

    @property
    def title(self) -> str:
        """What the content is called."""
        return str(self.made.sent["name"])

    async def keep(self, content: Content | None = None) -> None:
        """Let the player keep it."""
        path = f"user/{self.keeper.id}/subscription/{(content or self.made).id}"
        await self.put(path, {}, by=self.keeper, expect=204)

    async def revise(self, version: str, notes: str) -> None:
        """Publish a revision."""
        body = draft(version=version, revisionDescription=notes)
        await self.post(f"{self.made.path}/revisions", body, by=self.author, expect=201)

    def kept(self) -> dict[str, Any]:
        """The map of what the player keeps."""
        path = f"user/{self.keeper.id}/subscriptions/state"
        return dict(self.wait(self.get(path, by=self.keeper)).json())

    def row(self, person: Person) -> Locator:
        """What the library has of the content."""
        return person.main.get_by_role("article", name=self.title, exact=True)


class KeepTests(LibraryCase):
    async def test_keep(self) -> None:
        """A stranger finds content, logs in, keeps it, and likes it."""

        def journey(ada: Person) -> None:
            self.stranger(ada)
            ada.log_in(self.keeper, f"/content/{self.made.id}")
            self.taken_back(ada)
            self.unanswered(ada)
            self.subscribe(ada)
            self.favourite(ada)

        await self.walk(journey)

    @step
    def stranger(self, ada: Person) -> None:
        """Who is not logged in sees the numbers, and a way to log in; the library asks for it."""
        ada.go("/library")
        expect(ada.main.get_by_role("heading", name="Library", level=1)).to_be_visible()
        expect(ada.main.get_by_role("link", name="Log in", exact=True)).to_be_visible()
        ada.move(f"/content/{self.made.id}")
        expect(button(ada.main, "Subscribe")).to_have_count(0)
        ada.main.get_by_role("link", name="Log in to vote and subscribe", exact=True).click()
        ada.page.wait_for_url(f"**/log-in?then=*{self.made.id}")

    @step
    def taken_back(self, ada: Person) -> None:
        """A subscription is shown before the service answers, and no more when it refuses."""
        subscribe = button(ada.main, "Subscribe")
        expect(subscribe).to_have_attribute("aria-pressed", "false")
        with ada.held("**/subscription/**") as waiting:
            subscribe.click()
        expect(button(ada.main, "Subscribed")).to_have_attribute("aria-pressed", "true")
        ada.refuse(waiting, **REFUSED)
        expect(ada.main.get_by_role("alert")).to_contain_text("2,000")
        expect(subscribe).to_have_attribute("aria-pressed", "false")
        expect(ada.main.get_by_text("0 subscribers", exact=True)).to_have_count(1)
        ada.spare("403")

    @step
    def unanswered(self, ada: Person) -> None:
        """Where the service does not answer, the button says so, and nothing of what was typed."""
        favourite = button(ada.main, "Favourite")
        ada.page.route("**/items/*", lambda route: route.abort())
        favourite.click()
        said = "The service does not answer. Try again in a moment."
        expect(ada.main.get_by_role("alert").filter(has_text=said)).to_be_visible()
        expect(favourite).to_have_attribute("aria-pressed", "false")
        ada.page.unroute_all()
        ada.forget("ERR_FAILED")

    @step
    def subscribe(self, ada: Person) -> None:
        """Who subscribes to content sees that on its page and in the library."""
        subscribe = button(ada.main, "Subscribe")
        with ada.answered("PUT */subscription/*"):
            subscribe.click()
        expect(button(ada.main, "Subscribed")).to_have_attribute("aria-pressed", "true")
        expect(ada.main.get_by_text("1 subscriber", exact=True)).to_have_count(1)
        ada.header.get_by_role("link", name="Library", exact=True).click()
        expect(self.row(ada)).to_be_visible()
        self.assertIn(self.made.id, self.kept())

    @step
    def favourite(self, ada: Person) -> None:
        """A favourite is marked on the page of the content, and is in the collection of
        favourites."""
        ada.move(f"/content/{self.made.id}")
        favourite = button(ada.main, "Favourite")
        expect(favourite).to_have_attribute("aria-pressed", "false")
        with ada.answered("PUT */items/*"):
            favourite.click()
        expect(favourite).to_have_attribute("aria-pressed", "true")
        ada.move("/library/collections")
        ada.main.get_by_role("link", name="Favourites", exact=True).click()
        expect(ada.main.get_by_role("heading", name="Favourites", level=1)).to_be_visible()
        expect(self.row(ada)).to_be_visible()


class ShelfTests(LibraryCase):
    async def test_shelf(self) -> None:
        """A player's library changes with what they keep, and with what becomes of it."""

        def journey(ada: Person) -> None:
            ada.log_in(self.keeper, "/library")
            self.elsewhere(ada)
            self.back(ada)
            self.new(ada)
            self.pin(ada)
            self.unavailable(ada)

        await self.walk(journey)

    @step
    def elsewhere(self, ada: Person) -> None:
        """What the player keeps or removes elsewhere is shown without a reload."""
        nothing = ada.main.get_by_text("You have not subscribed to anything yet")
        expect(nothing).to_be_visible()
        self.wait(self.keep())
        expect(self.row(ada)).to_be_visible()
        path = f"user/{self.keeper.id}/subscription/{self.made.id}"
        self.wait(self.delete(path, by=self.keeper, expect=204))
        expect(nothing).to_be_visible()
        self.wait(self.keep())
        expect(self.row(ada)).to_be_visible()

    @step
    def back(self, ada: Person) -> None:
        """What is removed goes at once, and is back when the service refuses."""
        with ada.held("**/subscription/**") as waiting:
            button(self.row(ada), f"Remove: {self.title}").click()
        expect(self.row(ada)).to_have_count(0)
        ada.refuse(waiting, title="No", status=500, code="internal_error")
        expect(self.row(ada)).to_be_visible()
        expect(ada.main.get_by_role("alert")).to_be_visible()
        ada.spare("500")

    @step
    def new(self, ada: Person) -> None:
        """The library has what is new since the last visit at its top, with the notes of it."""
        self.other = self.wait(self.content(self.author, name=name("bridge")))
        self.wait(self.keep(self.other))
        ada.go("/library")
        rows = ada.main.get_by_role("article")
        expect(rows).to_have_count(2)
        new = ada.main.get_by_role("region", name="New since your last visit", exact=True)
        expect(new).to_have_count(0)
        ada.move("/challenges")  # an open library would see it at once
        self.wait(self.revise("2.0", "Taller."))
        ada.page.evaluate(LONG_AGO)
        ada.move("/library")
        expect(new.get_by_role("article")).to_have_count(1)
        expect(new).to_contain_text("2.0")
        expect(new).to_contain_text("Taller.")
        expect(rows).to_have_count(2)
        ada.page.evaluate(LONG_AGO)
        ada.go("/library")
        expect(rows).to_have_count(2)
        expect(new).to_have_count(0)

    @step
    def pin(self, ada: Person) -> None:
        """A player stays with an older revision, and is told that there is a newer one."""
        first = str(self.made.sent["revisionId"])
        button(self.row(ada), f"Pin: {self.title}").click()
        ada.dialog.get_by_label("Revision", exact=True).select_option(first)
        ada.press("Save", ada.dialog)
        expect(self.row(ada)).to_contain_text("Pinned")
        expect(self.row(ada)).to_contain_text("There is a newer revision.")
        self.assertEqual(first, self.kept()[self.made.id]["revision"])

    @step
    def unavailable(self, ada: Person) -> None:
        """What is withdrawn stays in the library under its name, and says that it is not there."""
        self.wait(self.delete(self.made.path, by=self.author, expect=204))
        expect(self.row(ada)).to_contain_text("Not available")
        button(self.row(ada), f"Remove: {self.title}").click()
        with ada.answered("DELETE */subscription/*"):
            button(self.row(ada), f"Really remove: {self.title}").click()
        expect(self.row(ada)).to_have_count(0)
        self.assertEqual([self.other.id], list(self.kept()))
