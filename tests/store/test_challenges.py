"""Design challenges (spec §4.17)."""

from contentsvc.store import challenges
from tests.support.databases import StoreCase, guid


class ChallengeTests(StoreCase):
    async def create(self, ordinal: int, name: str = "Bridges") -> str:
        """The id of a new one."""
        win, participate = '{"b":1,"a":2}', '{"x": "ä"}'
        return await challenges.create(self.db, name, ordinal, "", "spans", win, participate)

    async def test_order(self) -> None:
        """They are listed by ordinal, those of one ordinal by id."""
        self.sql("delete from challenges")
        made = [(n, await self.create(n)) for n in (3, -(2**31), 3, 2**31 - 1, 0)]
        found = [(row.ordinal, row.id) for row in await challenges.all(self.db)]
        self.assertEqual(found, sorted(made))

    async def test_as_it_came(self) -> None:
        """The rewards are given back as the text that they were."""
        row = await challenges.get(self.db, await self.create(1, "%s {} 'x'"))
        self.assertEqual((row.name, row.theme), ("%s {} 'x'", "spans"))
        self.assertEqual((row.win, row.participate), ('{"b":1,"a":2}', '{"x": "ä"}'))

    async def test_none(self) -> None:
        """A challenge that does not exist is None."""
        self.assertIsNone(await challenges.get(self.db, guid()))
