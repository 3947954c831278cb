"""Warnings, and what a ban says: extensions §7."""

import time

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import BAN


class WarningTests(PlayersCase):
    """POST user/warning."""

    async def warn(self, user: User, reason: str = "mind it", **more: str) -> None:
        """Warn the user, as an admin."""
        body = {"reason": reason, **more}
        await self.post(f"user/{user.id}/warning", body, by=await self.admin(), expect=204)

    async def reasons(self, user: User) -> list[str]:
        """The reasons of the warnings that the user got."""
        found = await self.told(user)
        self.assertEqual(set(), {one["kind"] for one in found} - {"AccountWarning"})
        return [one["reason"] for one in found]

    async def test_warning(self):
        """extensions §7: the user is told AccountWarning {reason}, by push too; the admin is
        not."""
        user = await self.user()
        socket = await self.socket(user)
        await self.warn(user, "Mind your words ✓")
        expected = {"kind": "AccountWarning", "reason": "Mind your words ✓"}
        self.assertEqual([expected], await self.told(user))
        message = await self.pushed(socket)
        self.assertEqual([message["notification"]], await self.notifications(user))

    async def test_repeat(self):
        """extensions §7: the same id again, in upper case too, tells nothing; each without an id,
        or with another, tells."""
        user, id = await self.user(), guid()
        await self.warn(user, "one", id=id)
        await self.warn(user, "one", id=id)
        await self.warn(user, "changed", id=id.upper())
        await self.warn(user, "two", id=guid())
        await self.warn(user, "three")
        await self.warn(user, "three")
        self.assertEqual(["one", "two", "three", "three"], await self.reasons(user))

    async def test_repeats_at_once(self):
        """extensions §7: repeats at the same time tell once."""
        user, id = await self.user(), guid()
        await self.admin()
        await self.together(*(self.warn(user, "x", id=id) for _ in range(5)))
        self.assertEqual(["x"], await self.reasons(user))

    async def test_of_the_banned(self):
        """extensions §7: a banned user can be warned, and reads it later."""
        user, admin = await self.user(), await self.admin()
        at = f"user/{user.id}"
        await self.put(f"{at}/ban", {"reason": "x"}, by=admin, expect=204)
        await self.warn(user)
        await self.delete(f"{at}/ban", by=admin, expect=204)
        again = await self.logged_in(user.username, user.email, user.password)
        self.assertEqual(["mind it"], await self.reasons(again))


class BanTests(PlayersCase):
    """GET user/ban."""

    async def test_none(self):
        """extensions §7: without a ban it is 404 ban_not_found; without such a user,
        user_not_found."""
        user, admin = await self.user(), await self.admin()
        self.problem(await self.get(f"user/{user.id}/ban", by=admin), 404, "ban_not_found")
        self.problem(await self.get(f"user/{guid()}/ban", by=admin), 404, "user_not_found")

    async def test_ban(self):
        """extensions §7: {reason, until}, of the last ban; until is null if it has no end."""
        user, admin = await self.user(), await self.admin()
        path, later = f"user/{user.id}/ban", int(time.time()) + 100_000
        for body in (
            {"reason": "cheats ✓"},
            {"reason": "worse", "until": later},
            {"reason": "worst", "until": None},
        ):
            await self.put(path, body, by=admin, expect=204)
            got = await self.read(path, BAN, by=admin)
            self.assertEqual({"until": None} | body, got)
        await self.delete(path, by=admin, expect=204)
        self.problem(await self.get(path, by=admin), 404, "ban_not_found")

    async def test_over(self):
        """extensions §7: after `until` it is 404 ban_not_found."""
        user, admin = await self.user(), await self.admin()
        path = f"user/{user.id}/ban"
        body = {"reason": "x", "until": int(time.time()) + 2}
        await self.put(path, body, by=admin, expect=204)
        for _ in range(100):
            response = await self.get(path, by=admin)
            if response.status != 200:
                break
            await deferLater(reactor, 0.1)
        self.problem(response, 404, "ban_not_found")
        await self.logged_in(user.username, user.email, user.password)
