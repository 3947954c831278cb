"""The blocking of files, each by a decision (files#blocking, moderation#decisions)."""

from collections.abc import Awaitable, Callable

from attrs import define
from msgspec import json
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from contentsvc.api.moderation.acts import Acts, Order
from contentsvc.api.moderation.holding import PRESERVED, YEAR, Placing
from contentsvc.framework.core.timers import Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.call import Actor
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.deadlines import tidy
from contentsvc.framework.storage.paths import paths_of, with_smaller
from contentsvc.framework.tasks import task_queue
from contentsvc.store.files import blocks, files, held
from contentsvc.store.moderation import audit_log, decisions
from contentsvc.store.moderation.decisions import Subject
from contentsvc.store.tasks import BlockDecided

_LIFTING, _PAUSE = 1.5, 0.1
"""Seconds for which the end of a block waits for a deletion under way, and between two checks."""


@define(eq=False)
class FileBlocks:
    """Blocks files, and lets them be again. `blocked` wakes the job that deletes their bytes, and
    `wall` is the clock by which holds end."""

    _reactor: IReactorTime
    _db: Database
    _bucket: Bucket
    _acts: Acts
    _blocked: Callable[[], None]
    _wall: Clock

    def order(self, reason: str) -> Order:
        """See Acts.order."""
        return self._acts.order(reason)

    async def block(
        self, tx: Db, actor: Actor, sha256: str, order: Order, *, preserve: bool = False
    ) -> None:
        """Block a file, known or not. With `preserve` what is there of it is held before
        (moderation#holds). Raises NothingChanged."""
        # A moderator who decides anew replaces a decision: another explanation is no other block.
        there = order.id is not None and await blocks.lock(tx, sha256)
        changed = await blocks.put(tx, sha256, order.reason) and not there
        subject = Subject("file", sha256, None, None)
        facts = json.encode({"sha256": sha256}).decode()
        id = await self._acts.decide(
            *(tx, actor, order, "block_file", subject, facts), act="file_blocked", changed=changed
        )
        if id is not None:
            await self._tell(tx, id, sha256)
        paths = paths_of(sha256)
        if preserve and await held.are_there(tx, paths):
            reason, now = order.reason or PRESERVED, int(self._wall.seconds())
            placed = Placing("file", sha256, reason, now + YEAR, now, renews=False)
            await placed.place(tx, self._acts.queue, actor, paths)
        await blocks.hide(tx, paths)
        await blocks.delete_bytes(tx, sha256)
        tx.after_commit(self._blocked)

    async def lift(
        self,
        actor: Actor,
        sha256: str,
        reason: str = "",
        only: int | None = None,
        check: Callable[[Db], Awaitable[object]] | None = None,
    ) -> None:
        """End a block, if there is one; with `only`, if it is by the decision with this number.
        `check` is asked first in the transaction, once the file is locked, and may refuse. Raises
        Unavailable, and what `check` does."""
        until = self._reactor.seconds() + _LIFTING
        while not await self._lift(actor, sha256, reason, only, check):
            if self._reactor.seconds() > until:
                raise Unavailable("the bytes of the file are being deleted", "lock")
            await deferLater(self._reactor, _PAUSE)

    async def _lift(
        self,
        actor: Actor,
        sha256: str,
        reason: str,
        only: int | None,
        check: Callable[[Db], Awaitable[object]] | None,
    ) -> bool:
        """The same. False if its bytes are being deleted now."""
        async with self._db.transaction() as tx:
            if not await blocks.lock(tx, sha256):
                return True
            if only is not None:
                stands = await decisions.standing(tx, "file", sha256, "block_file")
                if stands is None or stands.number != only:
                    return True
            if check is not None:
                await check(tx)
            withdrawn = await task_queue.withdraw(tx, blocks.QUEUE, sha256)
            if await task_queue.is_queued(tx, blocks.QUEUE, sha256):
                return False
            if withdrawn:
                paths = paths_of(sha256)
                if await held.waiting_of(tx, paths):
                    raise Unavailable("the bytes of the file are being kept for a hold", "lock")
                keys = [
                    self._bucket.staging_key(*each)
                    for each in await files.separate_uploads(tx, paths)
                ]
                # What nobody has come to yet. If the store is away, it stays.
                kept = [*with_smaller(paths), *filter(None, keys)]
                await tidy(self._reactor, self._bucket, kept)
            await blocks.lift(tx, sha256)
            undone = await self._acts.undo(tx, actor, "block_file", "file", sha256, reason)
            id = None if undone is None else undone.decision.id
            await audit_log.record_decided(tx, *actor, "file_unblocked", "file", sha256, reason, id)
            if undone is not None:
                await self._tell(tx, undone.decision.id, sha256, reversed=True, reason=reason)
        return True

    async def _tell(
        self, tx: Db, id: str, sha256: str, *, reversed: bool = False, reason: str = ""
    ) -> None:
        """Have all told whom it concerns."""
        known = await decisions.known(tx, id)
        if known is not None:
            task = BlockDecided(
                decision=id,
                number=known.number,
                sha256=sha256,
                paths=paths_of(sha256),
                reversed=reversed,
                reason=reason,
            )
            await self._acts.queue.put(tx, task)
