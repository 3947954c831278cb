"""Design challenges (spec §4.17)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.challenges import Challenge, ChallengeCreate


class Challenges:
    """Design challenges and their rewards."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def create(self, body: ChallengeCreate) -> str:
        """Make a design challenge, as an admin (spec §4.17). Returns its id."""
        return await self._calls.create("/design-challenges", body)

    async def all(self) -> list[Challenge]:
        """List all design challenges, by `ordinal`."""
        return await self._calls.get("/design-challenges", list[Challenge])

    async def get(self, challenge: str) -> Challenge:
        """Get one design challenge."""
        return await self._calls.get(f"/design-challenges/{quoted(challenge)}", Challenge)
