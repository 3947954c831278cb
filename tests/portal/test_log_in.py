"""Log-ins on the portal: where they lead, how long they hold, and what knows of them."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Request, expect

from tests.contract.browser import step
from tests.contract.swagger import operation, shorten, tried
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User

ELSEWHERE = (
    *("//evil.example/", "https://evil.example/", "javascript:alert(1)", "\\\\evil.example"),
    *("/\\evil.example", "/\t/evil.example", "data:text/html,x", " //evil.example"),
)


class LogInTests(WalkCase):
    async def test_log_in(self) -> None:
        """A player logs in and out, on the portal and beside it."""
        user = await self.user()

        def journey(ada: Person) -> None:
            shorten(ada.page, "GET /api/v1/me")
            self.docs_of_nobody(ada)
            ada.log_in(user)
            self.docs(ada)
            self.docs_left(ada)
            ada.go("/")
            self.back(ada, user)
            self.elsewhere(ada, user)
            ada.log_out()
            ada.log_in(user)
            self.kept(ada)
            self.ended(ada)

        await self.walk(journey)

    @step
    def docs_of_nobody(self, ada: Person) -> None:
        """/docs asks for no log-in of the portal where nobody has logged in."""
        asked: list[str] = []

        def hear(request: Request) -> None:
            asked.append(request.url.removeprefix(ada.base))

        ada.page.on("request", hear)
        ada.go("/docs")
        ada.page.locator(".auth-wrapper button.authorize.unlocked").wait_for()
        self.assertIn("/docs", asked)
        self.assertNotIn("/portal/session", asked)

    @step
    def docs(self, ada: Person) -> None:
        """/docs has the portal's log-in, also after a reload."""
        for _ in range(2):
            ada.go("/docs")
            ada.page.locator(".auth-wrapper button.authorize.locked").wait_for()
        status, shown = tried(operation(ada.page, "GET", "/api/v1/me"))
        self.assertEqual("200", status)
        self.assertIn(ada.username, shown)

    @step
    def docs_left(self, ada: Person) -> None:
        """It has it until the log-out, in another tab."""
        other = ada.page.context.new_page()
        other.goto(f"{ada.base}/settings")
        other.get_by_role("button", name="Log out", exact=True).click()
        expect(ada.page.locator(".auth-wrapper button.authorize.unlocked")).to_be_visible()
        other.close()

    @step
    def back(self, ada: Person, user: User) -> None:
        """A log-in leads back within the portal, by a path and by a whole address."""
        for then, path, title in (
            ("/browse?q=tower", "/browse?q=tower", "Browse"),
            (f"{ada.base}/challenges", "/challenges", "Challenges"),
        ):
            with self.step(f"then={then}"):
                self.enter(ada, user, then)
                ada.main.get_by_role("heading", name=title, exact=True).wait_for()
                self.assertEqual(ada.base + path, ada.page.url)

    @step
    def elsewhere(self, ada: Person, user: User) -> None:
        """It never leads elsewhere."""
        for then in ELSEWHERE:
            with self.step(f"then={then}"):
                self.enter(ada, user, then)
                ada.main.get_by_role("heading", name="Discover", exact=True).wait_for()
                self.assertEqual(f"{ada.base}/", ada.page.url)

    def enter(self, ada: Person, user: User, then: str) -> None:
        """Log in where this is to come next."""
        ada.move(f"/log-in?then={quote(then, safe='')}")
        ada.fill(Username=user.username, Password=user.password)
        ada.press("Log in")

    @step
    def kept(self, ada: Person) -> None:
        """A reload keeps the log-in."""
        ada.page.reload()
        button(ada.header, "Log out").wait_for()

    @step
    def ended(self, ada: Person) -> None:
        """Where it has ended, the page asks once, and no more."""
        asked: list[str] = []
        ada.page.context.clear_cookies()
        ada.page.reload()
        ada.left()
        ada.spare("401")
        ada.page.on("request", lambda request: asked.append(request.url))
        ada.page.reload()
        ada.left()
        self.assertEqual([], [url for url in asked if url.endswith("/portal/session")])
