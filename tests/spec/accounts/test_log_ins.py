"""A user's log-ins, changes of password, and bans."""

import time

from tests.spec.client import Response
from tests.spec.data import User, claims, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import BAN, GUID, instant

SESSION = {"id": GUID, "created": instant, "used": instant, "current": bool}


def sid(user: User) -> str:
    return claims(user.token)["sid"]


class LogInCase(SpecCase):
    """Users with several log-ins."""

    async def twice(self) -> tuple[User, User]:
        """One user, logged in twice."""
        user = await self.user()
        return user, await self.logged_in(user.username, user.email, user.password)

    async def goes_on(self, user: User) -> None:
        await self.get(f"user/{user.id}", by=user, expect=200)

    async def is_over(self, user: User) -> None:
        self.problem(await self.get(f"user/{user.id}", by=user), 401, "invalid_token")
        form = {"grant_type": "refresh_token", "refresh_token": user.refresh_token}
        refused = await self.post("/oauth/token", data=form, expect=400)
        self.assertEqual("invalid_grant", refused.json()["error"])

    async def try_log_in(self, user: User, password: str, expect: int) -> dict:
        form = {"grant_type": "password", "username": user.username, "password": password}
        return dict((await self.post("/oauth/token", data=form, expect=expect)).json())


class ListTests(LogInCase):
    """GET and DELETE of /user/{userId}/sessions."""

    async def test_list(self):
        """choices: the log-ins that go on, with the asking one marked."""
        user, other = await self.twice()
        found = await self.read(f"user/{user.id}/sessions", [SESSION], by=user)
        marks = {session["id"]: session["current"] for session in found}
        self.assertEqual({sid(user): True, sid(other): False}, marks)

    async def test_end_one(self):
        """choices: an ended log-in is over, leaves the list, and its socket closes with 4403."""
        user, other = await self.twice()
        socket = await self.socket(other)
        await self.delete(f"user/{user.id}/sessions/{sid(other)}", by=user, expect=204)
        self.assertEqual(4403, await socket.closed())
        await self.is_over(other)
        found = await self.read(f"user/{user.id}/sessions", [SESSION], by=user)
        self.assertEqual([sid(user)], [session["id"] for session in found])

    async def test_end_again(self):
        """choices: ending an ended log-in is 204 again."""
        user, other = await self.twice()
        for _ in range(2):
            await self.delete(f"user/{user.id}/sessions/{sid(other)}", by=user, expect=204)

    async def test_end_unknown(self):
        """choices: a log-in that is not the user's is 404, and goes on."""
        user, other = await self.user(), await self.user()
        for session in (guid(), sid(other)):
            response = await self.delete(f"user/{user.id}/sessions/{session}", by=user)
            self.problem(response, 404, "session_not_found")
        await self.goes_on(other)

    async def test_end_others(self):
        """choices: DELETE of the list ends all log-ins but the asking one."""
        user, other = await self.twice()
        ended, kept = await self.socket(other), await self.socket(user)
        await self.delete(f"user/{user.id}/sessions", by=user, expect=204)
        self.assertEqual(4403, await ended.closed())
        await self.is_over(other)
        await self.goes_on(user)
        await kept.quiet()


class PasswordTests(LogInCase):
    """PUT /user/{userId}/password."""

    async def test_change(self):
        """choices: the new password counts from now on, and ends the other log-ins."""
        user, other = await self.twice()
        body = {"current": user.password, "new": "another password"}
        await self.put(f"user/{user.id}/password", body, by=user, expect=204)
        await self.goes_on(user)
        await self.is_over(other)
        await self.try_log_in(user, user.password, 400)
        await self.try_log_in(user, "another password", 200)

    async def test_wrong_current(self):
        """choices: a wrong present password is 403, and changes nothing."""
        user = await self.user()
        body = {"current": "not the password", "new": "another password"}
        response = await self.put(f"user/{user.id}/password", body, by=user)
        self.problem(response, 403, "wrong_password")
        await self.try_log_in(user, user.password, 200)

    async def test_guessing(self):
        """choices: wrong present passwords count as failed log-ins, and are limited so."""
        user = await self.user()
        body = {"current": "not the password", "new": "another password"}
        for _ in range(10):
            response = await self.put(f"user/{user.id}/password", body, by=user)
            self.problem(response, 403, "wrong_password")
        limited = await self.put(f"user/{user.id}/password", body, by=user)
        self.problem(limited, 429, "too_many_attempts")
        self.assertGreater(int(limited.header("Retry-After") or 0), 0)


class BanTests(LogInCase):
    """PUT and DELETE of /user/{userId}/ban."""

    async def ban(self, user: User, **body) -> None:
        await self.put(f"user/{user.id}/ban", body, by=await self.admin(), expect=204)

    async def test_ban(self):
        """choices: a banned user's sockets close, tokens stop, and a log-in says why."""
        user = await self.user()
        socket = await self.socket(user)
        await self.ban(user, reason="cheating")
        self.assertEqual(4403, await socket.closed())
        await self.is_over(user)
        refused = await self.try_log_in(user, user.password, 403)
        self.assertEqual(("account_banned", "cheating"), (refused["error"], refused["reason"]))
        self.assertIn("cheating", refused["error_description"])

    async def test_until(self):
        """choices: a ban with an end says it, in Unix seconds."""
        user, end = await self.user(), int(time.time()) + 86_400
        await self.ban(user, reason="cheating", until=end)
        self.assertEqual(end, (await self.try_log_in(user, user.password, 403))["until"])

    async def test_over(self):
        """choices: a ban whose end has passed lets the user log in again."""
        user = await self.user()
        await self.ban(user, reason="cheating", until=1)
        await self.is_over(user)
        await self.try_log_in(user, user.password, 200)

    async def test_only_with_the_password(self):
        """choices: who does not know the password is not told of the ban."""
        user = await self.user()
        await self.ban(user, reason="cheating")
        refused = await self.try_log_in(user, "not the password", 400)
        self.assertEqual("invalid_grant", refused["error"])

    async def test_lift(self):
        """choices: a lifted ban lets the user log in again, also where there was none."""
        user = await self.user()
        await self.ban(user, reason="cheating")
        for _ in range(2):
            await self.delete(f"user/{user.id}/ban", by=await self.admin(), expect=204)
        await self.try_log_in(user, user.password, 200)

    async def shown(self, user: User) -> Response:
        """The response to GET ban."""
        return await self.get(f"user/{user.id}/ban", by=await self.admin())

    async def test_shown(self):
        """Extensions §7: GET ban is {reason, until} for admins; `until` is null for ever."""
        user, end = await self.user(), int(time.time()) + 86_400
        path, admin = f"user/{user.id}/ban", await self.admin()
        await self.ban(user, reason="cheating")
        found = await self.read(path, BAN, by=admin)
        self.assertEqual({"reason": "cheating", "until": None}, found)
        await self.ban(user, reason="abuse", until=end)
        self.assertEqual({"reason": "abuse", "until": end}, await self.read(path, BAN, by=admin))

    async def test_none_shown(self):
        """Extensions §7: GET ban is 404 ban_not_found where there is none, after it was lifted, and
        after `until`; 404 user_not_found where there is no user."""
        user = await self.user()
        self.problem(await self.shown(user), 404, "ban_not_found")
        await self.ban(user, reason="cheating", until=1)
        self.problem(await self.shown(user), 404, "ban_not_found")
        await self.ban(user, reason="cheating")
        await self.delete(f"user/{user.id}/ban", by=await self.admin(), expect=204)
        self.problem(await self.shown(user), 404, "ban_not_found")
        response = await self.get(f"user/{guid()}/ban", by=await self.admin())
        self.problem(response, 404, "user_not_found")

    async def test_admins_only(self):
        """choices: only admins ban, and not themselves."""
        user, admin = await self.someone(), await self.admin()
        path = f"user/{user.id}/ban"
        self.problem(await self.put(path, {"reason": "x"}, by=user), 403, "forbidden")
        self.problem(await self.delete(path, by=user), 403, "forbidden")
        self.problem(await self.get(path, by=user), 403, "forbidden")
        self.problem(await self.get(path), 401, "unauthorized")
        response = await self.put(f"user/{admin.id}/ban", {"reason": "x"}, by=admin)
        self.problem(response, 422, "cannot_ban_self")
