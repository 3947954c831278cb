"""Design challenges, their entries and their rewards (challenges#design-challenges)."""

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
    """Design challenges."""

    async def create(self, body: ChallengeCreate) -> str:
        """Make a design challenge, as an admin (challenges#definition). Returns its id."""
        return await self._calls.create("/design-challenges", body)

    async def list(self) -> list[Challenge]:
        """List all design challenges, by `ordinal`."""
        return await self._calls.get("/design-challenges", list[Challenge])

    async def get(self, challenge: str, *, seen: Seen | None = None) -> Challenge:
        """Get one design challenge (challenges#reading)."""
        return await self._calls.get(
            f"/design-challenges/{quoted(challenge)}", Challenge, seen=seen
        )

    async def replace(
        self, challenge: str, body: ChallengeCreate, *, seen: Seen | None = None
    ) -> None:
        """Replace the definition of a design challenge, as an admin (challenges#changing). Raises
        ApiError (`challenge_closed`)."""
        await self._calls.send("PUT", f"/design-challenges/{quoted(challenge)}", body, seen=seen)

    async def delete(self, challenge: str) -> None:
        """Delete a design challenge without entries, as an admin."""
        await self._calls.send("DELETE", f"/design-challenges/{quoted(challenge)}")

    async def close(self, challenge: str, body: ChallengeClose) -> None:
        """Close a design challenge, as an admin, with the winners in `body` (challenges#closing).
        Repeatable."""
        path = f"/design-challenges/{quoted(challenge)}/close"
        await self._calls.send("POST", path, body, operation="closeChallenge")


class Entries(Family):
    """The entries of a design challenge: content that takes part (challenges#entries)."""

    async def enter(self, challenge: str, content: str) -> None:
        """Enter content of the user's own. Raises ApiError (`challenge_not_open`,
        `type_not_allowed`, `content_not_active`, `not_public`)."""
        await self._calls.send("PUT", _entry(challenge, content))

    async def leave(self, challenge: str, content: str) -> None:
        """Take content out of a challenge. Authors may while it is open, admins until it is closed.
        Raises ApiError (`challenge_not_open`, `challenge_closed`)."""
        await self._calls.send("DELETE", _entry(challenge, content))

    async def list(self, challenge: str, query: EntriesQuery | None = None) -> Page[ContentInfo]:
        """List the entries: those that entered last come first, or those with the best votes."""
        path = f"/design-challenges/{quoted(challenge)}/entries"
        return await self._calls.page(path, ContentInfo, query)


def _entry(challenge: str, content: str) -> str:
    return f"/design-challenges/{quoted(challenge)}/entries/{quoted(content)}"


class Rewards(Family):
    """The achievements and emblems that users have earned (challenges#rewards)."""

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
        """Take back a user's rewards of a design challenge, as an admin."""
        await self._calls.send("DELETE", f"/user/{quoted(user)}/rewards/{quoted(challenge)}")
