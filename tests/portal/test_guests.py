"""Guests on the portal: they begin without an account, and keep what they have."""

from __future__ import annotations

import json
from urllib import request
from urllib.parse import urlsplit

from playwright.sync_api import Route, expect

from tests.contract.browser import step
from tests.portal.walk import PASSWORD, Person, WalkCase, button
from tests.spec.accounts.guests import GuestCase
from tests.spec.data import User, name
from tests.support import daemon

LINE = "You play as a guest, in this browser only."
KEEP = "Keep your account"
ASK = "Leave this guest for good?"


class GuestsTests(GuestCase, WalkCase):
    """A service that takes guests, who may vote."""

    world = "portal-guests"

    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "GUESTS": "yes", "GUESTS_MAY": "rate"}
        environ |= {"GUESTS_PER_ADDRESS": "0"}
        self.use(await daemon.shared(self.world, lambda: daemon.Daemon(environ=environ)))

    async def test_guest(self) -> None:
        """Somebody plays as a guest, is asked before they log out, and keeps the account."""
        content = await self.content(await self.user())

        def journey(ada: Person) -> None:
            self.begins(ada)
            self.goes_on(ada)
            self.asked(ada)
            self.settings(ada)
            self.refused(ada, content.path)
            self.keeps(ada)
            self.forgets(ada)

        await self.walk(journey)

    async def test_lost_answer(self) -> None:
        """Who presses again after a lost connection is one guest: the secret is the same."""

        def journey(ada: Person) -> None:
            ada.go("/log-in")
            sent: list[str] = []

            def lose(route: Route) -> None:
                sent.append(route.request.post_data or "")
                route.abort()

            ada.page.route("**/portal/session", lose)
            button(ada.main, "Play as guest").wait_for()
            ada.page.evaluate("() => (window.setTimeout = (work) => setInterval(work, 1))")
            ada.press("Play as guest")
            ada.main.get_by_role("alert").first.wait_for()
            ada.page.unroute_all()
            with ada.page.expect_request("**/portal/session") as asked:
                ada.press("Play as guest")
            self.assertEqual({asked.value.post_data}, {*sent})
            ada.forget("net::ERR_FAILED")

        await self.walk(journey)

    async def test_closed(self) -> None:
        """Where nobody registers, the line leads nowhere."""
        environ = {"FILES": "local", "GUESTS": "yes", "REGISTRATION": "no"}
        self.use(
            await daemon.shared("portal-guests-closed", lambda: daemon.Daemon(environ=environ))
        )

        def journey(ada: Person) -> None:
            self.begin(ada)
            expect(self.line(ada)).to_contain_text(LINE)
            expect(self.line(ada).get_by_role("link")).to_have_count(0)

        await self.walk(journey)

    async def test_from_game(self) -> None:
        """In a page that the game has opened, the game keeps the account, and nobody asks at the
        log-out."""
        guest = await self.guest()

        def journey(ada: Person) -> None:
            ada.go(f"/log-in#{self.fragment(ada, guest)}")
            ada.arrive()
            expect(self.line(ada)).to_contain_text("You can make this an account in your game.")
            expect(self.line(ada).get_by_role("link")).to_have_count(0)
            ada.move("/register")
            ada.main.get_by_role("heading", name=KEEP, level=1).wait_for()
            expect(ada.main.get_by_label("Username", exact=True)).to_have_count(0)
            with ada.settled():
                ada.page.reload()
            ada.press("Log out", ada.header)
            ada.left()

        await self.walk(journey)

    async def test_link(self) -> None:
        """A guest of this browser is warned of a link that would log somebody else in, and asked
        before a log-out in the layout of a game too."""
        other = await self.guest()

        def journey(ada: Person) -> None:
            self.begin(ada)
            ada.go(f"/log-in#{self.fragment(ada, other)}")
            expect(ada.main).to_contain_text("this browser forgets the guest")
            ada.press("Stay")
            ada.arrive()
            ada.go("/search?layout=game")
            ada.press("Log out", ada.main)
            ada.page.get_by_role("dialog", name=ASK, exact=True).wait_for()
            self.line(ada).wait_for()

        await self.walk(journey)

    async def test_german(self) -> None:
        """It is there in German."""

        def journey(ada: Person) -> None:
            ada.go("/log-in")
            ada.press("Als Gast spielen")
            ada.page.get_by_role("link", name="Konto behalten", exact=True).wait_for()

        self.person = German
        await self.walk(journey)

    # -- steps

    def line(self, ada: Person):  # type: ignore[no-untyped-def]
        """The line of guests."""
        return ada.page.get_by_role("complementary", name="Guest", exact=True)

    def begin(self, ada: Person) -> None:
        """Play as a guest."""
        ada.go("/log-in")
        ada.press("Play as guest")
        ada.arrive()

    @step
    def begins(self, ada: Person) -> None:
        """The button leads to where the log-in leads; the line is there at once."""
        ada.go("/log-in?then=%2Flibrary")
        ada.press("Play as guest")
        ada.arrive("/library")
        self.line(ada).get_by_role("link", name=KEEP, exact=True).wait_for()

    @step
    def goes_on(self, ada: Person) -> None:
        """A reload keeps the guest, and no script can read a secret."""
        before = ada.id
        with ada.settled():
            ada.page.reload()
        self.line(ada).wait_for()
        self.assertEqual(before, ada.id)
        kept = ada.page.evaluate("() => JSON.stringify([{...localStorage}, {...sessionStorage}])")
        self.assertNotIn("secret", kept)
        self.assertNotRegex(kept, "[A-Za-z0-9_-]{43}")
        ada.move("/log-in")
        expect(ada.main).to_contain_text("this browser forgets the guest")
        expect(button(ada.main, "Play as guest")).to_have_count(0)

    @step
    def asked(self, ada: Person) -> None:
        """A log-out asks first, and Escape stays."""
        ada.move("/")
        ada.press("Log out", ada.header)
        ada.page.get_by_role("dialog", name=ASK).wait_for()
        ada.escape()
        button(ada.header, "Log out").wait_for()
        self.line(ada).wait_for()

    @step
    def settings(self, ada: Person) -> None:
        """Settings have neither a password nor an address."""
        ada.move("/settings")
        ada.main.get_by_role("heading", name="Log-ins", exact=True).wait_for()
        for label in ("Current password", "New password", "E-mail"):
            expect(ada.main.get_by_label(label, exact=True)).to_have_count(0)

    @step
    def refused(self, ada: Person, path: str) -> None:
        """What a guest may not do says what to do."""
        ada.move(f"/{path}")
        ada.main.get_by_role("heading", level=1).wait_for()
        ada.fill(Comment="Hello")
        ada.press("Comment")
        expect(ada.main.get_by_role("alert").first).to_contain_text("Guests cannot do this.")
        ada.forget("403")

    @step
    def keeps(self, ada: Person) -> None:
        """The line leads to the form, which leads back; then the line is gone."""
        ada.move("/library")
        self.line(ada).get_by_role("link", name=KEEP, exact=True).click()
        ada.main.get_by_role("heading", name=KEEP, level=1).wait_for()
        before, self.kept = ada.id, name("kept")
        ada.fill(Username=self.kept, Password=PASSWORD)
        ada.main.get_by_label("E-mail", exact=True).fill(f"{self.kept}@example.com")
        ada.press(KEEP)
        ada.arrive("/library")
        expect(self.line(ada)).to_have_count(0)
        expect(ada.header).to_contain_text(self.kept)
        self.assertEqual(before, ada.id)
        with ada.settled():
            ada.page.reload()
        expect(ada.header).to_contain_text(self.kept)
        expect(self.line(ada)).to_have_count(0)

    @step
    def forgets(self, ada: Person) -> None:
        """A full account logs out as everybody does, and in by name and password."""
        before = ada.id
        ada.press("Log out", ada.header)
        ada.left()
        ada.log_in(User("", self.kept, "", PASSWORD, "", ""))
        self.assertEqual(before, ada.id)

    def fragment(self, ada: Person, user: User) -> str:
        """What the URL of a new code has behind its `#`."""
        headers = {
            "Authorization": f"Bearer {user.token}",
            "Content-Type": "application/json",
            "Host": urlsplit(ada.base).netloc,
        }
        place = f"{self.url}/api/v1/user/{user.id}/portal-codes"
        asked = request.Request(place, b"{}", headers, method="POST")
        with request.urlopen(asked) as answer:
            return str(json.load(answer)["url"]).partition("#")[2]


class German(Person):
    """Somebody who reads German."""

    def __init__(self, browser, base, **context) -> None:  # type: ignore[no-untyped-def]
        super().__init__(browser, base, locale="de-DE", **context)
