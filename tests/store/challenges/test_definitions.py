"""Design challenges (spec §4.17, extensions §2)."""

from typing import Any

from msgspec import Raw

from contentsvc.store.challenges import definitions
from contentsvc.wire.challenges import ChallengeCreate
from tests.support.databases import StoreCase, guid

REWARD = '{"emblem":{"name":"Tower"},"achievement":{"key":"ä"}}'
PAST, FUTURE = 1_000_000_000, 4_000_000_000
NOBODY = (None, False)


def definition(**changes: Any) -> ChallengeCreate:
    """A definition."""
    reward: Any = Raw(REWARD)
    given = {"name": "Bridges", "ordinal": 1, "description": "", "theme": "spans"}
    return ChallengeCreate(**{**given, "win": reward, "participate": reward, **changes})


class ChallengeCase(StoreCase):
    async def create(self, **changes: Any) -> str:
        """The id of a new one."""
        return await definitions.create(self.db, definition(**changes))

    async def row(self, challenge: str) -> definitions.ChallengeRow:
        """The challenge, as anybody sees it."""
        row = await definitions.get(self.db, challenge, *NOBODY)
        return row or self.fail("no such challenge")


class ReadTests(ChallengeCase):
    async def test_order(self) -> None:
        """They are listed by ordinal, those of one ordinal by id."""
        self.sql("delete from challenges")
        made = [(n, await self.create(ordinal=n)) for n in (3, -(2**31), 3, 2**31 - 1, 0)]
        found = [(row.ordinal, row.id) for row in await definitions.all(self.db, *NOBODY)]
        self.assertEqual(found, sorted(made))

    async def test_as_it_came(self) -> None:
        """The rewards are those that were given, and each emblem has an id of its own."""
        row = await self.row(await self.create(name="%s {} 'x'"))
        self.assertEqual((row.name, row.theme), ("%s {} 'x'", "spans"))
        self.assertEqual((row.win, row.participate), (REWARD, REWARD))
        self.assertNotEqual(row.win_emblem, row.participate_emblem)

    async def test_plain(self) -> None:
        """One that says nothing of times and types is open, for all types, until an admin closes
        it."""
        row = await self.row(await self.create())
        self.assertEqual((row.opens, row.closes, row.types), (None, None, None))
        self.assertEqual((row.judging, row.state), ("admins", "open"))
        self.assertEqual((row.entries, row.winners), (0, []))

    async def test_release_before(self) -> None:
        """One that a daemon of the release before has made is open, and its emblems have ids."""
        ((made,),) = self.sql(
            """insert into challenges (name, ordinal, description, theme, win, participate)
               values ('Old', 1, '', '', %s, %s) returning id""",
            REWARD,
            REWARD,
        )
        row = await self.row(made)
        self.assertEqual((row.state, row.judging, row.types), ("open", "admins", None))
        self.assertRegex(row.participate_emblem, "^[0-9a-f-]{36}$")

    async def test_state(self) -> None:
        """The clock of the database says how one stands: before it opens, while it is open, and
        after it closes."""
        for opens, closes, expected in (
            (None, None, "open"),
            (PAST, None, "open"),
            (PAST, FUTURE, "open"),
            (None, FUTURE, "open"),
            (FUTURE, None, "upcoming"),
            (FUTURE, FUTURE + 1, "upcoming"),
            (PAST, PAST + 1, "judging"),
        ):
            row = await self.row(await self.create(opens=opens, closes=closes))
            self.assertEqual((row.opens, row.closes, row.state), (opens, closes, expected))

    async def test_extremes(self) -> None:
        """The largest times are given back as they came."""
        row = await self.row(await self.create(opens=-(2**53), closes=2**53))
        self.assertEqual((row.opens, row.closes, row.state), (-(2**53), 2**53, "open"))

    async def test_none(self) -> None:
        """A challenge that does not exist is None."""
        self.assertIsNone(await definitions.get(self.db, guid(), *NOBODY))
        async with self.db.transaction() as tx:
            self.assertIsNone(await definitions.lock(tx, guid()))


class ChangeTests(ChallengeCase):
    async def test_replace(self) -> None:
        """All of the definition is replaced; the ids of the emblems stay."""
        made = await self.create(opens=PAST, closes=FUTURE, types=["game"], judging="votes")
        before = await self.row(made)
        other = '{"emblem":{"name":"Arch"}}'
        words = {"name": "Arches", "ordinal": 2, "description": "d", "theme": "t"}
        new = definition(**words, win=Raw(other), participate=Raw(other))
        self.assertEqual(await definitions.replace(self.db, made, new), (True, True))
        row = await self.row(made)
        self.assertEqual(
            (row.name, row.ordinal, row.description, row.theme), ("Arches", 2, "d", "t")
        )
        self.assertEqual(row[9:13], (None, None, None, "admins"))
        emblems = before.win_emblem, before.participate_emblem
        self.assertEqual(row[5:9], (other, emblems[0], other, emblems[1]))

    async def test_replace_none(self) -> None:
        """What does not exist is not replaced."""
        self.assertIsNone(await definitions.replace(self.db, guid(), definition()))

    async def test_replace_closed(self) -> None:
        """A closed one stays as it is."""
        made = await self.create()
        self.sql("update challenges set closed = now() where id = %s", made)
        before = await self.row(made)
        new = definition(name="Arches")
        self.assertEqual(await definitions.replace(self.db, made, new), (False, True))
        self.assertEqual((await self.row(made), before.state), (before, "closed"))

    async def test_end(self) -> None:
        """One that opened at once can be ended at any time."""
        made = await self.create()
        self.assertTrue(await definitions.replace(self.db, made, definition(closes=PAST)))
        self.assertEqual((await self.row(made)).state, "judging")

    async def test_delete(self) -> None:
        """A challenge without entries is deleted."""
        made = await self.create()
        async with self.db.transaction() as tx:
            self.assertEqual(await definitions.lock(tx, made), ("open", []))
            self.assertTrue(await definitions.delete(tx, made))
        self.assertIsNone(await definitions.get(self.db, made, *NOBODY))
