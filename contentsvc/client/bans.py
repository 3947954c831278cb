"""Bans: for admins."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.accounts import BanBody


class Bans:
    """Shutting accounts out."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def put(self, user: str, body: BanBody) -> None:
        """Shut an account out, and end its sessions."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/ban", body)

    async def lift(self, user: str) -> None:
        """Let the user log in again."""
        await self._calls.send("DELETE", f"/user/{quoted(user)}/ban")
