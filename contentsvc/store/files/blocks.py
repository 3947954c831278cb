"""Digests that admins have blocked (files#blocking).

A task deletes the bytes. It is put while the block is locked, and withdrawn by whoever lifts the
block. So no late deletion takes bytes that were sent again since.
"""

from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.framework.tasks import task_queue
from contentsvc.store.files import files
from contentsvc.store.tasks import DeleteBlockedFile
from contentsvc.wire.base import tag_of

QUEUE = tag_of(DeleteBlockedFile)
"""The queue of the tasks that delete the bytes."""
WINDOW = 2 * 3600
"""Seconds after the naming of a file in which its upload URL may bring bytes: the life of a URL,
and as long again for an upload that began at its end."""
_LATELY = f"due > now() + interval '24 hours' - interval '{WINDOW} seconds'"


@found("""
    insert into blocked_files as b (sha256, reason) values (:sha256, :reason)
    on conflict (sha256) do update set reason = excluded.reason where b.reason <> excluded.reason
    returning true
""")
async def put(tx: Db, sha256: str, reason: str) -> bool:
    """Block a digest, or change the reason of its block, and lock the block. False if it is
    blocked for this reason already."""


async def hide(tx: Db, paths: list[str]) -> None:
    """Take the bytes of these files for gone. The block of their digest must be written before."""
    # All of them: the upload of one that is not stored yet may be about to commit. So may the first
    # announcement of one that is not known: it has the place of the row, and is waited for. A later
    # one waits, and then sees the block.
    new = await files.begin(tx, paths)
    await files.lock(tx, paths)
    await _hide(tx, paths)
    if new:
        await _vacate(tx, new)


@none("delete from files where path = any(:paths::text[])")
async def _vacate(tx: Db, paths: list[str]) -> None:
    """Remove these rows, which nobody else has seen."""


@none("update files set stored = false, scaled = null where path = any(:paths::text[])")
async def _hide(tx: Db, paths: list[str]) -> None:
    """Write it."""


async def delete_bytes(tx: Db, sha256: str) -> None:
    """Have the bytes of a digest deleted, whose block is locked, unless that is still to come."""
    if not await task_queue.is_queued(tx, QUEUE, sha256):
        await task_queue.put(tx, DeleteBlockedFile(sha256=sha256))


# Both expire a day after the last call that named them. A call that is under way has named only
# the file, and a repair may have changed the file's time.
@maybe(f"""
    select exists (select from files where path = any(:paths::text[]) and {_LATELY})
        or exists (select from user_files where path = any(:paths::text[]) and {_LATELY})
    from blocked_files where sha256 = :sha256
""")
async def reachable(db: Db, sha256: str, paths: list[str]) -> bool | None:
    """Whether an upload URL may still bring bytes to these paths of a digest. None if it is not
    blocked."""


@found("select from blocked_files where sha256 = :sha256 for update")
async def lock(tx: Db, sha256: str) -> bool:
    """Lock a block. False if there is none."""


@none("delete from blocked_files where sha256 = :sha256")
async def lift(tx: Db, sha256: str) -> None:
    """End a block that is locked, and whose bytes nobody deletes any more."""


@many("select sha256 from blocked_files where sha256 = any(:digests::text[])")
async def blocked(db: Db, digests: list[str]) -> list[str]:
    """Those of the digests that are blocked."""
