"""The interface of every place where the bytes of files lie (extensions §3).

A place has two buckets, one for content and one for media. A path says by its form in which of them
it lies (wire.files).
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Final, NamedTuple, Protocol

UPLOAD_LIFETIME: Final = 3600
"""Seconds for which an upload URL is good."""


class StorageUnavailable(Exception):
    """The place cannot be reached, or does not answer as it should. `str()` says why, in words for
    an operator."""


class BadStore(StorageUnavailable):
    """The place answers, and not as it must: it takes wrong bytes, refuses the keys, or lacks a
    bucket."""


class SignedUpload(NamedTuple):
    """A PUT of exactly one file's bytes, with exactly these headers, until `expires` (Unix
    seconds)."""

    url: str
    headers: dict[str, str]
    expires: int


class SignedDownload(NamedTuple):
    """A GET of a file until `expires` (Unix seconds)."""

    url: str
    expires: int


class Found(NamedTuple):
    """A file whose bytes are there: their number, and the token of the announcement with which they
    came last, if the place knows it."""

    size: int
    token: str | None


class Lying(NamedTuple):
    """A file of a listing. `path` may be any text, as others may have written there."""

    path: str
    size: int


class Bucket(Protocol):
    """A place for bytes. All but the signing raises StorageUnavailable."""

    async def start(self) -> None:
        """Make it ready: first of all, once. Raises only BadStore, and OSError if a folder cannot
        be made."""

    async def stop(self) -> None:
        """Give back what it holds: last of all."""

    def sign_upload(self, base: str, path: str, size: int, token: str) -> SignedUpload:
        """Let the user of an announcement send these bytes. The digest and the length are
        signed: other bytes are refused. `base` is the service's own URL, as its client calls
        it."""

    def sign_download(self, base: str, path: str) -> SignedDownload:
        """Let anybody read a file, of either bucket. The URL is the same for everybody, and for
        about an hour."""

    def media_url(self, base: str) -> str:
        """The URL before the paths of the media bucket, which everybody may read."""

    async def look(self, paths: Iterable[str]) -> Mapping[str, Found]:
        """Those of the paths whose bytes are there."""

    async def read(self, path: str, length: int) -> bytes:
        """The first bytes of a file; none at all if it is not there."""

    async def delete(self, paths: Iterable[str]) -> None:
        """Delete these files. Those that are not there are no error. If it is cancelled, nothing
        more is begun."""

    def list(self) -> AsyncIterator[Lying]:
        """All files of both buckets together, in the order of the bytes of their paths."""
