"""`contentsvc files check`: compares the files that the database knows with those that lie in the
file store.

Both are read in the order of path, page by page, while daemons go on. So a file may come or go
between the two reads. What seems wrong is checked once more, on both sides, before it counts.
"""

from collections.abc import AsyncIterator, Callable
from typing import Literal, NamedTuple, TypeVar

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from contentsvc.command.file_stores import FileStore, Gone, Wrong
from contentsvc.command.progress import Progress
from contentsvc.command.terminal import CommandError
from contentsvc.framework.core.concurrency import for_each_bounded
from contentsvc.framework.db.database import Database
from contentsvc.framework.storage.bucket import ListedFile
from contentsvc.framework.storage.deadlines import delete_until
from contentsvc.framework.storage.paths import (
    digest_of,
    image_of,
    is_held,
    is_kept,
    is_ours,
    smaller_of,
    with_smaller,
)
from contentsvc.framework.tasks import task_queue
from contentsvc.store.files import blocks, files, inventory, unused
from contentsvc.store.files.inventory import File

T = TypeVar("T")

BATCH = 100
"""Suspects that are checked together once more."""
AT_ONCE = 8
"""Files that are read at once."""

FaultKind = Literal["missing", "unknown", "size", "sum", "blocked", "smaller"]
"""What is wrong with a file. missing: its bytes are not there. unknown: its bytes are there, and
the database does not know it. size, sum: its bytes are others. blocked: its bytes are there
although they were deleted after a block. smaller: a smaller image is not there."""


class Problem(NamedTuple):
    """A file with which something is wrong, and the bytes that lie there and that should."""

    kind: FaultKind
    path: str
    lying: int | None
    known: int | None


class Checked(NamedTuple):
    """What was compared: the files whose bytes should be there, the files that lie there, and
    those of them that the service cannot have made."""

    known: int
    lying: int
    foreign: int


def judge(path: str, row: File | None, size: int | None) -> FaultKind | None:
    """What is wrong with a file that the database knows as `row`. `size` is its bytes in the store;
    None if it is not there. Of a smaller image, `row` is that of its image."""
    if image_of(path) is not None:
        awaited = row is not None and row.counts and row.scaled
        return "smaller" if awaited and size is None else None
    if row is None:
        ours = is_ours(path) or is_held(path)
        return "unknown" if size is not None and ours else None
    if row.cleared and size is not None and not row.collecting:
        return "blocked"
    if not row.counts:
        return None
    if size is None:
        return "missing"
    return "size" if size != row.size else None


async def rows(db: Database) -> AsyncIterator[File]:
    """All files that the database knows, in the order of path."""
    after = ""
    while page := await inventory.page(db, after):
        for row in page:
            yield row
        after = page[-1].path


async def lying(place: FileStore) -> AsyncIterator[ListedFile]:
    """All files that lie in a place, in the order of path. Raises CommandError if the store has
    another order."""
    last = ""
    async for file in place.bucket.list():
        if file.path <= last:
            raise CommandError(f"the store does not list its files in order: {file.path}")
        last = file.path
        yield file


async def merged(
    rows: AsyncIterator[File], lying: AsyncIterator[ListedFile]
) -> AsyncIterator[tuple[str, File | None, ListedFile | None]]:
    """All paths of either, with what there is of each."""
    row, file = await _next(rows), await _next(lying)
    while row is not None or file is not None:
        path = min(each.path for each in (row, file) if each is not None)
        this_row = row if row is not None and row.path == path else None
        this_file = file if file is not None and file.path == path else None
        yield path, this_row, this_file
        if this_row is not None:
            row = await _next(rows)
        if this_file is not None:
            file = await _next(lying)


async def _next(items: AsyncIterator[T]) -> T | None:
    # Not anext(items, None): Twisted's coroutines cannot await that before Python 3.12..
    try:
        return await anext(items)
    except StopAsyncIteration:
        return None


@define(eq=False)
class Check:
    """One comparison. `found` is called with each problem. With `sums`, all files are read; with
    `repair`, what can be repaired is."""

    _clock: IReactorTime
    _db: Database
    _place: FileStore
    _found: Callable[[Problem], None]
    _progress: Progress
    _sums: bool = field(kw_only=True)
    _repair: bool = field(kw_only=True)
    _suspects: list[str] = field(factory=list, init=False)
    _known: int = field(default=0, init=False)
    _lying: int = field(default=0, init=False)
    _foreign: int = field(default=0, init=False)

    async def run(self) -> Checked:
        """Compare everything. Raises StorageUnavailable, Unavailable."""
        await for_each_bounded(AT_ONCE, self._compare(), self._read)
        await self._look_again()
        return Checked(self._known, self._lying, self._foreign)

    async def _compare(self) -> AsyncIterator[str]:
        """The files that are to be read."""
        # Of the image before. They come right after it.
        smaller: list[str] = []
        async for path, row, file in merged(rows(self._db), lying(self._place)):
            while smaller and smaller[0] <= path:
                if (awaited := smaller.pop(0)) != path:
                    await self._suspect(awaited)
            size = None if file is None else file.size
            if size is not None and row is not None and row.counts and row.scaled:
                smaller = sorted(smaller_of(path))
            self._known += row is not None and row.counts
            self._lying += file is not None
            self._foreign += row is None and not is_kept(path)
            if judge(path, row, size) is not None:
                await self._suspect(path)
            elif self._sums and row is not None and row.counts:
                yield path
        for awaited in smaller:
            await self._suspect(awaited)

    async def _suspect(self, path: str) -> None:
        self._suspects.append(path)
        if len(self._suspects) >= BATCH:
            await self._look_again()

    async def _look_again(self) -> None:
        paths, self._suspects = self._suspects, []
        if not paths:
            return
        of = {path: image_of(path) or path for path in paths}
        before = await self._rows([*of.values()])
        found = await self._place.bucket.stat(paths)
        after = await self._rows([*of.values()])
        problems = []
        for path in paths:
            size = found[path].size if path in found else None
            kind = judge(path, before.get(of[path]), size)
            if kind is not None and kind == judge(path, after.get(of[path]), size):
                row = after.get(path)
                problems.append(Problem(kind, path, size, row and row.size))
        await self._report(problems)

    async def _rows(self, paths: list[str]) -> dict[str, File]:
        return {row.path: row for row in await inventory.some(self._db, paths)}

    async def _read(self, path: str) -> None:
        """Compare a file's digest. Twice, if it is wrong: bytes can change on their way, too."""
        for _ in range(2):
            try:
                await self._place.check(path, self._progress.more)
            except Gone:
                await self._suspect(path)
                return
            except Wrong:
                continue
            return
        row = (await self._rows([path])).get(path)
        if row is not None and row.counts:
            await self._report([Problem("sum", path, row.size, row.size)])

    async def _report(self, problems: list[Problem]) -> None:
        if self._repair:
            await repair(self._clock, self._db, self._place, problems)
        for problem in problems:
            self._found(problem)


async def repair(
    clock: IReactorTime, db: Database, place: FileStore, problems: list[Problem]
) -> None:
    """Put the files right, as far as that is possible without their bytes. Raises
    StorageUnavailable."""
    paths: dict[FaultKind, list[str]] = {}
    for problem in problems:
        paths.setdefault(problem.kind, []).append(problem.path)
    if missing := paths.get("missing"):
        async with db.transaction() as tx:
            await files.lock(tx, missing)
            await inventory.lose(tx, missing)
        # One whose bytes have come just before that is not lost.
        if back := list(await place.bucket.stat(missing)):
            async with db.transaction() as tx:
                await files.lock(tx, back)
                await inventory.find(tx, back)
    if unknown := paths.get("unknown"):
        await _delete(clock, db, place, unknown, known=False)
    # What a hold keeps stays as it is: nobody can send it again.
    others = [*paths.get("size", []), *paths.get("sum", [])]
    if others := [path for path in others if not is_held(path)]:
        await _delete(clock, db, place, others, known=True)
    if smaller := paths.get("smaller"):
        images = sorted({path for each in smaller if (path := image_of(each)) is not None})
        async with db.transaction() as tx:
            await files.lock(tx, images)
            await inventory.unscale(tx, images)
    for path in paths.get("blocked", []):
        async with db.transaction() as tx:
            if await blocks.lock(tx, digest_of(path)):
                await blocks.delete_bytes(tx, digest_of(path))


async def _delete(
    clock: IReactorTime, db: Database, place: FileStore, paths: list[str], *, known: bool
) -> None:
    """Delete bytes, with the collector's mark: nobody can send them meanwhile."""
    end = clock.seconds() + unused.LEASE - unused.MARGIN
    async with db.transaction() as tx:
        seized = await inventory.seize(tx, paths, known)
    if seized is None:
        return
    # If this fails, a daemon does it once the lease is over.
    paths = with_smaller(seized.paths)
    await delete_until(end, clock, place.bucket, paths, unused.DELETE_AT_ONCE)
    async with db.transaction() as tx:
        if await task_queue.end(tx, seized.task.id, seized.task.lease):
            await unused.remove(tx, seized.paths)
