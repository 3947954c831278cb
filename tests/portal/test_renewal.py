"""Pages that are open over an upgrade of the daemon."""

from __future__ import annotations

from playwright.sync_api import Request, Route, expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button


class Upgrade:
    """An upgrade of the daemon under the page of this person: the files that this page names are
    gone, and a new page names others."""

    def __init__(self, person: Person) -> None:
        self.shells: list[str] = []
        person.page.on("request", self._note)
        person.page.route("**/portal/**/*.js", self._file)

    def _note(self, request: Request) -> None:
        if request.resource_type == "document":
            self.shells.append(request.url)

    def _file(self, route: Route) -> None:
        if self.shells:
            route.continue_()
        else:
            route.fulfill(status=404)


class RenewalTests(WalkCase):
    async def test_upgrade(self) -> None:
        """A page is open while the service is upgraded, lacks a file, and is away."""

        def journey(ada: Person) -> None:
            ada.register("/publish")
            self.upgraded(ada, ada.publish_here("Tilting tower"))
            ada.log_out()
            self.no_loop(ada)
            self.away(ada)

        await self.walk(journey)

    @step
    def upgraded(self, ada: Person, path: str) -> None:
        """A move to a place whose module is gone loads the page again, once. What was typed is
        still there."""
        ada.fill(Comment="Half a thought")
        upgrade = Upgrade(ada)
        ada.header.get_by_role("link", name="Challenges", exact=True).click()
        expect(ada.main.get_by_role("heading", name="Challenges", level=1)).to_be_visible()
        self.assertEqual([f"{ada.base}/challenges"], upgrade.shells)
        ada.go(path)
        expect(ada.main.get_by_label("Comment", exact=True)).to_have_value("Half a thought")
        ada.page.unroute_all()
        ada.spare("404")

    @step
    def no_loop(self, ada: Person) -> None:
        """Where that does not help, the page says so, and does not do it again by itself."""
        shells: list[str] = []
        ada.page.on(
            "request",
            lambda one: shells.append(one.url) if one.resource_type == "document" else None,
        )
        ada.page.route("**/places/browse.js", lambda route: route.fulfill(status=404))
        ada.go("/")
        ada.header.get_by_role("link", name="Browse", exact=True).click()
        again = button(ada.main, "Try again")
        expect(again).to_be_visible()
        self.assertEqual([f"{ada.base}/", f"{ada.base}/browse"], shells)
        ada.page.unroute_all()
        again.click()
        expect(ada.main.get_by_role("heading", name="Browse", level=1)).to_be_visible()
        ada.spare("404", "404")

    @step
    def away(self, ada: Person) -> None:
        """While the service is away the page says so, and opens the place when it is back."""
        ada.page.clock.install()
        ada.go("/")
        ada.main.get_by_role("heading", name="Discover", level=1).wait_for()
        ada.page.route("**/portal/**", lambda route: route.fulfill(status=502))
        ada.header.get_by_role("link", name="Browse", exact=True).click()
        ada.page.clock.fast_forward(5_000)
        expect(ada.main.get_by_role("alert")).to_contain_text("does not answer")
        ada.page.unroute_all()
        ada.page.clock.fast_forward(5_000)
        expect(ada.main.get_by_role("heading", name="Browse", level=1)).to_be_visible()
        ada.spare("502")
