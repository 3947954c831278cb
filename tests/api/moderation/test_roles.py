"""Roles that several admins change at once."""

from typing import Any

from contentsvc.api.checks import keep_an_admin
from contentsvc.api.moderation.roles import Roles
from contentsvc.store.accounts import deletion
from contentsvc.wire.accounts import RoleBody
from tests.api.support import ApiCase, Caller, FakeRevocation


class LastAdminTests(ApiCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.roles = Roles(self.db, FakeRevocation())
        self.sql("update users set role = 'player'")
        self.ann, self.ben = await self.user(admin=True), await self.user(admin=True)

    async def put(self, by: str, user: str, role: Any = "player") -> None:
        """One gives another a role."""
        await self.roles.set_user_role(Caller(by, admin=True), user, RoleBody(role))

    def left(self) -> int:
        """How many admins there are."""
        ((count,),) = self.sql("select count(*) from users where role = 'admin'")
        return int(count)

    async def test_each_other(self) -> None:
        """Of two admins who demote each other at once, one is refused, and stays as before."""
        for role in ("player", "moderator") * 4:
            self.sql("update users set role = 'admin' where id in (%s, %s)", self.ann, self.ben)
            found = await self.statuses(
                self.put(self.ann, self.ben, role), self.put(self.ben, self.ann, role)
            )
            self.assertEqual(sorted(found), ["done", "last_admin"])
            self.assertEqual(self.left(), 1)

    async def test_in_a_ring(self) -> None:
        """Of more at once, one is refused."""
        cat, dan = await self.user(admin=True), await self.user(admin=True)
        ring = [self.ann, self.ben, cat, dan]
        pairs = zip(ring, ring[1:] + ring[:1], strict=True)
        found = await self.statuses(*(self.put(*pair) for pair in pairs))
        self.assertEqual(sorted(found), ["done", "done", "done", "last_admin"])

    async def test_leaving_at_once(self) -> None:
        """Of two admins who delete their accounts at once, one is refused, and stays."""

        async def leave(user: str) -> None:
            async with self.db.transaction() as tx:
                departed = await deletion.leave(tx, user, "-")
                self.assertEqual(departed and departed.role, "admin")
                await keep_an_admin(tx)

        found = await self.statuses(leave(self.ann), leave(self.ben))
        self.assertEqual(sorted(found), ["done", "last_admin"])
        self.assertEqual(self.left(), 1)

    async def test_banned(self) -> None:
        """An admin who is banned is none that is left."""
        self.sql("insert into bans (user_id, reason) values (%s, 'rude')", self.ann)
        self.assertEqual(await self.statuses(self.put(self.ann, self.ben)), ["last_admin"])

    async def test_others(self) -> None:
        """Others get roles where no admin is left."""
        self.sql("update users set role = 'player'")
        cat = await self.user()
        self.assertEqual(await self.statuses(self.put(self.ann, cat, "curator")), ["done"])
