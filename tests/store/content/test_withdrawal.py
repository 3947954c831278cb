"""Withdrawal (extensions §1): two flags make one status, whoever sets which of them when."""

from itertools import permutations
from typing import Literal

from twisted.internet.defer import Deferred

from contentsvc.db.query import Db
from contentsvc.store.content import items, withdrawal
from contentsvc.store.content.items import Act
from contentsvc.store.content.withdrawal import Withdrawn
from tests.support.databases import StoreCase, guid, together


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


class ActTests(WithdrawalCase):
    async def test_repeats(self) -> None:
        """The first withdrawal and the first restoration change something, repeats do not."""
        for act, status in ((self.delete, "deleted"), (self.restore, "active")):
            self.assertEqual(await act(), (self.author, status, True, False, 0))
            self.assertEqual(await act(), (self.author, status, False, False, 0))
            self.assertEqual(self.status(), status)

    async def test_never_withdrawn(self) -> None:
        """Restoring what was not withdrawn changes nothing."""
        self.assertEqual(await self.restore(), (self.author, "active", False, False, 0))

    async def test_two_flags(self) -> None:
        """In whatever order author and admins act, each changes its own flag only, and `deleted`
        is shown first."""
        for act, status in (
            (self.delete(), "deleted"),
            (self.decide("suspended"), "deleted"),
            (self.restore(), "suspended"),
            (self.delete(), "deleted"),
            (self.decide("active"), "deleted"),
            (self.restore(), "active"),
            (self.decide("suspended"), "suspended"),
            (self.delete(), "deleted"),
            (self.restore(), "suspended"),
            (self.decide("active"), "active"),
        ):
            self.assertEqual((await act)[:3], (self.author, status, True))
            self.assertEqual(self.status(), status)

    async def test_others(self) -> None:
        """Others change nothing, admins neither; who cannot see it is told that it is not there."""
        other = await self.user()
        for admin in (False, True):
            act = await withdrawal.set_deleted(self.db, self.game, other, admin, True, 0)
            self.assertEqual(act, (self.author, "active", False, False, 0))
        await self.delete()
        given = self.game, other
        act = await withdrawal.set_deleted(self.db, *given, True, False, 0)
        self.assertEqual(act, (self.author, "deleted", False, False, 0))
        self.assertIsNone(await withdrawal.set_deleted(self.db, *given, False, False, 0))
        self.assertIsNone(await withdrawal.set_deleted(self.db, guid(), other, True, True, 0))
        self.assertEqual(self.status(), "deleted")


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
