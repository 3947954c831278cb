"""Followers are told what was published."""

from typing import Any

from msgspec import json

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.steps import Batch
from contentsvc.store.social import follows
from contentsvc.store.tasks import ContentPublished, RevisionPublished, Task
from tests.jobs.support import TellerCase
from tests.support.databases import guid, together


class PublicationCase(TellerCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.teller = self.telling(self.db, kinds=KINDS, most=2)
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
        """What each of the followers was told."""
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
        self.assertEqual([len(told) for told in self.heard()], [1] * 6)
        for fan in self.fans:
            await follows.unfollow(self.db, fan, self.ann)
        ((upto,),) = self.sql("select coalesce(max(number), 9) from follows")
        await self.queue.put(
            self.db, ContentPublished(author=self.ann, content=self.game, upto=upto)
        )
        await self.work()
        self.assertEqual((self.left(), [len(told) for told in self.heard()]), ([], [1] * 6))

    async def test_changed_amid(self) -> None:
        """Who stops following before their batch, or begins after the publication, is not told."""
        await self.publish()
        await self.work(batches=1)
        await follows.unfollow(self.db, self.fans[4], self.ann)
        self.fans.append(await self.user())
        await follows.follow(self.db, self.fans[5], self.ann, 0)
        await self.work()
        self.assertEqual([len(told) for told in self.heard()], [1, 1, 1, 1, 0, 0])

    async def test_not_active(self) -> None:
        """It ends for good when a batch finds the content not active."""
        await self.publish()
        await self.work(batches=1)
        for suspended in "true", "false":
            self.sql(f"update contents set suspended = {suspended} where id = %s", self.game)
            await self.work()
        self.assertEqual([len(told) for told in self.heard()], [1, 1, 0, 0, 0])
        self.assertEqual(self.left(), [])

    async def test_hidden_before(self) -> None:
        """What its author has hidden before anybody was told is told when everybody sees it; once
        some were told, never again."""
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
        self.assertEqual([len(told) for told in self.heard()], [1, 1, 0, 0, 0])


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
        self.teller = self.telling(self.db, kinds=kinds, most=2)

    async def retried(self) -> None:
        """All that is there is told, whatever has failed: its pauses are over."""
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
        for told in self.heard():
            self.assertEqual([each.get("revision") for each in told], [None, *revisions])

    async def test_two_processes(self) -> None:
        """So they do where several processes work at once."""
        revisions = [guid() for _ in range(3)]
        for revision in revisions:
            await self.publish(revision)
        others = [self.telling(await self.pool(), kinds=KINDS, most=1) for _ in range(3)]
        while self.left():
            await together(*(self.work(teller) for teller in others))
        for told in self.heard():
            self.assertEqual([each["revision"] for each in told], revisions)

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
