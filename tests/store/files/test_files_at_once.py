"""Transactions that want the same files come in one order (files#files): storage, then files by
path, once. So none of them waits in a circle."""

from collections.abc import Awaitable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.api.errors import FileMissing
from contentsvc.api.files.references import FileReferences
from contentsvc.store.files import files, inventory, storage, unused
from tests.store.files.test_references import ClaimCase, new
from tests.store.files.test_references_at_once import WAITING

PNG = "image/png"


class CircleTests(ClaimCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.first, self.last = sorted([new(PNG), new(PNG)])
        self.other = await self.pool()

    async def begun(self, act: Awaitable[Any]) -> Deferred[Any]:
        """An act that has been done, or waits for a lock."""
        before = self.sql(WAITING)
        begun = Deferred.fromCoroutine(act)
        while not begun.called and self.sql(WAITING) == before:
            await deferLater(reactor, 0)
        return begun

    async def give_up(self) -> None:
        """What lapses is given up, named in the order in which the rows lie."""
        async with self.db.transaction() as tx:
            await unused.give_up(tx, [self.last, self.first])

    async def test_given_up(self) -> None:
        """Whoever gives up files locks them by path, however their rows lie."""
        self.file(self.last, due=None)
        self.file(self.first, due=None)
        async with self.other.transaction() as tx:
            await files.lock(tx, [self.first])
            given_up = await self.begun(self.give_up())
            self.assertNoResult(given_up)
            await files.lock(tx, [self.first, self.last])
        await given_up
        self.assertTrue(self.due(self.first) and self.due(self.last))

    async def test_seized(self) -> None:
        """A repair locks no row that is there while it waits for one that is being announced."""
        self.file(self.first)
        async with self.other.transaction() as tx:
            await files.begin(tx, [self.last])
            seized = await self.begun(inventory.seize(self.db, [self.first, self.last], False))
            self.assertNoResult(seized)
            self.assertEqual(len(await files.lock(tx, [self.first, self.last])), 2)
        self.assertIsNone(await seized)

    async def replace(self) -> None:
        """The game shows the last image, and no longer the first."""
        async with self.db.transaction() as tx:
            await FileReferences(required=False).replace(
                *(tx, "content", self.game),
                caller=self.ann,
                owner=self.ann,
                old=[self.first],
                new=[self.last],
            )

    async def finish(self, paths: list[str]) -> None:
        """The bytes have gone."""
        async with self.db.transaction() as tx:
            await unused.remove(tx, paths)

    async def test_replaced(self) -> None:
        """Whoever claims a file and gives up another holds neither while it waits for storage: a
        repair may wait for the one, and an upload for the other."""
        self.file(self.first)
        self.file(self.last)
        self.sent(self.ann, self.first, self.last, due="2100-01-01")
        await self.claim(self.first)
        async with self.other.transaction() as tx:
            await storage.lock(tx, self.ann)
            replaced = await self.begun(self.replace())
            self.assertNoResult(replaced)
            async with self.db.transaction() as repair:
                held = await inventory.seize(repair, [self.first, self.last], True)
            assert held is not None
            self.assertEqual(len(held.paths), 2)
            finished = await self.begun(self.finish(held.paths))
            await files.lock(tx, [self.first])
        await finished
        problem = await self.assertFailure(replaced, FileMissing)
        self.assertEqual(problem.members["paths"], [self.last])

    async def test_needed_meanwhile(self) -> None:
        """Who needs a file whose bytes have gone is looked at when its row is locked: a claim that
        came while somebody else held it keeps the row, for the bytes to be sent again."""
        self.file(self.first, collecting=True)
        async with self.other.transaction() as tx:
            await files.lock(tx, [self.first])
            finished = await self.begun(self.finish([self.first]))
            self.assertNoResult(finished)
            self.sql(
                "insert into claims (holder, kind, path) values (%s, 'revision', %s)",
                *(self.revision, self.first),
            )
        await finished
        rows = self.sql("select collecting, stored from files where path = %s", self.first)
        self.assertEqual(rows, [(False, False)])
