"""What service accounts may do: studio#service-accounts."""

from typing import Any

from tests.spec.challenges.test_challenges import challenge
from tests.spec.client import Response
from tests.spec.data import guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import ACTION, IDENTITY_OWNER, MODERATED_USER

BEGIN = 'Bearer realm="contentsvc", error="insufficient_scope"'


class ServiceCase(SpecCase):
    """Requests of services."""

    def insufficient(self, response: Response, scope: str = "") -> None:
        """Assert that it is refused for the want of this scope, or of any."""
        body = self.problem(response, 403, "insufficient_scope")
        self.assertEqual(scope or None, body.get("scope"))
        expected = f'{BEGIN}, scope="{scope}"' if scope else BEGIN
        self.assertEqual(expected, response.header("WWW-Authenticate"))

    async def noted(self, admin: str) -> list[dict[str, Any]]:
        """What this one did, the last first."""
        by = await self.admin()
        found = await self.read("moderation/actions", [ACTION], query={"admin": admin}, by=by)
        return list(found)


class ProgressTests(ServiceCase):
    """The scope `progress`."""

    async def test_any_user(self):
        """The progress of every user can be read, written and deleted, also for a version."""
        user, (_, token) = await self.user(), await self.service("progress")
        path = f"user/{user.id}/progress"
        await self.put(f"{path}/wins", {"value": {"n": 1}}, by=token, expect=204)
        self.assertEqual({"n": 1}, (await self.get(f"{path}/wins", by=user)).json()["value"])
        body = {"value": {"n": 2}, "version": 1, "writeId": guid()}
        for _ in range(2):
            await self.put(f"{path}/wins", body, by=token, expect=204)
        (found,) = (await self.get(path, by=token, expect=200)).json()
        self.assertEqual(({"n": 2}, 2), (found["value"], found["version"]))
        await self.delete(f"{path}/wins", query={"version": 2}, by=token, expect=204)
        self.problem(await self.get(f"{path}/wins", by=token), 404, "progress_not_found")
        await self.get(f"/methods/v1/user/{user.id}/progress", by=token, expect=200)

    async def test_nobody(self):
        """Of a user who does not exist it is 404 `user_not_found`."""
        _, token = await self.service("progress")
        path = f"user/{guid()}/progress"
        for method, sent, body in (
            ("GET", path, None),
            ("GET", f"{path}/wins", None),
            ("PUT", f"{path}/wins", {"value": {}}),
            ("DELETE", f"{path}/wins", None),
        ):
            more = {} if body is None else {"body": body}
            response = await self.request(method, sent, by=token, **more)
            self.problem(response, 404, "user_not_found")

    async def test_users(self):
        """No user's token gets more: that of an admin neither."""
        user, by = await self.user(), await self.admin()
        path = f"user/{user.id}/progress/wins"
        self.problem(await self.put(path, {"value": {}}, by=by), 403, "forbidden")


class ModerateTests(ServiceCase):
    """The scope `moderate`."""

    async def test_acts(self):
        """What a service does is noted as its own: `adminKind` is `service`."""
        made, token = await self.service("moderate")
        user = await self.user()
        content = await self.content(user)
        path = f"user/{user.id}"
        comment = await self.comment(content, await self.someone())
        await self.delete(comment, query={"reason": "rude"}, by=token, expect=204)
        await self.put(f"{content.path}/comments-locked", {"locked": True}, by=token, expect=204)
        status = {"status": "suspended", "reason": "gore"}
        await self.put(f"{content.path}/status", status, by=token, expect=204)
        await self.get(content.path, by=token, expect=200)
        warning = {"reason": "rude", "id": guid()}
        for _ in range(2):
            await self.post(f"{path}/warning", warning, by=token, expect=204)
        await self.put(f"{path}/ban", {"reason": "rude"}, by=token, expect=204)
        await self.delete(f"{path}/ban", by=token, expect=204)
        rows = await self.noted(made.id)
        expected = ["ban_lifted", "user_banned", "user_warned", "content_suspended"]
        self.assertEqual(
            [*expected, "comments_locked", "comment_deleted"], [row["action"] for row in rows]
        )
        self.assertEqual({"service"}, {row["adminKind"] for row in rows})
        by = await self.admin()
        await self.put(f"{content.path}/comments-locked", {"locked": False}, by=by, expect=204)
        self.assertEqual("user", (await self.noted(by.id))[0]["adminKind"])

    async def test_protected(self):
        """A service counts as a moderator: 403 `protected_user` for moderators and admins."""
        _, token = await self.service("moderate")
        for of in (await self.member("moderator"), await self.admin()):
            response = await self.put(f"user/{of.id}/ban", {"reason": "rude"}, by=token)
            self.problem(response, 403, "protected_user")
            response = await self.post(f"user/{of.id}/warning", {"reason": "rude"}, by=token)
            self.problem(response, 403, "protected_user")
        curator = await self.member("curator")
        await self.put(f"user/{curator.id}/ban", {"reason": "rude"}, by=token, expect=204)

    async def test_user_record(self):
        """A moderated user is shown without address and identities, which `users.read` shows."""
        user = await self.user()
        _, token = await self.service("moderate")
        found = await self.read(f"moderation/users/{user.id}", MODERATED_USER, by=token)
        self.assertEqual((None, None), (found["email"], found["identities"]))
        (named,) = await self.read(
            "moderation/users", [MODERATED_USER], by=token, query={"name": user.username}
        )
        self.assertEqual((None, None), (named["email"], named["identities"]))
        response = await self.get("moderation/users", query={"email": user.email}, by=token)
        self.insufficient(response, "users.read")


class OtherScopeTests(ServiceCase):
    """The other scopes."""

    async def test_users_read(self):
        """`users.read` finds users, and shows their addresses and identities."""
        user, (_, token) = await self.user(), await self.service("users.read")
        path = f"moderation/users/{user.id}"
        found = await self.read(path, MODERATED_USER, by=token)
        self.assertEqual((user.email, []), (found["email"], found["identities"]))
        query = {"email": user.email}
        rows = await self.read("moderation/users", [MODERATED_USER], query=query, by=token)
        self.assertEqual([user.id], [row["user"]["id"] for row in rows])
        await self.get(f"{path}/comments", by=token, expect=200)
        query = {"issuer": "steam", "subject": "1"}
        await self.read("identities", [IDENTITY_OWNER], query=query, by=token)
        self.insufficient(await self.get("moderation/actions", by=token), "moderate")

    async def test_curate(self):
        """`curate` makes challenges, features content and announces."""
        made, token = await self.service("curate")
        author = await self.user()
        content = await self.content(author)
        await self.put(f"{content.path}/featured", {"featured": True}, by=token, expect=204)
        body = challenge()
        created = await self.post("design-challenges", body, by=token, expect=201)
        id = (created.header("Location") or "").rpartition("/")[2]
        entry = f"design-challenges/{id}/entries/{content.id}"
        await self.put(entry, by=author, expect=204)
        await self.delete(entry, by=token, expect=204)
        notice = {"title": "t", "text": "x", "level": "info", "until": 0}
        await self.put(f"announcements/{guid()}", notice, by=token, expect=201)
        query = {"all": "true", "limit": 200}
        await self.get("announcements", query=query, by=token, expect=200)
        acts = {row["action"] for row in await self.noted(made.id)}
        expected = {"content_featured", "challenge_created", "entry_removed"}
        self.assertEqual(expected | {"announcement_created"}, acts)
        self.insufficient(await self.get("moderation/reports", by=token), "moderate")

    async def test_events(self):
        """`events` reads events and statistics."""
        _, token = await self.service("events")
        for path in ("events", "statistics"):
            await self.get(path, by=token, expect=200)
        self.insufficient(await self.get("notifications", by=token), "notify")

    async def test_notify(self):
        """`notify` tells players something, by the service's id."""
        user, (made, token) = await self.user(), await self.service("notify")
        body = {"id": guid(), "topic": "sale", "data": {}, "to": [user.id]}
        await self.post("notifications", body, by=token, expect=202)
        found = (await self.get(f"notifications/{body['id']}", by=token, expect=200)).json()
        self.assertEqual(made.id, found["by"])
        (noted,) = await self.noted(made.id)
        self.assertEqual(("notification_sent", "service"), (noted["action"], noted["adminKind"]))
        await self.delete(f"notifications/{body['id']}", by=token, expect=204)


class RefusedTests(ServiceCase):
    """What no scope opens."""

    async def connect(self) -> None:
        await super().connect()
        scopes = ("curate", "moderate", "events", "notify", "users.read", "progress", "plays")
        self.made, self.token_of_all = await self.service(*scopes)

    async def test_sockets(self):
        """A service gets no token for the socket, and its own opens none."""
        body = {"client": "game"}
        response = await self.post("session/connect", body, by=self.token_of_all)
        self.insufficient(response)
        socket = await self.socket(token=self.token_of_all, greeted=False)
        self.assertEqual(4401, await socket.closed())

    async def test_before_the_body(self):
        """It is refused before the body, and before what there is."""
        response = await self.post("session/connect", data=b"{", by=self.token_of_all)
        self.insufficient(response)
        response = await self.put(f"content/{guid()}", data=b"{", by=self.token_of_all)
        self.insufficient(response)
        _, token = await self.service("events")
        path = f"content/{guid()}/comments-locked"
        self.insufficient(await self.put(path, data=b"{", by=token), "moderate")

    async def test_own_id(self):
        """A path with the service's id, as if it were a user, is refused too."""
        path = f"user/{self.made.id}"
        self.insufficient(await self.get(path, by=self.token_of_all))
        self.insufficient(await self.get(f"{path}/notifications", by=self.token_of_all))
        response = await self.get(f"{path}/info", by=self.token_of_all)
        self.problem(response, 404, "user_not_found")

    async def test_admins(self):
        """What is for admins alone is not for services: roles, service accounts, others'
        content."""
        user, by = await self.user(), self.token_of_all
        response = await self.put(f"user/{user.id}/role", {"role": "admin"}, by=by)
        self.insufficient(response)
        self.insufficient(await self.get("service-accounts", by=by))
        content = await self.content(user)
        for method in ("PUT", "DELETE"):
            self.insufficient(await self.request(method, content.path, by=by))

    async def test_public(self):
        """What is for anyone is for services too."""
        for path in ("content", "announcements", "design-challenges", "storage"):
            await self.get(path, by=self.token_of_all, expect=200)
