"""Collections of content (library §3)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page, Seen
from contentsvc.wire.base import SortedPart
from contentsvc.wire.collections import (
    Collection,
    CollectionBody,
    CollectionsQuery,
    FavouritesBody,
    ItemBody,
)
from contentsvc.wire.content import ContentInfo


class Collections:
    """The user's collections, and those of others. The id of the favourites is the user's."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def put(
        self, collection: str, body: CollectionBody | FavouritesBody, *, seen: Seen | None = None
    ) -> None:
        """Make a collection, with an id of your own, or change it. Of the favourites a request can
        change only whether everybody sees them."""
        await self._calls.send("PUT", self._path(collection), body, seen=seen)

    async def delete(self, collection: str, user: str | None = None) -> None:
        """Delete a collection: the user's, or as a moderator that of another `user`."""
        await self._calls.send("DELETE", self._path(collection, user))

    async def list(
        self, user: str | None = None, query: CollectionsQuery | None = None
    ) -> Page[Collection]:
        """List the user's collections, or those of another `user` that are public."""
        path = f"/user/{quoted(user or self._calls.user)}/collections"
        return await self._calls.page(path, Collection, query)

    async def get(self, collection: str, *, seen: Seen | None = None) -> Collection:
        """Get a collection."""
        return await self._calls.get(f"/collections/{quoted(collection)}", Collection, seen=seen)

    async def list_items(
        self, collection: str, query: SortedPart | None = None
    ) -> Page[ContentInfo]:
        """List the content of a collection, in its order."""
        path = f"/collections/{quoted(collection)}/items"
        return await self._calls.page(path, ContentInfo, query)

    async def put_item(self, collection: str, content: str, body: ItemBody | None = None) -> None:
        """Add content to a collection, or move it."""
        await self._calls.send("PUT", self._item(collection, content), body or ItemBody())

    async def delete_item(self, collection: str, content: str) -> None:
        """Take content out of a collection."""
        await self._calls.send("DELETE", self._item(collection, content))

    def _path(self, collection: str, user: str | None = None) -> str:
        return f"/user/{quoted(user or self._calls.user)}/collections/{quoted(collection)}"

    def _item(self, collection: str, content: str) -> str:
        return f"{self._path(collection)}/items/{quoted(content)}"
