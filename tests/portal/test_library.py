"""What players keep, in the portal."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.portal.test_sockets import Proxy
from tests.portal.walk import Person, WalkCase
from tests.spec.data import Content, User, draft, name

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


def button(within: Locator, text: str) -> Locator:
    """The one button with this name."""
    return within.get_by_role("button", name=text, exact=True)


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

    async def revise(self, version: str, notes: str) -> str:
        """Publish a revision."""
        body = draft(version=version, revisionDescription=notes)
        await self.post(f"{self.made.path}/revisions", body, by=self.author, expect=201)
        return str(body["revisionId"])

    async def kept(self) -> dict[str, object]:
        """The map of what the player keeps."""
        path = f"user/{self.keeper.id}/subscriptions/state"
        return dict((await self.get(path, by=self.keeper)).json())

    def enter(self, person: Person, user: User | None = None) -> None:
        """Log in as the player."""
        user = user or self.keeper
        person.log_in(user.username, user.password)

    def row(self, person: Person) -> Locator:
        """What the library has of the content."""
        return person.main.get_by_role("article", name=self.title, exact=True)


class KeepTests(LibraryCase):
    async def test_subscribe(self) -> None:
        """Who subscribes to content sees that on its page, on its card and in the library."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go(f"/content/{self.made.id}")
            subscribe = button(ada.main, "Subscribe")
            expect(subscribe).to_have_attribute("aria-pressed", "false")
            subscribe.click()
            expect(subscribe).to_have_attribute("aria-pressed", "true")
            expect(ada.main.get_by_text("1 subscriber", exact=True)).to_have_count(1)
            ada.header.get_by_role("link", name="Library", exact=True).click()
            expect(self.row(ada)).to_be_visible()
            ada.go(f"/browse?q={self.title}")
            card = ada.main.get_by_role("article")
            expect(button(card, "Subscribe")).to_have_attribute("aria-pressed", "true")
            expect(button(card, "Favourite")).to_have_attribute("aria-pressed", "false")

        await self.walk(steps)
        self.assertIn(self.made.id, await self.kept())

    async def test_favourite(self) -> None:
        """A favourite is marked on the card, and is in the collection of favourites."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go(f"/browse?q={self.title}")
            favourite = button(ada.main.get_by_role("article"), "Favourite")
            favourite.click()
            expect(favourite).to_have_attribute("aria-pressed", "true")
            ada.go("/library/collections")
            ada.main.get_by_role("link", name="Favourites", exact=True).click()
            expect(ada.main.get_by_role("heading", name="Favourites", level=1)).to_be_visible()
            expect(self.row(ada)).to_be_visible()

        await self.walk(steps)

    async def test_taken_back(self) -> None:
        """A subscription is shown before the service answers, and no more when it refuses."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go(f"/content/{self.made.id}")
            held = ada.hold("**/subscription/**")
            subscribe = button(ada.main, "Subscribe")
            subscribe.click()
            expect(subscribe).to_have_attribute("aria-pressed", "true")
            self.assertEqual(1, len(held))
            held[0].fulfill(status=403, json=REFUSED, content_type="application/problem+json")
            expect(ada.main.get_by_role("alert")).to_contain_text("2,000")
            expect(subscribe).to_have_attribute("aria-pressed", "false")
            expect(ada.main.get_by_text("0 subscribers", exact=True)).to_have_count(1)
            ada.said = [line for line in ada.said if "403" not in line]

        await self.walk(steps)

    async def test_stranger(self) -> None:
        """Who is not logged in sees the numbers, and a way to log in."""

        def steps(ada: Person) -> None:
            ada.go(f"/content/{self.made.id}")
            expect(ada.main.get_by_text("0 subscribers", exact=True)).to_have_count(1)
            expect(button(ada.main, "Subscribe")).to_have_count(0)
            ada.main.get_by_role("link", name="Log in to subscribe", exact=True).click()
            ada.page.wait_for_url(f"**/log-in?then=*{self.made.id}")

        await self.walk(steps)

    async def test_elsewhere(self) -> None:
        """What the player keeps or removes elsewhere is shown without a reload."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go("/library")
            expect(ada.main.get_by_text("You have not subscribed to anything yet")).to_be_visible()
            self.wait(self.keep())
            expect(self.row(ada)).to_be_visible()

        await self.walk(steps)

    async def test_before_socket(self) -> None:
        """What the player keeps elsewhere before the page has its socket is shown, too."""

        def steps(ada: Person) -> None:
            self.enter(ada)
            proxy = Proxy(ada, refuses=True)
            ada.go("/library")
            expect(ada.main.get_by_text("You have not subscribed to anything yet")).to_be_visible()
            self.wait(self.keep())
            proxy.refuses = False
            expect(self.row(ada)).to_be_visible()
            ada.said = [line for line in ada.said if "WebSocket" not in line]

        await self.walk(steps)


class ShelfTests(LibraryCase):
    async def test_new(self) -> None:
        """The library has what is new since the last visit at its top, with the notes of it."""
        await self.keep()
        other = await self.content(self.author, name=name("bridge"))
        await self.keep(other)

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go("/library")
            expect(self.row(ada)).to_be_visible()
            new = ada.main.get_by_role("region", name="New since your last visit", exact=True)
            expect(new).to_have_count(0)
            ada.go("/challenges")  # an open library would see it at once
            self.wait(self.revise("2.0", "Taller."))
            ada.page.evaluate(LONG_AGO)
            ada.go("/library")
            expect(new.get_by_role("article")).to_have_count(1)
            expect(new).to_contain_text("2.0")
            expect(new).to_contain_text("Taller.")
            expect(ada.main.get_by_role("article")).to_have_count(2)
            ada.page.evaluate(LONG_AGO)
            ada.go("/library")
            expect(ada.main.get_by_role("article")).to_have_count(2)
            expect(new).to_have_count(0)

        await self.walk(steps)

    async def test_unavailable(self) -> None:
        """What is withdrawn stays in the library under its name, and says that it is not there."""
        await self.keep()

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go("/library")
            expect(self.row(ada)).to_be_visible()
            self.wait(self.delete(self.made.path, by=self.author, expect=204))
            expect(self.row(ada)).to_contain_text("Not available")
            button(self.row(ada), "Remove").click()
            button(self.row(ada), "Really remove").click()
            expect(self.row(ada)).to_have_count(0)

        await self.walk(steps)
        self.assertEqual({}, await self.kept())

    async def test_remove(self) -> None:
        """What is removed goes at once, and is back when the service refuses."""
        await self.keep()

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go("/library")
            held = ada.hold("**/subscription/**")
            button(self.row(ada), "Remove").click()
            expect(self.row(ada)).to_have_count(0)
            problem = {"title": "No", "status": 500, "code": "internal_error"}
            held[0].fulfill(status=500, json=problem, content_type="application/problem+json")
            expect(self.row(ada)).to_be_visible()
            expect(ada.main.get_by_role("alert")).to_be_visible()
            ada.said = [line for line in ada.said if "500" not in line]

        await self.walk(steps)

    async def test_pin(self) -> None:
        """A player stays with an older revision, and is told that there is a newer one."""
        first = str(self.made.sent["revisionId"])
        await self.keep()
        await self.revise("2.0", "Taller.")

        def steps(ada: Person) -> None:
            self.enter(ada)
            ada.go("/library")
            button(self.row(ada), "Pin").click()
            dialog = ada.page.get_by_role("dialog")
            dialog.get_by_label("Revision", exact=True).select_option(first)
            ada.press("Save", dialog)
            expect(self.row(ada)).to_contain_text("Pinned")
            expect(self.row(ada)).to_contain_text("There is a newer revision.")

        await self.walk(steps)
        self.assertEqual(first, (await self.kept())[self.made.id]["revision"])  # type: ignore[index]

    async def test_strangers(self) -> None:
        """The library asks who is not logged in to log in."""

        def steps(ada: Person) -> None:
            ada.go("/library")
            expect(ada.main.get_by_role("heading", name="Library", level=1)).to_be_visible()
            expect(ada.main.get_by_role("link", name="Log in", exact=True)).to_be_visible()

        await self.walk(steps)
