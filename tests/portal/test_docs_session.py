"""Who is logged in on the portal is logged in at /docs."""

from __future__ import annotations

from playwright.sync_api import Request, expect

from tests.contract.test_page import operation, shorten, tried
from tests.portal.walk import Person, WalkCase


class DocsTests(WalkCase):
    async def test_session(self) -> None:
        """/docs has the portal's log-in, also after a reload, and until the log-out; it asks for
        none where nobody has logged in."""

        def steps(ada: Person) -> None:
            asked: list[str] = []

            def hear(request: Request) -> None:
                asked.append(request.url.removeprefix(ada.base))

            locked = ada.page.locator(".auth-wrapper button.authorize.unlocked")
            opened = ada.page.locator(".auth-wrapper button.authorize.locked")
            ada.page.on("request", hear)
            shorten(ada.page, "GET /api/v1/me")
            ada.go("/docs")
            locked.wait_for()
            self.assertNotIn("/portal/session", asked)
            ada.register()
            for _ in range(2):
                ada.go("/docs")
                opened.wait_for()
            status, shown = tried(operation(ada.page, "GET", "/api/v1/me"))
            self.assertEqual("200", status)
            self.assertIn(ada.username, shown)
            other = ada.page.context.new_page()
            other.goto(f"{ada.base}/settings")
            other.get_by_role("button", name="Log out", exact=True).click()
            expect(locked).to_be_visible()

        await self.walk(steps)
