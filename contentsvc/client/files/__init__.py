"""The files of content: announcing them, where to get them, and what they take (files#files)."""

from contentsvc.client.calls import Family, quoted
from contentsvc.wire.files import (
    BlockBody,
    ContentFile,
    FilesQuery,
    StorageInfo,
    UploadsAnswer,
    UploadsBody,
    UserStorage,
)


class Files(Family):
    """Announcing files before they are sent, the storage that they take, and blocking them."""

    async def announce(self, body: UploadsBody) -> UploadsAnswer:
        """Say which files the user has. Gives how to send those that are not there. The client
        repeats this if it gets no answer: a second time changes nothing."""
        return await self._calls.ask("/uploads", body, UploadsAnswer, operation="announceFiles")

    async def get_storage(self) -> StorageInfo:
        """Where files lie, which types of images are taken, and the limits."""
        return await self._calls.get("/storage", StorageInfo)

    async def get_user_storage(self) -> UserStorage:
        """How much of their quota the user has used."""
        return await self._calls.get(f"/user/{self._calls.user}/storage", UserStorage)

    async def block(self, sha256: str, body: BlockBody) -> None:
        """Have a file deleted, and nobody upload or publish it again. Only admins may."""
        await self._calls.send("PUT", f"/files/{quoted(sha256)}/block", body)

    async def unblock(self, sha256: str) -> None:
        """Let a file be uploaded again. Only admins may."""
        await self._calls.send("DELETE", f"/files/{quoted(sha256)}/block")


class Downloads(Family):
    """The files of content's entities and packages, and where to get them."""

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
