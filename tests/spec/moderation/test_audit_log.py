"""What admins did, and warnings: extensions §7."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.data import Content, User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import ACTION

ACTIONS = "moderation/actions"


class ActionsCase(SpecCase):
    """Reading what admins did."""

    async def actions(self, **query: Any) -> list[dict[str, Any]]:
        """What the list has for this query."""
        found = await self.read(ACTIONS, [ACTION], by=await self.admin(), query=query)
        return list(found)

    async def done_to(self, subject: str) -> list[str]:
        """What was done to this subject, newest first."""
        return [one["action"] for one in await self.actions(subject=subject)]

    async def feature(self, content: Content, featured: bool, by: User | None = None) -> None:
        """Feature a content, or stop that."""
        body = {"featured": featured}
        await self.put(f"{content.path}/featured", body, by=by or await self.admin(), expect=204)


class ListTests(ActionsCase):
    """GET /api/v1/moderation/actions."""

    async def test_one(self):
        """Extensions §7: an act has id, admin, action, subject {kind, id}, reason and created."""
        made = await self.content(await self.user())
        await self.moderate(made, "suspended", "gore")
        (one,) = await self.actions(subject=made.id)
        self.assertEqual((await self.admin()).id, one["admin"])
        self.assertEqual(
            ("content_suspended", {"kind": "content", "id": made.id}, "gore"),
            (one["action"], one["subject"], one["reason"]),
        )

    async def test_order(self):
        """Extensions §7: the list is newest first, in parts with Link."""
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

    async def test_admin(self):
        """Extensions §7: `admin` finds what one of them did, also together with `subject`."""
        other = await self._new_admin()
        one, two = [await self.content(await self.someone()) for _ in range(2)]
        await self.feature(one, True)
        await self.feature(one, False, by=other)
        await self.feature(two, True, by=other)
        found = await self.actions(admin=other.id)
        self.assertEqual([two.id, one.id], [each["subject"]["id"] for each in found])
        (both,) = await self.actions(admin=other.id.upper(), subject=one.id.upper())
        self.assertEqual("content_unfeatured", both["action"])

    async def test_subject(self):
        """Extensions §7: `subject` takes any id, also that of a file or comment. With one that
        nobody has, the list is empty."""
        for unknown in (guid(), "ab" * 32, "9" * 18):
            self.assertEqual([], await self.actions(subject=unknown))
        digest = guid().replace("-", "") * 2
        admin = await self.admin()
        await self.put(f"files/{digest}/block", {"reason": "x"}, by=admin, expect=204)
        (one,) = await self.actions(subject=digest)
        self.assertEqual({"kind": "file", "id": digest}, one["subject"])

    async def test_no_change(self):
        """Extensions §7: nothing changes or deletes what admins did."""
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

    async def test_own_content(self):
        """Extensions §7: what authors may do is none, when an admin does it to content of theirs;
        what only admins may do is one."""
        admin = await self.admin()
        made = await self.content(admin)
        body = {"description": "new", "screenshotUris": ["a.png"]}
        await self.put(made.path, body, by=admin, expect=204)
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=admin, expect=204)
        self.assertEqual([], await self.done_to(made.id))
        await self.feature(made, True)
        self.assertEqual(["content_featured"], await self.done_to(made.id))

    async def test_own_record(self):
        """Extensions §7: nor is the change of one's own record."""
        admin = await self._new_admin()
        body = {"avatar": "a.png", "emblem": None, "fullProfile": {}, "publicProfile": {}}
        await self.put(f"user/{admin.id}", body, by=admin, expect=204)
        self.assertEqual([], await self.done_to(admin.id))

    async def test_hidden_content(self):
        """choices: what only authors and admins may is an act on hidden content too; what one only
        needs to see it for, such as a comment of one's own, is none."""
        admin = await self._new_admin()
        made = await self.content(await self.user())
        await self.moderate(made, "suspended")
        comment = await self.comment(made, admin)
        await self.amend(comment, {"body": "new"}, by=admin, expect=204)
        await self.delete(comment, by=admin, expect=204)
        rating = f"user/{admin.id}/rating/{made.id}"
        await self.put(rating, {"value": "1"}, by=admin, expect=204)
        self.assertEqual([], await self.actions(admin=admin.id))
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=admin, expect=204)
        self.assertEqual(["comments_locked", "content_suspended"], await self.done_to(made.id))


class WarningTests(ActionsCase):
    """POST /api/v1/user/{userId}/warning."""

    async def warn(self, user: User, expect: int = 204, **body: Any) -> None:
        """Warn a user."""
        path = f"user/{user.id}/warning"
        await self.post(path, {"reason": "rude"} | body, by=await self.admin(), expect=expect)

    async def test_told(self):
        """Extensions §7: the user gets AccountWarning {reason}, also on the socket."""
        user = await self.user()
        socket = await self.socket(user)
        await self.warn(user)
        pushed = (await self.pushed(socket))["notification"]
        self.assertEqual(("AccountWarning", "rude"), (pushed["kind"], pushed["reason"]))
        self.assertEqual([pushed], await self.notifications(user))

    async def test_noted(self):
        """Extensions §7: a warning is an act of the admin's, with its reason."""
        user = await self.user()
        await self.warn(user)
        (one,) = await self.actions(subject=user.id)
        self.assertEqual(("user_warned", "rude"), (one["action"], one["reason"]))

    async def test_repeat(self):
        """Extensions §7: the same id again tells nothing, whatever the reason and whoever sends it;
        to another user it is another warning."""
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
        """Extensions §7: the same id several times at once tells once."""
        user, id = await self.user(), guid()
        await self.admin()
        sent = [Deferred.fromCoroutine(self.warn(user, id=id)) for _ in range(8)]
        await gatherResults(sent, consumeErrors=True)
        self.assertEqual(1, len(await self.notifications(user)))

    async def test_without_id(self):
        """Extensions §7: without an id, or with null, each is a warning."""
        user = await self.user()
        await self.warn(user)
        await self.warn(user, id=None)
        self.assertEqual(2, len(await self.notifications(user)))

    async def test_oneself(self):
        """choices: an admin may warn themselves."""
        admin = await self._new_admin()
        path = f"user/{admin.id}/warning"
        await self.post(path, {"reason": "rude"}, by=admin, expect=204)
        self.assertEqual(1, len(await self.notifications(admin)))
