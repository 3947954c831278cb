"""POST /moderation/users/{user}/clear, and the restoration of content by admins:
moderation#clearing."""

from typing import Any

from twisted.internet import reactor

from tests.spec.client import DEADLINE
from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import ACTION
from tests.spec.social.support import SocialCase

ALL = ["content", "comments", "collections"]


class ClearTests(SocialCase):
    """What a moderator takes away."""

    async def clear(
        self, user: User, *what: str, by: User | None = None, expect: int | None = 202
    ) -> Any:
        """A moderator clears a user."""
        body = {"what": list(what) or ALL, "reason": "spam"}
        path = f"moderation/users/{user.id}/clear"
        return await self.post(path, body, by=by or await self.admin(), expect=expect)

    async def noted(self, user: User) -> dict[str, Any]:
        """The act, once it is there."""
        path, by = f"moderation/actions?subject={user.id}", await self.admin()
        deadline = reactor.seconds() + DEADLINE
        while True:
            found = (await self.get(path, by=by, expect=200)).json()
            if found or reactor.seconds() > deadline:
                (act,) = found
                return dict(act)

    async def test_clear(self):
        """Content is suspended, comments are tombstones, collections are gone, soon after 202; the
        act has the counts."""
        made, theirs = await self.content(await self.user()), await self.content(await self.user())
        user = made.author
        comment = await self.comment(theirs, user)
        body = {"name": "rude", "public": True}
        await self.put(f"user/{user.id}/collections/{guid()}", body, by=user, expect=204)
        by = await self.member("moderator")
        there = (await self.get(f"moderation/users/{user.id}/clear", by=by, expect=200)).json()
        self.assertEqual({"content": 1, "comments": 1, "collections": 1}, there)
        answer = await self.clear(user, by=by)
        self.assertIn(f"moderation/users/{user.id}", answer.header("Location"))
        act = await self.noted(user)
        self.assertEqual(
            ("user_cleared", "spam", by.id), (act["action"], act["reason"], act["admin"])
        )
        self.assertEqual(there, act["counts"])
        await self.get(made.path, expect=404)
        self.assertTrue((await self.get(comment, expect=200)).json()["deleted"])
        self.assertEqual([], (await self.get(f"user/{user.id}/collections", expect=200)).json())
        self.assertEqual("active", (await self.get(theirs.path, expect=200)).json()["status"])
        kinds = {each["kind"] for each in await self.notifications(user)}
        self.assertLessEqual({"ContentSuspended", "CommentRemoved"}, kinds)

    async def test_again(self):
        """It may be sent again: nothing more happens, and nothing more is noted."""
        made = await self.content(await self.user())
        for _ in range(3):
            await self.clear(made.author, "content")
        await self.noted(made.author)
        await self.clear(made.author, "content")
        other = (await self.content(await self.user())).author
        await self.clear(other, "content")
        await self.noted(other)
        await self.noted(made.author)

    async def test_roles(self):
        """A moderator cannot clear a moderator or an admin, and players nobody."""
        moderator, player = await self.member("moderator"), await self.user()
        for of in (await self.member("moderator"), await self.admin()):
            self.problem(await self.clear(of, by=moderator, expect=None), 403, "protected_user")
        response = await self.clear(await self.someone(), by=player, expect=None)
        self.problem(response, 403, "forbidden")
        await self.clear(moderator, by=await self.admin())

    async def test_bad(self):
        """What is no list of the words, or is empty, is 400; nobody is 404."""
        user, by = await self.someone(), await self.admin()
        path = f"moderation/users/{user.id}/clear"
        for body in (
            {"what": [], "reason": "x"},
            {"what": ["likes"], "reason": "x"},
            {"what": "content", "reason": "x"},
            {"what": ["content"], "reason": ""},
            {"what": ["content"]},
        ):
            self.problem(await self.post(path, body, by=by), 400, "invalid_body")
        body = {"what": ["content"], "reason": "x"}
        response = await self.post(f"moderation/users/{guid()}/clear", body, by=by)
        self.problem(response, 404, "user_not_found")


class RestoreTests(SpecCase):
    """POST /content/{content}/restore by who is not its author."""

    async def test_admin(self):
        """An admin restores what its author has withdrawn by a slip; it is noted, and the author is
        told."""
        made, by = await self.content(await self.user()), await self.admin()
        await self.delete(made.path, by=made.author, expect=204)
        for _ in range(2):
            await self.post(f"{made.path}/restore", by=by, expect=204)
        await self.get(made.path, expect=200)
        path = f"moderation/actions?subject={made.id}"
        (act,) = await self.read(path, [ACTION], by=by)
        self.assertEqual(("content_restored", by.id), (act["action"], act["admin"]))
        path = f"user/{made.author.id}/notifications"
        told = (await self.get(path, by=made.author, expect=200)).json()
        self.assertEqual(["ContentRestored"], [each["kind"] for each in told])

    async def test_others(self):
        """A moderator may not, nor may an admin withdraw it."""
        made = await self.content(await self.user())
        response = await self.delete(made.path, by=await self.admin())
        self.problem(response, 403, "forbidden")
        await self.delete(made.path, by=made.author, expect=204)
        response = await self.post(f"{made.path}/restore", by=await self.member("moderator"))
        self.problem(response, 403, "forbidden")

    async def test_suspended(self):
        """What is suspended too stays so, and its author is not told that it is back."""
        made, by = await self.content(await self.user()), await self.admin()
        await self.delete(made.path, by=made.author, expect=204)
        await self.moderate(made, "suspended")
        await self.post(f"{made.path}/restore", by=by, expect=204)
        found = (await self.get(made.path, by=made.author, expect=200)).json()
        self.assertEqual("suspended", found["status"])
