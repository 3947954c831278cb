"""Withdrawing content (extensions §1)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.base import Part
from contentsvc.wire.content import ContentInfo


class Withdrawal:
    """Deleting one's own content, and taking that back."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def delete(self, content: str) -> None:
        """Withdraw the user's own content."""
        await self._calls.send("DELETE", f"/content/{quoted(content)}")

    async def restore(self, content: str) -> None:
        """Take a withdrawal back."""
        await self._calls.send(
            "POST", f"/content/{quoted(content)}/restore", operation="restoreContent"
        )

    async def list_deleted(
        self, query: Part | None = None, *, user: str | None = None
    ) -> Page[ContentInfo]:
        """List the content that the user has withdrawn, newest first. Admins may read any
        user's."""
        path = f"/user/{quoted(user or self._calls.user)}/content/deleted"
        return await self._calls.page(path, ContentInfo, query)
