"""Digests that are blocked, and whose bytes are to be deleted (extensions §3).

Upload URLs from before a block stay good for a while. Until then the bytes are deleted again and
again. If there is no such URL, once is enough.
"""

from contentsvc.db.query import Db, found, many, none

BLOCKS = 10
"""Blocks in a batch."""
WINDOW = 2 * 3600
"""Seconds after the naming of a file in which its upload URL may bring bytes: the life of a URL,
and as long again for an upload that began at its end."""
SILENCE = "20s"
"""How long a process may hold blocks without a statement. It is more than a deletion may take. If
its machine dies, others get the blocks then."""
_LOCK = 0x626C6F636B656400
"""The advisory lock's number: the letters "blocked"."""
# What is due much later than any pause was written before the clock was set back.
_DUE = "due is not null and (due <= now() or due > now() + interval '1 minute')"
_LATELY = f"due > now() + interval '24 hours' - interval '{WINDOW} seconds'"


@found(f"select true from blocked_files where {_DUE} order by due limit 1")
async def wanted(db: Db) -> bool:
    """Whether any block's bytes are to be deleted now."""


@many(f"""
    with held as materialized (
        select sha256, due from blocked_files
        where {_DUE} and (select pg_try_advisory_xact_lock({_LOCK}))
        order by due limit {BLOCKS}
        for key share skip locked
    )
    select sha256
    from held cross join lateral (
        select set_config('idle_in_transaction_session_timeout', '{SILENCE}', true)
    ) limits
    order by due
""")
async def hold(tx: Db) -> list[str]:
    """Hold the blocks that are due, the longest first, until the end of the transaction: none of
    them is lifted meanwhile. None come if another process is at it."""


# Both are due a day after the last call that named them. A call that is under way has named only
# the file, and a repair may have changed the file's time.
@many(f"""
    select path from files where path = any(:paths::text[]) and {_LATELY}
    union
    select path from user_files where path = any(:paths::text[]) and {_LATELY}
""")
async def named_lately(tx: Db, paths: list[str]) -> list[str]:
    """Those of the paths to which an upload URL may still bring bytes."""


@none("""
    update blocked_files b set due = now() + make_interval(secs => done.pause)
    from unnest(:digests::text[], :pauses::integer[]) as done (sha256, pause)
    where b.sha256 = done.sha256
""")
async def settle(tx: Db, digests: list[str], pauses: list[int | None]) -> None:
    """Note for these blocks, which are held, in how many seconds they are due again. None: their
    bytes are gone for good."""
