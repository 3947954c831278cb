"""What the places show at once, and what mends itself."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.portal.walk import Person, WalkCase
from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import name

LATE = """
// What follows a drawing comes long after it, as on a busy machine.
const soon = window.setTimeout;
window.requestAnimationFrame = (run) => soon(() => run(performance.now()), 400);
window.setTimeout = (run, wait, ...more) => soon(run, Math.max(wait ?? 0, 400), ...more);
"""
REFERER = "token="


class PlacesTests(WalkCase, ChallengeCase):
    async def test_pictures(self) -> None:
        """A picture is shown whose address became known while it was drawn."""

        def steps(ada: Person) -> None:
            ada.register()
            ada.publish("Tilting tower")
            ada.page.add_init_script(LATE)
            for _ in range(2):
                ada.publish("Bridge")
            ada.go("/browse")
            expect(ada.main.get_by_role("article").first).to_be_visible()
            expect(ada.main.locator("article .blank")).to_have_count(0)

        await self.walk(steps)

    async def test_token(self) -> None:
        """The token of a mail's link leaves the address before the page asks for anything."""

        def steps(ada: Person) -> None:
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

        await self.walk(steps)

    async def test_offline(self) -> None:
        """Who is offline is told, and what could not be read comes by itself afterwards."""

        def steps(ada: Person) -> None:
            ada.go("/challenges")
            ada.main.get_by_role("heading", name="Challenges", level=1).wait_for()
            ada.go("/")
            ada.header.get_by_role("link", name="Browse", exact=True).wait_for()
            ada.page.context.set_offline(True)
            banner = ada.header.get_by_role("status")
            expect(banner).to_contain_text("You are offline")
            ada.page.context.set_offline(False)
            expect(banner).to_have_count(0)
            ada.page.route("**/api/v1/design-challenges**", lambda route: route.abort())
            ada.go("/challenges")
            expect(ada.main.get_by_role("alert")).to_contain_text("does not answer")
            ada.page.unroute("**/api/v1/design-challenges**")
            expect(ada.main.get_by_role("alert")).to_have_count(0)
            ada.said = [line for line in ada.said if "ERR_" not in line]

        await self.walk(steps)

    async def test_at_once(self) -> None:
        """What can be taken back is shown before the service answers, and not any more when it
        refuses."""
        other, user = await self.user(), await self.user()

        def steps(ada: Person) -> None:
            ada.log_in(user.username, user.password)
            ada.go(f"/user/{other.id}")
            held: list[Route] = []

            def hold(route: Route) -> None:
                held.append(route)

            ada.page.route("**/following/**", hold)
            ada.press("Follow")
            unfollow = ada.main.get_by_role("button", name="Unfollow", exact=True)
            expect(unfollow).to_be_visible()
            self.assertEqual(1, len(held))
            problem = {"title": "No", "status": 403, "code": "blocked", "detail": "No."}
            held[0].fulfill(status=403, json=problem, content_type="application/problem+json")
            expect(ada.main.get_by_role("alert")).to_contain_text("cannot be reached")
            expect(ada.main.get_by_role("button", name="Follow", exact=True)).to_be_visible()
            ada.said = [line for line in ada.said if "403" not in line]

        await self.walk(steps)

    async def test_search_goes_back(self) -> None:
        """Who goes back to a search before sees its words in the field."""

        def steps(ada: Person) -> None:
            ada.go("/browse?q=first")
            field = ada.main.get_by_role("searchbox", name="Search", exact=True)
            field.fill("second")
            field.press("Enter")
            ada.page.wait_for_url("**q=second")
            ada.page.go_back()
            expect(field).to_have_value("first")

        await self.walk(steps)

    async def test_winners(self) -> None:
        """A closed challenge shows its winner apart from the entries."""
        made = await self.challenge()
        winner = await self.content(await self.user(), name=name("tower"))
        await self.enter(made, winner)
        await self.entry(made)
        await self.close(made, winner)

        def steps(ada: Person) -> None:
            ada.go(f"/challenges/{made.id}")
            winners = ada.main.get_by_role("list", name="Winners", exact=True)
            expect(winners.get_by_role("article")).to_have_count(1)
            expect(winners).to_contain_text(winner.sent["name"])
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)


class SubjectTests(WalkCase):
    async def test_covered(self) -> None:
        """A picture is blurred until it is pressed, also of what nobody has reported yet."""
        admin = await self.admin()

        def steps(ada: Person, moderator: Person) -> None:
            ada.register()
            content = ada.publish("Tilting tower").rpartition("/")[2]
            moderator.log_in(admin.username, admin.password)
            moderator.go(f"/console/reports/content/{content}")
            cover = moderator.main.get_by_role("button", name="Show picture 1", exact=True)
            expect(cover.locator(".blurred")).to_have_count(1)
            cover.click()
            expect(cover.locator(".blurred")).to_have_count(0)
            # That there is no report.
            moderator.said = [line for line in moderator.said if "404" not in line]

        await self.walk(steps, 2)

    async def test_comment(self) -> None:
        """A comment's subject is found by its number alone, and who wants to warn says why."""
        author, reporter, admin = await self.user(), await self.user(), await self.admin()
        said = name("buy")
        path = await self.comment(await self.content(author), author, said)
        await self.post(f"{path}/report", {"reason": "spam"}, by=reporter, expect=204)

        def steps(moderator: Person) -> None:
            moderator.log_in(admin.username, admin.password)
            moderator.go(f"/console/reports/comment/{path.rpartition('/')[2]}")
            now = moderator.main.get_by_role("button", name="Remove", exact=True)
            expect(now).to_be_visible()
            moderator.press("Warn")
            reason = moderator.main.get_by_label("Reason", exact=True)
            expect(reason).to_be_focused()
            expect(reason).to_have_attribute("aria-invalid", "true")
            reason.fill("No advertising.")
            moderator.press("Warn")
            history = moderator.main.get_by_role("list", name="What was done").first
            expect(history).to_contain_text("No advertising.")
            moderator.press("Next")
            moderator.page.wait_for_url(lambda url: not url.endswith(path.rpartition("/")[2]))
            moderator.said = [line for line in moderator.said if "404" not in line]

        await self.walk(steps)
