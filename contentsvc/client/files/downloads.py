"""The files that content needs (extensions §3)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.files import ContentFile, FilesQuery


class Downloads:
    """The files of content's entities and packages, and where to get them."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list_content_files(
        self, content: str, query: FilesQuery | None = None
    ) -> list[ContentFile]:
        """The files that the current revision of a content needs. A URL needs no token, and must
        not get one."""
        path = f"/content/{quoted(content)}/files"
        return await self._calls.get(path, list[ContentFile], query)

    async def list_revision_files(
        self, content: str, revision: str, query: FilesQuery | None = None
    ) -> list[ContentFile]:
        """Those that one revision needs."""
        path = f"/content/{quoted(content)}/revisions/{quoted(revision)}/files"
        return await self._calls.get(path, list[ContentFile], query)
