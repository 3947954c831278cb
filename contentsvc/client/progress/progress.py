"""Progress data (spec §4.12)."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.progress import ProgressBody, ProgressData, ProgressDelete, ProgressQuery


class Progress:
    """Data that a game keeps for the user, under keys that the game chooses. A service account says
    for which `user` (studio §2)."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(
        self, query: ProgressQuery | None = None, user: str | None = None
    ) -> list[ProgressData]:
        """List the user's data (spec §4.12): all, or the keys with the query's prefix."""
        return await self._calls.get(self._path(user), list[ProgressData], query)

    async def get(self, key: str, user: str | None = None) -> ProgressData:
        """Get the data at one key."""
        return await self._calls.get(f"{self._path(user)}/{quoted(key)}", ProgressData)

    async def put(self, key: str, body: ProgressBody, user: str | None = None) -> None:
        """Keep an object at a key. Raises ProgressConflict if the key no longer has the body's
        version. A body with a version and without a write_id gets one, so that a repeat after a
        lost answer is no conflict with itself."""
        if body.version is not None and body.write_id is None:
            body = structs.replace(body, write_id=str(uuid4()))
        await self._calls.send("PUT", f"{self._path(user)}/{quoted(key)}", body)

    async def delete(
        self, key: str, query: ProgressDelete | None = None, user: str | None = None
    ) -> None:
        """Forget a key. Raises ProgressConflict if it has another version than the query's."""
        await self._calls.send("DELETE", f"{self._path(user)}/{quoted(key)}", query=query)

    def _path(self, user: str | None) -> str:
        return f"/user/{quoted(user or self._calls.user)}/progress"
