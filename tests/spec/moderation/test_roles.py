"""Roles: studio#roles."""

from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import ACTION, IDENTITY_OWNER, MODERATED_USER, STAFF_MEMBER
from tests.support.daemon import shared

RECORD = {"avatar": None, "emblem": None, "fullProfile": {}, "publicProfile": {}}


class PutTests(SpecCase):
    """PUT /api/v1/user/{userId}/role."""

    async def test_given(self):
        """The role is the user's from the next log-in on, and ends all log-ins before it."""
        user = await self.user()
        again = await self.logged_in(user.username, user.email, user.password)
        await self.give_role(user, "moderator")
        for by in (user, again):
            self.problem(await self.get("me", by=by), 401, "invalid_token")
            form = {"grant_type": "refresh_token", "refresh_token": by.refresh_token}
            await self.post("/oauth/token", data=form, expect=400)
        back = await self.logged_in(user.username, user.email, user.password)
        self.assertEqual("moderator", (await self.get(f"user/{user.id}", by=back)).json()["role"])
        exported = await self.get(f"user/{user.id}/export", by=back, expect=200)
        self.assertEqual("moderator", exported.json()["account"]["role"])

    async def test_same(self):
        """The same role again changes nothing: no session ends, and no act is noted."""
        user, by = await self.user(), await self.admin()
        await self.give_role(user, "player")
        await self.get("me", by=user, expect=200)
        query = {"subject": user.id}
        self.assertEqual([], await self.read("moderation/actions", [], query=query, by=by))

    async def test_noted(self):
        """The reason of the act is the new role."""
        user, by = await self.user(), await self.admin()
        await self.give_role(user, "curator")
        query = {"subject": user.id}
        (found,) = await self.read("moderation/actions", [ACTION], query=query, by=by)
        shown = found["action"], found["admin"], found["subject"], found["reason"]
        subject = {"kind": "user", "id": user.id}
        self.assertEqual(("role_changed", by.id, subject, "curator"), shown)

    async def test_nobody(self):
        """Of a user who does not exist it is 404 `user_not_found`."""
        response = await self.put(f"user/{guid()}/role", {"role": "admin"}, by=await self.admin())
        self.problem(response, 404, "user_not_found")


class LastAdminTests(SpecCase):
    """An admin who takes the role from themselves."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await shared("last-admin"))

    async def test_last(self):
        """The last admin keeps the role: 409 `last_admin`, and nothing ends."""
        by = await self.admin()
        path = f"user/{by.id}/role"
        self.problem(await self.put(path, {"role": "moderator"}, by=by), 409, "last_admin")
        await self.get("me", by=by, expect=200)

    async def test_last_leaves(self):
        """accounts#me: the last admin keeps the account: 409 `last_admin`, and all of it stays.
        One who leaves another admin goes."""
        by = await self.admin()
        for user in (await self.user(), await self.member("moderator")):
            body = {"password": user.password}
            await self.delete(f"user/{user.id}", body=body, by=user, expect=204)
        body = {"password": by.password}
        self.problem(await self.delete(f"user/{by.id}", body=body, by=by), 409, "last_admin")
        await self.get("me", by=by, expect=200)


class ProtectedTests(SpecCase):
    """What nobody does to an account of their own or a higher role."""

    async def refused(self, by: User, of: User) -> None:
        """Assert that it is refused, also where there is no ban."""
        path = f"user/{of.id}"
        for method, sent, body in (
            ("PUT", f"{path}/ban", {"reason": "rude"}),
            ("DELETE", f"{path}/ban", None),
            ("POST", f"{path}/warning", {"reason": "rude"}),
            ("PUT", path, RECORD),
        ):
            more = {} if body is None else {"body": body}
            self.problem(await self.request(method, sent, by=by, **more), 403, "protected_user")

    async def test_refused(self):
        """It is 403 `protected_user` of moderators and admins for a moderator, and of admins for
        an admin."""
        moderator, other = await self.member("moderator"), await self.member("moderator")
        admin, second = await self.admin(), await self.member("admin")
        for by, of in ((moderator, other), (moderator, admin), (second, admin)):
            await self.refused(by, of)

    async def test_below(self):
        """Who is below can be banned, warned and changed."""
        for by, role in (("moderator", "player"), ("moderator", "curator"), ("admin", "moderator")):
            caller, of = await self.member(by), await self.user()
            await self.give_role(of, role)
            path = f"user/{of.id}"
            await self.put(path, RECORD, by=caller, expect=204)
            await self.post(f"{path}/warning", {"reason": "rude"}, by=caller, expect=204)
            await self.put(f"{path}/ban", {"reason": "rude"}, by=caller, expect=204)
            await self.delete(f"{path}/ban", by=caller, expect=204)

    async def test_oneself(self):
        """Oneself as before: a warning and one's own record go through, a ban does not."""
        by = await self.member("moderator")
        path = f"user/{by.id}"
        await self.put(path, RECORD, by=by, expect=204)
        await self.post(f"{path}/warning", {"reason": "rude"}, by=by, expect=204)
        response = await self.put(f"{path}/ban", {"reason": "rude"}, by=by)
        self.problem(response, 422, "cannot_ban_self")

    async def test_content(self):
        """Content and comments are not protected."""
        by, author = await self.member("moderator"), await self.admin()
        content = await self.content(author)
        comment = await self.comment(content, author)
        await self.delete(comment, by=by, expect=204)
        await self.put(f"{content.path}/status", {"status": "suspended"}, by=by, expect=204)


class SightTests(SpecCase):
    """What a role lets its user see and do."""

    async def test_hidden(self):
        """A moderator sees hidden content and filters by `status`; a curator does neither."""
        content = await self.content(await self.user())
        await self.moderate(content, "suspended")
        path, query = f"user/{content.author.id}/content", {"status": "suspended"}
        moderator, curator = await self.member("moderator"), await self.member("curator")
        await self.get(content.path, by=moderator, expect=200)
        self.problem(await self.get(content.path, by=curator), 404, "content_not_found")
        found = [
            len((await self.get(path, query=query, by=by, expect=200)).json())
            for by in (moderator, curator)
        ]
        self.assertEqual([1, 0], found)

    async def test_replies(self):
        """A moderator is told of a reply on content that is hidden, a curator is not."""
        author = await self.user()
        for role, kinds in (("moderator", ["CommentReply"]), ("curator", [])):
            content, by = await self.content(author), await self.member(role)
            path = await self.comment(content, by)
            await self.moderate(content, "suspended")
            await self.comment(content, author, parentId=int(path.rpartition("/")[2]))
            heard = [each["kind"] for each in await self.notifications(by)]
            self.assertEqual(kinds, heard)

    async def test_curator(self):
        """A curator features content and runs challenges."""
        by, content = await self.member("curator"), await self.content(await self.user())
        await self.put(f"{content.path}/featured", {"featured": True}, by=by, expect=204)
        made = await self.post("design-challenges", challenge(), by=by, expect=201)
        path = made.header("Location") or self.fail("no Location")
        await self.put(f"{path}/entries/{content.id}", by=content.author, expect=204)
        await self.post(f"{path}/close", {"winners": [content.id]}, by=by, expect=204)

    async def test_account(self):
        """A moderator sees an account without its address and identities."""
        user = await self.user()
        path = f"moderation/users/{user.id}"
        found = await self.read(path, MODERATED_USER, by=await self.member("moderator"))
        self.assertEqual((None, None), (found["email"], found["identities"]))
        self.assertEqual((False, 1), (found["emailVerified"], found["sessions"]))


class StaffTests(SpecCase):
    """GET /api/v1/moderation/staff."""

    async def connect(self) -> None:
        """Others would get roles meanwhile."""
        await super().connect()
        await self.be_alone()

    async def test_listed(self):
        """It has everybody who is no player, who got their role last first."""
        users = [await self.member(role) for role in ("curator", "moderator")]
        by = users[1]
        found = await self.read("moderation/staff", [STAFF_MEMBER], query={"limit": "2"}, by=by)
        expected = [(users[1].id, "moderator"), (users[0].id, "curator")]
        self.assertEqual(expected, [(each["user"]["id"], each["role"]) for each in found])

    async def test_player(self):
        """Who is a player again is not on the list."""
        user, by = await self.member("curator"), await self.admin()
        await self.give_role(user, "player")
        found = await self.read("moderation/staff", [STAFF_MEMBER], query={"limit": "2"}, by=by)
        self.assertNotIn(user.id, [each["user"]["id"] for each in found])


class IdentityTests(SpecCase):
    """GET /api/v1/identities."""

    async def test_none(self):
        """An account that nobody has linked finds nobody."""
        query = {"issuer": "steam", "subject": "76561197960287930"}
        self.assertEqual(
            [], await self.read("identities", [IDENTITY_OWNER], query=query, by=await self.admin())
        )

    async def test_needed(self):
        """Both parameters are needed."""
        for query in ({"issuer": "steam"}, {"subject": "1"}):
            missing = ({"issuer", "subject"} - query.keys()).pop()
            response = await self.get("identities", query=query, by=await self.admin())
            self.invalid_query(response, missing)
