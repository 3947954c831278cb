"""Who is shut out of what, as each process knows it."""

from __future__ import annotations

from typing import Any

from contentsvc.push.restrictions import Restrictions
from contentsvc.store.moderation import decisions
from contentsvc.store.moderation.decisions import New, Subject
from contentsvc.wire.decisions import GroundBody
from tests.support.databases import StoreCase, guid

GROUND = GroundBody(
    basis="terms", reference="§ 1", explanation="spam", source="own", automated="no"
)


class Wire:
    """Stands for the relay: what is announced waits until it is sent."""

    def __init__(self) -> None:
        self.announced: list[str] = []

    def announce_restricted(self, user: str) -> None:
        self.announced.append(user)

    def send(self, to: Restrictions) -> None:
        """Have another process hear of it."""
        to.heard(self.announced)
        self.announced = []


class RestrictionCase(StoreCase):
    """Two processes, which have learnt what there was."""

    async def setUp(self) -> None:
        await super().setUp()
        self.wire, self.user_id = Wire(), guid()
        self.one = Restrictions(self.db, self.wire)
        self.two = Restrictions(await self.pool(), Wire())
        for each in (self.one, self.two):
            await each.learn()

    async def restrict(self, *what: str, until: int | None = None, note: bool = True) -> int:
        """A decision of the first process. Gives its number."""
        subject = Subject("user", self.user_id, None, self.user_id)
        new = New(guid(), "restrict", subject, GROUND, None, until=until, what=what)
        async with self.db.transaction() as tx:
            number = await decisions.take(tx, guid(), False, new)
            if note:
                self.one.note(tx, self.user_id)
            self.assertEqual(self.wire.announced, [])
        return number

    async def reverse(self, number: int) -> None:
        """Take it back."""
        subject = Subject("user", self.user_id, None, self.user_id)
        async with self.db.transaction() as tx:
            await decisions.reverse(tx, guid(), False, number, subject, "a mistake")

    async def shut_out(self, process: Restrictions, what: str = "comment") -> bool:
        """Whether a process refuses this."""
        if not process.may_concern(self.user_id):
            return False
        return await process.find(None, self.user_id, what) is not None


class RestrictionTests(RestrictionCase):
    async def test_both(self) -> None:
        """The process that commits it knows it at once, and others once they hear of it."""
        await self.restrict("comment", "rate")
        self.assertTrue(await self.shut_out(self.one))
        self.assertFalse(await self.shut_out(self.two))
        self.wire.send(self.two)
        self.assertTrue(await self.shut_out(self.two))
        self.assertTrue(await self.shut_out(self.two, "rate"))
        self.assertFalse(await self.shut_out(self.two, "publish"))

    async def test_rolled_back(self) -> None:
        """What is rolled back is announced to nobody."""
        with self.assertRaises(ZeroDivisionError):
            async with self.db.transaction() as tx:
                self.one.note(tx, self.user_id)
                raise ZeroDivisionError
        self.assertEqual(self.wire.announced, [])
        self.assertFalse(self.one.may_concern(self.user_id))

    async def test_never_heard(self) -> None:
        """What a process has not heard of, because its writer has died or the bus was lost, it
        learns."""
        await self.restrict("comment", note=False)
        self.assertFalse(await self.shut_out(self.two))
        await self.two.learn()
        self.assertTrue(await self.shut_out(self.two))

    async def test_not_learnt(self) -> None:
        """Until a process has learnt who is shut out, everybody may be."""
        await self.restrict("comment")
        new = Restrictions(self.db, Wire())
        self.assertTrue(new.may_concern(guid()))
        self.assertTrue(await self.shut_out(new))
        self.assertIsNone(await new.find(None, guid(), "comment"))

    async def test_reversed(self) -> None:
        """What is taken back is so in both at once, and forgotten when it is asked for."""
        number = await self.restrict("comment")
        self.wire.send(self.two)
        await self.reverse(number)
        for process in (self.one, self.two):
            self.assertFalse(await self.shut_out(process))
            self.assertFalse(process.may_concern(self.user_id))

    async def test_over(self) -> None:
        """One that is over shuts nobody out, though nobody does anything."""
        await self.restrict("comment", until=1_700_000_000)
        self.wire.send(self.two)
        for process in (self.one, self.two):
            self.assertFalse(await self.shut_out(process))

    async def test_meanwhile(self) -> None:
        """What is heard while a process learns is not lost."""
        restricted = decisions.restricted

        async def late(db: Any) -> list[str]:
            found = await restricted(db)
            await self.restrict("comment")
            self.wire.send(self.two)
            return found

        self.patch(decisions, "restricted", late)
        await self.two.learn()
        self.assertTrue(await self.shut_out(self.two))

    async def test_in_transaction(self) -> None:
        """In a transaction it is judged by what that sees."""
        number = await self.restrict("comment")
        subject = Subject("user", self.user_id, None, self.user_id)
        async with self.db.transaction() as tx:
            await decisions.reverse(tx, guid(), False, number, subject, "a mistake")
            self.assertIsNone(await self.one.find(tx, self.user_id, "comment"))
        self.assertFalse(await self.shut_out(self.one))
