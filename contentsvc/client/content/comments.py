"""Comments (spec §4.4)."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Seen
from contentsvc.wire.content import (
    Comment,
    CommentCreate,
    CommentPage,
    CommentQuery,
    CommentRemoval,
    CommentsLock,
    CommentUpdate,
)


class Comments:
    """Comments on content."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(self, content: str, query: CommentQuery | None = None) -> CommentPage:
        """Get a page of comments, oldest first (spec §4.4)."""
        return await self._calls.get(_path(content), CommentPage, query)

    async def create(self, content: str, body: CommentCreate) -> int:
        """Write a comment. Returns its id. A body without a write_id gets one, so that a repeat
        after a lost answer is the same comment."""
        if body.write_id is None:
            body = structs.replace(body, write_id=str(uuid4()))
        return int(await self._calls.create(_path(content), body, operation="createComment"))

    async def get(self, content: str, comment: int, *, seen: Seen | None = None) -> Comment:
        """Get one comment."""
        return await self._calls.get(_path(content, comment), Comment, seen=seen)

    async def update(
        self, content: str, comment: int, body: CommentUpdate, *, seen: Seen | None = None
    ) -> None:
        """Change the text of the user's own comment."""
        await self._calls.send("PATCH", _path(content, comment), body, seen=seen)

    async def delete(self, content: str, comment: int, query: CommentRemoval | None = None) -> None:
        """Delete a comment. The author of somebody else's comment is told the reason."""
        await self._calls.send("DELETE", _path(content, comment), query=query)

    async def set_locked(self, content: str, body: CommentsLock) -> None:
        """Lock or unlock the comments on the user's own content, or on any as an admin."""
        await self._calls.send("PUT", f"/content/{quoted(content)}/comments-locked", body)


def _path(content: str, comment: int | None = None) -> str:
    path = f"/content/{quoted(content)}/comments"
    return path if comment is None else f"{path}/{quoted(comment)}"
