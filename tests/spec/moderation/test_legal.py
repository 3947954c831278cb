"""What the operator says of the law, and the terms: notices#legal, notices#terms."""

from __future__ import annotations

from pathlib import Path

from tests.spec.client import Response
from tests.spec.data import User, guid, name
from tests.spec.matrix.operations import OAUTH, OPERATIONS
from tests.spec.matrix.test_guests import WordsCase
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


class NoTermsTests(WordsCase):
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


class TermsCase(WordsCase):
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
        self.problem(await self.attempt("createComment", user), 400, "malformed_json")

    async def test_needs(self):
        """notices#terms: without them a player does what others read of no more, before the body is
        judged; all else goes on."""
        user, found = await self.user(), set()
        for operation in OPERATIONS:
            if operation.id in OAUTH or operation.id in {"deleteUser", "endOtherSessions"}:
                continue
            response = await self.attempt(operation.id, user)
            if response.status == 403 and response.json()["code"] == "terms_required":
                found.add(operation.id)
                terms = self.problem(response, 403)
                self.assertEqual("2026-11", terms["version"])
                self.assertEqual("https://studio.example/terms", terms["url"])
        self.assertEqual(NEEDS, found)

    async def test_accepted(self):
        """notices#terms: who has accepted them does it at once, in every process."""
        user = await self.user()
        self.problem(await self.attempt("createComment", user), 403, "terms_required")
        await self.accept(user)
        for _ in range(8):
            self.problem(await self.attempt("createComment", user), 400, "malformed_json")

    async def test_staff(self):
        """notices#terms: who is no player needs none."""
        for role in ("curator", "moderator", "admin"):
            user = await self.member(role)
            self.problem(await self.attempt("createComment", user), 400, "malformed_json")

    async def test_others(self):
        """notices#terms: nobody accepts them for another."""
        user, other = await self.user(), await self.user()
        body = {"version": "2026-11"}
        refused = await self.put(f"user/{other.id}/terms", body, by=user)
        self.problem(refused, 403, "forbidden")
