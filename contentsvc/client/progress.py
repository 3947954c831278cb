"""Progress data (progress#list)."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Family, Seen, quoted
from contentsvc.wire.progress import (
    ProgressBody,
    ProgressData,
    ProgressDelete,
    ProgressKey,
    ProgressKeyDelete,
    ProgressQuery,
)


class Progress(Family):
    """Data that a game keeps for the user, under keys that the game chooses. A service account says
    for which `user` (studio#service-accounts)."""

    async def list(
        self, query: ProgressQuery | None = None, user: str | None = None
    ) -> list[ProgressData]:
        """List the user's data (progress#list): all, or the keys with the query's prefix, or its
        key."""
        return await self._calls.get(self._path(user), list[ProgressData], query)

    async def get(
        self, key: str, user: str | None = None, *, seen: Seen | None = None
    ) -> ProgressData:
        """Get the data at one key. Raises ValueError if a segment of the key is `..`: `list` finds
        such a one."""
        return await self._calls.get(f"{self._path(user)}/{quoted(key)}", ProgressData, seen=seen)

    async def put(
        self, key: str, body: ProgressBody, user: str | None = None, *, seen: Seen | None = None
    ) -> None:
        """Keep an object at a key. Raises ProgressConflict if the key no longer has the body's
        version. A body with a version and without a write_id gets one, so that a repeat after a
        lost answer is no conflict with itself."""
        await self._calls.send(
            "PUT", f"{self._path(user)}/{quoted(key)}", _known_again(body), seen=seen
        )

    async def put_by_key(
        self, key: str, body: ProgressBody, user: str | None = None, *, seen: Seen | None = None
    ) -> None:
        """The same with the key in the query: for a key with slashes, behind a proxy that does not
        let them through in a path."""
        query = ProgressKey(key=key)
        await self._calls.send("PUT", self._path(user), _known_again(body), query=query, seen=seen)

    async def delete(
        self, key: str, query: ProgressDelete | None = None, user: str | None = None
    ) -> None:
        """Forget a key. Raises ProgressConflict if it has another version than the query's."""
        await self._calls.send("DELETE", f"{self._path(user)}/{quoted(key)}", query=query)

    async def delete_by_key(self, query: ProgressKeyDelete, user: str | None = None) -> None:
        """The same with the key in the query."""
        await self._calls.send("DELETE", self._path(user), query=query)

    def _path(self, user: str | None) -> str:
        return f"/user/{quoted(user or self._calls.user)}/progress"


def _known_again(body: ProgressBody) -> ProgressBody:
    """This body, by which the service knows its repeat."""
    if body.version is None or body.write_id is not None:
        return body
    return structs.replace(body, write_id=str(uuid4()))
