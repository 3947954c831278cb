"""The portal that a game opens, already logged in."""

from __future__ import annotations

import json
from urllib import request
from urllib.parse import quote, urlsplit

from playwright.sync_api import Request, expect

from tests.contract.browser import step
from tests.portal.test_log_in import ELSEWHERE
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User

WATCH = """
(() => {
    const ask = window.fetch;
    window.asked = [];
    window.fetch = (...request) => (window.asked.push(location.href), ask(...request));
})()
"""
OVER = "This link is no longer valid. Open it from your game once more."


class FromGameTests(WalkCase):
    world = "portal-from-game"

    async def test_open(self) -> None:
        """A player opens the portal from the game."""
        user, second, other = [await self.user() for _ in range(3)]

        def journey(ada: Person) -> None:
            self.straight(ada, user)
            self.unseen(ada)
            self.named(ada)
            self.again(ada, user)
            self.used(ada, user)
            self.elsewhere(ada, second)
            self.stay(ada, second, other)
            self.change(ada, other)

        await self.walk(journey)

    async def test_at_the_log_in(self) -> None:
        """A web view that is at the log-in takes a code by its fragment alone, and keeps drafts."""
        user = await self.user()

        def journey(ada: Person) -> None:
            for then in ("/library", "/challenges"):
                ada.go("/log-in")
                ada.main.get_by_label("Username", exact=True).wait_for()
                draft = f"contentsvc.draft.{user.id}.comment"
                ada.page.evaluate("name => localStorage.setItem(name, '{}')", draft)
                ada.page.evaluate(
                    "fragment => void (location.hash = fragment)", self.fragment(ada, user, then)
                )
                ada.arrive(then)
                kept = ada.page.evaluate("name => localStorage.getItem(name)", draft)
                self.assertEqual("{}", kept)
            ada.forget("401")

        await self.walk(journey)

    async def test_stranger(self) -> None:
        """It asks too where the log-in that is remembered cannot be taken up now."""
        user, other = await self.user(), await self.user()

        def journey(ada: Person) -> None:
            ada.log_in(user)
            ada.page.route("**/portal/session", lambda route: route.abort())
            ada.go(f"/log-in#{self.fragment(ada, other)}")
            button(ada.main, "Stay").wait_for()
            expect(ada.main).to_contain_text(f"You are logged in as {user.username}.")
            ada.page.unroute_all()
            ada.forget("net::ERR_FAILED")

        await self.walk(journey)

    def fragment(self, ada: Person, user: User, then: str | None = None) -> str:
        """What the URL of a new code has behind its `#`."""
        headers = {
            "Authorization": f"Bearer {user.token}",
            "Content-Type": "application/json",
            "Host": urlsplit(ada.base).netloc,
        }
        body = json.dumps({} if then is None else {"then": then}).encode()
        asked = request.Request(
            f"{self.url}/api/v1/user/{user.id}/portal-codes", body, headers, method="POST"
        )
        with request.urlopen(asked) as answer:
            url = str(json.load(answer)["url"])
        self.assertTrue(url.startswith(f"{ada.base}/log-in#portal-code="))
        return url.partition("#")[2]

    @step
    def straight(self, ada: Person, user: User) -> None:
        """It asks nothing, and shows no form."""
        ada.username = user.username
        ada.page.add_init_script(WATCH)
        self.requests: list[str] = []
        ada.page.on("request", self.hear)
        self.code = self.fragment(ada, user, "/browse?q=a b")
        ada.go(f"/log-in#{self.code}")
        ada.page.wait_for_url(f"{ada.base}/browse?q=a%20b")
        button(ada.header, "Log out").wait_for()
        ada.page.remove_listener("request", self.hear)

    def hear(self, sent: Request) -> None:
        """Note what a request says of where it comes from."""
        self.requests.append(f"{sent.url} {sent.headers.get('referer')}")

    @step
    def unseen(self, ada: Person) -> None:
        """The code had left the address before anything was asked, and is in no entry of the
        history."""
        code = self.code.partition("&")[0].partition("=")[2]
        asked = ada.page.evaluate("window.asked")
        self.assertTrue(asked)
        for each in (*asked, *self.requests):
            self.assertNotIn(code, each)
        self.assertNotIn(code, str(ada.page.evaluate("JSON.stringify({...localStorage})")))
        self.assertNotIn(code, str(ada.page.evaluate("JSON.stringify({...sessionStorage})")))

    @step
    def named(self, ada: Person) -> None:
        """Settings say what this log-in is."""
        ada.move("/settings")
        ada.main.get_by_text("The portal in your game").wait_for()

    @step
    def again(self, ada: Person, user: User) -> None:
        """The next code of the same player asks nothing either, and keeps what was typed."""
        draft = f"contentsvc.draft.{user.id}.comment"
        ada.page.evaluate("name => localStorage.setItem(name, '{}')", draft)
        ada.go(f"/log-in#{self.fragment(ada, user)}")
        ada.arrive("/")
        self.assertEqual("{}", ada.page.evaluate("name => localStorage.getItem(name)", draft))

    @step
    def used(self, ada: Person, user: User) -> None:
        """One that was used says so, and ends what it began."""
        fragment = self.fragment(ada, user)
        ada.go(f"/log-in#{fragment}")
        ada.arrive("/")
        ada.go("/docs")
        ada.go(f"/log-in#{fragment}")
        expect(ada.main.get_by_role("alert")).to_contain_text(OVER)
        ada.main.get_by_label("Username", exact=True).wait_for()
        ada.spare("400")
        ada.left()

    @step
    def elsewhere(self, ada: Person, user: User) -> None:
        """It never leads elsewhere."""
        for then in ELSEWHERE:
            with self.step(f"then={then}"):
                fragment = self.fragment(ada, user)
                ada.go("/docs")
                ada.go(f"/log-in#{fragment}&then={quote(then, safe='')}")
                ada.arrive("/")

    @step
    def stay(self, ada: Person, user: User, other: User) -> None:
        """Somebody else's asks before it is sent, and may be left."""
        self.other = self.fragment(ada, other, "/challenges")
        sent: list[str] = []
        ada.page.on("request", lambda each: sent.append(each.post_data or ""))
        ada.go(f"/log-in#{self.other}")
        expect(ada.main).to_contain_text(f"You are logged in as {user.username}.")
        expect(ada.main).to_contain_text(f"This would log {other.username} in here.")
        ada.press("Stay")
        ada.arrive("/challenges")
        self.assertEqual(user.id, ada.id)
        self.assertFalse([each for each in sent if "portal-code" in each])

    @step
    def change(self, ada: Person, other: User) -> None:
        """Or be taken."""
        ada.go("/docs")
        ada.go(f"/log-in#{self.other}")
        ada.press("Log in")
        ada.arrive("/challenges")
        self.assertEqual(other.id, ada.id)
