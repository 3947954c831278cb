"""Bans: for moderators."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Seen
from contentsvc.wire.accounts import Ban, BanBody


class Bans:
    """Bans of users."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def get(self, user: str, *, seen: Seen | None = None) -> Ban:
        """Get the ban of a user. The code is `ban_not_found` if there is none."""
        return await self._calls.get(f"/user/{quoted(user)}/ban", Ban, seen=seen)

    async def ban(self, user: str, body: BanBody, *, seen: Seen | None = None) -> None:
        """Ban a user, and end the user's sessions. Raises ApiError (`protected_user`)."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/ban", body, seen=seen)

    async def unban(self, user: str) -> None:
        """Lift a ban."""
        await self._calls.send("DELETE", f"/user/{quoted(user)}/ban")
