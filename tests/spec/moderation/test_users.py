"""Accounts as admins see them: moderation#accounts."""

import time

from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.spec.shapes import MODERATED_USER, USER_COMMENT


class AccountTests(SpecCase):
    """GET /api/v1/moderation/users/{userId}."""

    async def account(self, of: User) -> dict:
        """The account of a user."""
        path = f"moderation/users/{of.id}"
        return await self.read(path, MODERATED_USER, by=await self.admin())

    async def test_members(self):
        """It shows who the user is, and how they log in."""
        user = await self.user()
        found = await self.account(user)
        del found["created"]
        info = {"id": user.id, "username": user.username, "avatar": None, "emblem": None}
        expected = {
            "user": info,
            "email": user.email,
            "emailVerified": False,
            "role": "player",
            "guest": False,
            "ban": None,
            "sessions": 1,
            "identities": [],
        }
        self.assertEqual(expected, found)

    async def test_admin(self):
        """The role of an admin is `admin`."""
        self.assertEqual("admin", (await self.account(await self.admin()))["role"])

    async def test_sessions(self):
        """Sessions that have ended do not count."""
        user = await self.user()
        await self.login(user.username, user.password)
        self.assertEqual(2, (await self.account(user))["sessions"])
        await self.delete(f"user/{user.id}/sessions", by=user, expect=204)
        self.assertEqual(1, (await self.account(user))["sessions"])

    async def test_ban(self):
        """A ban shows until its end, one without end too."""
        user, by = await self.user(), await self.admin()
        for body in (
            {"reason": "spam", "until": int(time.time()) + 3600},
            {"reason": "abuse", "until": None},
        ):
            await self.put(f"user/{user.id}/ban", body, by=by, expect=204)
            self.assertEqual(body, (await self.account(user))["ban"])
        await self.delete(f"user/{user.id}/ban", by=by, expect=204)
        self.assertIsNone((await self.account(user))["ban"])

    async def test_deleted(self):
        """An account that is gone is 404 `user_not_found`."""
        user, by = await self.user(), await self.admin()
        body = {"password": user.password}
        await self.delete(f"user/{user.id}", body=body, by=user, expect=204)
        for path in (f"moderation/users/{user.id}", f"moderation/users/{user.id}/comments"):
            self.problem(await self.get(path, by=by), 404, "user_not_found")


class FindTests(SpecCase):
    """GET /api/v1/moderation/users."""

    async def found(self, **query: str) -> list:
        """The accounts that fit."""
        by = await self.admin()
        return await self.read("moderation/users", [MODERATED_USER], query=query, by=by)

    async def test_email(self):
        """An address finds its account, whatever the case, and no part of an address does."""
        user = await self.user()
        (found,) = await self.found(email=user.email.upper())
        self.assertEqual(user.id, found["user"]["id"])
        self.assertEqual([], await self.found(email=user.email[:-1]))

    async def test_name(self):
        """A username does, too."""
        user = await self.user()
        (found,) = await self.found(name=user.username.upper())
        self.assertEqual(user.id, found["user"]["id"])
        self.assertEqual([], await self.found(name=user.username[:-1]))

    async def test_both(self):
        """If both are given, both must fit."""
        user, other = await self.user(), await self.user()
        (found,) = await self.found(email=user.email, name=user.username)
        self.assertEqual(user.id, found["user"]["id"])
        self.assertEqual([], await self.found(email=user.email, name=other.username))

    async def test_moderator(self):
        """With `moderate` a name finds it, without address and identities; an `email`, beside a
        name too, is 403, of a service too."""
        user, by = await self.user(), await self.member("moderator")
        query = {"name": user.username}
        (found,) = await self.read("moderation/users", [MODERATED_USER], query=query, by=by)
        self.assertEqual(user.id, found["user"]["id"])
        self.assertEqual((None, None), (found["email"], found["identities"]))
        _, token = await self.service("moderate")
        for who, code in ((by, "forbidden"), (token, "insufficient_scope")):
            for email in ({"email": user.email}, {"email": user.email, **query}):
                response = await self.get("moderation/users", query=email, by=who)
                self.problem(response, 403, code)
            await self.read("moderation/users", [MODERATED_USER], query=query, by=who)
            response = await self.get("moderation/users", by=who)
            self.invalid_query(response, "email")

    async def test_scope(self):
        """A service with `users.read` finds by both, and sees address and identities."""
        user, (_, token) = await self.user(), await self.service("users.read")
        for query in ({"name": user.username}, {"email": user.email}):
            (found,) = await self.read("moderation/users", [MODERATED_USER], query=query, by=token)
            self.assertEqual((user.email, []), (found["email"], found["identities"]))

    async def test_neither(self):
        """One of them is needed: else it is 400 `invalid_query`."""
        response = await self.get("moderation/users", by=await self.admin())
        self.invalid_query(response, "email")


class CommentTests(SpecCase):
    """GET /api/v1/moderation/users/{userId}/comments."""

    async def test_everywhere(self):
        """It lists what the user has written, newest first: on hidden content too, and
        tombstones."""
        user, author = await self.user(), await self.someone()
        first, second = await self.content(author), await self.content(author)
        paths = [await self.comment(on, user, f"{n}") for n, on in enumerate((first, second))]
        await self.comment(first, author, "not theirs")
        await self.delete(paths[0], by=user, expect=204)
        await self.moderate(second, "suspended")
        by = await self.admin()
        found = await self.read(f"moderation/users/{user.id}/comments", [USER_COMMENT], by=by)
        self.assertEqual([second.id, first.id], [each["content"] for each in found])
        texts = [(each["comment"]["body"], each["comment"]["deleted"]) for each in found]
        self.assertEqual([("1", False), ("", True)], texts)

    async def test_none(self):
        """Of a user who has written nothing the list is empty."""
        path = f"moderation/users/{(await self.user()).id}/comments"
        self.assertEqual([], await self.read(path, [], by=await self.admin()))
