"""The interface of every place where the bytes of files lie (files#sending).

A place has two buckets, one for content and one for media. A path says by its form in which of them
it lies (storage.paths).
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


class StoredFile(NamedTuple):
    """A file whose bytes are there: their number, and the token of the announcement with which they
    came last, if the place knows it."""

    size: int
    token: str | None


class ListedFile(NamedTuple):
    """A file of a listing. `path` may be any text, as others may have written there. `modified` is
    its time by the store's clock, in Unix seconds, if the store says it."""

    path: str
    size: int
    modified: float | None = None


class Bucket(Protocol):
    """A place for bytes. All but the signing raises StorageUnavailable."""

    async def start(self) -> None:
        """Make it ready: first of all, once. Raises only BadStore, and OSError if a folder cannot
        be made."""

    async def stop(self) -> None:
        """Give back what it holds: last of all."""

    async def reach(self) -> None:
        """Find out whether it works. While no file could come, `stat` fails as well."""

    def sign_upload(
        self, base: str, path: str, size: int, token: str, *, staged: bool = False
    ) -> SignedUpload:
        """Let the user of an announcement send these bytes. The digest and the length are
        signed: other bytes are refused. `base` is the service's own URL, as its client calls
        it. A `staged` upload goes to the key that `staging_key` names, if it names one."""

    def staging_key(self, path: str, token: str) -> str | None:
        """The key of the staged upload of an announcement. All methods take it as they take a path.
        None if the place has no such keys, because it knows by itself who sends what."""

    def sign_download(self, base: str, path: str, name: str | None = None) -> SignedDownload:
        """Let anybody read a file, of either bucket. The URL is the same for everybody, and for
        about an hour. A file of the content bucket comes as an attachment with this name, which is
        signed too."""

    def media_url(self, base: str) -> str:
        """The URL before the paths of the media bucket, which everybody may read."""

    def urls(self) -> tuple[str, ...]:
        """The URLs before the paths of both buckets, where these are not the service's own: all
        signed URLs begin with them."""
        return ()

    async def stat(self, paths: Iterable[str]) -> Mapping[str, StoredFile]:
        """Those of the paths whose bytes are there."""

    async def read(self, path: str, length: int, offset: int = 0) -> bytes:
        """Some bytes of a file, the first ones without an offset; fewer at its end, none at all if
        it is not there."""

    async def write(self, path: str, data: bytes) -> None:
        """Store these bytes at the path of a smaller image, whole or not at all. What is there
        already is replaced."""

    async def copy(self, tokens: Mapping[str, str]) -> None:
        """Copy files to their paths from the keys of their announcements: the paths with their
        tokens. What is at a path with the same length stays. A key without bytes is no error."""

    async def hold(self, path: str) -> bool:
        """Copy a file to its `held_path_of`, where only a signed URL finds it. What is there is
        replaced. False if the file is not there."""

    async def delete(self, paths: Iterable[str]) -> None:
        """Delete these files. Those that are not there are no error. If it is cancelled, nothing
        more is begun."""

    async def delete_broken_uploads(self) -> float | None:
        """Delete some of what broken uploads have left. Gives the seconds until it is to go on,
        None if it is done for now."""

    def list(self) -> AsyncIterator[ListedFile]:
        """All files of both buckets together, in the order of the bytes of their paths, without
        what lies at the keys of `staging_key`."""
