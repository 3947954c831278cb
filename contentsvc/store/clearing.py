"""Digests that are blocked, and whose bytes may still have to be deleted (extensions §3).

Upload URLs from before a block stay good for a while. The bytes are deleted again and again until
then.
"""

from typing import NamedTuple

from contentsvc.db.query import Db, found, many, none

BLOCKS = 50
"""Blocks in a batch."""
WINDOW = 2 * 3600
"""Seconds after a block in which upload URLs from before it may still bring bytes: the life of a
URL, and as long again for an upload that began at its end."""
SILENCE = "20s"
"""How long a process may hold blocks without a statement. It is more than a deletion may take. If
its machine dies, others get the blocks then."""
_LOCK = 0x626C6F636B656400
"""The advisory lock's number: the letters "blocked"."""
FIRST = "infinity"
"""The moment at which a round over all blocks begins: they come newest first."""


class Block(NamedTuple):
    """A block whose bytes are to be deleted. `created` is the text of a time. `last` says that no
    URL can bring them after this."""

    sha256: str
    created: str
    last: bool


@found("select true from blocked_files where cleared is null order by created limit 1")
async def wanted(db: Db) -> bool:
    """Whether any block's bytes are to be deleted."""


@many(f"""
    with held as materialized (
        select sha256, created from blocked_files
        where cleared is null
          and (created, sha256) < (:created::timestamptz, :sha256)
          and (select pg_try_advisory_xact_lock({_LOCK}))
        order by created desc, sha256 desc limit {BLOCKS}
        for key share skip locked
    )
    select sha256, created::text as created, created < now() - interval '{WINDOW} seconds' as last
    from held cross join lateral (
        select set_config('idle_in_transaction_session_timeout', '{SILENCE}', true)
    ) limits
    order by held.created desc, sha256 desc
""")
async def hold(db: Db, created: str, sha256: str) -> list[Block]:
    """Hold the blocks that are next after this one, until the end of the transaction: none of them
    is lifted meanwhile. None come if another process is at it."""


@many("select path from files where path = any(:paths)")
async def known(db: Db, paths: list[str]) -> list[str]:
    """Those of the paths that have been announced."""


@none("update blocked_files set cleared = now() where sha256 = any(:digests)")
async def clear(db: Db, digests: list[str]) -> None:
    """Note that these blocks, which are held, need nothing more."""
