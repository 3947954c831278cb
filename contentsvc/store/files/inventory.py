"""All files, for an operator who compares them with what lies in the file store, and who wants to
know what they take (files#own-files)."""

from typing import NamedTuple

from msgspec import Struct

from contentsvc.framework.db.query import Db, many, none, one
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_queue import Claimed, encoded
from contentsvc.store.files import blocks, files, unused
from contentsvc.store.tasks import DeleteUnusedFiles

PAGE = 1000
"""Files in a page."""
LARGEST = 10
"""Users whose files take most."""
_COLUMNS = f"""
    f.path, f.size, f.stored, f.collecting, coalesce(f.scaled, false) as scaled,
    b.sha256 is not null as blocked,
    b.sha256 is not null and not exists (
        select from tasks t where t.queue = '{blocks.QUEUE}' and t.topic = b.sha256
    ) as cleared
"""
_BLOCK = """
    left join lateral (
        select * from blocked_files b where b.sha256 = substr(f.path, 4, 64) offset 0
    ) b on true
"""


class File(NamedTuple):
    """A file that the database knows. `size` is None until its bytes were there. `cleared` says
    that it is blocked, and that its bytes were deleted for good; `scaled`, that it has smaller
    images."""

    path: str
    size: int | None
    stored: bool
    collecting: bool
    scaled: bool
    blocked: bool
    cleared: bool

    @property
    def counts(self) -> bool:
        """Whether its bytes must be there."""
        return self.stored and not self.collecting and not self.blocked


class Seized(NamedTuple):
    """Files whose bytes this process may delete, and the task for them, which it has claimed."""

    paths: list[str]
    task: Claimed


class Sum(Struct):
    """A number of files, and their bytes."""

    files: int
    bytes: int


class Totals(Struct):
    """What there is. `unclaimed` are the files whose bytes are there although nobody has published
    them, `missing` those whose bytes are not there, `blocked` the blocked digests, and `clearing`
    those of them whose bytes may still come."""

    content: Sum
    media: Sum
    unclaimed: Sum
    missing: int
    collecting: int
    blocked: int
    clearing: int


class UserTotals(Struct):
    """How many users have files, the bytes that count for them, each file once for each of them,
    and the files without bytes from the user."""

    users: int
    bytes: int
    pending: int


class User(Struct):
    """What the files of a user take, and how many of them have no bytes from the user."""

    id: str
    username: str
    bytes: int
    files: int
    pending: int


@many(f"""
    select {_COLUMNS} from (
        select * from files where path > :after order by path limit {PAGE}
    ) f {_BLOCK} order by f.path
""")
async def page(db: Db, after: str) -> list[File]:
    """The next files after a path, in the order of path."""


@many(f"select {_COLUMNS} from files f {_BLOCK} where f.path = any(:paths)")
async def some(db: Db, paths: list[str]) -> list[File]:
    """Those of these files that the database knows."""


@one("""
    select count(*) as files, coalesce(sum(size), 0)::bigint as bytes
    from files where stored and not collecting
""")
async def stored(db: Db) -> Sum:
    """All files whose bytes should be there."""


@one(f"""
    with f as materialized (
        select size, stored and not collecting as stored, collecting,
               position('.' in path) > 0 as media,
               exists (select from claims c where c.path = files.path) as claimed
        from files
    )
    select count(*) filter (where stored and not media) as files,
           coalesce(sum(size) filter (where stored and not media), 0)::bigint as bytes,
           count(*) filter (where stored and media) as files,
           coalesce(sum(size) filter (where stored and media), 0)::bigint as bytes,
           count(*) filter (where stored and not claimed) as files,
           coalesce(sum(size) filter (where stored and not claimed), 0)::bigint as bytes,
           count(*) filter (where not stored and not collecting) as missing,
           count(*) filter (where collecting) as collecting,
           (select count(*) from blocked_files) as blocked,
           (select count(*) from tasks where queue = '{blocks.QUEUE}') as clearing
    from f
""")
async def totals(db: Db) -> Totals:
    """What all files take."""


@one("""
    select count(*) filter (where used > 0 or pending > 0) as users,
           coalesce(sum(used), 0)::bigint as bytes, coalesce(sum(pending), 0)::bigint as pending
    from storage
""")
async def user_totals(db: Db) -> UserTotals:
    """What counts for all users together."""


@many(f"""
    select u.id, u.username, s.used as bytes,
           (select count(*) from user_files f where f.user_id = s.user_id) as files, s.pending
    from (select * from storage where used > 0 order by used desc, user_id limit {LARGEST}) s
    join users u on u.id = s.user_id
    order by s.used desc, s.user_id
""")
async def largest(db: Db) -> list[User]:
    """The LARGEST users."""


@none("""
    update files set stored = false, scaled = null
    where path = any(:paths) and stored and not collecting
""")
async def lose(db: Db, paths: list[str]) -> None:
    """Note that the bytes of these files, which must be locked, are not there."""


@none("update files set scaled = null where path = any(:paths) and scaled")
async def unscale(db: Db, paths: list[str]) -> None:
    """Note that smaller images of these images, which must be locked, are not there. A daemon makes
    them as it does those of images from before."""


@none("""
    update files f set stored = true
    where path = any(:paths) and size is not null and not collecting and not exists (
        select from blocked_files b where b.sha256 = substr(f.path, 4, 64)
    )
""")
async def find(db: Db, paths: list[str]) -> None:
    """Note that the bytes of these files, which must be locked, are there after all."""


async def seize(tx: Db, paths: list[str], known: bool) -> Seized | None:
    """Mark files whose bytes must go, as the collector does, and lease them: the `known` ones, or
    those without a row, which get one. None if others collect all of them."""
    if known:
        await files.lock(tx, paths)
    marked = await (_mark if known else _begin)(tx, paths)
    if not marked:
        return None
    task = encoded(DeleteUnusedFiles(paths=marked))
    return Seized(marked, await task_queue.insert_claimed(tx, *task, unused.LEASE))


# `on conflict do update` would lock existing rows while it waits for a new one. A transaction that
# announces the new one locks the others next.
@many("""
    insert into files (path, collecting, due)
    select path, true, null from unnest(:paths::text[]) as named (path) order by path collate "C"
    on conflict do nothing
    returning path
""")
async def _begin(tx: Db, paths: list[str]) -> list[str]:
    """Make the rows of those files that have none, with the mark."""


@many("""
    update files set collecting = true, due = null where path = any(:paths) and not collecting
    returning path
""")
async def _mark(tx: Db, paths: list[str]) -> list[str]:
    """Mark these files, which are locked, unless they are marked."""
