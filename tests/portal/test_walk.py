"""Two people and a moderator go through the portal."""

from __future__ import annotations

import re

from playwright.sync_api import Route, expect

from tests.contract.browser import HOST
from tests.portal.walk import PASSWORD, Person, WalkCase


class WalkTests(WalkCase):
    async def test_two(self) -> None:
        """From registration over a published level to a comment, whose notification appears without
        a reload."""

        def steps(ada: Person, ben: Person) -> None:
            ada.register()
            ben.register()
            path = ada.publish("Tilting tower")
            ada.go("/")
            ben.go(path)
            ben.fill(Comment="I fell off twice.")
            ben.press("Comment")
            comment = ben.main.get_by_role("article").filter(has_text="I fell off twice.")
            expect(comment).to_be_visible()
            bell = ada.header.get_by_role("link", name="Notifications (1)", exact=True)
            bell.click()
            link = ada.main.get_by_role("link", name=f"{ben.username} commented on your content.")
            link.click()
            expect(ada.main.get_by_text("I fell off twice.")).to_be_visible()

        await self.walk(steps, 2)

    async def test_vote_follow_message(self) -> None:
        """A vote stays over a reload; who follows and is a friend writes, and is answered live."""

        def steps(ada: Person, ben: Person) -> None:
            ada.register()
            ben.register()
            path = ada.publish("Bridge")
            ben.go(path)
            up = ben.main.get_by_role("button", name="Vote up", exact=True)
            up.click()
            expect(up).to_have_attribute("aria-pressed", "true")
            ben.page.reload()
            expect(up).to_have_attribute("aria-pressed", "true")
            ben.main.get_by_role("link", name=ada.username).first.click()
            ben.press("Follow")
            expect(ben.main.get_by_role("button", name="Unfollow", exact=True)).to_be_visible()
            ben.press("Ask for friendship")
            ada.go("/friends")
            ada.press("Accept")
            ada.main.get_by_role("link", name="Write", exact=True).click()
            ben.go(f"/messages/{ben.page.url.rsplit('/', 1)[1]}")
            ben.fill(Message="Tower at nine?")
            ben.press("Send")
            expect(ada.main.get_by_text("Tower at nine?")).to_be_visible()

        await self.walk(steps, 2)

    async def test_draft(self) -> None:
        """What was typed outlives a reload, and goes with the log-out."""

        def steps(ada: Person, ben: Person) -> None:
            ada.register()
            path = ada.publish("Lighthouse")
            ben.register()
            ben.go(path)
            ben.fill(Comment="Half a thought")
            ben.page.reload()
            field = ben.main.get_by_label("Comment", exact=True)
            expect(field).to_have_value("Half a thought")
            ben.press("Log out", ben.header)
            ben.go(f"/log-in?then={path}")
            ben.fill(Username=ben.username, Password=PASSWORD)
            ben.press("Log in")
            expect(field).to_have_value("")

        await self.walk(steps, 2)

    async def test_remembered(self) -> None:
        """A reload keeps the log-in. Where it has ended, the page asks once, and no more."""

        def steps(ada: Person) -> None:
            asked: list[str] = []
            ada.register()
            ada.page.reload()
            ada.header.get_by_role("button", name="Log out", exact=True).wait_for()
            ada.page.context.clear_cookies()
            ada.page.reload()
            ada.header.get_by_role("link", name="Log in", exact=True).wait_for()
            ada.said = [line for line in ada.said if "401" not in line]
            ada.page.on("request", lambda request: asked.append(request.url))
            ada.page.reload()
            ada.header.get_by_role("link", name="Log in", exact=True).wait_for()
            self.assertEqual([], [url for url in asked if url.endswith("/portal/session")])

        await self.walk(steps)

    async def test_then(self) -> None:
        """A log-in leads back within the portal, and never elsewhere."""
        user = await self.user()

        def steps(ada: Person) -> None:
            for then, path in (
                ("/browse?q=tower", "/browse?q=tower"),
                (f"{ada.base}/challenges", "/challenges"),
                ("https://evil.example/", "/"),
                ("//evil.example/", "/"),
                ("/\\evil.example", "/"),
                ("javascript:alert(1)", "/"),
            ):
                ada.page.goto(f"{ada.base}/log-in")
                ada.page.evaluate(
                    "then => history.replaceState(null, '', `?then=${encodeURIComponent(then)}`)",
                    then,
                )
                ada.page.reload()
                ada.fill(Username=user.username, Password=user.password)
                ada.press("Log in")
                ada.page.wait_for_url(ada.base + path)
                ada.press("Log out", ada.header)
                ada.header.get_by_role("link", name="Log in", exact=True).wait_for()
            # Whoever logs out at once does so before the socket is there.
            early = "closed before the connection is established"
            ada.said = [line for line in ada.said if early not in line]

        await self.walk(steps)

    async def test_lost_answers(self) -> None:
        """Where the service did it and its answer was lost, the same button again does it once."""

        def lose(person: Person, path: str, times: int = 1) -> None:
            def handle(route: Route) -> None:
                if route.request.method == "POST":
                    route.fetch(url=route.request.url.replace(HOST, "127.0.0.1"))
                    route.abort()
                else:
                    route.fallback()

            person.page.route(path, handle, times=times)

        def again(person: Person, button: str) -> None:
            expect(person.main.get_by_role("alert")).to_contain_text("does not answer")
            person.press(button)

        def steps(ada: Person, ben: Person) -> None:
            lose(ada, "**/api/v1/user")
            ada.go("/register")
            ada.fill(Username=ada.username, Password=PASSWORD)
            ada.main.get_by_label("E-mail", exact=True).fill(f"{ada.username}@example.com")
            ada.press("Register")
            again(ada, "Register")
            ada.header.get_by_role("button", name="Log out", exact=True).wait_for()
            path = ada.publish("Windmill")
            ben.register()
            ben.go(path)
            ben.fill(Comment="It turns.")
            # The client repeats a comment three times by itself.
            lose(ben, "**/comments", times=4)
            ben.press("Comment")
            again(ben, "Comment")
            expect(ben.main.get_by_label("Comment", exact=True)).to_have_value("")
            expect(ben.main.get_by_role("article").filter(has_text="It turns.")).to_have_count(1)
            # The console has the lost answers, and that the name is taken at the second try.
            for person in (ada, ben):
                person.said = [one for one in person.said if not re.search("ERR_FAILED|409", one)]

        await self.walk(steps, 2)
