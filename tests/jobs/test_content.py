"""Who is notified of content, and content that becomes searchable."""

from functools import partial
from typing import Any

from msgspec import json
from twisted.internet.task import Clock

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_queue import Task
from contentsvc.framework.tasks.task_runners import kinds
from contentsvc.jobs.content import SearchIndexer, WordCounter, dependency_changed
from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.steps import Batch
from contentsvc.store.content import items, search_index, suggestions
from contentsvc.store.social import follows
from contentsvc.store.tasks import (
    ContentPublished,
    DependencyChanged,
    RenewWords,
    RevisionPublished,
)
from tests.jobs.support import StepCase
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together
from tests.support.uses import UsesCase


class PublicationCase(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        self.ann = await self.user()
        self.game = await self.content(self.ann)
        self.fans = [await self.user() for _ in range(5)]
        for fan in self.fans:
            await follows.follow(self.db, fan, self.ann, 0)

    async def publish(self, revision: str | None = None) -> None:
        """A row for all that follow now."""
        ((upto,),) = self.sql("select max(number) from follows")
        task: Task = ContentPublished(author=self.ann, content=self.game, upto=upto)
        if revision is not None:
            task = RevisionPublished(
                author=self.ann, content=self.game, revision=revision, upto=upto
            )
        await self.queue.put(self.db, task)

    def heard(self) -> list[list[dict[str, str]]]:
        """What each of the followers was notified of."""
        texts = [
            self.sql("select data from notifications where user_id = %s order by seq", fan)
            for fan in self.fans
        ]
        return [[json.decode(data) for (data,) in rows] for rows in texts]


class PublicationTests(PublicationCase):
    async def test_whole_batches(self) -> None:
        """So do all if the last batch is full, or there is nobody left."""
        self.fans.append(await self.user())
        await follows.follow(self.db, self.fans[-1], self.ann, 0)
        await self.publish()
        await self.work()
        self.assertEqual([len(notified) for notified in self.heard()], [1] * 6)
        for fan in self.fans:
            await follows.unfollow(self.db, fan, self.ann)
        ((upto,),) = self.sql("select coalesce(max(number), 9) from follows")
        await self.queue.put(
            self.db, ContentPublished(author=self.ann, content=self.game, upto=upto)
        )
        await self.work()
        self.assertEqual((self.left(), [len(notified) for notified in self.heard()]), ([], [1] * 6))

    async def test_changed_amid(self) -> None:
        """Who stops following before their batch, or begins after the publication, is not
        notified."""
        await self.publish()
        await self.work(batches=1)
        await follows.unfollow(self.db, self.fans[4], self.ann)
        self.fans.append(await self.user())
        await follows.follow(self.db, self.fans[5], self.ann, 0)
        await self.work()
        self.assertEqual([len(notified) for notified in self.heard()], [1, 1, 1, 1, 0, 0])

    async def test_not_active(self) -> None:
        """It ends for good when a batch finds the content not active."""
        await self.publish()
        await self.work(batches=1)
        for suspended in "true", "false":
            self.sql(f"update contents set suspended = {suspended} where id = %s", self.game)
            await self.work()
        self.assertEqual([len(notified) for notified in self.heard()], [1, 1, 0, 0, 0])
        self.assertEqual(self.left(), [])

    async def test_hidden_before(self) -> None:
        """Of what its author has hidden before anybody was notified, all are notified when
        everybody sees it; once some were notified, never again."""
        change = "update contents set visibility = %s where id = %s"
        for batches, announced in (0, False), (1, True):
            self.sql("update contents set announced = true where id = %s", self.game)
            await self.publish()
            await self.work(batches=batches)
            self.sql(change, "private", self.game)
            await self.work()
            found = self.sql("select announced from contents where id = %s", self.game)
            self.assertEqual(found, [(announced,)])
            self.sql(change, "public", self.game)
        self.assertEqual([len(notified) for notified in self.heard()], [1, 1, 0, 0, 0])


class OrderTests(PublicationCase):
    """Followers hear of one author's publications in their order."""

    def failing(self, kind: str, failures: int) -> None:
        """Have so many batches of a kind fail, each once its recipients are known."""
        step = KINDS[kind].step

        async def fails(tx: Db, task: Any, place: str | None, most: int) -> Batch:
            nonlocal failures
            batch = await step(tx, task, place, most)
            if failures > 0:
                failures -= 1
                raise Unavailable("the database is away")
            return batch

        kinds = {**KINDS, kind: KINDS[kind]._replace(step=fails)}
        self.runner = self.another(self.db, kinds=kinds, most=2)

    async def retried(self) -> None:
        """All are notified of what is there, whatever has failed: its pauses are over."""
        while self.left():
            await self.work()
            self.sql("update tasks set due = now()")

    async def test_failures(self) -> None:
        """So they do where batches fail and are tried again, in the middle of the followers or at
        the start."""
        revisions = [guid() for _ in range(2)]
        await self.publish()
        for revision in revisions:
            await self.publish(revision)
        await self.work(batches=1)
        self.failing("ContentPublished", 2)
        await self.retried()
        for notified in self.heard():
            self.assertEqual([each.get("revision") for each in notified], [None, *revisions])

    async def test_two_processes(self) -> None:
        """So they do where several processes work at once."""
        revisions = [guid() for _ in range(3)]
        for revision in revisions:
            await self.publish(revision)
        others = [self.another(await self.pool(), kinds=KINDS, most=1) for _ in range(3)]
        while self.left():
            await together(*(self.work(runner) for runner in others))
        for notified in self.heard():
            self.assertEqual([each["revision"] for each in notified], revisions)

    async def test_other_authors(self) -> None:
        """Those of other authors do not wait for what fails."""
        await self.publish(guid())
        self.failing("RevisionPublished", 1)
        await self.work()
        bob = await self.user()
        game = await self.content(bob)
        await follows.follow(self.db, self.fans[0], bob, 0)
        ((upto,),) = self.sql("select max(number) from follows")
        await self.queue.put(self.db, ContentPublished(author=bob, content=game, upto=upto))
        await self.work()
        self.assertEqual([each["author"] for each in self.heard()[0]], [bob])
        self.assertEqual(len(self.left()), 1)


class DependencyTests(StepCase, UsesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        self.base = await self.content(self.author)
        self.users = sorted([await self.user() for _ in range(5)])
        self.games = [await self.built_on(self.base, author=user) for user in self.users]

    async def changed(
        self, status: str, *, actor: str | None = None, by_author: bool = False
    ) -> None:
        """A row about the content."""
        task = DependencyChanged(
            dependency=self.base, status=status, actor=actor or self.author, by_author=by_author
        )
        await self.queue.put(self.db, task)

    def heard(self, user: str) -> list[dict[str, Any]]:
        """What a user was notified of."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data) for (data,) in rows]

    async def test_whole_batches(self) -> None:
        """So do all if the last batch is full; without dependents nobody is notified."""
        await self.built_on(self.base, author=await self.user())
        for content in (self.base, self.games[0]):
            task = DependencyChanged(
                dependency=content, status="active", actor=self.author, by_author=False
            )
            await self.queue.put(self.db, task)
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [1] * 5)
        self.assertEqual(self.left(), [])

    async def test_failed_batch(self) -> None:
        """Who is in a batch that fails counts as not notified."""
        await self.changed("deleted", by_author=True)
        self.sql("alter table notifications add constraint broken check (false) not valid")
        await self.work()
        self.flushLoggedErrors()
        self.sql("alter table notifications drop constraint broken")
        self.sql("update tasks set due = now()")
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [1] * 5)

    async def test_changed_amid(self) -> None:
        """A dependent that is hidden before its author's batch does not count, one that is new
        does."""
        await self.changed("suspended")
        await self.work(batches=1)
        await items.set_status(self.db, None, self.games[4], "suspended")
        newest = await self.built_on(self.base, author=self.users[3])
        await self.built_on(self.base, author=self.users[0])
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [1, 1, 1, 1, 0])
        (notified,) = self.heard(self.users[3])
        self.assertEqual((notified["content"], notified["contents"]), (newest, 2))
        (notified,) = self.heard(self.users[0])
        self.assertEqual(notified["contents"], 1)

    async def test_order(self) -> None:
        """Whichever processes notify of several acts, each recipient hears of them in their
        order."""
        statuses = ["suspended", "active"] * 3
        for status in statuses:
            await self.changed(status)
        runners = [self.runner]
        for _ in range(2):
            runners.append(self.another(await self.pool(size=2), kinds=KINDS, most=2))
        while self.left():
            await together(*(self.work(runner) for runner in runners))
        for user in self.users:
            self.assertEqual([notified["status"] for notified in self.heard(user)], statuses)

    async def test_reach(self) -> None:
        """Authors beyond the reach are not notified."""
        step = partial(dependency_changed, reach=2)
        runner = self.another(self.db, kinds=kinds((DependencyChanged, step)), most=2)
        await self.changed("suspended")
        await self.work(runner)
        expected = {self.users[n] for n in (3, 4)}
        self.assertEqual({user for user in self.users if self.heard(user)}, expected)


class SearchIndexerTests(StoreCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.job = SearchIndexer(self.clock.seconds, self.db)

    def left(self) -> int:
        """How many contents have no words."""
        ((count,),) = self.sql("select count(*) from documents where stale")
        return count

    async def test_all(self) -> None:
        """It works on, batch by batch, until all content has its words."""
        author = await self.user()
        games = [await self.content(author) for _ in range(search_index.DOCUMENTS + 1)]
        self.assertEqual(self.left(), len(games))
        batches = 0
        while await self.job.run() is not None:
            batches += 1
        self.assertEqual(batches, 2)
        self.assertEqual(self.left(), 0)

    async def test_one(self) -> None:
        """Where another process works, it has nothing to do."""
        await self.content(await self.user())
        left = self.left()
        async with self.db.transaction() as other:
            self.assertTrue(await search_index.ours(other))
            self.assertIsNone(await self.job.run())
        self.assertEqual(self.left(), left)


class RenewWordsTests(StepCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        author = await self.user()
        self.games = [await self.content(author) for _ in range(5)]
        while await search_index.renew_stale(self.db):
            pass
        self.whole = self.documents()
        # As the release before has written them: without the looser forms and the name.
        self.sql(
            """update documents d set terms = (
                   select ts_delete(d.terms, array_agg(t.lexeme))
                   from unnest(d.terms) t where 'C' = any(t.weights) or t.lexeme like '%$%'
               )"""
        )
        await task_queue.put(self.db, RenewWords())

    def documents(self) -> list[Any]:
        """All documents, the oldest first."""
        return self.sql("select content_id, source, stale, terms from documents order by number")

    async def test_all(self) -> None:
        """All content has its looser forms in the end, batch by batch."""
        self.assertNotEqual(self.documents(), self.whole)
        batches = 0
        while await self.runner.run() is not None:
            batches += 1
        self.assertEqual(batches, 4)
        self.assertEqual(self.documents(), self.whole)
        self.assertEqual(self.sql("select 1 from tasks"), [])

    async def test_meanwhile(self) -> None:
        """What is published or deleted meanwhile is right as well."""
        await self.runner.run()
        self.sql("delete from contents where id = %s", self.games[1])
        self.sql("delete from contents where id = %s", self.games[2])
        new = await self.content(await self.user())
        while await self.runner.run() is not None:
            pass
        kept = [row for row in self.whole if row[0] not in self.games[1:3]]
        self.assertEqual(self.documents()[:-1], kept)
        self.assertEqual(self.documents()[-1][0::2], (new, False))


class WordCounterTests(StoreCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.job = WordCounter(Clock().seconds, self.db)
        self.sql("truncate contents, words, word_tallies, uncounted_words cascade")

    async def published(self) -> None:
        """Another content with its words."""
        await search_index.renew(self.db, await self.content(await self.user()))

    async def test_all(self) -> None:
        """It works on until all is added up, and all from before an upgrade is counted."""
        for _ in range(2):
            await self.published()
        self.sql("delete from word_tallies")
        self.sql("insert into uncounted_words values (0)")
        await self.job.run()
        await self.published()
        for _ in range(20):
            if await self.job.run() is None:
                break
        self.assertEqual(self.sql("select contents from words where word = 'castle'"), [(3,)])
        for table in ("word_tallies", "uncounted_words"):
            self.assertEqual(self.sql(f"select 1 from {table}"), [])

    async def test_one(self) -> None:
        """Where another process works, it has nothing to do."""
        await self.published()
        async with self.db.transaction() as other:
            self.assertTrue(await suggestions.ours(other))
            self.assertIsNone(await self.job.run())
        self.assertEqual(self.sql("select 1 from words"), [])
