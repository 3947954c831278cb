"""The steps of our tasks: each batch notifies the next recipients (notifications#delivery).

A batch stores its notifications in its transaction; when that has committed, they are pushed. So
each recipient is notified once, whichever process dies at whatever point.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks import task_runners
from contentsvc.framework.tasks.task_runners import MOST, StepKind
from contentsvc.push.notifier import Notifier
from contentsvc.store.notifications.notifications import Following
from contentsvc.wire.notifications import Notification

EVERY = 5.0
"""Most seconds until the database is tried again when it has failed."""


class Batch(NamedTuple):
    """The recipients of a batch, with what each is notified of, and the place at which the next
    batch begins. None is the end. A step that must know who was notified stores the notifications
    itself, and gives them as `stored`."""

    recipients: list[tuple[str, Notification]]
    place: str | None
    stored: Sequence[Following] = ()
    libraries: Sequence[str] = ()
    """Users whose sockets are notified that their library may have changed."""

    @property
    def size(self) -> int:
        """How many recipients there are."""
        return len(self.recipients) + len(self.stored)


class StepRunner(task_runners.StepRunner[Batch]):
    """Does the steps of these `kinds`, and has `notifier` notify the recipients."""

    def __init__(
        self,
        clock: IReactorTime,
        db: Database,
        notifier: Notifier,
        kinds: Mapping[str, StepKind[Batch]],
        *,
        most: int = MOST,
    ) -> None:
        super().__init__(clock, db, self._notify, kinds, most=most)
        self._notifier = notifier

    async def _notify(self, tx: Db, batch: Batch) -> None:
        # After the row has moved: the counters' locks are the last ones.
        await self._notifier.send_many(tx, batch.recipients)
        if batch.stored:
            self._notifier.publish(tx, batch.stored)
        if batch.libraries:
            tx.after_commit(lambda: self._notifier.library_changed(batch.libraries))
