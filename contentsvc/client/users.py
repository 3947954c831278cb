"""Users (spec §4.5 to §4.8)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.users import FullUser, UserInfo, UserPage, UserSearch, UserUpdate


class Users:
    """What users say of themselves, and finding them."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def search(self, query: UserSearch) -> UserPage:
        """Find users by name (spec §4.5)."""
        return await self._calls.get("/user/search", UserPage, query)

    async def info(self, user: str) -> UserInfo:
        """What all may know of a user (spec §4.6)."""
        return await self._calls.get(f"/user/{quoted(user)}/info", UserInfo)

    async def full(self) -> FullUser:
        """One's own record (spec §4.7)."""
        return await self._calls.get(f"/user/{self._calls.user}", FullUser)

    async def update(self, body: UserUpdate, user: str | None = None) -> None:
        """Change one's avatar and profile, or as an admin another's (spec §4.8)."""
        await self._calls.send("PUT", f"/user/{quoted(user or self._calls.user)}", body)
