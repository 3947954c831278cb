"""Comments (spec §4.4)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.comments import (
    Comment,
    CommentCreate,
    CommentPage,
    CommentQuery,
    CommentUpdate,
)


class Comments:
    """The comments of a content."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def page(self, content: str, query: CommentQuery | None = None) -> CommentPage:
        """A page of them, oldest first (spec §4.4)."""
        return await self._calls.get(_path(content), CommentPage, query)

    async def create(self, content: str, body: CommentCreate) -> int:
        """Comment on a content; the new comment's id. Never sent again by itself: each would be
        another comment."""
        return int(await self._calls.create(_path(content), body))

    async def get(self, content: str, comment: int) -> Comment:
        """One comment."""
        return await self._calls.get(_path(content, comment), Comment)

    async def update(self, content: str, comment: int, body: CommentUpdate) -> None:
        """Change the text of one's comment."""
        await self._calls.send("PATCH", _path(content, comment), body)

    async def delete(self, content: str, comment: int) -> None:
        """Delete a comment."""
        await self._calls.send("DELETE", _path(content, comment))


def _path(content: str, comment: int | None = None) -> str:
    path = f"/content/{quoted(content)}/comments"
    return path if comment is None else f"{path}/{quoted(comment)}"
