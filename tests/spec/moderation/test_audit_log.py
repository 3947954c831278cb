"""What admins did, and warnings: moderation#actions."""

from __future__ import annotations

from typing import Any

from tests.spec.data import Content, User, draft, guid
from tests.spec.moderation.support import ReportingCase
from tests.spec.notifications.support import revision
from tests.spec.shapes import ACTION

ACTIONS = "moderation/actions"
UPDATE = {"description": "new", "screenshotUris": ["a.png"]}


class ActionsCase(ReportingCase):
    """Reading what admins did."""

    async def actions(self, **query: Any) -> list[dict[str, Any]]:
        """What the list has for this query."""
        found = await self.read(ACTIONS, [ACTION], by=await self.admin(), query=query)
        return list(found)

    async def done_to(self, subject: str) -> list[str]:
        """What was done to this subject, newest first."""
        return [one["action"] for one in await self.actions(subject=subject)]

    async def done_by(self, admin: User) -> list[str]:
        """What this admin did, oldest first."""
        return [one["action"] for one in await self.actions(admin=admin.id)][::-1]

    async def lock(self, content: Content, locked: bool, by: User) -> None:
        """Lock the comments of a content, or open them."""
        await self.put(f"{content.path}/comments-locked", {"locked": locked}, by=by, expect=204)

    async def feature(self, content: Content, featured: bool, by: User | None = None) -> None:
        """Feature a content, or stop that."""
        body = {"featured": featured}
        await self.put(f"{content.path}/featured", body, by=by or await self.admin(), expect=204)


class ListTests(ActionsCase):
    """GET /api/v1/moderation/actions."""

    async def test_one(self):
        """moderation#actions: an act has id, admin, action, subject {kind, id}, reason and
        created."""
        made = await self.content(await self.user())
        await self.moderate(made, "suspended", "gore")
        await self.moderate(made, "active", "mended")
        acts = [("content_suspended", "gore"), ("content_restored", "mended")]
        found = await self.actions(subject=made.id)
        self.assertEqual(acts[::-1], [(one["action"], one["reason"]) for one in found])
        for one in found:
            self.assertEqual((await self.admin()).id, one["admin"])
            self.assertEqual({"kind": "content", "id": made.id}, one["subject"])

    async def test_order(self):
        """moderation#actions: the list is newest first, in parts with Link."""
        made = await self.content(await self.user())
        for featured in (True, False, True):
            await self.feature(made, featured)
        expected = ["content_featured", "content_unfeatured", "content_featured"]
        self.assertEqual(expected, await self.done_to(made.id))
        path = f"{ACTIONS}?limit=2&subject={made.id}"
        pages = await self.pages(path, [ACTION], by=await self.admin())
        self.assertEqual([2, 1], [len(page) for page in pages])
        flat = [one for page in pages for one in page]
        self.assertEqual(await self.actions(subject=made.id), flat)

    async def test_kinds(self):
        """moderation#actions: `action`, `kind` and `adminKind` choose, each alone and together with
        the others and with `admin` and `subject`."""
        self.own_daemon()
        admin, (bot, token) = await self._new_admin(), await self.service("moderate")
        user, made = await self.user(), await self.content(await self.someone())
        await self.feature(made, True, by=admin)
        for by in (admin, token):
            await self.post(f"user/{user.id}/warning", {"reason": "rude"}, by=by, expect=204)
        for status in ("suspended", "active"):
            await self.put(f"{made.path}/status", {"status": status}, by=token, expect=204)
        people = [{"admin": admin.id}, {"admin": bot.id}]
        both = "content_suspended,content_restored"
        for query, expected in (
            ({"action": both, **people[0]}, []),
            ({"action": both, **people[1]}, ["content_restored", "content_suspended"]),
            ({"action": both, "subject": made.id}, ["content_restored", "content_suspended"]),
            ({"action": "user_warned", "subject": user.id}, ["user_warned"] * 2),
            ({"kind": "user", **people[0]}, ["user_warned"]),
            ({"kind": "content", **people[0]}, ["content_featured"]),
            ({"kind": "user", "subject": made.id}, []),
            ({"adminKind": "service", "subject": user.id}, ["user_warned"]),
            ({"adminKind": "user", "subject": made.id}, ["content_featured"]),
            ({"adminKind": "operator", "subject": made.id}, []),
            ({"adminKind": "service", **people[0]}, []),
            ({"adminKind": "operator", **people[0]}, []),
            ({"adminKind": "user", "kind": "user", "action": "all", **people[0]}, ["user_warned"]),
        ):
            found = await self.actions(**query)
            self.assertEqual(expected, [one["action"] for one in found], query)
        for query in (
            {"action": both},
            {"kind": "content"},
            {"adminKind": "service"},
            {"action": both, "kind": "content", "adminKind": "service"},
        ):
            found = [
                one for one in await self.actions(limit=200, **query) if one["admin"] == bot.id
            ]
            acts = [one["action"] for one in found if one["subject"]["id"] == made.id]
            self.assertEqual(["content_restored", "content_suspended"], acts, query)

    async def test_kinds_in_parts(self):
        """moderation#actions: such a list has parts with Link, and none has what it does not
        choose."""
        made = await self.content(await self.user())
        for featured in (True, False, True):
            await self.feature(made, featured)
            await self.moderate(made, "suspended")
            await self.moderate(made, "active")
        query = f"limit=2&subject={made.id}&action=content_featured,content_unfeatured"
        pages = await self.pages(f"{ACTIONS}?{query}", [ACTION], by=await self.admin())
        found = [[one["action"] for one in page] for page in pages]
        self.assertEqual([["content_featured", "content_unfeatured"], ["content_featured"]], found)

    async def test_queries(self):
        """moderation#actions: `admin` finds what one of them did, `subject` what was done to one;
        and both together."""
        self.own_daemon()  # elsewhere there is one admin
        one, two = await self._new_admin(), await self._new_admin()
        made = [await self.content(await self.someone()) for _ in range(2)]
        for admin, featured in ((one, True), (two, False)):
            for content in made:
                await self.feature(content, featured, by=admin)
        for query, expected in (
            ({"admin": one.id}, [(one, made[1]), (one, made[0])]),
            ({"admin": two.id.upper()}, [(two, made[1]), (two, made[0])]),
            ({"subject": made[0].id}, [(two, made[0]), (one, made[0])]),
            ({"subject": made[1].id.upper(), "admin": one.id.upper()}, [(one, made[1])]),
            ({"subject": guid()}, []),
            ({"admin": guid()}, []),
            ({"admin": made[0].author.id}, []),
        ):
            got = [(each["admin"], each["subject"]["id"]) for each in await self.actions(**query)]
            self.assertEqual([(admin.id, content.id) for admin, content in expected], got)

    async def test_subject(self):
        """moderation#actions: `subject` takes any id, also that of a file or comment. With one that
        nobody has, the list is empty."""
        for unknown in (guid(), "ab" * 32, "9" * 18):
            self.assertEqual([], await self.actions(subject=unknown))
        digest = guid().replace("-", "") * 2
        admin = await self.admin()
        await self.put(f"files/{digest}/block", {"reason": "x"}, by=admin, expect=204)
        (one,) = await self.actions(subject=digest)
        self.assertEqual({"kind": "file", "id": digest}, one["subject"])

    async def test_no_change(self):
        """moderation#actions: nothing changes or deletes what admins did."""
        made = await self.content(await self.someone())
        await self.feature(made, True)
        (one,) = await self.actions(subject=made.id)
        admin = await self.admin()
        for method in ("PUT", "POST", "DELETE", "PATCH"):
            for path, status in ((ACTIONS, 405), (f"{ACTIONS}/{one['id']}", 404)):
                self.problem(await self.request(method, path, by=admin), status)
        self.assertEqual([one], await self.actions(subject=made.id))


class OwnTests(ActionsCase):
    """What is no act of an admin."""

    async def connect(self) -> None:
        self.own_daemon()  # elsewhere there is one admin, who does other things too
        await super().connect()

    async def test_own_right(self):
        """moderation#actions: what an admin may do as anybody may is none: with content, comments
        and a record of their own; what only admins may do is one, with their own content too."""
        admin = await self._new_admin()
        made, other = await self.content(admin), await self.user()
        await self.put(f"content/{guid()}", draft(), by=admin, expect=204)
        await self.put(made.path, UPDATE, by=admin, expect=204)
        await self.post(f"{made.path}/revisions", revision(), by=admin, expect=201)
        for locked in (True, False):
            await self.lock(made, locked, by=admin)
        theirs = await self.comment(made, other)
        await self.delete(theirs, by=admin, expect=204)
        mine = await self.comment(await self.content(other), admin)
        await self.amend(mine, {"body": "x"}, by=admin, expect=204)
        await self.delete(mine, by=admin, expect=204)
        record = {"avatar": "a.png", "emblem": None, "fullProfile": {}, "publicProfile": {}}
        await self.put(f"user/{admin.id}", record, by=admin, expect=204)
        await self.follow(admin, other)
        await self.report(f"user/{other.id}", admin)
        self.assertEqual([], await self.done_by(admin))
        await self.feature(made, True, by=admin)
        await self.delete(made.path, by=admin, expect=204)
        self.assertEqual(["content_featured"], await self.done_by(admin))

    async def test_hidden_content(self):
        """moderation#actions: what only authors and admins may is an act on hidden
        content too, suspended or deleted; what one only needs to see it for, such as a comment of
        one's own, is none."""
        admin = await self._new_admin()
        made = await self.content(await self.user())
        paths = [await self.comment(made, made.author) for _ in range(2)]
        await self.moderate(made, "suspended")
        comment = await self.comment(made, admin)
        await self.amend(comment, {"body": "new"}, by=admin, expect=204)
        await self.delete(comment, by=admin, expect=204)
        rating = f"user/{admin.id}/rating/{made.id}"
        await self.put(rating, {"value": "1"}, by=admin, expect=204)
        self.assertEqual([], await self.done_by(admin))
        await self.lock(made, True, by=admin)
        await self.post(f"{made.path}/revisions", revision(), by=admin, expect=201)
        await self.put(made.path, UPDATE, by=admin, expect=204)
        await self.delete(paths[0], by=admin, expect=204)
        await self.delete(made.path, by=made.author, expect=204)
        await self.delete(paths[1], by=admin, expect=204)
        names = ["comments_locked", "revision_published", "content_changed"]
        self.assertEqual([*names, *["comment_deleted"] * 2], await self.done_by(admin))

    async def test_of_authors(self):
        """moderation#actions: what authors and users do is none."""
        made = await self.content(await self.user())
        comment = await self.comment(made, await self.user())
        await self.delete(comment, by=made.author, expect=204)
        await self.lock(made, True, by=made.author)
        self.assertEqual(([], []), (await self.done_by(made.author), await self.done_to(made.id)))

    async def test_nothing_changed(self):
        """moderation#actions: what changed nothing is none: what was so already, and what was
        refused."""
        made, admin = await self.content(await self.user()), await self._new_admin()
        user = f"user/{made.author.id}"
        comment = await self.comment(made, made.author)
        await self.delete(comment, by=made.author, expect=204)
        await self.put(f"{made.path}/status", {"status": "active"}, by=admin, expect=204)
        await self.feature(made, False, by=admin)
        await self.lock(made, False, by=admin)
        current = {"revisionId": made.sent["revisionId"]}
        await self.put(f"{made.path}/revisions/current", current, by=admin, expect=204)
        digest = guid().replace("-", "") * 2
        for path in (
            *(comment, f"{user}/ban", f"{user}/rewards/{guid()}", f"files/{digest}/block"),
        ):
            await self.delete(path, by=admin, expect=204)
        await self.put(f"user/{guid()}/ban", {"reason": "x"}, by=admin, expect=404)
        await self.put(f"user/{admin.id}/ban", {"reason": "x"}, by=admin, expect=422)
        await self.put(f"{made.path}/status", {"status": "odd"}, by=admin, expect=400)
        await self.post(f"{user}/warning", {}, by=admin, expect=400)
        self.assertEqual([], await self.done_by(admin))

    async def test_outcomes(self):
        """moderation#actions: of a decision the subject is the reported one; where nothing was open
        it is none."""
        (_, subjects), reporter = await self.subjects(), await self.user()
        admin = await self._new_admin()
        for path, kind, id in subjects:
            await self.report(path, reporter)
            body = {"outcome": "upheld", "upTo": (await self.one(kind, id))["id"]}
            for _ in range(2):
                await self.put(f"moderation/reports/{kind}/{id}", body, by=admin, expect=204)
        found = [one["subject"] for one in await self.actions(admin=admin.id)]
        got = [(one["kind"], one["id"]) for one in found]
        self.assertEqual([(kind, id) for _, kind, id in reversed(subjects)], got)
        self.assertEqual(["report_upheld"] * 3, await self.done_by(admin))


class WarningTests(ActionsCase):
    """POST /api/v1/user/{userId}/warning."""

    async def warn(self, user: User, expect: int = 204, **body: Any) -> None:
        """Warn a user."""
        path = f"user/{user.id}/warning"
        await self.post(path, {"reason": "rude"} | body, by=await self.admin(), expect=expect)

    async def test_told(self):
        """moderation#actions: the user gets AccountWarning {reason}, also on the socket."""
        user = await self.user()
        socket = await self.socket(user)
        await self.warn(user)
        pushed = (await self.pushed(socket))["notification"]
        self.assertEqual(("AccountWarning", "rude"), (pushed["kind"], pushed["reason"]))
        self.assertEqual([pushed], await self.notifications(user))

    async def test_noted(self):
        """moderation#actions: a warning is an act of the admin's, with its reason."""
        user = await self.user()
        await self.warn(user)
        (one,) = await self.actions(subject=user.id)
        self.assertEqual(("user_warned", "rude"), (one["action"], one["reason"]))

    async def test_repeat(self):
        """moderation#actions: the same id again tells nothing, whatever the reason and whoever
        sends it; to another user it is another warning."""
        user, other, id = await self.user(), await self.user(), guid()
        await self.warn(user, id=id)
        await self.warn(user, id=id.upper(), reason="very rude")
        body, admin = {"reason": "rude", "id": id}, await self._new_admin()
        await self.post(f"user/{user.id}/warning", body, by=admin, expect=204)
        self.assertEqual(1, len(await self.notifications(user)))
        self.assertEqual(["user_warned"], await self.done_to(user.id))
        await self.warn(other, id=id)
        self.assertEqual(1, len(await self.notifications(other)))

    async def test_at_once(self):
        """moderation#actions: the same id several times at once tells once."""
        user, id = await self.user(), guid()
        await self.admin()
        await self.together(*(self.warn(user, id=id) for _ in range(8)))
        self.assertEqual(1, len(await self.notifications(user)))

    async def test_without_id(self):
        """moderation#actions: without an id, with null, or with another, each is a warning."""
        user = await self.user()
        for body in ({}, {"id": None}, {"id": guid()}, {"id": guid()}):
            await self.warn(user, **body)
        self.assertEqual(4, len(await self.notifications(user)))

    async def test_of_the_banned(self):
        """moderation#actions: a banned user can be warned, and reads it later."""
        user, admin = await self.user(), await self.admin()
        path = f"user/{user.id}/ban"
        await self.put(path, {"reason": "x"}, by=admin, expect=204)
        await self.warn(user)
        await self.delete(path, by=admin, expect=204)
        again = await self.logged_in(user.username, user.email, user.password)
        found = await self.notifications(again)
        kinds = ["DecisionTaken", "AccountWarning", "DecisionReversed"]
        self.assertEqual(kinds, [one["kind"] for one in found])
        self.assertEqual("rude", found[1]["reason"])

    async def test_oneself(self):
        """moderation#warnings: an admin may warn themselves."""
        admin = await self._new_admin()
        path = f"user/{admin.id}/warning"
        await self.post(path, {"reason": "rude"}, by=admin, expect=204)
        self.assertEqual(1, len(await self.notifications(admin)))
