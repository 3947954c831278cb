"""Deletes the bytes of blocked digests: once, and again and again while an upload URL from before
the block can bring them (extensions §3)."""

from typing import NamedTuple

from twisted.internet.interfaces import IReactorTime

from contentsvc.bucket.bucket import Bucket, StorageUnavailable
from contentsvc.bucket.deadlines import within
from contentsvc.core.concurrency import map_bounded
from contentsvc.db.database import Database
from contentsvc.db.query import Db
from contentsvc.store.files import blocked_bytes, files
from contentsvc.wire.files import digest_of, paths_of

EVERY = 5.0
"""Seconds between two looks for blocks that are due."""
AGAIN, RETRY = 5, 2
"""Seconds until a block is due again: while its bytes may still come, and after its deletion has
failed. Others that are due come first then."""
DELETE_TIMEOUT = 8.0
"""Seconds that the store may take for a batch. Meanwhile none of its blocks can be lifted: a late
deletion would take bytes that were sent again. What is done by then counts."""
_AT_ONCE, _KEYS = 4, 4
"""Blocks at once, and keys of each: half of the requests that a process may have under way."""


class _Tried(NamedTuple):
    """The digests whose bytes are deleted, and those for which the store has failed."""

    done: list[str]
    failed: dict[str, StorageUnavailable]


class Clearing:
    """Deletes them. One process at a time has a batch."""

    def __init__(self, clock: IReactorTime, db: Database, bucket: Bucket) -> None:
        self._clock = clock
        self._db = db
        self._bucket = bucket

    async def run(self) -> float | None:
        """Do a batch. Raises StorageUnavailable if nothing could be deleted."""
        if not await blocked_bytes.wanted(self._db):
            return None
        async with self._db.transaction() as tx:
            digests = await blocked_bytes.hold(tx)
            if not digests:
                return None
            tried = await self._clear(tx, digests)
        if not tried.done:
            raise next(iter(tried.failed.values()))
        return 0.0

    async def _clear(self, tx: Db, digests: list[str]) -> _Tried:
        """Delete the bytes of blocks that are held."""
        paths = [path for sha256 in digests for path in paths_of(sha256)]
        reachable = {digest_of(path) for path in await blocked_bytes.named_lately(tx, paths)}
        keys = {sha256: paths_of(sha256) for sha256 in digests}
        for path, token in await files.apart(tx, paths):
            if key := self._bucket.incoming(path, token):
                keys[digest_of(path)].append(key)
        tried = await self._delete(keys)
        pauses: dict[str, int | None] = dict.fromkeys(tried.failed, RETRY)
        for sha256 in tried.done:
            pauses[sha256] = AGAIN if sha256 in reachable else None
        await blocked_bytes.settle(tx, list(pauses), list(pauses.values()))
        return tried

    async def _delete(self, keys: dict[str, list[str]]) -> _Tried:
        """Delete these keys, which belong to these digests."""
        tried = _Tried([], {})
        begun: list[str] = []

        async def delete(sha256: str) -> None:
            begun.append(sha256)
            try:
                for start in range(0, len(keys[sha256]), _KEYS):
                    await self._bucket.delete(keys[sha256][start : start + _KEYS])
            except StorageUnavailable as error:
                tried.failed[sha256] = error
            else:
                tried.done.append(sha256)

        try:
            await within(DELETE_TIMEOUT, self._clock, map_bounded(_AT_ONCE, keys, delete))
        except StorageUnavailable as late:
            slow = [sha256 for sha256 in begun if sha256 not in tried.done]
            tried.failed.update((sha256, late) for sha256 in slow if sha256 not in tried.failed)
        return tried
