"""Comments come in parts, the newest first, and an address finds each of them."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from tests.contract.browser import step
from tests.portal.test_undo import undo
from tests.portal.walk import Person, WalkCase, button
from tests.spec.data import User

PART = 20
"""Comments that are shown at once."""
EACH = 15
"""Those of each user: they may write 20 in a minute."""
ROOTS = 45


class CommentCase(WalkCase):
    """Content with more comments than a page shows, of which the oldest has a thread."""

    async def made(self) -> None:
        """`roots` are the numbers of those that answer none, `answers` those of what answers the
        oldest; the last of these has `deep` as its own answer."""
        self.author = await self.user()
        self.tower = await self.content(self.author)
        self.writers = [await self.user() for _ in range(ROOTS // EACH + 1)]
        self.roots = [await self.say(n // EACH, f"Root {n}.") for n in range(ROOTS)]
        oldest = self.roots[0]
        self.answers = [await self.say(3, f"Answer {n}.", parentId=oldest) for n in range(6)]
        self.deep = await self.say(3, "Deep.", parentId=self.answers[-1])

    async def say(self, writer: int, body: str, **more: object) -> int:
        """The number of a new comment."""
        path = await self.comment(self.tower, self.writers[writer], body, **more)
        return int(path.rpartition("/")[2])

    async def take(self, number: int, by: User) -> None:
        """Delete a comment."""
        await self.delete(f"{self.tower.path}/comments/{number}", by=by, expect=204)

    @property
    def path(self) -> str:
        """Where the content is shown."""
        return f"/content/{self.tower.id}"

    def section(self, who: Person) -> Locator:
        """Where the comments are."""
        return who.main.get_by_role("region", name="Comments")

    def one(self, who: Person, number: int) -> Locator:
        """A comment."""
        return who.main.locator(f"article#comment-{number}")

    def words(self, who: Person) -> list[str]:
        """The texts that are shown, in their order."""
        return self.section(who).locator("article .text").all_inner_texts()

    def top(self, who: Person, text: str) -> float:
        """How far below the window's upper end this text is."""
        box = who.main.get_by_text(text, exact=True).bounding_box()
        assert box, text
        return box["y"]


class ReadingTests(CommentCase):
    async def test_reading(self) -> None:
        """A visitor reads all parts, unfolds replies, goes and comes back."""
        await self.made()
        newest = self.roots[-1]
        self.replies = [await self.say(3, f"Reply {n}.", parentId=newest) for n in range(5)]
        await self.take(self.roots[20], self.writers[1])

        def journey(ada: Person) -> None:
            ada.go(self.path)
            self.first(ada)
            self.parts(ada)
            self.back(ada)

        await self.walk(journey)

    @step
    def first(self, ada: Person) -> None:
        """The newest come first, with their first replies; the heading says how many there are."""
        count = ROOTS + 6 + 1 + 5 - 1
        heading = ada.main.get_by_role("heading", name=f"Comments {count}", exact=True)
        expect(heading).to_be_visible()
        expect(ada.main.get_by_text("Root 25.", exact=True)).to_be_visible()
        replies = [f"Reply {n}." for n in range(3)]
        roots = [f"Root {n}." for n in range(ROOTS - 1, ROOTS - 1 - PART, -1)]
        self.assertEqual([roots[0], *replies, *roots[1:]], self.words(ada))
        writer = self.writers[2].username
        more = button(ada.main, f"Show 2 more replies: Comment by {writer}")
        more.click()
        expect(self.one(ada, self.replies[3])).to_be_focused()
        expect(more).to_have_count(0)
        self.assertEqual([f"Reply {n}." for n in range(5)], self.words(ada)[1:6])

    @step
    def parts(self, ada: Person) -> None:
        """Each is shown once, also if others write meanwhile."""
        for n in range(3):
            self.wait(self.say(3, f"Meanwhile {n}."))
        section = self.section(ada)
        with ada.read():
            ada.press("Show more", section)
        expect(self.one(ada, self.roots[ROOTS - PART - 1])).to_be_focused()
        expect(section.locator(f"#comment-{self.roots[20]}")).to_have_text(
            "This comment was deleted."
        )
        expect(section.get_by_text("Root 5.", exact=True)).to_be_visible()
        expect(section.get_by_text("Root 4.", exact=True)).to_have_count(0)
        ada.press("Show more", section)
        expect(section.get_by_text("Root 0.", exact=True)).to_be_visible()
        expect(button(section, "Show more")).to_have_count(0)
        words = self.words(ada)
        self.assertEqual(len(words), len(set(words)))
        roots = [text for text in words if text.startswith("Root")]
        self.assertEqual([f"Root {n}." for n in range(44, -1, -1) if n != 20], roots)

    @step
    def back(self, ada: Person) -> None:
        """All parts and replies are there again after back, forward and a reload."""
        words = self.words(ada)
        ada.page.evaluate("scrollTo(0, 2000)")
        ada.move("/challenges")
        ada.page.go_back()
        expect(ada.main.get_by_text("Root 0.", exact=True)).to_be_visible()
        self.assertEqual(words, [one for one in self.words(ada) if "Meanwhile" not in one])
        ada.page.go_forward()
        ada.page.go_back()
        ada.page.reload()
        expect(ada.main.get_by_text("Root 0.", exact=True)).to_be_visible()
        self.assertEqual(words, [one for one in self.words(ada) if "Meanwhile" not in one])


class WritingTests(CommentCase):
    async def test_writing(self) -> None:
        """A player writes, answers, deletes, and takes that back."""
        await self.made()
        self.replies = [await self.say(3, f"Reply {n}.", parentId=self.roots[-1]) for n in range(5)]

        def journey(ada: Person) -> None:
            ada.register(self.path)
            self.own(ada)
            self.reply(ada)
            self.deleted(ada)

        await self.walk(journey)

    def said(self, ada: Person, text: str) -> None:
        """Assert that this is said."""
        expect(self.section(ada).get_by_role("status").filter(has_text=text)).to_have_count(1)

    @step
    def own(self, ada: Person) -> None:
        """One's own comment is on top, has the focus, is said, and counts."""
        expect(ada.main.get_by_text("Root 44.", exact=True)).to_be_visible()
        ada.fill(Comment="Mine.")
        ada.press("Comment")
        mine = ada.main.get_by_role("article", name=f"Comment by {ada.username}", exact=True)
        expect(mine).to_be_focused()
        expect(mine).to_be_in_viewport()
        self.assertEqual("Mine.", self.words(ada)[0])
        self.said(ada, "Your comment is published.")
        expect(ada.main.get_by_label("Comment", exact=True)).to_have_value("")
        heading = f"Comments {ROOTS + 6 + 1 + 5 + 1}"
        expect(ada.main.get_by_role("heading", name=heading, exact=True)).to_be_visible()

    @step
    def reply(self, ada: Person) -> None:
        """One's own reply stands at the end of its thread, behind those that are folded."""
        asked = self.one(ada, self.roots[-1])
        ada.press("Reply", asked)
        ada.fill(asked, Comment="My reply.")
        ada.press("Send", asked)
        expect(ada.main.get_by_role("article").filter(has_text="My reply.")).to_be_focused()
        self.said(ada, "Your reply is published.")
        shown = ["Root 44.", *(f"Reply {n}." for n in range(3)), "My reply."]
        self.assertEqual(shown, self.words(ada)[1:6])
        more = self.section(ada).get_by_role("button", name="Show 2 more replies: ")
        more.click()
        expect(self.one(ada, self.replies[3])).to_be_focused()
        shown[-1:-1] = ["Reply 3.", "Reply 4."]
        self.assertEqual(shown, self.words(ada)[1:8])

    @step
    def deleted(self, ada: Person) -> None:
        """What is deleted does not count; what is put back does."""
        mine = ada.main.get_by_role("article").filter(has_text="Mine.")
        for name in ("Reply", "Edit"):
            expect(button(mine, name)).to_be_visible()
        count = ROOTS + 6 + 1 + 5 + 2
        ada.press(f"Delete the comment of {ada.username}", mine)
        lower = ada.main.get_by_role("heading", name=f"Comments {count - 1}", exact=True)
        expect(lower).to_be_visible()
        undo(ada).click()
        higher = ada.main.get_by_role("heading", name=f"Comments {count}", exact=True)
        expect(higher).to_be_visible()
        expect(mine).to_be_visible()


class LinkTests(CommentCase):
    async def test_links(self) -> None:
        """An address with a comment's number shows that one, or says that it is gone."""
        await self.made()
        await self.take(self.answers[4], self.writers[3])
        self.asked: list[str] = []

        def journey(ada: Person) -> None:
            ada.page.on("request", lambda one: self.asked.append(one.url))
            self.far(ada)
            self.shown(ada)
            self.gone(ada)
            self.notified(ada)

        await self.walk(journey)

    def marked(self, ada: Person, number: int) -> None:
        """Assert that this one is marked, has the focus, and is seen."""
        one = self.one(ada, number)
        expect(one).to_be_in_viewport()
        expect(one).to_be_focused()
        expect(ada.main.locator("article[aria-current]")).to_have_count(1)
        expect(one).to_have_attribute("aria-current", "true")

    @step
    def far(self, ada: Person) -> None:
        """A reply in an old thread comes with those that it answers, and not with all others."""
        ada.go(f"{self.path}#comment-{self.deep}")
        self.marked(ada, self.deep)
        thread = ["Root 0.", "Answer 0.", "Answer 1.", "Answer 2.", "Answer 5.", "Deep."]
        self.assertEqual(thread, self.words(ada)[:6])
        expect(self.section(ada).get_by_text("Root 24.", exact=True)).to_have_count(0)
        lists = [url for url in self.asked if "/comments?" in url]
        self.assertLess(len(lists), 8)
        expect(self.section(ada).get_by_role("button", name="Show 2 more replies: ")).to_have_count(
            1
        )
        section = self.section(ada)
        for _ in range(2):
            with ada.read():
                ada.press("Show more", section)
        expect(section.get_by_text("Root 0.", exact=True)).to_have_count(1)

    @step
    def shown(self, ada: Person) -> None:
        """The time of a comment is a link to it."""
        one = self.one(ada, self.roots[30])
        one.get_by_role(
            "link", name=re.compile(f": Comment by {self.writers[2].username}$")
        ).click()
        ada.page.wait_for_url(f"**{self.path}#comment-{self.roots[30]}")
        self.marked(ada, self.roots[30])
        ada.page.go_back()
        self.far_again(ada)

    def far_again(self, ada: Person) -> None:
        """Back, the one before is marked."""
        expect(self.one(ada, self.deep)).to_have_attribute("aria-current", "true")

    @step
    def gone(self, ada: Person) -> None:
        """A deleted one is a tombstone in its thread; one that never was is said to be gone."""
        ada.go("/challenges")
        ada.move(f"{self.path}#comment-{self.answers[4]}")
        self.marked(ada, self.answers[4])
        expect(self.one(ada, self.answers[4])).to_have_text("This comment was deleted.")
        ada.move(f"{self.path}#comment-{10**12}")
        said = self.section(ada).get_by_role("status").filter(has_text="is gone")
        expect(said).to_be_in_viewport()
        expect(said).to_be_focused()
        ada.forget("404")

    @step
    def notified(self, ada: Person) -> None:
        """A notification leads to the comment that it is about."""
        ada.log_in(self.author, "/notifications")
        link = ada.main.get_by_role("link", name=re.compile("commented on")).last
        number = int((link.get_attribute("href") or "").rpartition("#comment-")[2])
        link.click()
        ada.page.wait_for_url(f"**{self.path}#comment-{number}")
        self.marked(ada, number)


class LiveTests(CommentCase):
    async def test_live(self) -> None:
        """What others write meanwhile moves nothing that is read."""
        await self.made()

        def journey(ada: Person) -> None:
            with ada.settled():
                ada.log_in(self.author, self.path)
            self.offered(ada)
            self.unseen(ada)

        await self.walk(journey)

    @step
    def offered(self, ada: Person) -> None:
        """Beside comments that are read, new ones are offered."""
        ada.main.get_by_text("Root 40.", exact=True).scroll_into_view_if_needed()
        with ada.read():
            pass
        before = self.top(ada, "Root 40.")
        self.wait(self.say(3, "New."))
        self.wait(self.say(3, "New answer.", parentId=self.roots[-1]))
        offer = self.section(ada).get_by_role("status").get_by_role("button")
        expect(offer).to_have_text("Show 2 new comments")
        expect(offer).to_be_in_viewport()
        self.assertEqual(before, self.top(ada, "Root 40."))
        offer.click()
        expect(offer).to_have_count(0)
        expect(ada.main.get_by_role("article").filter(has_text="New.")).to_be_focused()
        shown = ["New.", "Root 44.", "New answer."]
        self.assertEqual(shown, self.words(ada)[:3])

    async def test_visitor(self) -> None:
        """Who is notified of nothing is offered what others write within half a minute."""
        await self.made()

        def journey(ada: Person) -> None:
            ada.page.clock.install()
            ada.go(self.path)
            ada.main.get_by_text("Root 44.", exact=True).scroll_into_view_if_needed()
            with ada.answered("GET */comments"):
                ada.page.clock.run_for(3_000)
            self.wait(self.say(3, "New."))
            offer = self.section(ada).get_by_role("status").get_by_role("button")
            with ada.read():
                ada.page.clock.run_for(30_000)
            expect(offer).to_have_text("Show 1 new comment")
            offer.click()
            expect(ada.main.get_by_text("New.", exact=True)).to_be_visible()
            self.assertEqual("New.", self.words(ada)[0])

        await self.walk(journey)

    @step
    def unseen(self, ada: Person) -> None:
        """Where none is in the window, they come by themselves."""
        ada.page.set_viewport_size({"width": 1280, "height": 300})
        ada.page.evaluate("scrollTo(0, 0)")
        self.wait(self.say(3, "Newer."))
        expect(ada.main.get_by_text("Newer.", exact=True)).to_have_count(1)
        self.assertEqual("Newer.", self.words(ada)[0])
        self.assertEqual(0, ada.page.evaluate("scrollY"))


class HostileTests(WalkCase):
    async def test_hostile(self) -> None:
        """Texts that nobody would write fit a phone, and long ones are cut until they are asked
        for."""
        writer = await self.user()
        tower = await self.content(writer)
        lines = "\n".join(f"Line {n}" for n in range(60))
        for text in (
            "W" * 300,
            "\u202e\u05e9\u05dc\u05d5\u05dd <b>bold</b>",
            "a" + "\u0301" * 200,
            lines,
        ):
            await self.comment(tower, writer, text)

        def journey(ada: Person) -> None:
            ada.page.set_viewport_size({"width": 360, "height": 740})
            ada.go(f"/content/{tower.id}")
            self.fits(ada)
            self.cut(ada, writer)

        await self.walk(journey)

    @step
    def fits(self, ada: Person) -> None:
        """Nothing is wider than the page, and markup is text."""
        expect(ada.main.get_by_text("W" * 300, exact=True)).to_be_visible()
        expect(ada.main.get_by_text("<b>bold</b>")).to_be_visible()
        self.assertLessEqual(ada.page.evaluate("document.documentElement.scrollWidth"), 360)

    @step
    def cut(self, ada: Person, writer: User) -> None:
        """A long text says all when that is asked for."""
        long = ada.main.locator("article").filter(has_text="Line 59")
        height = long.evaluate("(one) => one.offsetHeight")
        ada.press(f"Show all: Comment by {writer.username}", long)
        expect(button(long, f"Show all: Comment by {writer.username}")).to_have_count(0)
        self.assertGreater(long.evaluate("(one) => one.offsetHeight"), height)
