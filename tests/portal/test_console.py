"""Those who keep order look at the console."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.portal.walk import Person, WalkCase
from tests.spec.data import guid, name


class ConsoleTests(WalkCase):
    world = "portal-console"

    async def test_queue(self) -> None:
        """The queue names what was reported: content, a player, the first words of a comment; by
        one request for all content and one for all players."""
        admin, author, reporter = await self.admin(), await self.user(), await self.user()
        reason = {"reason": "spam", "text": ""}
        contents = [await self.content(author, name=f"{name('tower')} {n}") for n in range(2)]
        said = f"{name('buy')} {'very ' * 30}much"
        comment = await self.comment(contents[0], author, said)
        await self.moderate(contents[1], "suspended")
        reported = [each.path for each in contents[:1]] + [comment, f"user/{author.id}"]
        for path in reported:
            await self.post(f"{path}/report", reason, by=reporter, expect=204)

        def steps(ada: Person) -> None:
            asked: list[str] = []
            ada.log_in(admin.username, admin.password)
            ada.page.on("request", lambda request: asked.append(request.url))
            ada.go("/console")
            queue = ada.main.get_by_role("list", name="Reports", exact=True)
            for text in (contents[0].sent["name"], author.username):
                expect(queue.get_by_role("link", name=text, exact=True)).to_be_visible()
            expect(queue.get_by_role("link", name=said[:50])).to_contain_text("…")
            for path in ("/api/v1/content?", "/api/v1/user?"):
                # Discover, where a log-in leads, asks for lists, without ids.
                found = [url for url in asked if path in url and "ids=" in url]
                self.assertEqual(1, len(found), path)
            # Discover, where a log-in leads, has pictures that were never uploaded.
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)

    async def test_featured(self) -> None:
        """What is featured is listed, and ended there."""
        admin = await self.admin()
        content = await self.content(await self.user(), name=name("tower"))
        await self.put(f"{content.path}/featured", {"featured": True}, by=admin, expect=204)

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console/featured")
            item = ada.main.get_by_role("listitem").filter(has_text=content.sent["name"])
            ada.press("End featuring", item)
            expect(item).to_have_count(0)
            # Its screenshot was never uploaded.
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)
        self.assertFalse((await self.get(content.path, expect=200)).json()["featured"])

    async def test_collection(self) -> None:
        """A reported collection is shown with what is in it and what it said then, and is deleted
        there."""
        admin, owner, reporter = await self.admin(), await self.user(), await self.user()
        content = await self.content(owner, name=name("tower"))
        id, title = guid(), name("shelf")
        path = f"user/{owner.id}/collections/{id}"
        body = {"name": title, "description": "Rude.", "public": True}
        await self.put(path, body, by=owner, expect=204)
        await self.put(f"{path}/items/{content.id}", {}, by=owner, expect=204)
        reason = {"reason": "abuse", "text": ""}
        await self.post(f"collections/{id}/report", reason, by=reporter, expect=204)
        await self.put(path, body | {"description": "Nice."}, by=owner, expect=204)

        def steps(ada: Person) -> None:
            ada.log_in(admin.username, admin.password)
            ada.go("/console")
            ada.main.get_by_label("Kind", exact=True).select_option("collection")
            ada.main.get_by_role("link", name=title, exact=True).click()
            expect(ada.main.get_by_text("Nice.", exact=True)).to_be_visible()
            expect(ada.main.get_by_role("link", name=content.sent["name"])).to_be_visible()
            report = ada.main.get_by_role("article").first
            report.get_by_text("As it was then").click()
            expect(report.get_by_text("Rude.", exact=True)).to_be_visible()
            ada.press("Remove")
            expect(ada.main.get_by_text("It is gone, or cannot be seen.")).to_be_visible()
            ada.said = [line for line in ada.said if "404" not in line]

        await self.walk(steps)
        await self.get(f"collections/{id}", by=owner, expect=404)
