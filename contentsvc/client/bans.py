"""Bans: for admins."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.accounts import BanBody


class Bans:
    """Bans of users."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def put(self, user: str, body: BanBody) -> None:
        """Ban a user, and end the user's sessions."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/ban", body)

    async def lift(self, user: str) -> None:
        """Lift a ban."""
        await self._calls.send("DELETE", f"/user/{quoted(user)}/ban")
