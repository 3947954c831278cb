"""PUT /user/{user}/username: accounts#names."""

from typing import Any

from tests.spec.data import User, name
from tests.spec.shapes import ACTION
from tests.spec.social.support import SocialCase
from tests.support import daemon
from tests.support.daemon import Daemon


class NameCase(SocialCase):
    async def rename(
        self, user: User, username: Any, by: User | None = None, *, expect: int | None = 204
    ) -> Any:
        """Give a user a name."""
        path = f"user/{user.id}/username"
        return await self.put(path, {"username": username}, by=by or user, expect=expect)

    async def taken(self, user: User, username: str, by: User | None = None) -> None:
        """Assert that the user cannot have a name."""
        response = await self.rename(user, username, by, expect=None)
        self.problem(response, 409, "username_taken")

    async def register(self, username: str, expect: int | None = None) -> Any:
        """A registration with this name."""
        body = {"username": username, "email": f"{name()}@example.com", "password": "x" * 12}
        return await self.post("user", body, expect=expect)


class RenameTests(NameCase):
    async def test_shown(self):
        """The new name is shown everywhere at once, and the old one nowhere."""
        made = await self.content(await self.user())
        user, wanted = made.author, name("Ada")
        before = await self.get(f"user/{user.id}/info")
        await self.rename(user, wanted)
        after = await self.get(f"user/{user.id}/info")
        self.assertEqual(wanted, after.json()["username"])
        self.assertNotEqual(before.header("ETag"), after.header("ETag"))
        self.assertEqual(wanted, (await self.get("me", by=user)).json()["username"])
        self.assertEqual(wanted, (await self.get(f"user/{user.id}", by=user)).json()["username"])
        self.assertEqual(wanted, (await self.get(made.path)).json()["authorUsername"])
        for q, ids in ((wanted, [user.id]), (user.username, [])):
            found = (await self.get(f"user/search?q={q}", expect=200)).json()["items"]
            exact = [one["id"] for one in found if one["username"].lower() == q.lower()]
            self.assertEqual(ids, exact)
        by = await self.admin()
        for username, count in ((wanted.upper(), 1), (user.username, 0)):
            path = f"moderation/users?name={username}"
            self.assertEqual(count, len((await self.get(path, by=by, expect=200)).json()))

    async def test_log_in(self):
        """The user logs in with the new name, with the address as before, and not with the old
        name; the present session goes on."""
        user, wanted = await self.user(), name()
        await self.rename(user, wanted)
        for each in (wanted, user.email):
            await self.login(each, user.password)
        form = {"grant_type": "password", "username": user.username, "password": user.password}
        await self.post("/oauth/token", data=form, expect=400)
        await self.get("me", by=user, expect=200)

    async def test_once(self):
        """A second change within 30 days is 429; the present name again is none, and what is
        refused uses nothing up."""
        user, other, wanted = await self.user(), await self.user(), name()
        await self.taken(user, other.username)
        for _ in range(2):
            await self.rename(user, wanted)
        response = await self.rename(user, name(), expect=None)
        self.problem(response, 429, "too_many_requests")
        left = int(response.header("Retry-After"))
        self.assertTrue(29 * 86_400 < left <= 30 * 86_400, left)
        self.assertEqual(wanted, (await self.get("me", by=user)).json()["username"])

    async def test_taken(self):
        """The name of another user, in whatever case, is 409 `username_taken`; so is one that is
        reserved, or stands for who has left."""
        user, other = await self.user(), await self.user()
        for wanted in (
            other.username,
            other.username.upper(),
            "Admin",
            "ad-min",
            "deleted-0a1b2c3d",
        ):
            await self.taken(user, wanted)

    async def test_case(self):
        """The own name in another case is free for its owner."""
        user = await self.user()
        await self.rename(user, user.username.upper())
        found = (await self.get(f"user/{user.id}/info")).json()
        self.assertEqual(user.username.upper(), found["username"])

    async def test_old(self):
        """Nobody else gets the old name, by a registration neither; its owner gets it back."""
        user, other, by = await self.user(), await self.user(), await self.admin()
        await self.rename(user, name())
        await self.taken(other, user.username.upper())
        await self.taken(other, user.username, by)
        self.problem(await self.register(user.username), 409, "username_taken")
        await self.rename(user, user.username, by)

    async def test_staff(self):
        """A moderator changes the name of a player as often as needed; it is noted. Nobody changes
        that of a moderator but an admin, or of an admin."""
        user, by = await self.user(), await self.member("moderator")
        for _ in range(3):
            await self.rename(user, name(), by)
        path = f"moderation/actions?subject={user.id}"
        found = await self.read(path, [ACTION], by=by)
        self.assertEqual(["user_renamed"] * 3, [each["action"] for each in found])
        await self.rename(user, name())
        for of in (await self.member("moderator"), await self.admin()):
            response = await self.rename(of, name(), by, expect=None)
            self.problem(response, 403, "protected_user")
        response = await self.rename(by, name(), user, expect=None)
        self.problem(response, 403, "forbidden")

    async def test_own_of_staff(self):
        """A moderator is not bound to 30 days, and leaves no entry with the own name."""
        by = await self.member("moderator")
        for _ in range(2):
            await self.rename(by, name())
        path = f"moderation/actions?subject={by.id}&admin={by.id}"
        self.assertEqual([], (await self.get(path, by=by, expect=200)).json())

    async def test_put_user(self):
        """accounts#update: PUT user still leaves the name alone."""
        user = await self.user()
        body = {"username": name(), "avatar": None, "emblem": None}
        body |= {"fullProfile": {}, "publicProfile": {}}
        await self.put(f"user/{user.id}", body, by=user, expect=204)
        found = (await self.get(f"user/{user.id}/info")).json()
        self.assertEqual(user.username, found["username"])

    async def test_bad(self):
        """What no user may be called is 400."""
        user = await self.user()
        for wanted in ("", "ab", "a" * 33, "a b", "ada@example.com", "zoë", 7, None):
            self.invalid(await self.rename(user, wanted, expect=None), "/username")


class LeavingTests(NameCase):
    """Who has left, and what they take along."""

    async def test_export(self):
        """The export has the names of before."""
        user = await self.user()
        await self.rename(user, name())
        exported = (await self.get(f"user/{user.id}/export", by=user, expect=200)).json()
        self.assertEqual([user.username], [one["username"] for one in exported["formerNames"]])

    async def test_left(self):
        """The names of who has left stay taken, the earlier one too."""
        user, wanted = await self.user(), name()
        await self.rename(user, wanted)
        await self.delete(f"user/{user.id}", body={"password": user.password}, by=user, expect=204)
        for each in (wanted, user.username):
            self.problem(await self.register(each), 409, "username_taken")


class AtOnceTests(NameCase):
    async def test_two_users(self):
        """Of several who want one name at once, one gets it."""
        users, wanted = [await self.user() for _ in range(4)], name()
        answers = await self.together(*(self.rename(one, wanted, expect=None) for one in users))
        self.assertEqual([204, 409, 409, 409], sorted(each.status for each in answers))

    async def test_one_user(self):
        """Of several changes of one user at once, one is made."""
        user = await self.user()
        answers = await self.together(*(self.rename(user, name(), expect=None) for _ in range(4)))
        self.assertEqual([204, 429, 429, 429], sorted(each.status for each in answers))

    async def test_crossed(self):
        """Two who want each other's names at once get neither."""
        ada, ben = await self.user(), await self.user()
        answers = await self.together(
            self.rename(ada, ben.username, expect=None), self.rename(ben, ada.username, expect=None)
        )
        self.assertEqual([409, 409], [each.status for each in answers])


class OptionTests(NameCase):
    async def connect(self) -> None:
        self.own_daemon()
        await super().connect()
        self.use(await daemon.shared("names", lambda: Daemon("--username-days", "0")))

    async def test_any_number(self):
        """With `username_days` 0 users change their names as often as they like."""
        user = await self.user()
        for wanted in (name(), name(), user.username):
            await self.rename(user, wanted)
