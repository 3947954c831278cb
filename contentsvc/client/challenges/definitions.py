"""Design challenges (spec §4.17, extensions §2)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Seen
from contentsvc.wire.challenges import Challenge, ChallengeClose, ChallengeCreate


class Challenges:
    """Design challenges and their rewards."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def create(self, body: ChallengeCreate) -> str:
        """Make a design challenge, as an admin (spec §4.17). Returns its id."""
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
