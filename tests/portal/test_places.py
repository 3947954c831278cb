"""What the places show at once, and what mends itself."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import SITE, Person, WalkCase, button
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import User, guid, name

LATE = """
// What follows a drawing comes long after it, as on a busy machine.
const soon = window.setTimeout;
window.requestAnimationFrame = (run) => soon(() => run(performance.now()), 400);
window.setTimeout = (run, wait, ...more) => soon(run, Math.max(wait ?? 0, 400), ...more);
"""
REFERER = "token="


class PlacesTests(WalkCase, ChallengeCase):
    async def test_stranger(self) -> None:
        """A stranger comes by a mail's link, searches, looks at a challenge, and goes offline."""
        made = await self.challenge()
        winner = await self.content(await self.user(), name=name("tower"))
        await self.enter(made, winner)
        await self.entry(made)
        await self.close(made, winner)

        def journey(ada: Person) -> None:
            self.token_leaves(ada)
            self.search_goes_back(ada)
            self.winners(ada, f"/challenges/{made.id}", winner.sent["name"])
            self.offline(ada)
            self.comes_by_itself(ada)

        await self.walk(journey)

    @step
    def token_leaves(self, ada: Person) -> None:
        """The token of a mail's link leaves the address before the page asks for anything."""
        said: list[str] = []
        ada.page.on(
            "request",
            lambda one: (
                said.append(one.url)
                if one.resource_type == "fetch" and REFERER in one.headers.get("referer", "")
                else None
            ),
        )
        ada.go("/account?token=reset-nothing")
        ada.main.get_by_label("New password", exact=True).wait_for()
        self.assertEqual(f"{ada.base}/account", ada.page.url)
        self.assertEqual([], said)

    @step
    def search_goes_back(self, ada: Person) -> None:
        """Who goes back to a search before sees its words in the field."""
        ada.move("/browse?q=first")
        field = ada.main.get_by_role("searchbox", name="Search", exact=True)
        field.fill("second")
        field.press("Enter")
        ada.page.wait_for_url("**q=second")
        ada.page.go_back()
        expect(field).to_have_value("first")

    @step
    def winners(self, ada: Person, path: str, title: str) -> None:
        """A closed challenge shows its winner apart from the entries."""
        ada.move(path)
        winners = ada.main.get_by_role("list", name="Winners", exact=True)
        expect(winners.get_by_role("article")).to_have_count(1)
        expect(winners).to_contain_text(title)

    @step
    def offline(self, ada: Person) -> None:
        """Who is offline is told, until they are not any more."""
        ada.go("/")
        ada.header.get_by_role("link", name="Browse", exact=True).wait_for()
        ada.page.context.set_offline(True)
        banner = ada.header.get_by_role("status")
        expect(banner).to_contain_text("You are offline")
        ada.page.context.set_offline(False)
        expect(banner).to_have_count(0)
        ada.forget("ERR_INTERNET_DISCONNECTED")

    @step
    def comes_by_itself(self, ada: Person) -> None:
        """What could not be read comes by itself afterwards."""
        ada.page.route("**/api/v1/design-challenges**", lambda route: route.abort())
        ada.go("/challenges")
        expect(ada.main.get_by_role("alert")).to_contain_text("does not answer")
        ada.page.unroute_all()
        expect(ada.main.get_by_role("alert")).to_have_count(0)
        ada.spare("ERR_FAILED")

    async def test_titles(self) -> None:
        """What cannot be seen gives the page its title, whatever the place is called."""
        user, other = await self.user(), await self.user()

        def journey(ada: Person) -> None:
            ada.log_in(user)
            self.nowhere(ada)
            self.news_comes(ada, user, other)

        await self.walk(journey)

    @step
    def nowhere(self, ada: Person) -> None:
        """A place that is not there, or not for the visitor, is called Not found in the tab."""
        things = [f"/{kind}/{guid()}" for kind in ("content", "user", "challenges", "collections")]
        hidden = ["/console", "/console/reports", "/console/staff", f"/content/{guid()}/statistics"]
        for path in (*things, f"/messages/{guid()}", *hidden, "/nowhere"):
            with self.step(path):
                with ada.read():
                    (ada.go if path == "/nowhere" else ada.move)(path)
                ada.main.get_by_role("heading", name="Not found", level=1).wait_for()
                expect(ada.page).to_have_title(f"Not found {SITE}")
                # The answers are 404s, where the service is asked.
                ada.forget("404")
        ada.move("/browse")
        expect(ada.page).to_have_title(f"Browse {SITE}")

    @step
    def news_comes(self, ada: Person, user: User, other: User) -> None:
        """News changes the number before the title, and not the title."""
        ada.go("/console")
        expect(ada.page).to_have_title(f"Not found {SITE}")
        self.wait(self.put(f"user/{other.id}/following/{user.id}", by=other, expect=204))
        expect(ada.page).to_have_title(f"(1) Not found {SITE}")

    async def test_player(self) -> None:
        """A player follows another, and publishes."""
        other, user = await self.user(), await self.user()

        def journey(ada: Person) -> None:
            self.at_once(ada, user, other)
            self.pictures(ada)

        await self.walk(journey)

    @step
    def at_once(self, ada: Person, user: User, other: User) -> None:
        """What can be taken back is shown before the service answers, and not any more when it
        refuses."""
        ada.log_in(user, f"/user/{other.id}")
        with ada.held("**/following/**") as waiting:
            ada.press("Follow")
        expect(button(ada.main, "Unfollow")).to_be_visible()
        ada.refuse(waiting, title="No", status=403, code="blocked", detail="No.")
        expect(ada.main.get_by_role("alert")).to_contain_text("cannot be reached")
        expect(button(ada.main, "Follow")).to_be_visible()
        ada.spare("403")

    @step
    def pictures(self, ada: Person) -> None:
        """A picture is shown whose address became known while it was drawn."""
        ada.publish("Tilting tower")
        ada.page.add_init_script(LATE)
        for _ in range(2):
            ada.publish("Bridge")
        ada.go(f"/browse?author={ada.id}")
        expect(ada.main.get_by_role("article")).to_have_count(3)
        expect(ada.main.locator(".card-shot .blank")).to_have_count(0)
