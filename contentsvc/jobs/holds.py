"""Legal holds: copies the record of what is held, keeps the bytes of its files apart, and gives
them up when a hold has ended (moderation#holds)."""

from functools import partial
from typing import Final

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.bucket import Bucket, StorageUnavailable
from contentsvc.framework.storage.deadlines import within
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_runners import (
    Again,
    Done,
    EffectKind,
    EffectRunner,
    EffectSession,
    Outcome,
)
from contentsvc.jobs.retention import Deleted, rarely
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.files import held
from contentsvc.store.files.held import Waiting
from contentsvc.store.moderation import hold_records, holds
from contentsvc.store.sections import PAGE

CLAIMED: Final = 1000
"""Files that one step claims."""
PAGES: Final = 4
"""Pages of a record that one step copies."""
AT_ONCE: Final = 16
"""Files of a hold that are kept apart before that is noted."""
EVERY: Final = 5.0
"""Most seconds until the store is tried again when it has failed."""
LEASE: Final = 300.0
"""Seconds for which a hold is one process's."""
MARGIN: Final = 30.0
"""Seconds before the end of the lease at which nothing more is copied."""
_SOON: Final = 2.0
"""Seconds until a place can be free whose bytes are being deleted."""
_NOTHING: Final = Batch([], None)


async def copy_hold(tx: Db, task: tasks.CopyHold, place: str | None, most: int) -> Batch:
    """Claim the next files of what is held, and after them copy the next pages of its record.
    `place` is `files` with the last path, or `record` with the number of the list, and the key of
    its last item if it has begun."""
    hold = await holds.begun(tx, task.hold)
    if hold is None:
        return _NOTHING
    part, _, after = (place or "files ").partition(" ")
    if part == "files" and task.files:
        given = task.hold, hold.kind, hold.subject, after, CLAIMED
        if (last := await held.claim(tx, *given)) is not None:
            return Batch([], f"files {last}")
    if not hold.copied:
        number, _, key = (after if part == "record" else "").partition(" ")
        next = await _copy(tx, task.hold, hold, int(number) if number else None, key)
        if next is not None:
            return Batch([], next)
        await holds.end_record(tx, task.hold)
    if not await holds.finish(tx, task.hold):
        await task_queue.put(tx, tasks.KeepHold(hold=task.hold))
    return _NOTHING


async def _copy(tx: Db, id: str, hold: holds.Begun, number: int | None, key: str) -> str | None:
    """Copy some pages of a record: from the list with this number on, after this key; the first
    members if it is None. Gives the next place, None at the end."""
    if number is None:
        head = await hold_records.head(tx, hold.kind, hold.subject)
        if head is None:
            return None
        await holds.write(tx, id, None, head)
        number = 0
    sections = hold_records.SECTIONS[hold.kind]
    for _ in range(PAGES):
        if number == len(sections):
            return None
        name, read, start = sections[number]
        page = await read(tx, hold.subject, key or start, *PAGE)
        if page or not key:
            await holds.write(tx, id, name, ",".join(row.item for row in page))
        number, key = (number, page[-1].key) if page else (number + 1, "")
    return f"record {number} {key}"


async def release_hold(tx: Db, task: tasks.ReleaseHold, place: str | None, most: int) -> Batch:
    """Give up the next files of a hold that has ended."""
    return Batch([], "files" if await held.release(tx, task.hold) else None)


async def keep(
    db: Database, clock: IReactorTime, bucket: Bucket, waiting: list[Waiting], until: float
) -> None:
    """Keep the bytes of these files apart, for all holds that wait for them, and note it. Nothing
    is begun after a moment of the clock. Files whose place is not free stay as they are.

    Raises StorageUnavailable.
    """
    left = until - clock.seconds()
    if left <= 0:
        raise StorageUnavailable("there was too little time to keep what is held")
    free = [file for file in waiting if not file.collecting]
    if not free:
        return
    there, missing = await within(left, clock, _kept(bucket, free))
    async with db.transaction() as tx:
        await held.settle(tx, there, missing)


async def _kept(bucket: Bucket, files: list[Waiting]) -> tuple[list[Waiting], list[Waiting]]:
    """Those of these files whose bytes are in their places now, and those whose bytes are
    nowhere."""
    lying = await bucket.stat([file.held for file in files])
    there, missing = [], []
    for file in files:
        found = lying.get(file.held)
        if (found is not None and found.size == file.size) or await bucket.hold(file.path):
            there.append(file)
        else:
            missing.append(file)
    return there, missing


def keeping(clock: IReactorTime, db: Database, bucket: Bucket) -> Job:
    """The job that keeps the bytes of holds apart."""
    bell = Bell(clock)

    async def act(task: tasks.KeepHold, waited: float, until: float) -> Outcome:
        while waiting := await held.waiting(db, task.hold, AT_ONCE):
            if until - MARGIN <= clock.seconds():
                return Again(0.0)
            await keep(db, clock, bucket, waiting, until - MARGIN)
            if any(file.collecting for file in waiting):
                return Again(_SOON)
        return Done(partial(_finish, task.hold))

    async def begin() -> EffectSession:
        return EffectSession(act)

    async def _finish(hold: str, tx: Db) -> None:
        await holds.finish(tx, hold)

    kind = EffectKind(
        tasks.KeepHold, begin, LEASE, first_pause=2.0, last_pause=60.0, sessions=1, most=10
    )
    effects = EffectRunner(clock, db, kind)
    return Job("keep what is held", EVERY, effects.run, bell, effects.stop, effects.queue)


def expired(db: Database) -> Job:
    """The job that ends the holds that have come to their end, one after the other."""

    async def delete() -> Deleted:
        async with db.transaction() as tx:
            ended = await holds.erase_expired(tx)
        return Deleted(int(ended), ended)

    return rarely("holds that have come to their end", delete)
