"""Roles, as they are stored."""

from contentsvc.store.accounts import roles
from contentsvc.store.moderation import bans
from tests.support.databases import StoreCase, guid


class RoleTests(StoreCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob = await self.user(), await self.user()

    async def put(self, user: str, role: str) -> None:
        """As the service does it."""
        async with self.db.transaction() as tx:
            await roles.lock(tx, user)
            await roles.put(tx, user, role)

    def of(self, user: str) -> tuple[str, bool]:
        """The role, and whether the list has them."""
        statement = "select role, role_number is not null from users where id = %s"
        ((role, listed),) = self.sql(statement, user)
        return role, listed

    async def test_put(self) -> None:
        """A role is what was given last."""
        self.assertEqual(self.of(self.ann), ("player", False))
        for role in ("curator", "moderator", "admin", "moderator", "player"):
            await self.put(self.ann, role)
            self.assertEqual(self.of(self.ann), (role, role != "player"))

    async def test_made(self) -> None:
        """A user who is made with a role has it, and is in the list."""
        ((made,),) = self.sql(
            "insert into users (username, role) values (%s, 'admin') returning id", guid()
        )
        self.assertEqual(self.of(made), ("admin", True))

    async def test_since(self) -> None:
        """The moment is that of the last change, and another update of the user is none."""
        statement = "select role_since, role_number from users where id = %s"
        await self.put(self.ann, "curator")
        first = self.sql(statement, self.ann)
        await self.put(self.ann, "curator")
        self.sql("update users set avatar = 'a.png' where id = %s", self.ann)
        self.assertEqual(self.sql(statement, self.ann), first)
        await self.put(self.ann, "moderator")
        self.assertGreater(self.sql(statement, self.ann), first)

    async def test_admin_left(self) -> None:
        """An admin who is banned, until whenever, is none that is left; once the end has passed,
        they are again."""
        self.sql("update users set role = 'player'")
        await self.put(self.ann, "admin")
        self.assertTrue(await roles.admin_left(self.db))
        for until, left in ((None, False), (2**40, False), (1, True)):
            await bans.put(self.db, None, self.ann, "rude", until)
            self.assertIs(await roles.admin_left(self.db), left)
