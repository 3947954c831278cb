"""Deletes the bytes of blocked digests, again and again until no upload URL from before the block
can bring them any more (extensions §3)."""

from twisted.internet.interfaces import IReactorTime

from contentsvc.bucket.bucket import Bucket
from contentsvc.db.database import Database
from contentsvc.db.query import Db
from contentsvc.jobs.patience import within
from contentsvc.store import clearing, files
from contentsvc.store.clearing import FIRST, Block
from contentsvc.wire.files import paths_of

EVERY = 5.0
"""Seconds between two rounds over all blocks that are not cleared."""
PATIENCE = 8.0
"""Seconds that the store may take for a batch. Meanwhile none of its blocks can be lifted: a late
deletion would take bytes that were sent again."""


class Clearing:
    """Deletes them. One process at a time works on a round; a process has no more than one batch at
    a time."""

    def __init__(self, clock: IReactorTime, db: Database, bucket: Bucket) -> None:
        self._clock = clock
        self._db = db
        self._bucket = bucket
        self._place = FIRST, ""
        self._whole: set[Block] = set()
        """The blocks for which this process has deleted all paths that there can be. After that
        only a path that was announced can get bytes."""
        self._seen: set[Block] = set()

    async def run(self) -> float | None:
        """Do a batch. Raises StorageUnavailable."""
        if not await clearing.wanted(self._db):
            self._whole.clear()
            return None
        try:
            async with self._db.transaction() as tx:
                blocks = await clearing.hold(tx, *self._place)
                await self._clear(tx, blocks)
        except Exception:
            self._place = FIRST, ""
            raise
        self._seen.update(blocks)
        if blocks:
            self._place = blocks[-1].created, blocks[-1].sha256
            return 0.0
        self._whole &= self._seen
        self._seen.clear()
        self._place = FIRST, ""
        return None

    async def _clear(self, tx: Db, blocks: list[Block]) -> None:
        paths = [path for block in blocks for path in paths_of(block.sha256)]
        known = set(await clearing.known(tx, paths))
        paths = [
            path
            for block in blocks
            for path in paths_of(block.sha256)
            if path in known or block.last or block not in self._whole
        ]
        if paths:
            keys = [self._bucket.incoming(*each) for each in await files.apart(tx, paths)]
            deleting = self._bucket.delete([*paths, *filter(None, keys)])
            await within(PATIENCE, self._clock, deleting)
        self._whole.update(blocks)
        if done := [block.sha256 for block in blocks if block.last]:
            await clearing.clear(tx, done)
