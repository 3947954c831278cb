"""Users (accounts#user-info, accounts#full-record and accounts#update), but for the search."""

import secrets

from contentsvc.store.accounts import users
from contentsvc.store.files import storage
from tests.support.databases import StoreCase, guid


class UserTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.name = f"U{guid()[:8]}"
        self.ann = await self.user(self.name)

    async def test_id_of(self) -> None:
        """A user is found by name whatever the case, and not by address."""
        self.assertEqual(await users.id_of(self.db, self.name.upper()), self.ann)
        self.assertIsNone(await users.id_of(self.db, f"{self.name}@example.com"))

    async def test_beside(self) -> None:
        """A change of the record waits for nobody who writes something of the user's, and they do
        not wait for it."""
        bob = await self.user()
        async with self.db.transaction() as tx, self.db.transaction() as other:
            await storage.begin(tx, self.ann)
            self.assertIsNotNone(await users.update(other, self.ann, None, None, None, "mine", 0))
            self.sql("insert into follows (follower, followed) values (%s, %s)", bob, self.ann)


class InfosTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.users = [await self.user() for _ in range(4)]
        for user, size in zip(self.users, (10, 20, 30, None), strict=True):
            profile = None if size is None else "x" * size
            await users.update(self.db, user, None, None, None, profile, 0)

    async def infos(self, given: list[str], bytes: int) -> list[str]:
        """The users in the result."""
        return [info.id for info in await users.infos(self.db, given, bytes)]

    async def test_bytes(self) -> None:
        """None comes once the profiles before have so many bytes, but for the first."""
        for bytes, count in ((1, 1), (10, 1), (11, 2), (30, 2), (31, 3), (60, 3), (61, 4)):
            self.assertEqual(await self.infos(self.users, bytes), self.users[:count])

    async def test_state(self) -> None:
        """The state differs when one of them, or their order, does."""
        ann, bob, *_ = self.users
        states = {await users.infos_state(self.db, given) for given in ([ann, bob], [bob, ann])}
        await users.update(self.db, ann, None, None, "full", "y" * 10, 0)
        states.add(await users.infos_state(self.db, [ann, bob]))
        self.assertEqual(len(states), 3)
        await users.update(self.db, ann, None, None, "other", "y" * 10, 0)
        self.assertIn(await users.infos_state(self.db, [ann, bob]), states)

    async def test_search(self) -> None:
        """A page of a search whose profiles are too long has none, and says so."""
        word = secrets.token_hex(8)
        found = [await self.user(f"{word}{n}") for n in range(2)]
        for size in (users.PROFILES // 2, users.PROFILES // 2 + 1):
            for user in found:
                await users.update(self.db, user, None, None, None, "x" * size, 0)
            rows = await users.search(self.db, word, 10, 0)
            self.assertEqual([row.bytes for row in rows], [2 * size] * 2)
            shown = [row.info is not None and row.info.profile is not None for row in rows]
            self.assertEqual(shown, [2 * size <= users.PROFILES] * 2)
