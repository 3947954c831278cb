"""What the operator says of the law, and the terms: notices#legal, notices#terms."""

from __future__ import annotations

from pathlib import Path

from contentsvc.app.families import OPERATIONS
from tests.spec.client import Response
from tests.spec.data import Content, User, guid, name
from tests.spec.harness import SpecCase
from tests.spec.shapes import LEGAL, USER
from tests.support import daemon
from tests.support.daemon import Daemon

TERMS = """
[contacts]
users = "support@studio.example"
[terms]
version = "2026-11"
url = "https://studio.example/terms"
"""
NEEDS = {
    *("putContent", "publishRevision", "setCurrentRevision", "restoreContent", "enterChallenge"),
    *("createComment", "updateComment", "sendMessage", "addFriend", "sendPartyInvite"),
    *("putRating", "reportContent", "reportComment", "reportUser", "reportCollection"),
    "announceFiles",
}
"""What players do not do before they have accepted the terms."""


class NoTermsTests(SpecCase):
    """A service without a file."""

    async def test_legal(self):
        """notices#legal: there are no contacts and no terms, and the form of the portal."""
        found = await self.read("legal", LEGAL)
        self.assertEqual(({}, None), (found["contacts"], found["terms"]))
        self.assertEqual(f"{self.url}/notice", found["notices"])

    async def test_accept(self):
        """notices#terms: no version can be accepted."""
        user = await self.user()
        body = {"version": "1"}
        refused = await self.put(f"user/{user.id}/terms", body, by=user)
        self.problem(refused, 422, "unknown_version")


def file(folder: str) -> str:
    """The path of a new file with these terms."""
    path = Path(folder).absolute() / "legal.toml"
    path.parent.mkdir()
    path.write_text(TERMS)
    return str(path)


class TermsCase(SpecCase):
    """A service whose players accept terms."""

    async def connect(self) -> None:
        self.own_daemon()
        options = "--legal", file(self.mktemp()), "--require-terms", "yes"
        self.use(await daemon.shared("terms", lambda: Daemon(*options, "--workers", "2")))

    async def accept(self, user: User, version: str = "2026-11") -> Response:
        """PUT terms."""
        return await self.put(f"user/{user.id}/terms", {"version": version}, by=user)

    async def record(self, user: User) -> dict:
        """The full record of a user."""
        return await self.read(f"user/{user.id}", USER, by=user)


class TermsTests(TermsCase):
    """Terms that are accepted, or not."""

    async def test_legal(self):
        """notices#legal: anybody reads contacts and terms."""
        found = await self.read("legal", LEGAL)
        self.assertEqual({"users": "support@studio.example"}, found["contacts"])
        terms = {"version": "2026-11", "url": "https://studio.example/terms"}
        self.assertEqual(terms, found["terms"])

    async def test_record(self):
        """notices#terms: the record and the export say what was accepted; again keeps the time."""
        user = await self.user()
        self.assertIsNone((await self.record(user))["terms"])
        for _ in range(2):
            self.assertEqual(204, (await self.accept(user)).status)
        terms = (await self.record(user))["terms"]
        self.assertEqual("2026-11", terms["version"])
        export = (await self.get(f"user/{user.id}/export", by=user, expect=200)).json()
        self.assertEqual(terms, export["account"]["terms"])

    async def test_version(self):
        """notices#terms: another version is unknown."""
        user = await self.user()
        self.problem(await self.accept(user, "2026-10"), 422, "unknown_version")
        self.assertIsNone((await self.record(user))["terms"])

    async def test_register(self):
        """notices#terms: who registers can accept them with it; an unknown version registers
        nobody."""
        chosen = name()
        body = {"username": chosen, "email": f"{chosen}@example.com", "password": guid()}
        refused = await self.post("user", {**body, "terms": "1"})
        self.problem(refused, 422, "unknown_version")
        await self.post("user", {**body, "terms": "2026-11"}, expect=201)
        user = await self.logged_in(chosen, body["email"], body["password"])
        self.assertEqual("2026-11", (await self.record(user))["terms"]["version"])
        made = await self.castle()
        self.assertEqual(201, (await self.comment_by(user, made)).status)

    async def castle(self) -> Content:
        """Some content, of somebody who has accepted them."""
        author = await self.user()
        await self.accept(author)
        return await self.content(author)

    async def comment_by(self, user: User, made: Content) -> Response:
        """POST a comment."""
        return await self.post(f"{made.path}/comments", {"body": "x"}, by=user)

    async def test_operations(self):
        """notices#terms: all that says so, and nothing else, waits for them."""
        found = {one.id for one in OPERATIONS if one.route.restricts is not None}
        self.assertEqual(NEEDS, found)

    async def test_refused(self):
        """notices#terms: without them a player does what others read of no more."""
        made, user, other = await self.castle(), await self.user(), await self.user()
        friend = f"user/{user.id}/friend/{other.id}"
        file = {"use": "entity", "sha256": "0" * 64, "size": 1}
        for answer in (
            await self.comment_by(user, made),
            await self.put(f"user/{user.id}/rating/{made.id}", {"value": "1"}, by=user),
            await self.post(f"{made.path}/report", {"reason": "spam"}, by=user),
            await self.put(friend, by=user),
            await self.post(f"{friend}/messages", {"text": "x"}, by=user),
            await self.post("uploads", {"files": [file]}, by=user),
            await self.put(f"content/{guid()}", made.sent | {"revisionId": guid()}, by=user),
        ):
            terms = self.problem(answer, 403, "terms_required")
            self.assertEqual("2026-11", terms["version"])
            self.assertEqual("https://studio.example/terms", terms["url"])

    async def test_before(self):
        """notices#terms: 400 and 404 come before, 403, 409 and 422 afterwards; deletions go on."""
        made, user = await self.castle(), await self.user()
        self.invalid(await self.post(f"{made.path}/comments", {"body": ""}, by=user), "/body")
        answer = await self.post(f"content/{guid()}/comments", {"body": "x"}, by=user)
        self.problem(answer, 404, "content_not_found")
        locked = {"locked": True}
        await self.put(f"{made.path}/comments-locked", locked, by=made.author, expect=204)
        self.problem(await self.comment_by(user, made), 403, "terms_required")
        await self.delete(f"user/{user.id}/rating/{made.id}", by=user, expect=204)
        await self.accept(user)
        self.problem(await self.comment_by(user, made), 403, "comments_locked")

    async def test_restricted(self):
        """notices#terms: what moderators have decided comes first."""
        made, user = await self.castle(), await self.user()
        ground = {"basis": "terms", "reference": "1", "explanation": "x"}
        body = {
            "id": guid(),
            "action": "restrict",
            "subject": {"kind": "user", "id": user.id},
            "ground": ground | {"source": "own", "automated": "no"},
            "what": ["comment"],
        }
        by = await self.admin()
        await self.post("moderation/decisions", body, by=by, expect=201)
        self.problem(await self.comment_by(user, made), 403, "account_restricted")
        path = f"moderation/decisions/{body['id']}/reversal"
        await self.post(path, {"reason": "x"}, by=by, expect=204)
        self.problem(await self.comment_by(user, made), 403, "terms_required")

    async def test_accepted(self):
        """notices#terms: who has accepted them does it at once, in every process."""
        made, user = await self.castle(), await self.user()
        self.problem(await self.comment_by(user, made), 403, "terms_required")
        await self.accept(user)
        for _ in range(8):
            self.assertEqual(201, (await self.comment_by(user, made)).status)

    async def test_staff(self):
        """notices#terms: who is no player needs none."""
        made = await self.castle()
        for role in ("curator", "moderator", "admin"):
            answer = await self.comment_by(await self.member(role), made)
            self.assertEqual(201, answer.status, role)

    async def test_others(self):
        """notices#terms: nobody accepts them for another."""
        user, other = await self.user(), await self.user()
        body = {"version": "2026-11"}
        refused = await self.put(f"user/{other.id}/terms", body, by=user)
        self.problem(refused, 403, "forbidden")
