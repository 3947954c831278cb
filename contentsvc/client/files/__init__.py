"""The files of content: announcing, downloads, storage and blocking (files#files)."""

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
    """Announcing files, the storage, and blocking files."""

    async def announce(self, body: UploadsBody) -> UploadsAnswer:
        """Announce files before they are sent (files#announcing). The answer says how to send those
        that the service does not have. The client repeats this if it gets no answer: a second time
        changes nothing."""
        return await self._calls.ask("/uploads", body, UploadsAnswer, operation="announceFiles")

    async def get_storage(self) -> StorageInfo:
        """Get where the files are stored, which types of images the service takes, and the limits
        in bytes and pixels."""
        return await self._calls.get("/storage", StorageInfo)

    async def get_user_storage(self) -> UserStorage:
        """Get how many bytes of the quota the user has used."""
        return await self._calls.get(f"/user/{self._calls.user}/storage", UserStorage)

    async def block(self, sha256: str, body: BlockBody) -> None:
        """Block a file, as a moderator (files#blocking): the service deletes it, and nobody can
        upload or publish it again."""
        await self._calls.send("PUT", f"/files/{quoted(sha256)}/block", body)

    async def unblock(self, sha256: str) -> None:
        """Let users upload a file again, as a moderator."""
        await self._calls.send("DELETE", f"/files/{quoted(sha256)}/block")


class Downloads(Family):
    """The files of content's entities and packages, with their URLs (files#downloads). A URL needs
    no token: do not send one."""

    async def list_content_files(
        self, content: str, query: FilesQuery | None = None
    ) -> list[ContentFile]:
        """List the files that the current revision of a content needs."""
        path = f"/content/{quoted(content)}/files"
        return await self._calls.get(path, list[ContentFile], query)

    async def list_revision_files(
        self, content: str, revision: str, query: FilesQuery | None = None
    ) -> list[ContentFile]:
        """List the files that one revision needs."""
        path = f"/content/{quoted(content)}/revisions/{quoted(revision)}/files"
        return await self._calls.get(path, list[ContentFile], query)
