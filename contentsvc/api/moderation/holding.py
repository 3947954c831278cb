"""Placing legal holds (moderation#holds): what the operations that do it have in common."""

from collections.abc import Sequence
from typing import Final
from uuid import uuid4

from msgspec import Struct

from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store.files import files, held
from contentsvc.store.moderation import audit_log, holds
from contentsvc.store.tasks import CopyHold
from contentsvc.wire.moderation import HoldKind

YEAR: Final = 365 * 86_400
"""Seconds for which something is held, if nothing else is said."""
CLAIMED: Final = 10_000
"""Files that are claimed before the answer. The task claims the others."""
PRESERVED: Final = "preserved when it was blocked"
"""The reason of a hold that a block without a reason has made."""
_SAME: Final = 3600
"""Seconds in which the same request without `until` is a repeat."""


class Placing(Struct, frozen=True):
    """A hold as somebody asks for it, at `now`; times are Unix seconds. `until` is `given` by who
    asks, or a year from now. If it does not `renew`, a hold that is there keeps its reason and its
    end."""

    kind: HoldKind
    subject: str
    reason: str
    until: int
    now: int
    given: bool = False
    renews: bool = True
    files: bool = True

    async def place(
        self,
        tx: Db,
        queue: TaskQueue,
        actor: tuple[str, bool],
        locked: Sequence[str] = (),
    ) -> None:
        """Place it, or change the one that is there. What is copied stays as it is; what was lost
        is looked for again. The subject is there, and locked, or there is a hold. The transaction
        goes on to write the files `locked`: they are locked after the hold, and before what the
        hold claims."""
        id = str(uuid4())
        about = self.kind, self.subject
        placed = await holds.place(tx, id, *about, self.reason, self.until, actor[0])
        is_new = placed.id == id
        if is_new:
            await audit_log.record(tx, *actor, "hold_placed", *about, self.reason)
        elif self.renews and not self._is_repeat(placed):
            await holds.change(tx, placed.id, self.reason, self.until)
            await audit_log.record(tx, *actor, "hold_changed", *about, self.reason)
        # One that is being copied has its task.
        if not is_new and (placed.whole is None or (placed.whole and self.renews)):
            return
        if self.files:
            if locked:
                await files.lock(tx, [*locked])
            await held.claim(tx, placed.id, *about, "", CLAIMED)
        if not is_new:
            await holds.begin_again(tx, placed.id)
        await queue.put(tx, CopyHold(hold=placed.id, files=self.files))

    def _is_repeat(self, placed: holds.Placed) -> bool:
        since = abs(self.until - placed.until)
        return self.reason == placed.reason and since <= (0 if self.given else _SAME)
