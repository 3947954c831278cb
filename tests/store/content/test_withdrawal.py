"""Withdrawal (content#withdrawal): two flags make one status, whoever sets which of them when."""

from itertools import permutations
from typing import Literal

from psycopg2.errors import CheckViolation
from twisted.internet.defer import Deferred

from contentsvc.framework.db.query import Db
from contentsvc.store.content import items, withdrawal
from contentsvc.store.content.items import Act
from contentsvc.store.content.withdrawal import Withdrawn
from tests.support.databases import StoreCase
from tests.support.deferreds import together


class WithdrawalCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.game = await self.content(self.author)

    async def delete(self, db: Db | None = None) -> Withdrawn:
        """The author withdraws."""
        given = self.game, self.author, False
        act = await withdrawal.set_deleted(db or self.db, *given, True, 0)
        assert act is not None
        return act

    async def restore(self, db: Db | None = None) -> Withdrawn:
        """The author takes it back."""
        given = self.game, self.author, False
        act = await withdrawal.set_deleted(db or self.db, *given, False, 0)
        assert act is not None
        return act

    async def decide(self, status: Literal["active", "suspended"], db: Db | None = None) -> Act:
        """An admin suspends or restores."""
        act = await items.set_status(db or self.db, None, self.game, status)
        assert act is not None
        return act

    def status(self) -> str:
        """The status that is stored."""
        ((status,),) = self.sql("select status from contents where id = %s", self.game)
        return str(status)


class AtOnceTests(WithdrawalCase):
    async def test_same(self) -> None:
        """Of several withdrawals at once one has changed it; of restorations too."""
        for act in (self.delete, self.restore):
            found = await together(*(act() for _ in range(8)))
            self.assertEqual([each.changed for each in found].count(True), 1)

    async def test_suspended_meanwhile(self) -> None:
        """Whichever of a withdrawal and a suspension waits for the other, both hold afterwards,
        and the second shows both."""
        for first, second in permutations((self.delete, self.suspend)):
            async with self.db.transaction() as tx:
                before = await first(tx)
                waiting = Deferred.fromCoroutine(second())
            act = await waiting
            self.assertTrue(before.changed and act.changed)
            self.assertEqual((act.status, self.status()), ("deleted", "deleted"))
            self.assertEqual((await self.restore()).status, "suspended")
            self.assertEqual((await self.decide("active")).status, "active")

    async def suspend(self, db: Db | None = None) -> Act:
        """An admin suspends."""
        return await self.decide("suspended", db)

    async def test_suspended_while_restored(self) -> None:
        """Content that an admin suspends while its author restores it is suspended."""
        await self.delete()
        for first, second in permutations((self.restore, self.suspend)):
            async with self.db.transaction() as tx:
                await first(tx)
                waiting = Deferred.fromCoroutine(second())
            act = await waiting
            self.assertEqual((act.status, self.status()), ("suspended", "suspended"))
            await self.decide("active")
            await self.delete()

    async def test_many(self) -> None:
        """After many acts at once the status is that of the two flags."""
        for _ in range(5):
            acts = (self.delete, self.restore, self.suspend, self.decide_active) * 4
            await together(*(act() for act in acts))
            ((status, deleted, suspended),) = self.sql(
                "select status, deleted, suspended from contents where id = %s", self.game
            )
            expected = "deleted" if deleted else "suspended" if suspended else "active"
            self.assertEqual(status, expected)

    async def decide_active(self) -> Act:
        """An admin restores."""
        return await self.decide("active")


class StatusTests(StoreCase):
    """What the trigger of the status keeps, for there is no check of the columns."""

    COPY = """
        insert into contents (id, revision_id, author_id, type, name, description, screenshots,
                              tags, visibility, status)
        select gen_random_uuid(), revision_id, author_id, type, name, description, screenshots,
               tags, %s, %s
        from contents where id = %s
        returning status
    """

    async def test_visibility(self) -> None:
        """What is no visibility is refused, of new content and of what is there."""
        content = await self.content(await self.user())
        with self.assertRaises(CheckViolation):
            self.sql(self.COPY, "nobody", "active", content)
        with self.assertRaises(CheckViolation):
            self.sql("update contents set visibility = 'nobody' where id = %s", content)

    async def test_status(self) -> None:
        """A status that does not follow from what was decided is not stored."""
        content = await self.content(await self.user())
        inserted = self.sql(self.COPY, "public", "nobody", content)
        changed = "update contents set status = 'nobody' where id = %s returning status"
        self.assertEqual([*inserted, *self.sql(changed, content)], [("active",), ("active",)])
