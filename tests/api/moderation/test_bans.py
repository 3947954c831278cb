"""Bans of admins, where several come at once."""

from contentsvc.api.moderation.bans import Bans
from contentsvc.wire.accounts import BanBody
from tests.api.support import ApiCase, Caller, FakeRevocation

LATER = 2**40


class LastAdminTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.bans = Bans(self.db, FakeRevocation())
        self.sql("update users set admin = false")
        self.ann, self.ben = await self.admin(), await self.admin()

    async def admin(self) -> str:
        """The id of a new admin."""
        user = await self.user()
        self.sql("update users set admin = true where id = %s", user)
        return user

    async def ban(self, by: str, user: str, until: int | None = None) -> None:
        """One bans another."""
        await self.bans.ban_user(Caller(by, admin=True), user, BanBody("rude", until))

    def left(self) -> int:
        """How many admins are not banned."""
        ((count,),) = self.sql(
            "select count(*) from users u where admin and not exists ("
            "select from bans b where b.user_id = u.id and (until is null or until > now()))"
        )
        return int(count)

    async def test_each_other(self) -> None:
        """Of two admins who ban each other at once, one is refused, whenever the bans end, and
        nothing of that ban is left."""
        for until in (None, LATER):
            for _ in range(5):
                self.sql("delete from bans")
                found = await self.statuses(
                    self.ban(self.ann, self.ben, until), self.ban(self.ben, self.ann, until)
                )
                self.assertEqual(sorted(found), ["done", "last_admin"])
                self.assertEqual(self.left(), 1)

    async def test_in_a_ring(self) -> None:
        """Of more at once, one is refused."""
        cat, dan = await self.admin(), await self.admin()
        ring = [self.ann, self.ben, cat, dan]
        pairs = zip(ring, ring[1:] + ring[:1], strict=True)
        found = await self.statuses(*(self.ban(*pair) for pair in pairs))
        self.assertEqual(sorted(found), ["done", "done", "done", "last_admin"])

    async def test_past(self) -> None:
        """A ban whose end has passed bans nobody, so it is not refused."""
        found = await self.statuses(
            self.ban(self.ann, self.ben, 1), self.ban(self.ben, self.ann, 1)
        )
        self.assertEqual(found, ["done", "done"])
        self.assertEqual(self.left(), 2)

    async def test_not_admin_any_more(self) -> None:
        """Who was an admin at the last log-in cannot ban the last one."""
        self.sql("update users set admin = false where id = %s", self.ann)
        found = await self.statuses(self.ban(self.ann, self.ben))
        self.assertEqual(found, ["last_admin"])

    async def test_others(self) -> None:
        """Others are banned as before, also where no admin is left."""
        self.sql("update users set admin = false")
        self.assertEqual(await self.statuses(self.ban(self.ann, self.ben)), ["done"])
