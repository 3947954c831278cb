"""Content, where two callers or an accident come between."""

from typing import Any

import msgspec
from twisted.internet.defer import fail

from contentsvc.api.content.items import Content
from contentsvc.api.content.publishing import Publishing
from contentsvc.framework.http.decode import Either
from contentsvc.store.content import items as store
from contentsvc.store.social import follows
from contentsvc.wire.content import ContentDetail, StatusChange
from contentsvc.wire.searches import ClientQuery
from tests.api.support import (
    ApiCase,
    Caller,
    Notifier,
    Tasks,
    acts,
    no_platforms,
    no_types,
)
from tests.support.databases import guid
from tests.support.deferreds import together


def draft(**changes: Any) -> dict[str, Any]:
    """A body that creates."""
    core = {"entityId": guid(), "revisionId": guid(), "path": "core"}
    return {
        "name": "Castle",
        "description": "A castle to storm",
        "screenshotUris": ["a.png"],
        "type": "game",
        "revisionId": guid(),
        "revisionDescription": "first",
        "version": "1.0",
        "entity": core,
        "originating": [],
        "using": [],
        **changes,
    }


class ContentCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.queue = Tasks()
        kinds = no_types(self.db), no_platforms(self.db)
        publishing = Publishing(self.db, self.queue, (), 100, 0, None, *kinds)
        self.family = Content(self.db, acts(self.notifier, self.queue), publishing, *kinds)
        self.ann, self.bob = await self.user(), await self.user()
        self.game = guid()

    async def put(self, user: str, body: dict[str, Any], game: str | None = None) -> None:
        """PUT."""
        given = Either(msgspec.json.encode(body), None)
        await self.family.put_content(Caller(user), game or self.game, given)

    async def set_status(self, status: str) -> None:
        """An admin's PUT of the status."""
        change = StatusChange(status=status, reason="rules")
        await self.family.set_content_status(Caller(self.bob, admin=True), self.game, change)


class CreateTests(ContentCase):
    async def test_repeated_at_once(self) -> None:
        """A create that is sent several times at once is done once, and all are told so."""
        body = draft(packagesOriginating=[{"id": guid(), "win64": "w"}])
        found = await self.statuses(*(self.put(self.ann, body) for _ in range(8)))
        self.assertEqual(found, ["done"] * 8)
        rows = self.sql("select 1 from revisions where content_id = %s", self.game)
        self.assertEqual(len(rows), 1)

    async def test_two_authors_at_once(self) -> None:
        """Of two authors who create one content at once, one has it, the other may not."""
        acts = [self.put(user, draft()) for user in (self.ann, self.bob)]
        self.assertEqual(sorted(await self.statuses(*acts)), ["done", "forbidden"])

    async def test_shared_entity_at_once(self) -> None:
        """Of two that bring one entity revision under two paths at once, one is refused."""
        entity = {"entityId": guid(), "revisionId": guid()}
        bodies = [draft(originating=[{**entity, "path": path}]) for path in ("a", "b")]
        acts = [self.put(self.ann, body, guid()) for body in bodies]
        self.assertEqual(sorted(await self.statuses(*acts)), ["done", "entity_conflict"])


class ToldTests(ContentCase):
    def tasks(self) -> list[tuple[str, dict[str, Any]]]:
        """The kinds and tasks for Ann's followers."""
        rows = self.sql("select kind, task from tasks order by id")
        tasks = [(kind, msgspec.json.decode(task)) for kind, task in rows]
        return [(kind, task) for kind, task in tasks if task.get("author") == self.ann]

    async def test_followers(self) -> None:
        """A create leaves a task to tell the author's followers of it, once, and wakes who does
        it."""
        await follows.follow(self.db, self.bob, self.ann, 0)
        ((upto,),) = self.sql("select number from follows where follower = %s", self.bob)
        body = draft()
        for _ in range(2):
            await self.put(self.ann, body)
        task = {
            "kind": "ContentPublished",
            "author": self.ann,
            "content": self.game,
            "upto": upto,
        }
        self.assertEqual(self.tasks(), [("ContentPublished", task)])
        self.assertEqual(self.queue.woken, 1)

    async def test_no_followers(self) -> None:
        """Without followers there is nothing to do."""
        await self.put(self.ann, draft())
        self.assertEqual((self.tasks(), self.queue.woken), ([], 0))

    async def test_no_task(self) -> None:
        """Where the task for followers cannot be put, nothing is published."""
        await follows.follow(self.db, self.bob, self.ann, 0)
        self.patch(self.queue, "put", lambda *_: fail(KeyError("x")))
        with self.assertRaises(KeyError):
            await self.put(self.ann, draft())
        self.assertEqual(self.sql("select 1 from contents where id = %s", self.game), [])


class StoredTests(ContentCase):
    alone = True

    async def test_old_paths(self) -> None:
        """Paths and names that were stored before there were rules are shown as they are, to our
        client too."""
        used = draft(entity={"entityId": guid(), "revisionId": guid(), "path": "x"})
        await self.put(self.ann, used, guid())
        using = {key: used["entity"][key] for key in ("entityId", "revisionId")}
        package = {"id": guid(), "win64": "w"}
        await self.put(self.ann, draft(using=[using], packagesOriginating=[package]))
        self.sql("update entities set path = '../' || path")
        self.sql("update packages set win64 = '/' || win64")
        self.sql("update contents set name = ' ', screenshots = array['a//b']")
        detail = await self.family.get_content(Caller(self.ann), self.game, ClientQuery())
        answer = msgspec.json.encode(detail)
        detail = msgspec.json.decode(answer, type=ContentDetail)
        self.assertEqual(detail.entity.path, "../core")
        self.assertEqual([entity.path for entity in detail.using], ["../x"])
        self.assertEqual([package.win64 for package in detail.packages], ["/w"])
        self.assertEqual((detail.name, detail.screenshot_uris), (" ", ["a//b"]))


class StatusTests(ContentCase):
    async def setUp(self) -> None:
        await super().setUp()
        await self.put(self.ann, draft())

    async def test_told_once(self) -> None:
        """However often and at once a content is suspended, its author is told once."""
        await together(*(self.set_status("suspended") for _ in range(8)))
        self.assertEqual(self.notifier.sent, [(self.ann, "ContentSuspended")])
        await self.set_status("active")
        self.assertEqual(self.notifier.sent[1:], [(self.ann, "ContentRestored")])

    async def test_not_told(self) -> None:
        """Where the author cannot be told, nothing has changed."""
        self.notifier.error = KeyError("x")
        with self.assertRaises(KeyError):
            await self.set_status("suspended")
        self.assertEqual((await store.state_of(self.db, self.game, None, False)).status, "active")
        rows = self.sql("select 1 from notifications where user_id = %s", self.ann)
        self.assertEqual((rows, self.notifier.sent), ([], []))


class UnchangedTests(ContentCase):
    """PUT of what a content shows already."""

    alone = True

    def written(self) -> list[Any]:
        """The versions of all rows that a change would write."""
        return [
            self.sql(f"select ctid::text, xmin::text, xmax::text from {table} order by ctid")
            for table in ("contents", "documents", "content_ranks", "rate_limits", "tasks")
        ] + [self.sql("select count(*) from moderation_actions")]

    async def test_nothing_written(self) -> None:
        """It writes nothing, and locks no row; of an admin's neither."""
        await self.put(self.ann, draft())
        for tags in ({}, {"tags": ["co-op"]}):
            update = {"description": "long " * 10_000, "screenshotUris": ["b.png"], **tags}
            await self.put(self.ann, update)
            before = self.written()
            for caller in (Caller(self.ann), Caller(self.bob, admin=True)):
                for body in (update, {**update, "name": "other"}):
                    given = Either(msgspec.json.encode(body), None)
                    await self.family.put_content(caller, self.game, given)
            self.assertEqual(self.written(), before)

    async def test_screenshots_alone(self) -> None:
        """A change of screenshots leaves the words as they are."""
        await self.put(self.ann, draft())
        update = {"description": "long " * 10_000, "screenshotUris": ["b.png"]}
        await self.put(self.ann, update)
        documents = self.written()[1]
        await self.put(self.ann, {**update, "screenshotUris": ["c.png"]})
        self.assertEqual(self.written()[1], documents)
        self.assertEqual(self.sql("select count(*) from documents where stale"), [(0,)])

    async def test_same_words(self) -> None:
        """Other text with the same words has them at once."""
        await self.put(self.ann, draft())
        for description in ("one two", "two, one!"):
            await self.put(self.ann, {"description": description, "screenshotUris": ["b.png"]})
        self.assertEqual(self.sql("select count(*) from documents where stale"), [(0,)])
