"""The rewards of design challenges (extensions §2)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.base import Part
from contentsvc.wire.challenges import EarnedAchievement, EarnedEmblem


class Rewards:
    """The achievements and emblems that users have earned."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list_achievements(
        self, user: str, query: Part | None = None
    ) -> Page[EarnedAchievement]:
        """List a user's achievements, newest first."""
        path = f"/user/{quoted(user)}/achievements"
        return await self._calls.page(path, EarnedAchievement, query)

    async def list_emblems(self, user: str, query: Part | None = None) -> Page[EarnedEmblem]:
        """List the emblems that a user may wear, newest first."""
        return await self._calls.page(f"/user/{quoted(user)}/emblems", EarnedEmblem, query)

    async def revoke(self, user: str, challenge: str) -> None:
        """Take a user's rewards of a design challenge away, as an admin."""
        await self._calls.send("DELETE", f"/user/{quoted(user)}/rewards/{quoted(challenge)}")
