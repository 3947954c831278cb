"""PUT, GET and DELETE of /user/{userId}/ban: moderation#bans."""

import time

from tests.spec.accounts.base import LogInCase
from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.shapes import BAN, USER_DECISION


class BanTests(LogInCase):
    """What a ban does, and who is told of it."""

    async def ban(self, user: User, **body: object) -> None:
        """PUT ban, as an admin."""
        await self.put(f"user/{user.id}/ban", body, by=await self.admin(), expect=204)

    async def lift(self, user: User) -> None:
        """DELETE ban, as an admin."""
        await self.delete(f"user/{user.id}/ban", by=await self.admin(), expect=204)

    async def banned(self, user: User) -> dict:
        """Assert that a log-in is refused for a ban; the answer."""
        refused = await self.try_log_in(user.username, user.password)
        self.refused(refused, "account_banned", 403)
        return dict(refused.json())

    async def test_ban(self):
        """A banned user's sockets close, tokens stop, and a log-in says why."""
        user = await self.user()
        socket = await self.socket(user)
        await self.ban(user, reason="cheating")
        self.assertEqual(4403, await socket.closed())
        await self.is_over(user)
        refused = await self.banned(user)
        self.assertEqual("cheating", refused["reason"])
        self.assertIsNone(refused["until"])
        self.assertIn("cheating", refused["error_description"])

    async def test_until(self):
        """A ban with an end says it, in Unix seconds."""
        user, end = await self.user(), int(time.time()) + 86_400
        await self.ban(user, reason="cheating", until=end)
        self.assertEqual(end, (await self.banned(user))["until"])

    async def test_over(self):
        """A ban whose end has passed ends the sessions, and lets the user log in again."""
        user = await self.user()
        await self.ban(user, reason="cheating", until=1)
        await self.is_over(user)
        await self.try_log_in(user.username, user.password, expect=200)

    async def test_only_with_the_password(self):
        """Who does not know the password is not told of the ban."""
        user = await self.user()
        await self.ban(user, reason="cheating")
        refused = await self.try_log_in(user.username, "not the password")
        self.refused(refused, "invalid_grant")
        self.assertEqual({"error", "error_description"}, {*refused.json()})

    async def test_appeal(self):
        """The refused log-in has a token that reads the decision and appeals against it, and does
        nothing else."""
        user, other = await self.user(), await self.user()
        for each in (user, other):
            await self.ban(each, reason="cheating")
        refused, others = await self.banned(user), await self.banned(other)
        token, id = refused["appealToken"], refused["decision"]
        self.assertRegex(token, r"\Aappeal-[A-Za-z0-9_-]{72}\Z")
        self.assertEqual(user.id, refused["user"])
        path = f"user/{user.id}/decisions/{id}"
        found = await self.read(path, USER_DECISION, by=token)
        self.assertEqual(("ban", "cheating"), (found["action"], found["ground"]["explanation"]))
        for _ in range(2):
            await self.post(f"{path}/appeal", {"text": "It was not me"}, by=token, expect=201)
        (appeal,) = (await self.read(path, USER_DECISION, by=token))["appeals"]
        self.assertEqual("open", appeal["state"])
        forged = token[:-1] + ("A" if token[-1] != "A" else "B")
        for given, where in (
            (forged, path),
            (others["appealToken"], path),
            (token, f"user/{user.id}/decisions/{others['decision']}"),
            (token, f"user/{other.id}/decisions/{others['decision']}"),
            (token, f"user/{user.id}/decisions"),
            (token, f"user/{user.id}"),
            (token, "me"),
        ):
            self.problem(await self.get(where, by=given), 401, "invalid_token")
        body = {"text": "x"}
        refused = await self.post(f"{path}/appeal", body, by=others["appealToken"])
        self.problem(refused, 401, "invalid_token")

    async def test_appeal_answered(self):
        """Who is banned logs in again once a moderator has reversed the ban on appeal."""
        user = await self.user()
        await self.ban(user, reason="cheating")
        refused = await self.banned(user)
        path = f"user/{user.id}/decisions/{refused['decision']}/appeal"
        body = {"text": "It was not me"}
        await self.post(path, body, by=refused["appealToken"], expect=201)
        by = await self.member("moderator")
        listed = await self.get("moderation/appeals?state=open&limit=200", by=by, expect=200)
        (appeal,) = [one for one in listed.json() if one["decision"] == refused["decision"]]
        answer = {"outcome": "reversed", "reason": "We were wrong"}
        await self.put(f"moderation/appeals/{appeal['id']}", answer, by=by, expect=204)
        await self.try_log_in(user.username, user.password, expect=200)
        answer = await self.post(path, {"text": "x"}, by=refused["appealToken"])
        self.problem(answer, 409, "appeal_exists")

    async def test_lift(self):
        """A lifted ban lets the user log in again; to lift it again is 204 too."""
        user = await self.user()
        await self.ban(user, reason="cheating")
        for _ in range(2):
            await self.lift(user)
        await self.try_log_in(user.username, user.password, expect=200)

    async def shown(self, user: User) -> Response:
        """The response to GET ban."""
        return await self.get(f"user/{user.id}/ban", by=await self.admin())

    async def test_shown(self):
        """GET ban is {reason, until} for admins; `until` is null for ever. Another PUT replaces
        both."""
        user, end = await self.user(), int(time.time()) + 86_400
        path, admin = f"user/{user.id}/ban", await self.admin()
        await self.ban(user, reason="cheating")
        found = await self.read(path, BAN, by=admin)
        self.assertEqual({"reason": "cheating", "until": None}, found)
        await self.ban(user, reason="abuse", until=end)
        self.assertEqual({"reason": "abuse", "until": end}, await self.read(path, BAN, by=admin))

    async def test_none_shown(self):
        """GET ban is 404 `ban_not_found` where there is none, after it was lifted, and after
        `until`; 404 `user_not_found` where there is no user."""
        user = await self.user()
        self.problem(await self.shown(user), 404, "ban_not_found")
        await self.ban(user, reason="cheating", until=1)
        self.problem(await self.shown(user), 404, "ban_not_found")
        await self.ban(user, reason="cheating")
        await self.lift(user)
        self.problem(await self.shown(user), 404, "ban_not_found")
        response = await self.get(f"user/{guid()}/ban", by=await self.admin())
        self.problem(response, 404, "user_not_found")

    async def test_refused(self):
        """Players do not ban, and nobody bans themselves."""
        user, admin = await self.someone(), await self.admin()
        path = f"user/{user.id}/ban"
        self.problem(await self.put(path, {"reason": "x"}, by=user), 403, "forbidden")
        self.problem(await self.delete(path, by=user), 403, "forbidden")
        self.problem(await self.get(path, by=user), 403, "forbidden")
        self.problem(await self.get(path), 401, "unauthorized")
        response = await self.put(f"user/{admin.id}/ban", {"reason": "x"}, by=admin)
        self.problem(response, 422, "cannot_ban_self")
