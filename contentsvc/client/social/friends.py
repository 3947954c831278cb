"""Friends, requests for friendship, and blocks (social#friends)."""

from collections.abc import Container
from typing import Final

from contentsvc.client.calls import Family, Page, quoted
from contentsvc.wire.base import Part
from contentsvc.wire.social import BlockedUser, Friend, PendingRequest, RequestsQuery

_BY: Final = ("author_id", "sender", "author", "owner", "user")
_PART: Final = 200


def is_blocked(blocked: Container[str], thing: object) -> bool:
    """Whether `thing`, an answer of the service, was made by a blocked user, or is the record of
    one (social#blocks). `blocked` has the ids of the blocked users. `thing` may be a content, a
    comment, a collection, a message, an invite, a notification or a user. Hide such a thing until
    the player wants to see it."""
    given = (getattr(thing, name, None) for name in _BY)
    by = next((one for one in given if one is not None), None)
    if by is None and hasattr(thing, "content"):
        by = getattr(thing.content, "author_id", None)
    if by is None and hasattr(thing, "username"):
        by = thing
    return getattr(by, "id", by) in blocked


class Friends(Family):
    """Friends and blocks."""

    async def add(self, other: str) -> None:
        """Ask a user for friendship, or accept that user's request. Raises ApiError (`blocked`)."""
        await self._calls.send("PUT", self._friend(other))

    async def remove(self, other: str) -> None:
        """End a friendship, take back the user's own request, or refuse the other user's."""
        await self._calls.send("DELETE", self._friend(other))

    async def list(self, query: Part | None = None) -> Page[Friend]:
        """List the user's friends, newest first."""
        return await self._calls.page(f"{self._path}/friends", Friend, query)

    async def list_requests(self, query: RequestsQuery | None = None) -> Page[PendingRequest]:
        """List the requests for friendship that are not answered, newest first."""
        return await self._calls.page(f"{self._path}/friend-requests", PendingRequest, query)

    async def block(self, other: str) -> None:
        """Block a user, which ends friendship, requests and following between the two
        (social#blocks)."""
        await self._calls.send("PUT", self._block(other))

    async def unblock(self, other: str) -> None:
        """Take back a block. This does not restore the friendship."""
        await self._calls.send("DELETE", self._block(other))

    async def list_blocked(self, query: Part | None = None) -> Page[BlockedUser]:
        """List the users whom the user blocks, newest first."""
        return await self._calls.page(f"{self._path}/blocked", BlockedUser, query)

    async def blocked(self) -> set[str]:
        """Get the ids of all users whom the user blocks, for `is_blocked`."""
        ids: set[str] = set()
        query = Part(limit=_PART)
        while True:
            page = await self.list_blocked(query)
            ids.update(one.user.id for one in page.items)
            if page.after is None:
                return ids
            query = Part(limit=_PART, after=page.after)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}"

    def _friend(self, other: str) -> str:
        return f"{self._path}/friend/{quoted(other)}"

    def _block(self, other: str) -> str:
        return f"{self._path}/blocked/{quoted(other)}"
