"""What goes wrong while somebody is there: they are told, and what they typed stays
(docs/portal.md)."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import Content, User
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


class BadDayTests(WalkCase):
    async def connect(self) -> None:
        self.own_daemon()
        environ = {"FILES": "local", "FILE_BYTES": str(FILE_BYTES), "COMMENTS_PER_MINUTE": "1"}
        self.use(await daemon.shared("portal-strict", lambda: daemon.Daemon(environ=environ)))

    async def test_ended(self) -> None:
        """A log-in ends elsewhere, in another tab, and by a ban."""
        user, other, admin = await self.user(), await self.user(), await self.admin()
        path = f"/content/{(await self.content(await self.user())).id}"

        def journey(who: Person) -> None:
            self.ended(who, user, path)
            self.kept_for_one(who, user, other, path)
            self.two_tabs(who)
            self.banned(who, user, admin)

        await self.walk(journey)

    @step
    def ended(self, who: Person, user: User, path: str) -> None:
        """A log-in that ends in the middle of a form leads to a page of nobody."""
        with who.settled():
            who.log_in(user, path)
        who.fill(Comment="Half a thought")
        self.wait(self.delete(f"user/{user.id}/sessions", by=user, expect=204))
        who.left()
        # The log-in is asked for once more.
        who.spare("status of 4")

    @step
    def kept_for_one(self, who: Person, user: User, other: User, path: str) -> None:
        """What was typed is kept for this user alone."""
        field = who.main.get_by_label("Comment", exact=True)
        who.log_in(other, path)
        expect(field).to_have_value("")
        who.log_out()
        with who.settled():
            who.log_in(user, path)
        expect(field).to_have_value("Half a thought")

    @step
    def two_tabs(self, who: Person) -> None:
        """A log-out in one tab logs out the others, and nothing typed is left in them."""
        other = who.page.context.new_page()
        other.goto(f"{who.base}/browse")
        other.get_by_role("button", name="Log out", exact=True).click()
        who.left()
        expect(who.main.get_by_label("Comment", exact=True)).to_have_count(0)
        kept = "() => Object.entries(localStorage).filter(([, text]) => text.includes('Half'))"
        self.assertEqual([], who.page.evaluate(kept))
        other.close()

    @step
    def banned(self, who: Person, user: User, admin: User) -> None:
        """Who is banned is logged out, and told why the next log-in is refused."""
        with who.settled():
            who.log_in(user)
        self.wait(self.put(f"user/{user.id}/ban", {"reason": "Spam"}, by=admin, expect=204))
        who.left()
        who.spare("status of 4")
        who.go("/log-in")
        who.fill(Username=user.username, Password=user.password)
        who.press("Log in")
        expect(who.main.get_by_role("alert")).to_contain_text("banned")
        who.spare("status of 4")

    async def test_refused(self) -> None:
        """What a player sends is too large, too late, and too often."""
        author, user = await self.user(), await self.user()
        gone, there = await self.content(author), await self.content(author)

        def journey(who: Person) -> None:
            who.page.add_init_script(READS)
            who.log_in(user, "/publish")
            self.too_large(who)
            self.withdrawn(who, gone)
            self.too_often(who, there)

        await self.walk(journey)

    @step
    def too_large(self, who: Person) -> None:
        """A file over the limit is refused before a byte of it is read or sent."""
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

    @step
    def withdrawn(self, who: Person, content: Content) -> None:
        """What is done to content that was withdrawn meanwhile is refused in words."""
        who.move(f"/content/{content.id}")
        who.fill(Comment="Too late")
        vote = button(who.main, "Vote up")
        vote.wait_for()
        self.wait(self.delete(content.path, by=content.author, expect=204))
        vote.click()
        alert = who.main.get_by_role("alert")
        expect(alert).to_contain_text("Request ")
        expect(vote).to_have_attribute("aria-pressed", "false")
        who.press("Comment")
        expect(alert).to_have_count(2)
        expect(who.main.get_by_label("Comment", exact=True)).to_have_value("Too late")
        who.spare("status of 4", "status of 4")

    @step
    def too_often(self, who: Person, content: Content) -> None:
        """Who comments too often is told for how long to wait, and sends the same text then."""
        who.move(f"/content/{content.id}")
        who.fill(Comment="First")
        who.press("Comment")
        who.main.get_by_role("article").filter(has_text="First").wait_for()
        who.fill(Comment="Second")
        who.press("Comment")
        expect(who.main.get_by_role("alert")).to_contain_text("Wait")
        expect(who.main.get_by_label("Comment", exact=True)).to_have_value("Second")
        who.spare("status of 429")

    async def test_clocks(self) -> None:
        """A browser whose clock is over five minutes fast or slow stays logged in, and says of what
        has just been written that it was written just now."""
        content = await self.content(await self.user())

        def journey(*people: Person) -> None:
            for who, minutes in zip(people, (-5, 5), strict=True):
                with self.step(f"The clock is off by {minutes} minutes"):
                    self.write_off(who, minutes, f"/content/{content.id}")

        await self.walk(journey, 2)

    def write_off(self, who: Person, minutes: int, path: str) -> None:
        """Register and comment with a clock that is off, and load the page again."""
        asked: list[str] = []
        who.page.on("request", lambda request: asked.append(request.url))
        # Half a minute more: the browser's clock stands still while it is set.
        off = timedelta(minutes=minutes * 1.1)
        who.page.clock.install(time=datetime.fromtimestamp(time.time()) + off)
        who.register(path)
        who.fill(Comment=f"At {minutes}")
        who.press("Comment")
        comment = who.main.get_by_role("article").filter(has_text=f"At {minutes}")
        expect(comment.locator("time")).to_have_text("just now" if minutes < 0 else "5 minutes ago")
        who.page.reload()
        button(who.header, "Log out").wait_for()
        renewals = [url for url in asked if url.endswith("/portal/session")]
        self.assertLessEqual(len(renewals), 3)
