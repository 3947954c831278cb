"""Every operation, asked of who has left: accounts#deletion."""

from __future__ import annotations

import re
from typing import Any

from tests.spec.accounts.base import AccountsCase
from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.test_operations import listed

SELVES = {"SELF", "SELF|PROGRESS", "SELF|PLAYS"}
"""The rules of what no other user may do."""


class WalkTests(AccountsCase):
    """Every operation that there is."""

    body: dict[str, Any] = {
        "avatar": None,
        "emblem": None,
        "fullProfile": {},
        "publicProfile": {},
        "reason": "spam",
        "role": "player",
        "username": "somebody_else",
        "what": ["comments"],
        "party": guid(),
        "text": "x",
        "value": "1",
        "muted": [],
        "read": True,
        "upTo": 1,
        "current": "a password",
        "new": "another password",
        "password": "a password",
        "email": "somebody@example.com",
        "subject_token": "x",
        "subject_token_type": "x",
    }

    async def ask_for(self, method: str, path: str, by: User | None) -> Response:
        """One operation, with a body that suits all."""
        sent = {} if method in ("GET",) else {"body": self.body}
        query = "?upTo=1" if path.endswith("/notifications") and method == "DELETE" else ""
        return await self.request(method, path + query, by=by, **sent)

    async def test_nobody(self):
        """The id is 404 in every operation, as one that never was; where others may not ask at all,
        the answer is theirs."""
        gone, asker = await self.users(2)
        made = await self.content(asker)
        await self.leave(gone)
        admin = await self.admin()
        walked = 0
        for line, _ in listed():
            if "/user/{userId}" not in line.path:
                continue
            second = next((one for one in ("{otherId}", "{friendUserId}") if one in line.path), "")
            path = line.path.replace("{contentId}", made.id).replace("{key}", "a-key")
            for variable in ("{messageId}", "{notificationId}", "{sessionId}", "{identityId}"):
                path = path.replace(variable, guid())
            for variable in ("{challengeId}", "{collectionId}", "{decisionId}", "{id}"):
                path = path.replace(variable, guid())
            is_self = line.allow in SELVES
            seats = [("{userId}", asker if is_self else admin)]
            if second:
                path = path.replace("{userId}", asker.id)
                seats = [(second, asker)]
            for seat, by in seats:
                answers = [
                    await self.ask_for(line.method, path.replace(seat, id), by)
                    for id in (gone.id, guid())
                ]
                mine, unknown = [(one.status, one.json()["code"]) for one in answers]
                self.assertEqual(unknown, mine, f"{line.method} {path}")
                others_only = is_self and not second
                expected = (403, "forbidden") if others_only else (404, "user_not_found")
                self.assertEqual(expected, mine, f"{line.method} {path}")
                walked += 1
        self.assertGreater(walked, 50)

    async def test_own_token(self):
        """With their own token every operation is 401."""
        user, other = await self.users(2)
        made = await self.content(other)
        await self.leave(user)
        await self.is_over(user)
        for line, _ in listed():
            if not line.path.startswith("/api/v1/"):
                continue
            path = line.path.replace("{userId}", user.id).replace("{contentId}", made.id)
            for variable, value in (
                *((one, other.id) for one in ("{otherId}", "{friendUserId}")),
                *((one, "1") for one in ("{commentId}", "{key}")),
                ("{kind}", "user"),
                ("{sha256}", "0" * 64),
            ):
                path = path.replace(variable, value)
            path = re.sub(r"\{\w+\}", guid(), path)
            response = await self.ask_for(line.method, path, user)
            self.problem(response, 401, "invalid_token")

    async def test_bodies(self):
        """Where a body or a query names users, it is as unknown too."""
        gone, asker = await self.users(2)
        await self.leave(gone)
        for id in (gone.id, guid()):
            body = {"recipient": id, "text": "x"}
            response = await self.post("debug/notify", body, by=asker)
            self.problem(response, 404, "user_not_found")
        found = [await self.get(f"content?author={id}", by=asker) for id in (gone.id, guid())]
        self.assertEqual(*((one.status, one.body[:20]) for one in found))
