"""A place for bytes in memory."""

from collections.abc import AsyncIterator, Iterable, Mapping

from contentsvc.bucket.bucket import (
    Bucket,
    Found,
    Lying,
    SignedDownload,
    SignedUpload,
    StorageUnavailable,
)
from contentsvc.wire.files import media_type_of

EXPIRES = 2_000_000_000


class MemoryBucket(Bucket):
    """Keeps bytes by their paths, each with the token with which it came, as a store with headers
    does; with `tokens` False it does not know them. While it is `away`, nothing answers.

    `looked` has the paths of each look; `then` is called at the end of the next one.
    """

    def __init__(self, *, tokens: bool = True) -> None:
        self._tokens = tokens
        self.kept: dict[str, tuple[bytes, str | None]] = {}
        self.away = False
        self.looked: list[list[str]] = []
        self.reads: list[tuple[str, int]] = []
        self.then = lambda: None

    def put(self, path: str, data: bytes, token: str | None = None) -> None:
        """What a client does with an upload's URL."""
        self.kept[path] = data, token if self._tokens else None

    def sign_upload(self, base: str, path: str, size: int, token: str) -> SignedUpload:
        headers = {"Content-Type": media_type_of(path), "Content-Length": str(size)}
        return SignedUpload(f"{base}/put/{path}?token={token}", headers, EXPIRES)

    def sign_download(self, base: str, path: str) -> SignedDownload:
        return SignedDownload(f"{base}/get/{path}", EXPIRES)

    def media_url(self, base: str) -> str:
        return f"{base}/media"

    async def look(self, paths: Iterable[str]) -> Mapping[str, Found]:
        self._answer()
        asked = list(paths)
        self.looked.append(asked)
        found = {
            path: Found(len(self.kept[path][0]), self.kept[path][1])
            for path in asked
            if path in self.kept
        }
        then, self.then = self.then, lambda: None
        then()
        return found

    async def read(self, path: str, length: int) -> bytes:
        self._answer()
        self.reads.append((path, length))
        return self.kept[path][0][:length] if path in self.kept else b""

    async def delete(self, paths: Iterable[str]) -> None:
        self._answer()
        for path in paths:
            self.kept.pop(path, None)

    async def list(self) -> AsyncIterator[Lying]:
        self._answer()
        for path in sorted(self.kept):
            yield Lying(path, len(self.kept[path][0]))

    def _answer(self) -> None:
        if self.away:
            raise StorageUnavailable("it is away")
