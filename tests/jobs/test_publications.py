"""Followers are told what was published."""

from msgspec import json

from contentsvc.jobs.kinds import KINDS
from contentsvc.store import social
from contentsvc.store.floods import UNLIMITED
from contentsvc.store.tasks import ContentPublished, RevisionPublished, Task
from tests.jobs.support import TellerCase
from tests.support.databases import guid


class PublicationTests(TellerCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.teller = self.telling(self.db, kinds=KINDS, most=2)
        self.ann = await self.user()
        self.game = await self.content(self.ann)
        self.fans = [await self.user() for _ in range(5)]
        for fan in self.fans:
            await social.follow(self.db, fan, self.ann, *UNLIMITED)

    async def publish(self, revision: str | None = None) -> None:
        """A row for all that follow now."""
        ((upto,),) = self.sql("select max(number) from follows")
        task: Task = ContentPublished(author=self.ann, content=self.game, upto=upto)
        if revision is not None:
            task = RevisionPublished(
                author=self.ann, content=self.game, revision=revision, upto=upto
            )
        await self.outbox.put(self.db, task)

    def heard(self) -> list[list[dict[str, str]]]:
        """What each of the followers was told."""
        texts = [
            self.sql("select data from notifications where user_id = %s order by seq", fan)
            for fan in self.fans
        ]
        return [[json.decode(data) for (data,) in rows] for rows in texts]

    async def test_content(self) -> None:
        """Each follower gets ContentPublished with author and content."""
        await self.publish()
        await self.work()
        told = {"kind": "ContentPublished", "author": self.ann, "content": self.game}
        self.assertEqual(self.heard(), [[told]] * 5)

    async def test_revision(self) -> None:
        """Each follower gets RevisionPublished with author, content and revision."""
        revision = guid()
        await self.publish(revision)
        await self.work()
        told = {"author": self.ann, "content": self.game, "revision": revision}
        self.assertEqual(self.heard(), [[{"kind": "RevisionPublished", **told}]] * 5)

    async def test_whole_batches(self) -> None:
        """So do all if the last batch is full, or there is nobody left."""
        self.fans.append(await self.user())
        await social.follow(self.db, self.fans[-1], self.ann, *UNLIMITED)
        await self.publish()
        await self.work()
        self.assertEqual([len(told) for told in self.heard()], [1] * 6)
        for fan in self.fans:
            await social.unfollow(self.db, fan, self.ann)
        ((upto,),) = self.sql("select coalesce(max(number), 9) from follows")
        await self.outbox.put(
            self.db, ContentPublished(author=self.ann, content=self.game, upto=upto)
        )
        await self.work()
        self.assertEqual((self.left(), [len(told) for told in self.heard()]), ([], [1] * 6))

    async def test_changed_amid(self) -> None:
        """Who stops following before their batch, or begins after the publication, is not told."""
        await self.publish()
        await self.work(batches=1)
        await social.unfollow(self.db, self.fans[4], self.ann)
        self.fans.append(await self.user())
        await social.follow(self.db, self.fans[5], self.ann, *UNLIMITED)
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
