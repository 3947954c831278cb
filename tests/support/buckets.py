"""A place for bytes in memory."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from urllib.parse import quote

from twisted.internet.defer import Deferred

from contentsvc.framework.storage.bucket import (
    Bucket,
    ListedFile,
    SignedDownload,
    SignedUpload,
    StorageUnavailable,
    StoredFile,
)
from contentsvc.framework.storage.paths import held_path_of, media_type_of

EXPIRES = 2_000_000_000


class MemoryBucket(Bucket):
    """Keeps bytes by their paths, each with the token with which it came, as a store with headers
    does, or without. While it is `away`, nothing answers.

    If `staged`, it has keys of their own for those who are not the first, as such a store does.

    `before` is called before each answer, and what it gives is waited for; `after` is called after
    each look. `looked`, `reads`, `copied` and `deleted` have what was asked for.
    """

    def __init__(self, *, staged: bool = False) -> None:
        self.staged = staged
        self.kept: dict[str, tuple[bytes, str | None]] = {}
        self.away = False
        self.before: Callable[[], Deferred[None] | None] = lambda: None
        self.after: Callable[[], object] = lambda: None
        self.looked: list[list[str]] = []
        self.reads: list[tuple[str, int]] = []
        self.copied: list[list[str]] = []
        self.deleted: list[list[str]] = []

    @property
    def files(self) -> list[str]:
        """The paths of what is there."""
        return sorted(self.kept)

    def put(self, path: str, data: bytes, token: str | None = None) -> None:
        """What a client does with an upload's URL."""
        self.kept[path] = data, token

    def sign_upload(
        self, base: str, path: str, size: int, token: str, *, staged: bool = False
    ) -> SignedUpload:
        key = (self.staging_key(path, token) if staged else None) or path
        headers = {"Content-Type": media_type_of(path), "Content-Length": str(size)}
        return SignedUpload(f"{base}/put/{key}?token={token}", headers, EXPIRES)

    def staging_key(self, path: str, token: str) -> str | None:
        return f"incoming/{token}/{path}" if self.staged else None

    def sign_download(self, base: str, path: str, name: str | None = None) -> SignedDownload:
        named = "" if name is None else f"?{quote(name)}"
        return SignedDownload(f"{base}/get/{path}{named}", EXPIRES)

    def media_url(self, base: str) -> str:
        return f"{base}/media"

    async def stat(self, paths: Iterable[str]) -> Mapping[str, StoredFile]:
        asked = list(paths)
        self.looked.append(asked)
        await self._answer()
        found = {
            path: StoredFile(len(self.kept[path][0]), self.kept[path][1])
            for path in asked
            if path in self.kept
        }
        self.after()
        return found

    async def read(self, path: str, length: int, offset: int = 0) -> bytes:
        self.reads.append((path, length))
        await self._answer()
        return self.kept[path][0][offset : offset + length] if path in self.kept else b""

    async def write(self, path: str, data: bytes) -> None:
        await self._answer()
        self.kept[path] = data, None

    async def copy(self, tokens: Mapping[str, str]) -> None:
        self.copied.append(list(tokens))
        await self._answer()
        for path, token in tokens.items():
            key = self.staging_key(path, token)
            data, _ = self.kept.get(path, (b"", None))
            if key in self.kept and len(data) != len(self.kept[key][0]):
                self.kept[path] = self.kept[key]

    async def hold(self, path: str) -> bool:
        await self._answer()
        if path in self.kept:
            self.kept[held_path_of(path)] = self.kept[path][0], None
        return path in self.kept

    async def delete_broken_uploads(self) -> None:
        """Nothing is ever broken."""

    async def delete(self, paths: Iterable[str]) -> None:
        asked = list(paths)
        await self._answer()
        for path in asked:
            self.kept.pop(path, None)
        self.deleted.append(asked)

    async def list(self) -> AsyncIterator[ListedFile]:
        for path in (path for path in self.files if not path.startswith("incoming/")):
            await self._answer()
            if path in self.kept:
                yield ListedFile(path, len(self.kept[path][0]))

    async def _answer(self) -> None:
        waiting = self.before()
        if waiting is not None:
            await waiting
        if self.away:
            raise StorageUnavailable("it is away")
