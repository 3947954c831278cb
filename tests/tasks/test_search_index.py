"""The job that makes content searchable: when it works, and that it ends."""

from twisted.internet.task import Clock

from contentsvc.store.content import search_index
from contentsvc.tasks.search_index import SearchIndexer
from tests.support.databases import StoreCase


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
