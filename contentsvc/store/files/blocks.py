"""Digests that admins have blocked (extensions §3)."""

from contentsvc.db.query import Db, found, many, none
from contentsvc.store.files import files


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


@none("update files set stored = false where path = any(:paths::text[])")
async def _hide(tx: Db, paths: list[str]) -> None:
    """Write it."""


@found("select from blocked_files where sha256 = :sha256 and due is not null for update")
async def hold(tx: Db, sha256: str) -> bool:
    """Lock a block, so that no other call ends it, and no job deletes its bytes meanwhile. False if
    there is none, or its bytes are gone for good."""


@found("delete from blocked_files where sha256 = :sha256 returning true")
async def lift(db: Db, sha256: str) -> bool:
    """End a block. False if there is none."""


@many("select sha256 from blocked_files where sha256 = any(:digests::text[])")
async def blocked(db: Db, digests: list[str]) -> list[str]:
    """Those of the digests that are blocked."""
