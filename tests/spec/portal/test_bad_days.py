"""What goes wrong while somebody is there: they are told, and what they typed stays (portal §2)."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from playwright.sync_api import expect
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.threads import blockingCallFromThread

from tests.spec.portal.visitor import VisitCase, Visitor
from tests.support import daemon
from tests.support.pictures import png

FILE_BYTES = 50_000
READS = """
globalThis.reads = 0;
for (const name of ["arrayBuffer", "stream", "text", "slice"]) {
    const read = Blob.prototype[name];
    Blob.prototype[name] = function (...given) {
        if (this instanceof File) globalThis.reads += 1;
        return read.apply(this, given);
    };
}
"""


class BadDayTests(VisitCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "FILE_BYTES": str(FILE_BYTES), "COMMENTS_PER_MINUTE": "1"}
        self.use(await daemon.shared("portal-strict", lambda: daemon.Daemon(environ=environ)))

    def do(self, method: str, path: str, **more: object) -> None:
        """A request of somebody else, from the thread of a walk."""

        async def run() -> None:
            await self.request(method, path, **more)  # type: ignore[arg-type]

        blockingCallFromThread(reactor, lambda: Deferred.fromCoroutine(run()))

    def refused(self, who: Visitor) -> None:
        """Forget the refusals that the console has."""
        who.said = [line for line in who.said if "responded with a status of 4" not in line]

    async def test_ended(self) -> None:
        """A log-in that ends in the middle of a form keeps the text for this user alone."""
        user, other = await self.user(), await self.user()
        content = await self.content(await self.user())

        def steps(who: Visitor) -> None:
            path = f"/content/{content.id}"
            field = who.main.get_by_label("Comment", exact=True)
            who.arrive(user, path)
            field.fill("Half a thought")
            self.do("DELETE", f"user/{user.id}/sessions", by=user, expect=204)
            who.header.get_by_role("link", name="Log in", exact=True).wait_for()
            who.arrive(other, path)
            expect(field).to_have_value("")
            who.press("Log out", who.header)
            who.header.get_by_role("link", name="Log in", exact=True).wait_for()
            who.arrive(user, path)
            expect(field).to_have_value("Half a thought")
            self.refused(who)

        await self.walk(steps)

    async def test_banned(self) -> None:
        """Who is banned is logged out, and told why the next log-in is refused."""
        user, admin = await self.user(), await self.admin()

        def steps(who: Visitor) -> None:
            who.arrive(user)
            body = {"reason": "Spam"}
            self.do("PUT", f"user/{user.id}/ban", body=body, by=admin, expect=204)
            who.header.get_by_role("link", name="Log in", exact=True).wait_for()
            who.go("/log-in")
            who.fill(Username=user.username, Password=user.password)
            who.press("Log in")
            expect(who.main.get_by_role("alert")).to_contain_text("banned")
            self.refused(who)

        await self.walk(steps)

    async def test_two_tabs(self) -> None:
        """A log-out in one tab logs out the others, and nothing typed is left in them."""
        user = await self.user()
        content = await self.content(await self.user())

        def steps(who: Visitor) -> None:
            who.arrive(user, f"/content/{content.id}")
            field = who.main.get_by_label("Comment", exact=True)
            field.fill("Half a thought")
            other = who.page.context.new_page()
            other.goto(f"{who.base}/browse")
            other.get_by_role("button", name="Log out", exact=True).click()
            who.header.get_by_role("link", name="Log in", exact=True).wait_for()
            expect(field).to_have_count(0)
            kept = "() => Object.entries(localStorage).filter(([, text]) => text.includes('Half'))"
            self.assertEqual([], who.page.evaluate(kept))

        await self.walk(steps)

    async def test_withdrawn(self) -> None:
        """What is done to content that was withdrawn meanwhile is refused in words."""
        author, user = await self.user(), await self.user()
        content = await self.content(author)

        def steps(who: Visitor) -> None:
            who.arrive(user, f"/content/{content.id}")
            who.fill(Comment="Too late")
            vote = who.main.get_by_role("button", name="Vote up", exact=True)
            vote.wait_for()
            self.do("DELETE", content.path, by=author, expect=204)
            vote.click()
            alert = who.main.get_by_role("alert")
            expect(alert).to_contain_text("Request ")
            expect(vote).to_have_attribute("aria-pressed", "false")
            who.press("Comment")
            expect(alert).to_have_count(2)
            expect(who.main.get_by_label("Comment", exact=True)).to_have_value("Too late")
            self.refused(who)

        await self.walk(steps)

    async def test_too_often(self) -> None:
        """Who comments too often is told for how long to wait, and sends the same text then."""
        user = await self.user()
        content = await self.content(await self.user())

        def steps(who: Visitor) -> None:
            who.arrive(user, f"/content/{content.id}")
            who.fill(Comment="First")
            who.press("Comment")
            who.main.get_by_role("article").filter(has_text="First").wait_for()
            who.fill(Comment="Second")
            who.press("Comment")
            expect(who.main.get_by_role("alert")).to_contain_text("Wait")
            expect(who.main.get_by_label("Comment", exact=True)).to_have_value("Second")
            self.refused(who)

        await self.walk(steps)

    async def test_too_large(self) -> None:
        """A file over the limit is refused before a byte of it is read or sent."""
        user = await self.user()

        def steps(who: Visitor) -> None:
            who.page.add_init_script(READS)
            who.arrive(user, "/publish")
            who.fill(Name="Mountain")
            file = {"name": "level.bin", "mimeType": "", "buffer": bytes(FILE_BYTES + 1)}
            who.main.get_by_label("File", exact=True).set_input_files(file)  # type: ignore[arg-type]
            shot = {"name": "shot.png", "mimeType": "image/png", "buffer": png(64, 36)}
            who.main.get_by_label("Screenshots", exact=True).set_input_files(shot)  # type: ignore[arg-type]
            sent: list[str] = []
            who.page.on("request", lambda request: sent.append(request.method))
            who.press("Publish")
            expect(who.main.get_by_role("alert").first).to_be_visible()
            self.assertEqual(0, who.page.evaluate("reads"))
            self.assertNotIn("PUT", sent)
            expect(who.main.get_by_label("Name", exact=True)).to_have_value("Mountain")
            self.refused(who)

        await self.walk(steps)

    async def test_clocks(self) -> None:
        """A browser whose clock is over five minutes fast or slow stays logged in, and says of what
        has just been written that it was written just now."""
        content = await self.content(await self.user())

        def steps(*people: Visitor) -> None:
            for who, minutes in zip(people, (-5, 5), strict=True):
                asked: list[str] = []
                who.page.on("request", lambda request, asked=asked: asked.append(request.url))
                # Half a minute more: the browser's clock stands still while it is set.
                off = timedelta(minutes=minutes * 1.1)
                who.page.clock.install(time=datetime.fromtimestamp(time.time()) + off)
                who.register()
                who.go(f"/content/{content.id}")
                who.fill(Comment=f"At {minutes}")
                who.press("Comment")
                comment = who.main.get_by_role("article").filter(has_text=f"At {minutes}")
                expect(comment.locator("time")).to_have_text(
                    "just now" if minutes < 0 else "5 minutes ago"
                )
                who.page.reload()
                who.header.get_by_role("button", name="Log out", exact=True).wait_for()
                renewals = [url for url in asked if url.endswith("/portal/session")]
                self.assertLessEqual(len(renewals), 3)

        await self.walk(steps, 2)
