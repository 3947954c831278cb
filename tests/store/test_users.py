"""Users (spec §4.6 to §4.8), but for the search."""

from contentsvc.store import users
from contentsvc.wire.users import UserInfo
from tests.store.support import StoreCase, guid


class UserTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.name = f"U{guid()[:8]}"
        self.ann = await self.user(self.name)

    async def test_new(self) -> None:
        """A new user has no avatar, emblem or profile."""
        found = await users.info(self.db, self.ann)
        self.assertEqual(found, UserInfo(self.ann, self.name, None, None, None))
        row = await users.full(self.db, self.ann)
        expected = (self.ann, self.name, f"{self.name}@example.com", None, None, None, None)
        self.assertEqual(row, expected)

    async def test_update(self) -> None:
        """An update replaces all that may be changed, with nothing too; name and address stay."""
        emblem = guid()
        for values in (("a.png", emblem, "full", "public"), (None, None, None, None)):
            self.assertTrue(await users.update(self.db, self.ann, *values))
            row = await users.full(self.db, self.ann)
            self.assertEqual(row[1:], (self.name, f"{self.name}@example.com", *values))
            info = await users.info(self.db, self.ann)
            self.assertEqual((info.avatar, info.emblem), values[:2])

    async def test_public_only(self) -> None:
        """The public info never shows the full profile."""
        await users.update(self.db, self.ann, None, None, "secret", None)
        self.assertIsNone((await users.info(self.db, self.ann)).profile)

    async def test_nobody(self) -> None:
        """Who is not there is None."""
        self.assertIsNone(await users.info(self.db, guid()))
        self.assertIsNone(await users.full(self.db, guid()))
        self.assertIsNone(await users.update(self.db, guid(), None, None, None, None))
        self.assertIsNone(await users.id_of(self.db, "nobody"))

    async def test_id_of(self) -> None:
        """A user is found by name whatever the case, and not by address."""
        self.assertEqual(await users.id_of(self.db, self.name.upper()), self.ann)
        self.assertIsNone(await users.id_of(self.db, f"{self.name}@example.com"))

    async def test_promote(self) -> None:
        """A promoted user is an admin."""
        await users.promote(self.db, self.ann)
        self.assertEqual(self.sql("select admin from users where id = %s", self.ann), [(True,)])
