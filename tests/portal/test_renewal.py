"""Pages that are open over an upgrade of the daemon."""

from __future__ import annotations

from playwright.sync_api import Request, Route, expect

from tests.portal.walk import Person, WalkCase


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
        """A move to a place whose module is gone loads the page again, once. What was typed is
        still there."""

        def steps(ada: Person) -> None:
            ada.register()
            path = ada.publish("Tilting tower")
            ada.fill(Comment="Half a thought")
            upgrade = Upgrade(ada)
            ada.header.get_by_role("link", name="Challenges", exact=True).click()
            expect(ada.main.get_by_role("heading", name="Challenges", level=1)).to_be_visible()
            self.assertEqual([f"{ada.base}/challenges"], upgrade.shells)
            ada.go(path)
            expect(ada.main.get_by_label("Comment", exact=True)).to_have_value("Half a thought")
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)

    async def test_no_loop(self) -> None:
        """Where that does not help, the page says so, and does not do it again by itself."""

        def steps(ada: Person) -> None:
            shells: list[str] = []
            ada.page.on(
                "request",
                lambda one: shells.append(one.url) if one.resource_type == "document" else None,
            )
            ada.page.route("**/places/browse.js", lambda route: route.fulfill(status=404))
            ada.go("/")
            ada.header.get_by_role("link", name="Browse", exact=True).click()
            again = ada.main.get_by_role("button", name="Try again", exact=True)
            expect(again).to_be_visible()
            self.assertEqual([f"{ada.base}/", f"{ada.base}/browse"], shells)
            ada.page.unroute("**/places/browse.js")
            again.click()
            expect(ada.main.get_by_role("heading", name="Browse", level=1)).to_be_visible()
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)

    async def test_away(self) -> None:
        """While the service is away the page says so, and opens the place when it is back."""

        def steps(ada: Person) -> None:
            ada.page.clock.install()
            ada.go("/")
            ada.main.get_by_role("heading", name="Discover", level=1).wait_for()
            ada.page.route("**/portal/**", lambda route: route.fulfill(status=502))
            ada.header.get_by_role("link", name="Browse", exact=True).click()
            ada.page.clock.fast_forward(5_000)
            expect(ada.main.get_by_role("alert")).to_contain_text("does not answer")
            ada.page.unroute("**/portal/**")
            ada.page.clock.fast_forward(5_000)
            expect(ada.main.get_by_role("heading", name="Browse", level=1)).to_be_visible()
            ada.said = [line for line in ada.said if "502" not in line]

        await self.walk(steps)
