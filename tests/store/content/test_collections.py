"""Collections: the order of items holds whoever moves what (content#collections)."""

from contentsvc.store.content import collections
from contentsvc.store.content.collections import GAP
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class CollectionTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.owner = await self.user()
        self.collection = guid()
        await collections.create(self.db, self.owner, self.collection, "x", "", True)

    async def put(self, content: str, place: int, added: bool = True) -> None:
        """Put a content at a place."""
        async with self.db.transaction() as tx:
            await collections.lock(tx, self.owner, self.collection)
            await collections.put(tx, self.collection, content, place, added)

    async def order(self) -> list[str]:
        """The items in their order."""
        rows = await collections.items(
            self.db, self.collection, self.owner, False, -collections.EDGE, 200
        )
        return [row.item.id for row in rows if row.item is not None]

    async def test_spread(self) -> None:
        """Places that are next to each other get gaps, and the order stays."""
        made = [await self.content(self.owner) for _ in range(3)]
        for place, content in zip((7, 6, 8), made, strict=True):
            await self.put(content, place)
        expected = [made[1], made[0], made[2]]
        async with self.db.transaction() as tx:
            await collections.spread(tx, self.collection)
        self.assertEqual(expected, await self.order())
        rows = self.sql(
            "select place from collection_items where collection_id = %s order by place",
            self.collection,
        )
        self.assertEqual([GAP, 2 * GAP, 3 * GAP], [place for (place,) in rows])

    async def test_space(self) -> None:
        """A content that is moved does not stand in its own way."""
        made = [await self.content(self.owner) for _ in range(3)]
        for place, content in enumerate(made):
            await self.put(content, place)
        space = await collections.space(self.db, self.collection, made[1], 2)
        self.assertEqual((0, 2), (space.low, space.high))

    async def test_count(self) -> None:
        """Items that come and go at once are counted exactly."""
        made = [await self.content(self.owner) for _ in range(6)]
        await together(*(self.put(content, place) for place, content in enumerate(made)))

        async def remove(content: str) -> None:
            async with self.db.transaction() as tx:
                await collections.lock(tx, self.owner, self.collection)
                await collections.remove(tx, self.collection, content)

        await together(*(remove(content) for content in made[:2] for _ in range(2)))
        found = await collections.get(self.db, self.collection, None)
        self.assertEqual((4, 4), (found and found.items, len(await self.order())))

    async def test_one_id(self) -> None:
        """Of two users who make a collection with one id at once, one gets it."""
        other, id = await self.user(), guid()
        made = await together(
            *(collections.create(self.db, user, id, "x", "", True) for user in (self.owner, other))
        )
        self.assertEqual([False, True], sorted(made))
