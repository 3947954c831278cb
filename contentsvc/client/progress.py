"""Progress data (progress#progress)."""

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
    """Data that a game stores for the user, under keys that the game chooses (progress#keys). A
    service account names the `user` (studio#service-accounts)."""

    async def list(
        self, query: ProgressQuery | None = None, user: str | None = None
    ) -> list[ProgressData]:
        """List the user's data: all of it, the keys with the query's `prefix`, or its one `key`
        (progress#list)."""
        return await self._calls.get(self._path(user), list[ProgressData], query)

    async def get(
        self, key: str, user: str | None = None, *, seen: Seen | None = None
    ) -> ProgressData:
        """Get the data at one key. Raises ValueError if a segment of the key is `..`: use `list`
        with this key."""
        return await self._calls.get(f"{self._path(user)}/{quoted(key)}", ProgressData, seen=seen)

    async def put(
        self, key: str, body: ProgressBody, user: str | None = None, *, seen: Seen | None = None
    ) -> None:
        """Store an object at a key (progress#versions). Raises ProgressConflict if the key has
        another version than `body` names. A body with a version and without a write_id gets one, so
        that a repeat after a lost answer is no conflict with itself."""
        await self._calls.send(
            "PUT", f"{self._path(user)}/{quoted(key)}", _known_again(body), seen=seen
        )

    async def put_by_key(
        self, key: str, body: ProgressBody, user: str | None = None, *, seen: Seen | None = None
    ) -> None:
        """Do the same as `put`, with the key in the query. Use it for keys with slashes, if a proxy
        does not pass slashes on in a path."""
        query = ProgressKey(key=key)
        await self._calls.send("PUT", self._path(user), _known_again(body), query=query, seen=seen)

    async def delete(
        self, key: str, query: ProgressDelete | None = None, user: str | None = None
    ) -> None:
        """Delete a key. Raises ProgressConflict if the key has another version than the query
        names."""
        await self._calls.send("DELETE", f"{self._path(user)}/{quoted(key)}", query=query)

    async def delete_by_key(self, query: ProgressKeyDelete, user: str | None = None) -> None:
        """Do the same as `delete`, with the key in the query."""
        await self._calls.send("DELETE", self._path(user), query=query)

    def _path(self, user: str | None) -> str:
        return f"/user/{quoted(user or self._calls.user)}/progress"


def _known_again(body: ProgressBody) -> ProgressBody:
    """This body with a write_id, by which the service knows a repeat."""
    if body.version is None or body.write_id is not None:
        return body
    return structs.replace(body, write_id=str(uuid4()))
