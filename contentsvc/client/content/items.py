"""Content (spec §4.2, §4.3)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page, Seen
from contentsvc.wire.content import (
    ClientQuery,
    ContentCreate,
    ContentDetail,
    ContentInfo,
    ContentQuery,
    ContentUpdate,
    FeaturedChange,
    RevisionDetail,
    StatusChange,
)


class Content:
    """Publishing, changing and reading content."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def put(
        self, content: str, body: ContentCreate | ContentUpdate, *, seen: Seen | None = None
    ) -> None:
        """Publish new content, or change the description of existing content (spec §4.2)."""
        await self._calls.send("PUT", f"/content/{quoted(content)}", body, seen=seen)

    async def list(self, user: str, query: ContentQuery | None = None) -> Page[ContentInfo]:
        """List a user's content, newest first (spec §4.3)."""
        return await self._calls.page(f"/user/{quoted(user)}/content", ContentInfo, query)

    async def get(
        self, content: str, query: ClientQuery | None = None, *, seen: Seen | None = None
    ) -> ContentDetail:
        """Get content with all its details; with a query, and which revision fits."""
        return await self._calls.get(f"/content/{quoted(content)}", ContentDetail, query, seen=seen)

    async def get_revision(
        self, content: str, revision: str, *, seen: Seen | None = None
    ) -> RevisionDetail:
        """Get one revision of content."""
        path = f"/content/{quoted(content)}/revisions/{quoted(revision)}"
        return await self._calls.get(path, RevisionDetail, seen=seen)

    async def set_status(self, content: str, body: StatusChange) -> None:
        """Suspend or restore content, as an admin."""
        await self._calls.send("PUT", f"/content/{quoted(content)}/status", body)

    async def set_featured(self, content: str, body: FeaturedChange) -> None:
        """Set or clear the featured flag, as an admin."""
        await self._calls.send("PUT", f"/content/{quoted(content)}/featured", body)
