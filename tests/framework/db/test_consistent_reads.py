"""The statements of one answer, when the replica comes and goes between them."""

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Statements
from tests.framework.db.test_replica import ReplicaCase


class AnswerTests(ReplicaCase):
    """Where the validator of a list and its pages are read."""

    async def setUp(self) -> None:
        await super().setUp()
        declared = Statements()

        @declared.one("select pg_is_in_recovery()", lane=WHOLE)
        async def state(db: Any) -> bool: ...

        @declared.one("select pg_is_in_recovery()")
        async def page(db: Any) -> bool: ...

        @declared.one("select txid_current() > 0")
        async def write(db: Any) -> bool: ...

        self.state, self.page, self.write = state, page, write

    async def test_follow(self) -> None:
        """What comes before the validator is read on the primary. The pages follow the validator to
        the replica."""
        db, replica = await self.pool((await self.shared()).url())
        whole = db.whole()
        self.assertFalse(await self.page(whole))
        self.assertTrue(await self.state(whole))
        self.assertTrue(await self.page(whole))
        self.assertFalse(await self.page(db))
        self.assertEqual((replica.reads, replica.others), (2, 0))

    async def test_no_replica(self) -> None:
        """Where the replica is not used, all of it is read on the primary."""
        db, replica = await self.pool(self.primary.url(), up=False)
        whole = db.whole()
        found = [await self.state(whole), await self.page(whole)]
        self.assertEqual((found, replica.others), ([False, False], 1))

    async def test_back(self) -> None:
        """If the replica goes between two pages, the next is read on the primary, but not before
        all has ended there that the validator may have seen."""
        server = await self.copy()
        db, _ = await self.pool(server.url())
        async with db.transaction() as tx:
            await self.write(tx)
            whole = db.whole()
            await self.put(db, 1)
            self.assertTrue(await self.state(whole))
            await deferToThread(server.kill)
            page = Deferred.fromCoroutine(self.page(whole))
            await deferLater(reactor, 0.2)
            self.assertFalse(page.called)
        self.assertFalse(await page)
        self.assertFalse(await self.page(whole))
