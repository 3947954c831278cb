"""Accounts that are deleted (extensions §8)."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import Content, User, guid, reference, word
from tests.spec.harness import SpecCase


class LeavingCase(SpecCase):
    async def leave(self, user: User, **body: str) -> Response:
        """The answer of a deletion; with the password, unless there is a body."""
        sent = body or {"password": user.password}
        return await self.delete(f"user/{user.id}", body=sent, by=user)

    async def left(self, user: User) -> None:
        """Delete an account."""
        response = await self.leave(user)
        self.assertEqual(204, response.status, repr(response))

    async def befriend(self, one: User, other: User) -> None:
        """Make two users friends."""
        await self.put(f"user/{one.id}/friend/{other.id}", by=one, expect=204)
        await self.put(f"user/{other.id}/friend/{one.id}", by=other, expect=204)

    async def detail(self, content: Content, by: User) -> dict[str, object]:
        """The detail of a content."""
        return dict((await self.get(content.path, by=by, expect=200)).json())


class ProofTests(LeavingCase):
    """Who may."""

    async def test_password(self):
        """Extensions §8: a wrong password is 403 wrong_password, and nothing is deleted."""
        ann = await self.user()
        self.problem(await self.leave(ann, password=guid()), 403, "wrong_password")
        await self.get(f"user/{ann.id}", by=ann, expect=200)

    async def test_bodies(self):
        """A body without any proof, or with half of one, is 400."""
        ann = await self.user()
        self.invalid(await self.leave(ann, other="x"), "/password")
        self.invalid(await self.leave(ann, subject_token="x"), "/subject_token_type")
        self.invalid(await self.leave(ann, password="x" * 129), "/password")
        self.problem(await self.delete(f"user/{ann.id}", by=ann), 400)
        await self.get(f"user/{ann.id}", by=ann, expect=200)

    async def test_token_instead(self):
        """A token of another service is no proof for an account that has a password."""
        ann = await self.user()
        answer = await self.leave(ann, subject_token="x", subject_token_type="y")
        self.problem(answer, 403, "wrong_password")

    async def test_again(self):
        """The sessions have ended, so a repeat is 401."""
        ann = await self.user()
        await self.left(ann)
        self.problem(await self.leave(ann), 401, "invalid_token")


class EndTests(LeavingCase):
    """What ends at once."""

    async def test_sessions(self):
        """All sessions end, and no token is good any more."""
        ann = await self.user()
        other = await self.logged_in(ann.username, ann.email, ann.password)
        await self.left(ann)
        for session in (ann, other):
            self.problem(await self.get(f"user/{ann.id}", by=session), 401, "invalid_token")
            form = {"grant_type": "refresh_token", "refresh_token": session.refresh_token}
            answer = await self.post("/oauth/token", data=form)
            self.assertEqual("invalid_grant", answer.json()["error"])

    async def test_log_in(self):
        """Neither the name nor the address logs in any more."""
        ann = await self.user()
        await self.left(ann)
        for name in (ann.username, ann.email):
            form = {"grant_type": "password", "username": name, "password": ann.password}
            answer = await self.post("/oauth/token", data=form)
            self.assertEqual("invalid_grant", answer.json()["error"])

    async def test_sockets(self):
        """Open sockets are closed."""
        ann = await self.user()
        socket = await self.socket(ann)
        await self.left(ann)
        self.assertEqual(4403, await socket.closed())

    async def test_name(self):
        """The name stays taken, in any case; the address is free at once."""
        ann = await self.user()
        await self.left(ann)
        form = {"username": ann.username.upper(), "email": ann.email, "password": guid()}
        self.problem(await self.post("user", form), 409, "username_taken")
        form["username"] = f"new{ann.username}"
        await self.post("user", form, expect=201)

    async def test_id(self):
        """The id is 404 user_not_found in every operation that names it."""
        ann, bob, admin = await self.user(), await self.user(), await self.admin()
        await self.content(ann)
        await self.left(ann)
        own = f"user/{bob.id}"
        party = {"party": guid()}
        for by, method, path, body in (
            (None, "GET", f"user/{ann.id}/info", None),
            (None, "GET", f"user/{ann.id}/content", None),
            (None, "GET", f"user/{ann.id}/achievements", None),
            (None, "GET", f"user/{ann.id}/emblems", None),
            (bob, "PUT", f"{own}/following/{ann.id}", None),
            (bob, "DELETE", f"{own}/following/{ann.id}", None),
            (bob, "PUT", f"{own}/friend/{ann.id}", None),
            (bob, "DELETE", f"{own}/friend/{ann.id}", None),
            (bob, "POST", f"{own}/friend/{ann.id}/messages", {"text": "hello"}),
            (bob, "GET", f"{own}/friend/{ann.id}/messages", None),
            (bob, "PUT", f"{own}/blocked/{ann.id}", None),
            (bob, "DELETE", f"{own}/blocked/{ann.id}", None),
            (bob, "POST", f"{own}/friend/{ann.id}/party-invite", party),
            (bob, "POST", f"user/{ann.id}/report", {"reason": "spam"}),
            (bob, "POST", "debug/notify", {"recipient": ann.id, "text": "hello"}),
            (admin, "GET", f"user/{ann.id}/content/deleted", None),
            (admin, "GET", f"user/{ann.id}/ban", None),
            (admin, "PUT", f"user/{ann.id}/ban", {"reason": "rules"}),
            (admin, "DELETE", f"user/{ann.id}/ban", None),
            (admin, "POST", f"user/{ann.id}/warning", {"reason": "rules"}),
        ):
            more = {} if body is None else {"body": body}
            answer = await self.request(method, path, by=by, **more)
            self.problem(answer, 404, "user_not_found")
        found = await self.get("user", query={"ids": ann.id}, expect=200)
        self.assertEqual([], found.json())
        found = await self.get("user/search", query={"q": ann.username}, expect=200)
        self.assertNotIn(ann.id, [item["id"] for item in found.json()["items"]])


class LeftTests(LeavingCase):
    """What others see of it."""

    async def test_comments(self):
        """Comments become tombstones, and are not counted any more."""
        ann, bob = await self.user(), await self.user()
        castle = await self.content(bob)
        first = await self.comment(castle, ann)
        await self.comment(castle, ann, "Again")
        reply = await self.comment(castle, bob, "Thanks", parentId=int(first.rpartition("/")[2]))
        await self.left(ann)
        found = (await self.get(f"{castle.path}/comments", expect=200)).json()
        shown = [(item["authorId"], item["body"], item["deleted"]) for item in found["items"]]
        self.assertEqual([(ann.id, "", True), (ann.id, "", True), (bob.id, "Thanks", False)], shown)
        self.assertEqual(1, (await self.detail(castle, bob))["commentCount"])
        await self.get(reply, expect=200)

    async def test_content(self):
        """Content is deleted: nobody but admins sees it, with the author's stand-in."""
        ann, bob, admin = await self.user(), await self.user(), await self.admin()
        castle = await self.content(ann)
        await self.left(ann)
        self.problem(await self.get(castle.path, by=bob), 404, "content_not_found")
        found = await self.detail(castle, admin)
        self.assertEqual("deleted", found["status"])
        self.assertEqual(f"deleted-{ann.id[:8]}", found["authorUsername"])
        self.problem(await self.post(f"{castle.path}/restore", by=admin), 403, "forbidden")

    async def test_texts(self):
        """Content and its revisions lose their texts, also if it was withdrawn before, and the
        search finds it by none of them."""
        ann, admin = await self.user(), await self.admin()
        unlike = word()
        castle = await self.content(ann, name=unlike)
        gone = await self.content(ann, name=unlike)
        await self.delete(gone.path, by=ann, expect=204)
        await self.left(ann)
        for content in (castle, gone):
            found = await self.detail(content, admin)
            texts = ("name", "description", "thumbnailUri", "screenshotUris", "tags")
            self.assertEqual(["", "", "", [""], []], [found[text] for text in texts])
            found = await self.get(f"{content.path}/revisions", by=admin, expect=200)
            (only,) = found.json()
            self.assertEqual(("", ""), (only["version"], only["description"]))
        for query, ids in (
            ({"q": unlike}, []),
            ({"ids": f"{castle.id},{gone.id}"}, [castle.id, gone.id]),
        ):
            found = await self.get("content", query={**query, "status": "all"}, by=admin)
            self.assertEqual(ids, [item["id"] for item in found.json()])

    async def test_admins_go_on(self):
        """What admins do to such content works as before."""
        ann, admin = await self.user(), await self.admin()
        castle = await self.content(ann)
        await self.left(ann)
        await self.moderate(castle, "suspended")
        await self.moderate(castle, "active")
        await self.comment(castle, admin)
        self.assertEqual("deleted", (await self.detail(castle, admin))["status"])

    async def test_votes(self):
        """Votes on others' content go."""
        ann, bob = await self.user(), await self.user()
        castle = await self.content(bob)
        await self.rate(ann, castle, "1")
        await self.rate(bob, castle, "0")
        await self.left(ann)
        found = await self.detail(castle, bob)
        self.assertEqual((0, 1), (found["votes"]["up"], found["votes"]["down"]))

    async def test_votes_on_content(self):
        """Votes on the user's content go too."""
        ann, bob, admin = await self.user(), await self.user(), await self.admin()
        castle = await self.content(ann)
        await self.rate(bob, castle, "1")
        await self.left(ann)
        found = await self.detail(castle, admin)
        self.assertEqual((0, 0), (found["votes"]["up"], found["votes"]["down"]))

    async def test_people(self):
        """Friends, requests, follows of both directions and conversations go on both sides."""
        ann, bob, eve = await self.user(), await self.user(), await self.user()
        await self.befriend(ann, bob)
        await self.put(f"user/{ann.id}/friend/{eve.id}", by=ann, expect=204)
        for one, other in ((ann, bob), (bob, ann)):
            await self.put(f"user/{one.id}/following/{other.id}", by=one, expect=204)
            path = f"user/{one.id}/friend/{other.id}/messages"
            await self.post(path, {"text": "hello"}, by=one, expect=201)
        await self.left(ann)
        for path in ("friends", "followers", "following", "messages"):
            found = await self.get(f"user/{bob.id}/{path}", by=bob, expect=200)
            self.assertEqual([], found.json(), path)
        found = await self.get(f"user/{eve.id}/friend-requests", by=eve, expect=200)
        self.assertEqual([], found.json())

    async def test_told(self):
        """What others were told stays."""
        ann, bob = await self.user(), await self.user()
        await self.befriend(ann, bob)
        before = await self.notifications(bob)
        self.assertIn(ann.id, str(before))
        await self.left(ann)
        self.assertEqual(before, await self.notifications(bob))

    async def test_dependents(self):
        """Authors whose content depends on it hear that it is deleted; their content stays."""
        ann, bob = await self.user(), await self.user()
        base = await self.content(ann)
        built = await self.content(bob, using=[reference(base.sent["entity"])])
        await self.left(ann)
        told = await self.until_told(bob)
        self.assertEqual((base.id, "deleted", built.id), told)
        self.assertEqual("active", (await self.detail(built, bob))["status"])

    async def until_told(self, user: User) -> tuple[str, str, str]:
        """The user's DependencyStatus, once it has come."""
        socket = await self.socket(user, resume=0)
        while True:
            message = await socket.next()
            told = message.get("notification", message)
            if told.get("kind") == "DependencyStatus":
                return told["dependency"], told["status"], told["content"]


class ExportTests(LeavingCase):
    """GET /user/{user}/export."""

    async def export(self, user: User) -> dict[str, Any]:
        """All that the service holds of a user."""
        response = await self.get(f"user/{user.id}/export", by=user, expect=200)
        return dict(response.json())

    async def test_account(self):
        """Extensions §8: one JSON object, to be saved as a file; without any password."""
        ann = await self.user()
        response = await self.get(f"user/{ann.id}/export", by=ann, expect=200)
        self.assertEqual(
            f'attachment; filename="{ann.username}.json"', response.header("Content-Disposition")
        )
        found = response.json()
        self.assertEqual(1, found["schema"])
        account = found["account"]
        self.assertEqual(
            (ann.id, ann.username, ann.email),
            (account["id"], account["username"], account["email"]),
        )
        self.assertNotIn(b"argon2", response.body)
        self.assertEqual(1, len(found["sessions"]))

    async def test_things(self):
        """It has what the user has made, and what others have sent to the user."""
        ann, bob = await self.user(), await self.user()
        await self.befriend(ann, bob)
        castle, other = await self.content(ann), await self.content(bob)
        comment = await self.comment(other, ann, "Well made")
        await self.rate(ann, other, "1")
        for one, to, text in ((ann, bob, "hello"), (bob, ann, "hello to you")):
            path = f"user/{one.id}/friend/{to.id}/messages"
            await self.post(path, {"text": text}, by=one, expect=201)
        await self.put(f"user/{ann.id}/progress/level", {"value": {"at": 3}}, by=ann, expect=204)
        found = await self.export(ann)
        self.assertEqual([castle.id], [one["id"] for one in found["content"]])
        self.assertEqual(
            [(castle.id, castle.sent["revisionId"])],
            [(one["content"], one["id"]) for one in found["revisions"]],
        )
        self.assertEqual(
            [(int(comment.rpartition("/")[2]), "Well made")],
            [(one["id"], one["body"]) for one in found["comments"]],
        )
        self.assertEqual([(other.id, "1")], [(r["content"], r["value"]) for r in found["ratings"]])
        self.assertEqual(
            [(bob.id, ann.id, "hello"), (bob.id, bob.id, "hello to you")],
            [(one["other"], one["sender"], one["text"]) for one in found["messages"]],
        )
        self.assertEqual(
            [("level", {"at": 3})], [(one["key"], one["value"]) for one in found["progress"]]
        )
        kinds = [one["kind"] for one in found["notifications"]]
        self.assertEqual(["FriendConfirm", "FriendMessage"], kinds)
        self.assertEqual([bob.username], [one["username"] for one in found["friends"]])

    async def test_not_of_others(self):
        """It does not say who has reported the user, or blocks them."""
        ann, bob = await self.user(), await self.user()
        await self.put(f"user/{bob.id}/blocked/{ann.id}", by=bob, expect=204)
        await self.post(f"user/{ann.id}/report", {"reason": "spam"}, by=bob, expect=204)
        response = await self.get(f"user/{ann.id}/export", by=ann, expect=200)
        self.assertNotIn(bob.id.encode(), response.body)

    async def test_long(self):
        """Long lists come whole, in their order."""
        ann = await self.user()
        for n in range(230):
            path = f"user/{ann.id}/progress/{n:04}"
            await self.put(path, {"value": {"n": n}}, by=ann, expect=204)
        found = await self.export(ann)
        self.assertEqual(list(range(230)), [one["value"]["n"] for one in found["progress"]])
