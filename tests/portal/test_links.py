"""The addresses of places: how people give them away, and where wrong ones lead."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import guid

COPIED = "navigator.clipboard.readText()"
SHARE = """
navigator.share = async (what) => {
    (window.shared ??= []).push(what.url);
    if (window.fault) throw new DOMException("", window.fault);
};
"""


class Phone(Person):
    """Somebody with a phone, whose system has a sheet for what is shared."""

    def __init__(self, browser: Browser, base: str) -> None:
        super().__init__(browser, base, has_touch=True, is_mobile=True)
        self.page.add_init_script(SHARE)


class LinksTests(WalkCase, ChallengeCase):
    async def test_copied(self) -> None:
        """Anybody copies the address of a challenge, a player and a public collection, and of no
        private one."""
        owner, made = await self.user(), await self.challenge()
        shelves = {public: guid() for public in (True, False)}
        for public, id in shelves.items():
            body = {"name": "Tall things", "description": "", "public": public}
            await self.put(f"user/{owner.id}/collections/{id}", body, by=owner, expect=204)
        paths = (f"/challenges/{made.id}", f"/user/{owner.id}", f"/collections/{shelves[True]}")

        def journey(ada: Person) -> None:
            # A browser trusts this machine as if there was TLS.
            ada.base = self.url
            ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            for path in paths:
                with self.step(path):
                    ada.go(path)
                    ada.press("Copy link")
                    expect(button(ada.main, "Copied")).to_be_visible()
                    self.assertEqual(ada.base + path, ada.page.evaluate(COPIED))
            ada.log_in(owner, f"/collections/{shelves[False]}")
            expect(button(ada.main, "Edit")).to_be_visible()
            expect(button(ada.main, "Copy link")).to_have_count(0)

        await self.walk(journey)

    async def test_told(self) -> None:
        """That an address is copied is told in a status too, and for some seconds only."""
        user = await self.user()

        def journey(ada: Person) -> None:
            ada.base = self.url
            ada.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            ada.page.clock.install()
            ada.go(f"/user/{user.id}")
            told = ada.main.get_by_role("status").filter(has_text="Copied")
            ada.press("Copy link")
            expect(told).to_have_count(1)
            ada.page.clock.run_for(5_000)
            expect(button(ada.main, "Copy link")).to_be_visible()
            expect(told).to_have_count(0)

        await self.walk(journey)

    async def test_nowhere(self) -> None:
        """An address that leads nowhere says what may have happened, and leads on: strangers to
        the log-in too."""
        user = await self.user()

        def journey(ada: Person) -> None:
            self.lost(ada)
            ada.log_in(user, "/nowhere")
            expect(ada.main.get_by_role("link")).to_have_text(["Discover", "Browse", "Search"])
            ada.forget("404")

        await self.walk(journey)

    @step
    def lost(self, ada: Person) -> None:
        """A stranger is lost."""
        ada.go(f"/user/{guid()}")
        expect(ada.main).to_contain_text("Maybe it was withdrawn")
        links = ada.main.get_by_role("link")
        expect(links).to_have_text(["Discover", "Browse", "Search", "Log in"])
        ada.forget("404")


class PhoneTests(WalkCase):
    person = Phone

    async def test_shared(self) -> None:
        """A phone shares the address by its own sheet, and copies it where that fails; who closes
        the sheet is asked nothing."""
        user = await self.user()
        path = f"/user/{user.id}"

        def journey(ada: Person) -> None:
            ada.go(path)
            ada.press("Share")
            ada.page.evaluate("window.fault = 'AbortError'")
            ada.press("Share")
            ada.page.evaluate("window.fault = 'NotAllowedError'")
            ada.press("Share")
            expect(button(ada.main, "Copied")).to_be_visible()
            self.assertEqual([ada.base + path] * 3, ada.page.evaluate("window.shared"))

        await self.walk(journey)
