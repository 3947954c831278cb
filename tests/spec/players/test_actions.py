"""What admins did, act by act: extensions §7."""

from typing import Any

from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import User, draft, guid
from tests.spec.files.support import blob
from tests.spec.notifications.support import revision
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import ACTION

ACTIONS = "moderation/actions"
PROFILES = {"avatar": None, "emblem": None, "fullProfile": {}, "publicProfile": {}}


class ActionCase(PlayersCase):
    """An admin of one's own, and what the log says of them."""

    async def connect(self) -> None:
        self.own_daemon()  # elsewhere there is one admin, who does other things too
        await super().connect()

    async def log(self, **query: str) -> list[dict[str, Any]]:
        """The actions that the query leaves, newest first."""
        found = await self.read(ACTIONS, [ACTION], by=await self.admin(), query=query)
        return list(found)

    async def acts(self, admin: User) -> list[tuple[str, str, str]]:
        """Action, kind and id of what the admin did, oldest first."""
        found = reversed(await self.log(admin=admin.id))
        return [(one["action"], one["subject"]["kind"], str(one["subject"]["id"])) for one in found]


class ActionTests(ActionCase):
    """One action each."""

    async def test_content(self):
        """extensions §7: of another's content: its status, being featured, a change, a revision,
        the choice of one, the lock of its comments, the deletion of one."""
        made, admin = await self.content(await self.user()), await self._new_admin()
        comment = await self.comment(made, made.author)
        for path, body in (
            ("/status", {"status": "suspended", "reason": "rude"}),
            ("/status", {"status": "active", "reason": "mended"}),
            ("/featured", {"featured": True}),
            ("/featured", {"featured": False}),
            ("", {"description": "changed", "screenshotUris": ["a.png"]}),
            ("/comments-locked", {"locked": True}),
            ("/comments-locked", {"locked": False}),
        ):
            await self.put(made.path + path, body, by=admin, expect=204)
        await self.post(f"{made.path}/revisions", revision(), by=admin, expect=201)
        chosen = {"revisionId": made.sent["revisionId"]}
        await self.put(f"{made.path}/revisions/current", chosen, by=admin, expect=204)
        await self.delete(f"{comment}?reason=spam", by=admin, expect=204)
        names = (
            *("content_suspended", "content_restored", "content_featured", "content_unfeatured"),
            *("content_changed", "comments_locked", "comments_unlocked"),
            *("revision_published", "revision_selected"),
        )
        expected = [(one, "content", made.id) for one in names]
        expected.append(("comment_deleted", "comment", comment.rpartition("/")[2]))
        self.assertEqual(expected, await self.acts(admin))
        log = await self.log(admin=admin.id)
        self.assertEqual({admin.id}, {one["admin"] for one in log})
        self.assertEqual("spam", log[0]["reason"])
        self.assertEqual(["mended", "rude"], [one["reason"] for one in log[-2:]])

    async def test_users(self):
        """extensions §7: of another user: a change, a ban, its end, a warning, rewards taken."""
        user, admin = await self.user(), await self._new_admin()
        at = f"user/{user.id}"
        await self.put(at, PROFILES | {"avatar": "x.png"}, by=admin, expect=204)
        await self.put(f"{at}/ban", {"reason": "cheats"}, by=admin, expect=204)
        await self.delete(f"{at}/ban", by=admin, expect=204)
        await self.post(f"{at}/warning", {"reason": "mind it"}, by=admin, expect=204)
        names = ("user_changed", "user_banned", "ban_lifted", "user_warned")
        self.assertEqual([(one, "user", user.id) for one in names], await self.acts(admin))
        reasons = {one["action"]: one["reason"] for one in await self.log(admin=admin.id)}
        self.assertEqual(("cheats", "mind it"), (reasons["user_banned"], reasons["user_warned"]))

    async def test_challenges(self):
        """extensions §7: of design challenges, {kind: challenge, id}: each is created, changed,
        closed, deleted; an entry removed; rewards taken."""
        admin, author = await self._new_admin(), await self.user()
        made = [await self.content(author) for _ in range(2)]
        paths = []
        for _ in range(2):
            response = await self.post("design-challenges", challenge(), by=admin, expect=201)
            paths.append(response.header("Location") or "")
        ids = [path.rpartition("/")[2] for path in paths]
        await self.put(paths[0], challenge(name="Other"), by=admin, expect=204)
        for one in made:
            await self.put(f"{paths[0]}/entries/{one.id}", by=author, expect=204)
        await self.delete(f"{paths[0]}/entries/{made[0].id}", by=admin, expect=204)
        winners = {"winners": [made[1].id]}
        await self.post(f"{paths[0]}/close", winners, by=admin, expect=204)
        await self.delete(f"user/{author.id}/rewards/{ids[0]}", by=admin, expect=204)
        await self.delete(paths[1], by=admin, expect=204)
        expected = [
            ("challenge_created", "challenge", ids[0]),
            ("challenge_created", "challenge", ids[1]),
            ("challenge_changed", "challenge", ids[0]),
            ("entry_removed", "challenge", ids[0]),
            ("challenge_closed", "challenge", ids[0]),
            ("reward_removed", "user", author.id),
            ("challenge_deleted", "challenge", ids[1]),
        ]
        self.assertEqual(expected, await self.acts(admin))

    async def test_files(self):
        """extensions §7: of files: a block, and its end."""
        admin, digest = await self._new_admin(), blob().digest
        path = f"files/{digest}/block"
        await self.put(path, {"reason": "leaked"}, by=admin, expect=204)
        await self.delete(path, by=admin, expect=204)
        names = ("file_blocked", "file_unblocked")
        self.assertEqual([(one, "file", digest) for one in names], await self.acts(admin))

    async def test_outcomes(self):
        """extensions §7: of an outcome the subject is the reported one; where none was open nothing
        was done."""
        made, admin = await self.content(await self.user()), await self._new_admin()
        comment = await self.comment(made, made.author)
        reporter = await self.user()
        id = comment.rpartition("/")[2]
        for path, kind, subject, outcome in (
            (made.path, "content", made.id, "upheld"),
            (comment, "comment", id, "dismissed"),
            (f"user/{made.author.id}", "user", made.author.id, "upheld"),
        ):
            await self.report(path, reporter)
            up_to = (await self.reports(kind, subject))[0]["id"]
            for _ in range(2):
                body = {"outcome": outcome, "upTo": up_to, "note": f"{kind}s"}
                at = f"moderation/reports/{kind}/{subject}"
                await self.put(at, body, by=admin, expect=204)
        expected = [
            ("report_upheld", "content", made.id),
            ("report_dismissed", "comment", id),
            ("report_upheld", "user", made.author.id),
        ]
        self.assertEqual(expected, await self.acts(admin))

    async def test_nothing_changed(self):
        """extensions §7: what changed nothing is no action: a repeat, what was refused."""
        made, admin = await self.content(await self.user()), await self._new_admin()
        user = f"user/{made.author.id}"
        comment = await self.comment(made, made.author)
        await self.delete(comment, by=made.author, expect=204)
        await self.put(f"{made.path}/status", {"status": "active"}, by=admin, expect=204)
        await self.put(f"{made.path}/featured", {"featured": False}, by=admin, expect=204)
        await self.put(f"{made.path}/comments-locked", {"locked": False}, by=admin, expect=204)
        current = {"revisionId": made.sent["revisionId"]}
        await self.put(f"{made.path}/revisions/current", current, by=admin, expect=204)
        await self.delete(comment, by=admin, expect=204)
        await self.delete(f"{user}/ban", by=admin, expect=204)
        await self.delete(f"{user}/rewards/{guid()}", by=admin, expect=204)
        await self.delete(f"files/{blob().digest}/block", by=admin, expect=204)
        await self.put(f"user/{guid()}/ban", {"reason": "x"}, by=admin, expect=404)
        await self.put(f"user/{admin.id}/ban", {"reason": "x"}, by=admin, expect=422)
        await self.put(f"{made.path}/status", {"status": "odd"}, by=admin, expect=400)
        await self.post(f"{user}/warning", {}, by=admin, expect=400)
        self.assertEqual([], await self.acts(admin))

    async def test_repeats(self):
        """extensions §7: of repeats only the first is an action."""
        made, admin = await self.content(await self.user()), await self._new_admin()
        comment = await self.comment(made, made.author)
        warning = {"reason": "x", "id": guid()}
        sent = revision()
        for _ in range(2):
            await self.post(f"{made.path}/revisions", sent, by=admin, expect=201)
            await self.put(f"{made.path}/featured", {"featured": True}, by=admin, expect=204)
            await self.delete(comment, by=admin, expect=204)
            at = f"user/{made.author.id}"
            await self.post(f"{at}/warning", warning, by=admin, expect=204)
        for _ in range(2):
            await self.put(f"{made.path}/status", {"status": "suspended"}, by=admin, expect=204)
        names = [one for one, _, _ in await self.acts(admin)]
        expected = ["revision_published", "content_featured", "comment_deleted", "user_warned"]
        self.assertEqual([*expected, "content_suspended"], names)

    async def test_own_right(self):
        """extensions §7: what an admin may do as anybody may is no action: with content, comments
        and a profile of their own."""
        admin = await self._new_admin()
        made, other = await self.content(admin), await self.user()
        await self.put(f"content/{guid()}", draft(), by=admin, expect=204)
        update = {"description": "x", "screenshotUris": ["a.png"]}
        await self.put(made.path, update, by=admin, expect=204)
        await self.post(f"{made.path}/revisions", revision(), by=admin, expect=201)
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=admin, expect=204)
        await self.put(f"{made.path}/comments-locked", {"locked": False}, by=admin, expect=204)
        theirs = await self.comment(made, other)
        await self.delete(theirs, by=admin, expect=204)
        mine = await self.comment(await self.content(other), admin)
        await self.amend(mine, {"body": "x"}, by=admin, expect=204)
        await self.delete(mine, by=admin, expect=204)
        await self.put(f"user/{admin.id}", PROFILES | {"avatar": "a.png"}, by=admin, expect=204)
        await self.follow(admin, other)
        await self.report(f"user/{other.id}", admin)
        await self.delete(made.path, by=admin, expect=204)
        self.assertEqual([], await self.acts(admin))

    async def test_on_hidden_content(self):
        """extensions §7: on content that is suspended, or that its author has deleted, what needs
        an admin's right is an action too."""
        made, admin = await self.content(await self.user()), await self._new_admin()
        paths = [await self.comment(made, made.author) for _ in range(2)]
        await self.moderate(made, "suspended")
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=admin, expect=204)
        await self.post(f"{made.path}/revisions", revision(), by=admin, expect=201)
        update = {"description": "x", "screenshotUris": ["a.png"]}
        await self.put(made.path, update, by=admin, expect=204)
        await self.delete(paths[0], by=admin, expect=204)
        await self.delete(made.path, by=made.author, expect=204)
        await self.delete(paths[1], by=admin, expect=204)
        names = ["comments_locked", "revision_published", "content_changed"]
        names += ["comment_deleted"] * 2
        self.assertEqual(names, [one for one, _, _ in await self.acts(admin)])

    async def test_of_authors(self):
        """extensions §7: what authors and users do is no action."""
        made = await self.content(await self.user())
        comment = await self.comment(made, await self.user())
        await self.delete(comment, by=made.author, expect=204)
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=made.author, expect=204)
        self.assertEqual([], await self.acts(made.author))
        self.assertEqual([], await self.log(subject=made.id))

    async def test_at_once(self):
        """extensions §7: of two admins who do the same at once one has done it."""
        made = await self.content(await self.user())
        admins = [await self._new_admin() for _ in range(2)]
        body = {"status": "suspended", "reason": "x"}
        await self.together(
            *(self.put(f"{made.path}/status", body, by=one, expect=204) for one in admins * 3)
        )
        log = await self.log(subject=made.id)
        self.assertEqual(["content_suspended"], [one["action"] for one in log])


class ActionListTests(ActionCase):
    """GET moderation/actions."""

    async def test_queries(self):
        """extensions §7: query `subject` and `admin`, alone and together."""
        one, two = await self._new_admin(), await self._new_admin()
        users = await self.users(2)
        for admin in (one, two):
            for user in users:
                body = {"reason": "x"}
                await self.post(f"user/{user.id}/warning", body, by=admin, expect=204)
        for query, expected in (
            ({"admin": one.id}, [(one, users[1]), (one, users[0])]),
            ({"admin": two.id.upper()}, [(two, users[1]), (two, users[0])]),
            ({"subject": users[0].id}, [(two, users[0]), (one, users[0])]),
            ({"subject": users[1].id, "admin": one.id}, [(one, users[1])]),
            ({"subject": guid()}, []),
            ({"admin": guid()}, []),
            ({"admin": users[0].id}, []),
        ):
            got = [(a["admin"], a["subject"]["id"]) for a in await self.log(**query)]
            self.assertEqual([(admin.id, user.id) for admin, user in expected], got)

    async def test_pages(self):
        """extensions: newest first, limit and after; together the whole list."""
        admin, users = await self._new_admin(), await self.users(5)
        for user in users:
            await self.post(f"user/{user.id}/warning", {"reason": "x"}, by=admin, expect=204)
        path = f"{ACTIONS}?admin={admin.id}&limit=2"
        pages = await self.pages(path, [ACTION], by=admin)
        self.assertLessEqual(max(len(page) for page in pages), 2)
        got = [one["subject"]["id"] for page in pages for one in page]
        self.assertEqual([user.id for user in reversed(users)], got)

    async def test_lasting(self):
        """extensions §7: nothing changes or deletes it: there is no such operation."""
        admin = await self._new_admin()
        user = await self.user()
        await self.post(f"user/{user.id}/warning", {"reason": "x"}, by=admin, expect=204)
        (action,) = await self.log(admin=admin.id)
        for path in (ACTIONS, f"{ACTIONS}/{action['id']}"):
            for method in ("PUT", "POST", "PATCH", "DELETE"):
                response = await self.request(method, path, by=admin)
                self.problem(response, (404, 405))
        self.assertEqual([action], await self.log(admin=admin.id))
