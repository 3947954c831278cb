"""Friends, requests for friendship, and blocks (extensions §4)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.base import Part
from contentsvc.wire.social import BlockedUser, Friend, PendingRequest, RequestsQuery


class Friends:
    """Friends and blocks."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def add(self, other: str) -> None:
        """Ask a user for friendship, or say yes to their request."""
        await self._calls.send("PUT", self._friend(other))

    async def remove(self, other: str) -> None:
        """End a friendship, take a request back, or turn the other's down."""
        await self._calls.send("DELETE", self._friend(other))

    async def list(self, query: Part | None = None) -> Page[Friend]:
        """List the user's friends, newest first."""
        return await self._calls.page(f"{self._path}/friends", Friend, query)

    async def list_requests(self, query: RequestsQuery | None = None) -> Page[PendingRequest]:
        """List the requests for friendship that have no answer, newest first."""
        return await self._calls.page(f"{self._path}/friend-requests", PendingRequest, query)

    async def block(self, other: str) -> None:
        """Block a user."""
        await self._calls.send("PUT", self._block(other))

    async def unblock(self, other: str) -> None:
        """Take back a block."""
        await self._calls.send("DELETE", self._block(other))

    async def list_blocked(self, query: Part | None = None) -> Page[BlockedUser]:
        """List the users whom the user blocks, newest first."""
        return await self._calls.page(f"{self._path}/blocked", BlockedUser, query)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}"

    def _friend(self, other: str) -> str:
        return f"{self._path}/friend/{quoted(other)}"

    def _block(self, other: str) -> str:
        return f"{self._path}/blocked/{quoted(other)}"
