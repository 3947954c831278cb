"""Those who keep order look at the console."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.contract.browser import step
from tests.portal.walk import Person, WalkCase
from tests.spec.data import Content, User, guid, name


class ConsoleTests(WalkCase):
    world = "portal-console"

    async def test_console(self) -> None:
        """A moderator goes from the queue to what was reported, and ends what is featured."""
        self.moderator, self.reporter = await self.admin(), await self.user()
        author = await self.user()
        contents = [await self.content(author, name=f"{name('tower')} {n}") for n in range(2)]
        said = f"{name('buy')} {'very ' * 30}much"
        comment = await self.comment(contents[0], author, said)
        await self.moderate(contents[1], "suspended")
        for path in (contents[0].path, comment, f"user/{author.id}"):
            await self.report(path)
        shelf = await self.reported_collection(author, contents[0])

        def journey(ada: Person, ben: Person) -> None:
            ada.page.clock.install()
            self.queue(ada, (contents[0].sent["name"], author.username), said)
            self.warn(ada, comment.rpartition("/")[2])
            self.remove_collection(ada, author, contents[0], shelf)
            self.end_featuring(ada, contents[0])
            self.covered(ada, ben)

        await self.walk(journey, 2)

    async def report(self, path: str) -> None:
        """Report something."""
        reason = {"reason": "spam", "text": ""}
        await self.post(f"{path}/report", reason, by=self.reporter, expect=204)

    async def reported_collection(self, owner: User, content: Content) -> tuple[str, str]:
        """The id and the title of a collection that was rude when it was reported."""
        id, title = guid(), name("shelf")
        path = f"user/{owner.id}/collections/{id}"
        body = {"name": title, "description": "Rude.", "public": True}
        await self.put(path, body, by=owner, expect=204)
        await self.put(f"{path}/items/{content.id}", {}, by=owner, expect=204)
        await self.report(f"collections/{id}")
        await self.put(path, body | {"description": "Nice."}, by=owner, expect=204)
        return id, title

    @step
    def queue(self, ada: Person, names: tuple[str, ...], said: str) -> None:
        """The queue names what was reported: content, a player, the first words of a comment; it
        asks for no content or player beside itself."""
        asked: list[str] = []
        ada.page.on("request", lambda request: asked.append(request.url))
        ada.log_in(self.moderator, "/console")
        queue = ada.main.get_by_role("list", name="Reports", exact=True)
        for text in names:
            expect(queue.get_by_role("link", name=text, exact=True)).to_be_visible()
        expect(queue.get_by_role("link", name=said[:50])).to_contain_text("…")
        named = [url for url in asked if "ids=" in url and not url.endswith(f"={ada.id}")]
        self.assertEqual([], named)

    @step
    def warn(self, ada: Person, comment: str) -> None:
        """A comment's subject is found by its number alone, and who wants to warn says why."""
        ada.move(f"/console/reports/comment/{comment}")
        expect(ada.main.get_by_role("button", name="Remove", exact=True)).to_be_visible()
        ada.press("Warn")
        reason = ada.main.get_by_label("Reason", exact=True)
        expect(reason).to_be_focused()
        expect(reason).to_have_attribute("aria-invalid", "true")
        reason.fill("No advertising.")
        ada.press("Warn")
        ada.wait_until_sent()
        history = ada.main.get_by_role("list", name="What was done").first
        expect(history).to_contain_text("No advertising.")
        ada.press("Next")
        ada.page.wait_for_url(lambda url: not url.endswith(comment))

    @step
    def remove_collection(
        self, ada: Person, owner: User, content: Content, shelf: tuple[str, str]
    ) -> None:
        """A reported collection is shown with what is in it and what it said then, and is deleted
        there."""
        id, title = shelf
        ada.move("/console")
        ada.main.get_by_label("Kind", exact=True).select_option("collection")
        ada.main.get_by_role("link", name=title, exact=True).click()
        expect(ada.main.get_by_text("Nice.", exact=True)).to_be_visible()
        expect(ada.main.get_by_role("link", name=content.sent["name"])).to_be_visible()
        report = ada.main.get_by_role("article").first
        report.get_by_text("What it looked like then").click()
        expect(report.get_by_text("Rude.", exact=True)).to_be_visible()
        ada.press("Remove")
        expect(ada.main.get_by_text("It is gone, or cannot be seen.")).to_be_visible()
        self.wait(self.get(f"collections/{id}", by=owner, expect=404))

    @step
    def end_featuring(self, ada: Person, content: Content) -> None:
        """What is featured is listed, and ended there."""
        path, body = f"{content.path}/featured", {"featured": True}
        self.wait(self.put(path, body, by=self.moderator, expect=204))
        ada.move("/console/featured")
        item = ada.main.get_by_role("listitem").filter(has_text=content.sent["name"])
        ada.press(f"End featuring: {content.sent['name']}", item)
        expect(item).to_have_count(0)
        self.assertFalse(self.wait(self.get(content.path, expect=200)).json()["featured"])

    @step
    def covered(self, ada: Person, ben: Person) -> None:
        """A picture is blurred until it is pressed, also of what nobody has reported yet."""
        ben.register("/publish")
        content = ben.publish_here("Tilting tower").rpartition("/")[2]
        ada.move(f"/console/reports/content/{content}")
        cover = ada.main.get_by_role("button", name="Show picture 1", exact=True)
        expect(cover.locator(".blurred")).to_have_count(1)
        cover.click()
        expect(cover.locator(".blurred")).to_have_count(0)
        # That there is no report.
        ada.spare("404")
