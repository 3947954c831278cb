"""What content is called: the rows that a rename writes (content#names)."""

from contentsvc.store.content import items, names
from tests.support.databases import StoreCase
from tests.support.deferreds import together


class NamesTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author, self.editor = await self.user(), await self.user()
        self.game = await self.content(self.author)

    async def rename(self, name: str, by: str, *, staff: bool = False, most: int = 0) -> int | None:
        """The seconds to wait, None if it has this name."""
        async with self.db.transaction() as tx:
            await items.lock(tx, self.game, self.author, False)
            done = await names.rename(tx, self.game, name, by, staff, most)
            return None if done is None else done.wait

    async def called(self) -> list[str]:
        """All its names."""
        return [row.name for row in await names.names(self.db, self.game, None, 100)]

    def rows(self, content: str | None = None) -> int:
        """How many rows a content has."""
        counted = "select count(*) from content_names where content_id = %s"
        return int(self.sql(counted, content or self.game)[0][0])

    async def test_rows(self) -> None:
        """Content has no rows until it is renamed, then one for each name, of who has given it."""
        self.assertEqual(0, self.rows())
        (first,) = await self.called()
        for name, by in (("two", self.editor), ("three", self.author)):
            self.assertEqual(0, await self.rename(name, by))
            self.assertIsNone(await self.rename(name, by))
        self.assertEqual(["three", "two", first], await self.called())
        found = self.sql(
            "select name, user_id::text from content_names where content_id = %s order by number",
            self.game,
        )
        given = [(first, self.author), ("two", self.editor), ("three", self.author)]
        self.assertEqual(given, found)

    async def test_at_once(self) -> None:
        """Of several renames at once as many are done as the limit allows, and the first name has
        one row."""
        waits = await together(*(self.rename(f"n{n}", self.author, most=3) for n in range(8)))
        self.assertEqual(3, waits.count(0))
        self.assertEqual(4, self.rows())

    async def test_emptied(self) -> None:
        """Whichever release empties the texts of who has left, the names go too; others stay."""
        await self.rename("two", self.author)
        other, self.game = self.game, await self.content(self.author)
        await self.rename("other", self.author)
        self.sql("update contents set name = '' where id = %s", other)
        self.assertEqual([0, 2], [self.rows(content) for content in (other, self.game)])

    async def test_left(self) -> None:
        """A user who has left has given no name; of an author who has left there is none."""
        await self.rename("two", self.editor)
        self.sql("delete from users where id = %s", self.editor)
        found = await names.names(self.db, self.game, None, 100)
        self.assertEqual([None, self.author], [row.by and row.by.id for row in found])
        self.sql("delete from users where id = %s", self.author)
        found = await names.names(self.db, self.game, None, 100)
        self.assertEqual([("", None)], [(row.name, row.by) for row in found])
