"""The job that makes content searchable: when it works, and that it ends."""

from twisted.internet.task import Clock

from contentsvc.store.content import ratings, search_index
from contentsvc.tasks.search_index import Indexing
from tests.support.databases import StoreCase


class IndexingTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.job = Indexing(self.clock.seconds, self.db)

    def left(self) -> tuple[int, int]:
        """How many contents have no words, and how many no counted votes."""
        (row,) = self.sql(
            "select (select count(*) from documents where stale),"
            " (select count(*) from content_ranks where not counted)"
        )
        return row

    async def test_all(self) -> None:
        """It works on, batch by batch, until all content has its words and its votes."""
        author = await self.user()
        games = [await self.content(author) for _ in range(search_index.DOCUMENTS + 1)]
        for game in games[:3]:
            await ratings.put(self.db, author, game, False, True)
        expected = self.sql("select content_id, net, trending from content_ranks order by 1")
        self.sql("update content_ranks set net = 7, trending = 7, top = 0, counted = false")
        self.assertEqual(self.left(), (len(games), len(games)))
        batches = 0
        while await self.job.run() is not None:
            batches += 1
        self.assertEqual(batches, 3)
        self.assertEqual(self.left(), (0, 0))
        found = self.sql("select content_id, net, trending from content_ranks order by 1")
        self.assertEqual(found, expected)

    async def test_one(self) -> None:
        """Where another process works, it has nothing to do."""
        await self.content(await self.user())
        left = self.left()
        async with self.db.transaction() as other:
            self.assertTrue(await search_index.ours(other))
            self.assertIsNone(await self.job.run())
        self.assertEqual(self.left(), left)
