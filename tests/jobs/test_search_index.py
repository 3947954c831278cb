"""The job that makes content searchable: when it works, and that it ends."""

from typing import Any

from twisted.internet.task import Clock

from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.search_index import SearchIndexer
from contentsvc.store import task_queue
from contentsvc.store.content import search_index
from contentsvc.store.tasks import RenewWords
from tests.jobs.support import TellerCase
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


class RenewWordsTests(TellerCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.teller = self.telling(self.db, kinds=KINDS, most=2)
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
        while await self.teller.run() is not None:
            batches += 1
        self.assertEqual(batches, 4)
        self.assertEqual(self.documents(), self.whole)
        self.assertEqual(self.sql("select 1 from tasks"), [])

    async def test_meanwhile(self) -> None:
        """What is published or deleted meanwhile is right as well."""
        await self.teller.run()
        self.sql("delete from contents where id = %s", self.games[1])
        self.sql("delete from contents where id = %s", self.games[2])
        new = await self.content(await self.user())
        while await self.teller.run() is not None:
            pass
        kept = [row for row in self.whole if row[0] not in self.games[1:3]]
        self.assertEqual(self.documents()[:-1], kept)
        self.assertEqual(self.documents()[-1][0::2], (new, False))
