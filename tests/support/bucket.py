"""A place for the bytes of files, in memory."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping

from twisted.internet.defer import Deferred

from contentsvc.bucket.bucket import (
    Found,
    Lying,
    SignedDownload,
    SignedUpload,
    StorageUnavailable,
)


class MemoryBucket:
    """A Bucket. `files` has its bytes by path, and `tokens` those of the announcements with which
    they came. While `away` it cannot be reached; `before` is awaited before each call that it
    answers."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.tokens: dict[str, str] = {}
        self.away = False
        self.deleted: list[list[str]] = []
        self.before: Callable[[], Deferred[None] | None] = lambda: None

    def put(self, path: str, data: bytes, token: str | None = None) -> None:
        """As if it had been uploaded."""
        self.files[path] = data
        if token is not None:
            self.tokens[path] = token

    def sign_upload(self, base: str, path: str, size: int, token: str) -> SignedUpload:
        return SignedUpload(f"{base}/up/{path}?{token}", {"Content-Length": str(size)}, 3600)

    def sign_download(self, base: str, path: str) -> SignedDownload:
        return SignedDownload(f"{base}/down/{path}", 3600)

    def media_url(self, base: str) -> str:
        return f"{base}/media"

    async def look(self, paths: Iterable[str]) -> Mapping[str, Found]:
        await self._reach()
        return {
            path: Found(len(self.files[path]), self.tokens.get(path))
            for path in paths
            if path in self.files
        }

    async def read(self, path: str, length: int) -> bytes:
        await self._reach()
        return self.files.get(path, b"")[:length]

    async def delete(self, paths: Iterable[str]) -> None:
        asked = list(paths)
        await self._reach()
        self.deleted.append(asked)
        for path in asked:
            self.files.pop(path, None)

    async def list(self) -> AsyncIterator[Lying]:
        for path in sorted(self.files):
            await self._reach()
            if path in self.files:
                yield Lying(path, len(self.files[path]))

    async def _reach(self) -> None:
        if self.away:
            raise StorageUnavailable("the store is away")
        waiting = self.before()
        if waiting is not None:
            await waiting
