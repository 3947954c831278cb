"""Tells followers who have a socket before the others (extensions §1).

Each process tells its own. It locks the task's row for each batch, as the steps do, and the batch
commits with a note of whom it has told, for whom the steps then have nothing. So each follower is
told once, whichever process dies where. Each batch gives another head start. A note goes when the
steps have passed it: there are never more than connected followers.
"""

from collections.abc import Callable

from attrs import define, field
from msgspec import json
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.db.database import Database
from contentsvc.jobs.publications import notification_of
from contentsvc.jobs.steps import LONGEST_REST, MOST
from contentsvc.push.notifier import Notifier
from contentsvc.store import task_queue
from contentsvc.store.content import publication_audience
from contentsvc.store.tasks import ContentPublished, Publication, RevisionPublished
from contentsvc.wire.base import tag_of

EVERY = 1.0
"""Most seconds until the database is tried again when it has failed."""
TASKS = 100
"""Publications that are looked at; followers of others have no head start."""
USERS = 1_000
"""Connected users of whom one statement asks whether they follow."""

_KINDS = {tag_of(task): task for task in (ContentPublished, RevisionPublished)}


@define(eq=False)
class ConnectedFollowers:
    """Tells followers of those who are `connected` here. `wake` begins the steps."""

    _clock: IReactorTime
    _db: Database
    _notifier: Notifier
    _connected: Callable[[], list[str]]
    _wake: Callable[[], None]
    _most: int = field(default=MOST, kw_only=True)
    _left: dict[int, list[str]] = field(factory=dict, init=False)

    async def run(self) -> float | None:
        """Tell one batch. Gives the pause until the next; None if all are told who were connected
        when this process first saw the task. Raises what the database raises."""
        began = self._clock.seconds()
        rows = await task_queue.long(self._db, list(_KINDS), TASKS)
        self._left = {row.id: self._left[row.id] for row in rows if row.id in self._left}
        for row in rows:
            task = json.decode(row.task, type=_KINDS[row.kind])
            if row.id not in self._left:
                self._left[row.id] = await self._following(task)
            if self._left[row.id]:
                await self._tell(row.id, task)
                return min(self._clock.seconds() - began, LONGEST_REST)
        if rows:
            self._wake()
        return None

    async def _following(self, task: Publication) -> list[str]:
        users, found = self._connected(), []
        for start in range(0, len(users), USERS):
            some = users[start : start + USERS]
            found += await publication_audience.following(self._db, task.author, some, task.upto)
        return found

    async def _tell(self, id: int, task: Publication) -> None:
        some = self._left[id][: self._most]
        async with self._db.transaction() as tx:
            place = await task_queue.hold(tx, id, publication_audience.HEAD_START)
            if place is not None:
                after = int(place or 0)
                told = await publication_audience.tell_first(
                    tx, task.author, task.content, some, after, task.upto
                )
                notification = notification_of(task)
                await self._notifier.send_many(tx, [(user, notification) for user in told])
        del self._left[id][: self._most]
