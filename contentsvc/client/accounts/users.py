"""Users (spec §4.5 to §4.8)."""

from collections.abc import Iterable
from typing import Any

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Seen
from contentsvc.wire.accounts import (
    FullUser,
    UserIds,
    UserInfo,
    UserMe,
    UsernameChange,
    UserPage,
    UserSearch,
    UserUpdate,
)
from contentsvc.wire.services import ServiceMe

_ME: Any = UserMe | ServiceMe


class Users:
    """Users and their profiles."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def search(self, query: UserSearch) -> UserPage:
        """Find users by name (spec §4.5)."""
        return await self._calls.get("/user/search", UserPage, query)

    async def list(self, ids: Iterable[str]) -> list[UserInfo]:
        """Get the public infos of 1 to 100 users, in this order, without those that do not
        exist."""
        return await self._calls.get("/user", list[UserInfo], UserIds(ids=",".join(ids)))

    async def get_info(self, user: str) -> UserInfo:
        """Get a user's public info (spec §4.6)."""
        return await self._calls.get(f"/user/{quoted(user)}/info", UserInfo)

    async def get(self, *, seen: Seen | None = None) -> FullUser:
        """Get the user's own complete record (spec §4.7)."""
        return await self._calls.get(f"/user/{self._calls.user}", FullUser, seen=seen)

    async def get_me(self) -> UserMe | ServiceMe:
        """Get who is signed in, a user or a service account, and what they may do."""
        found: UserMe | ServiceMe = await self._calls.get("/me", _ME)
        return found

    async def update(
        self, body: UserUpdate, user: str | None = None, *, seen: Seen | None = None
    ) -> None:
        """Change a user's avatar, emblem and profile (spec §4.8). Admins may change any user's."""
        await self._calls.send("PUT", f"/user/{quoted(user or self._calls.user)}", body, seen=seen)

    async def set_username(self, username: str, user: str | None = None) -> None:
        """Change a user's name. Moderators may change that of a player."""
        path = f"/user/{quoted(user or self._calls.user)}/username"
        await self._calls.send("PUT", path, UsernameChange(username=username))
