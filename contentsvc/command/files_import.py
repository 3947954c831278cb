"""`contentsvc files import`: copies the bytes of all files from one place to the other.

It can run while daemons serve from the first, and go on after it was interrupted: what is there
already is not copied again. Bytes become visible in either place only whole and verified.
"""

from collections.abc import AsyncIterator, Callable
from typing import Any

from attrs import define, field
from msgspec import Struct
from twisted.internet.task import deferLater

from contentsvc.command.file_stores import (
    BucketStore,
    FolderStore,
    Gone,
    More,
    Wrong,
    download,
    upload,
)
from contentsvc.command.files_check import FaultKind, Problem, lying, merged, rows
from contentsvc.command.progress import Progress
from contentsvc.framework.core.concurrency import for_each_bounded
from contentsvc.framework.db.database import Database
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.storage.paths import smaller_of
from contentsvc.store.files import inventory
from contentsvc.store.files.inventory import File

AT_ONCE = 8
"""Files that are copied at once."""
TRIES = 4
"""Attempts to copy a file, if the store does not take part."""
PAUSE = 1.0
"""Seconds before the second attempt; they double."""
MOST_SMALLER = 64 * 1024 * 1024
"""Bytes of a smaller image: more than the service ever makes."""


class Imported(Struct):
    """What was copied, and what was there already."""

    files: int = 0
    bytes: int = 0
    there: int = 0


@define(eq=False)
class Import:
    """One run. `found` is called for each file that could not be copied. With `sums`, what is there
    already is read, and copied again if it is wrong."""

    _reactor: Any
    _db: Database
    _source: FolderStore | BucketStore
    _target: FolderStore | BucketStore
    _found: Callable[[Problem], None]
    _progress: Progress
    _sums: bool = field(kw_only=True)
    _done: Imported = field(factory=Imported, init=False)

    async def run(self) -> Imported:
        """Copy everything. Raises StorageUnavailable, Unavailable, CommandError; what was copied
        until then stays."""
        self._progress.total = (await inventory.stored(self._db)).bytes
        await for_each_bounded(AT_ONCE, self._wanted(), self._bring)
        return self._done

    async def _wanted(self) -> AsyncIterator[tuple[File, bool]]:
        """The files that should be there, and whether they are."""
        async for _, row, file in merged(rows(self._db), lying(self._target)):
            if row is not None and row.counts:
                yield row, file is not None and file.size == row.size

    async def _bring(self, wanted: tuple[File, bool]) -> None:
        row, there = wanted
        size = row.size or 0
        await self._bring_smaller(row)
        if there and (not self._sums or await self._right(row.path)):
            self._done.there += 1
            self._progress.more(size)
            return
        kind = await self._copy(row.path, size)
        if kind is None:
            self._done.files += 1
            self._done.bytes += size
        elif await self._still(row):
            self._found(Problem(kind, row.path, None, size))

    async def _right(self, path: str) -> bool:
        try:
            await self._target.check(path, lambda count: None)
        except (Gone, Wrong):
            return False
        return True

    async def _copy(self, path: str, size: int) -> FaultKind | None:
        """What is wrong with the file at its source, if that is why it could not be copied."""
        pause = PAUSE
        for left in reversed(range(TRIES)):
            gone = 0

            def more(count: int) -> None:
                nonlocal gone
                gone += count
                self._progress.more(count)

            try:
                await self._transfer(path, size, more)
                return None
            except Gone:
                self._progress.more(-gone)
                return "missing"
            except Wrong:
                self._progress.more(-gone)
                # Bytes can change on their way, too.
                if left < TRIES - 1:
                    return "sum"
            except StorageUnavailable:
                self._progress.more(-gone)
                if not left:
                    raise
            await deferLater(self._reactor, pause)
            pause *= 2
        raise AssertionError("the last attempt returns or raises")

    async def _transfer(self, path: str, size: int, more: More) -> None:
        source, target = self._source, self._target
        if isinstance(source, FolderStore) and isinstance(target, BucketStore):
            await upload(source, target, path, size, more)
        elif isinstance(source, BucketStore) and isinstance(target, FolderStore):
            await download(source, target, path, size, more)
        else:
            raise TypeError("nothing is copied from a place to itself")

    async def _bring_smaller(self, row: File) -> None:
        """Copy the smaller images of an image, as far as they are there."""
        paths = smaller_of(row.path) if row.scaled else []
        there = await self._target.bucket.stat(paths) if paths else {}
        for path in paths:
            if path not in there and (data := await self._source.bucket.read(path, MOST_SMALLER)):
                await self._target.bucket.write(path, data)

    async def _still(self, row: File) -> bool:
        """Whether the file must be there; it may have been collected or blocked meanwhile."""
        return any(known.counts for known in await inventory.some(self._db, [row.path]))
