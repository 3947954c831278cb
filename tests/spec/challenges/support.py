"""Challenges that are lived through: made, entered, closed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from tests.spec.challenges.test_challenges import challenge
from tests.spec.client import Response
from tests.spec.data import Content, User
from tests.spec.notifications.support import TellingCase, bare
from tests.spec.shapes import CHALLENGE, CONTENT_INFO

HOUR = 3_600


def hence(seconds: int) -> int:
    """The Unix time so far from now."""
    return int(time.time()) + seconds


@dataclass(frozen=True)
class Challenge:
    """A design challenge, and the body that made it."""

    id: str
    sent: dict[str, Any]

    @property
    def path(self) -> str:
        """Its path below the API's prefix."""
        return f"design-challenges/{self.id}"

    def entry(self, content: Content) -> str:
        """The path of an entry."""
        return f"{self.path}/entries/{content.id}"


class ChallengeCase(TellingCase):
    """Making, entering and closing challenges."""

    async def challenge(self, **changes: Any) -> Challenge:
        """A new challenge, open without end or as `changes` say."""
        sent = challenge(**changes)
        by = await self.admin()
        response = await self.post("design-challenges", sent, by=by, expect=201)
        location = response.header("Location") or self.fail("no Location")
        return Challenge(location.rpartition("/")[2], sent)

    async def redefine(self, of: Challenge, expect: int = 204, **changes: Any) -> Response:
        """PUT the definition with these changes."""
        by = await self.admin()
        return await self.put(of.path, of.sent | changes, by=by, expect=expect)

    async def end(self, of: Challenge) -> None:
        """Move `closes` into the past."""
        await self.redefine(of, closes=hence(-60))

    async def shown(self, of: Challenge) -> dict[str, Any]:
        """What anybody reads of the challenge."""
        return dict(await self.read(of.path, CHALLENGE))

    async def enter(self, of: Challenge, *entries: Content) -> None:
        """Let the authors enter these, one after another."""
        for content in entries:
            await self.put(of.entry(content), by=content.author, expect=204)

    async def entry(self, of: Challenge, by: User | None = None) -> Content:
        """New content of a new user, or `by` one, entered."""
        made = await self.content(by or await self.user(), **bare())
        await self.enter(of, made)
        return made

    async def entries(self, of: Challenge, **query: str) -> list[str]:
        """The ids of the entries that anybody sees."""
        found = await self.read(f"{of.path}/entries", [CONTENT_INFO], query=query)
        return [item["id"] for item in found]

    async def closing(self, of: Challenge, *winners: Content) -> Response:
        """The response to POST close."""
        body = {"winners": [winner.id for winner in winners]}
        return await self.post(f"{of.path}/close", body, by=await self.admin())

    async def close(self, of: Challenge, *winners: Content) -> None:
        """Close it with these winners."""
        response = await self.closing(of, *winners)
        self.assertEqual(204, response.status, repr(response))
