"""Design challenges, their entries and their rewards (challenges#definition,
challenges#design-challenges)."""

from contentsvc.client.calls import Family, Page, Seen, quoted
from contentsvc.wire.base import Part
from contentsvc.wire.challenges import (
    Challenge,
    ChallengeClose,
    ChallengeCreate,
    EarnedAchievement,
    EarnedEmblem,
    EntriesQuery,
)
from contentsvc.wire.content import ContentInfo


class Challenges(Family):
    """Design challenges and their rewards."""

    async def create(self, body: ChallengeCreate) -> str:
        """Make a design challenge, as an admin (challenges#definition). Returns its id."""
        return await self._calls.create("/design-challenges", body)

    async def list(self) -> list[Challenge]:
        """List all design challenges, by `ordinal`."""
        return await self._calls.get("/design-challenges", list[Challenge])

    async def get(self, challenge: str, *, seen: Seen | None = None) -> Challenge:
        """Get one design challenge."""
        return await self._calls.get(
            f"/design-challenges/{quoted(challenge)}", Challenge, seen=seen
        )

    async def replace(
        self, challenge: str, body: ChallengeCreate, *, seen: Seen | None = None
    ) -> None:
        """Replace the definition of a design challenge that is not closed, as an admin."""
        await self._calls.send("PUT", f"/design-challenges/{quoted(challenge)}", body, seen=seen)

    async def delete(self, challenge: str) -> None:
        """Delete a design challenge without entries, as an admin."""
        await self._calls.send("DELETE", f"/design-challenges/{quoted(challenge)}")

    async def close(self, challenge: str, body: ChallengeClose) -> None:
        """Close a design challenge with these winners, as an admin. Repeatable."""
        path = f"/design-challenges/{quoted(challenge)}/close"
        await self._calls.send("POST", path, body, operation="closeChallenge")


class Entries(Family):
    """The content that has entered a design challenge."""

    async def enter(self, challenge: str, content: str) -> None:
        """Enter a content of one's own."""
        await self._calls.send("PUT", _entry(challenge, content))

    async def leave(self, challenge: str, content: str) -> None:
        """Take a content out: one's own while the challenge is open; as an admin, until it is
        closed."""
        await self._calls.send("DELETE", _entry(challenge, content))

    async def list(self, challenge: str, query: EntriesQuery | None = None) -> Page[ContentInfo]:
        """List the entries, the last to enter first, or those with the best votes."""
        path = f"/design-challenges/{quoted(challenge)}/entries"
        return await self._calls.page(path, ContentInfo, query)


def _entry(challenge: str, content: str) -> str:
    return f"/design-challenges/{quoted(challenge)}/entries/{quoted(content)}"


class Rewards(Family):
    """The achievements and emblems that users have earned."""

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
