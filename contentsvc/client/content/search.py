"""Browsing and searching content (extensions §1)."""

from contentsvc.client.calls import Calls
from contentsvc.client.reading import Page
from contentsvc.wire.content import ContentInfo, ContentSearch


class Search:
    """The lists of all content."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(self, query: ContentSearch | None = None) -> Page[ContentInfo]:
        """List the active content that is asked for, newest first without a `q`."""
        return await self._calls.page("/content", ContentInfo, query)
