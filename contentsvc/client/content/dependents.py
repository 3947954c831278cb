"""The content that is built on other content (extensions §1)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.base import Part
from contentsvc.wire.content import ContentInfo


class Dependents:
    """The content that uses what other content has brought."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(self, content: str, query: Part | None = None) -> Page[ContentInfo]:
        """List the active content that uses an entity or package of this one, newest first."""
        return await self._calls.page(f"/content/{quoted(content)}/dependents", ContentInfo, query)
