"""Who may: the operations of extensions §4, §5 and §7, each with everybody else."""

from typing import Any

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase

Operation = tuple[str, str, Any]
"""Method, path and body; `{user}` and `{other}` in a path stand for two users."""
MESSAGES = "user/{user}/friend/{other}/messages"
NOTIFICATIONS = "user/{user}/notifications"
SELF: list[Operation] = [
    ("PUT", "user/{user}/friend/{other}", None),
    ("DELETE", "user/{user}/friend/{other}", None),
    ("GET", "user/{user}/friends", None),
    ("GET", "user/{user}/friend-requests", None),
    ("POST", MESSAGES, {"text": "x"}),
    ("GET", MESSAGES, None),
    ("GET", f"{MESSAGES}/{guid()}", None),
    ("GET", "user/{user}/messages", None),
    ("PUT", "user/{user}/blocked/{other}", None),
    ("DELETE", "user/{user}/blocked/{other}", None),
    ("GET", "user/{user}/blocked", None),
    ("GET", "user/{user}/party-invites", None),
    ("GET", f"{NOTIFICATIONS}/state", None),
    ("DELETE", f"{NOTIFICATIONS}/{guid()}", None),
    ("DELETE", f"{NOTIFICATIONS}?upTo=1", None),
    ("GET", f"{NOTIFICATIONS}/settings", None),
    ("PUT", f"{NOTIFICATIONS}/settings", {"muted": []}),
]
ADMINS: list[Operation] = [
    ("GET", "moderation/reports", None),
    ("GET", "moderation/reports/user/{other}", None),
    ("PUT", "moderation/reports/user/{other}", {"outcome": "upheld", "upTo": guid()}),
    ("POST", "user/{other}/warning", {"reason": "x"}),
    ("GET", "user/{other}/ban", None),
    ("GET", "moderation/actions", None),
]


class PermissionTests(PlayersCase):
    """401, 403, and what comes first."""

    async def refused(
        self, operation: Operation, user: User, other: User, by: User | None, status: int
    ) -> None:
        """Assert that the operation is refused so, also with a body that is none."""
        method, path, body = operation
        at = path.format(user=user.id, other=other.id)
        code = "unauthorized" if status == 401 else "forbidden"
        for sent in [[]] if body is None else [[body], [7]]:
            self.problem(await self.request(method, at, *sent, by=by), status, code)

    async def test_without_token(self):
        """extensions §4, §5, §7: all of them need a token."""
        user, other = await self.users(2)
        reports: list[Operation] = [
            ("POST", f"content/{guid()}/report", {"reason": "spam"}),
            ("POST", f"content/{guid()}/comments/1/report", {"reason": "spam"}),
            ("POST", "user/{other}/report", {"reason": "spam"}),
        ]
        for operation in (*SELF, *ADMINS, *reports):
            await self.refused(operation, user, other, None, 401)

    async def test_self(self):
        """extensions §4 and §5: what is for self is not for the other, nor for admins; nor with a
        user who does not exist in the path."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        admin = await self.admin()
        for operation in SELF:
            for by in (other, admin):
                await self.refused(operation, user, other, by, 403)
            nobody = User(guid(), "", "", "", "", "")
            await self.refused(operation, nobody, other, by, 403)
        self.assertEqual([other.id], await self.friends(user))
        self.assertEqual([], await self.heard(user, other))

    async def test_admins(self):
        """extensions §7: what is for admins is for nobody else, not for the user concerned
        either."""
        user, other = await self.users(2)
        for operation in ADMINS:
            for by in (user, other):
                await self.refused(operation, user, other, by, 403)
        self.assertEqual([], await self.told(other))

    async def test_signed_in(self):
        """extensions §7: reports are for everybody who is signed in, admins too."""
        made = await self.content(await self.user())
        for by in (await self.user(), await self.admin()):
            await self.report(made.path, by)
            await self.report(f"user/{made.author.id}", by)
        self.assertEqual(2, len(await self.reports("content", made.id)))

    async def test_lists_say_nothing(self):
        """extensions §4: of a block the blocked one learns nothing from what they may read."""
        user, other = await self.users(2)
        await self.block(user, other)
        for path in ("blocked", "friends", "friend-requests", "messages", "party-invites"):
            got = await self.get(f"user/{other.id}/{path}", by=other, expect=200)
            self.assertEqual([], got.json(), path)
        self.assertEqual([], await self.heard(other, user))
