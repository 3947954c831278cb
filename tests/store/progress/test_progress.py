"""Progress data (spec §4.12): a value per user and key, given back as it came."""

from contentsvc.store.progress import progress
from contentsvc.store.progress.progress import NO_LIMIT
from tests.support.databases import StoreCase, together


class ProgressTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def put(self, key: str, value: str) -> None:
        """Store JSON text."""
        await progress.put(self.db, self.ann, key, value, None, NO_LIMIT, NO_LIMIT)

    async def all(self) -> list[progress.Datum]:
        """Everything of Ann's."""
        return await progress.page(self.db, self.ann, "", None, 1000, 10**9)

    async def test_as_it_came(self) -> None:
        """Order, numbers and text of the JSON stay as they were."""
        value = '{"b":1.10,"a":1000000000000000000000000000000,"ü":"\\u00fc\\"","a":[]}'
        await self.put("k", value)
        self.assertEqual((await progress.get(self.db, self.ann, "k")).value, value)

    async def test_replaced(self) -> None:
        """A second value replaces the first, and its time is later."""
        await self.put("k", "{}")
        self.sql("update progress set written = to_timestamp(5.9) where user_id = %s", self.ann)
        self.assertEqual((await progress.get(self.db, self.ann, "k")).timestamp, 5)
        await self.put("k", '{"a":1}')
        (row,) = await self.all()
        self.assertEqual(row.value, '{"a":1}')
        self.assertGreater(row.timestamp, 5)

    async def test_one_turn(self) -> None:
        """Values that are stored at many keys at once come back as they were sent."""
        given = {f"k{n}": f'{{"n":{n}.0,"text":"\\"{n}\\\\"}}' for n in range(20)}
        await together(*(self.put(key, value) for key, value in given.items()))
        found = {row.key: row.value for row in await self.all()}
        self.assertEqual(found, given)

    async def test_at_once(self) -> None:
        """Many at once on one key leave one of them."""
        await together(*(self.put("k", f'{{"n":{n}}}') for n in range(20)))
        self.assertEqual(len(await self.all()), 1)

    async def test_keys(self) -> None:
        """Keys are any text, apart by case, in the order of their code points."""
        keys = ["", " ", "A", "a", "a%b", "a/b", "ä", "😀"]
        for key in reversed(keys):
            await self.put(key, "{}")
        self.assertEqual([row.key for row in await self.all()], keys)

    async def test_of_others(self) -> None:
        """Another user's data is another's."""
        await self.put("k", "{}")
        self.assertIsNone(await progress.get(self.db, await self.user(), "k"))

    async def test_prefix(self) -> None:
        """A part of the keys is from one up to before another, in the order of code points."""
        for key in ("a", "a%", "a_", "b", "c"):
            await self.put(key, "{}")
        found = await progress.page(self.db, self.ann, "a%", "c", 9, 10**9)
        self.assertEqual([row.key for row in found], ["a%", "a_", "b"])
