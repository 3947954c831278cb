"""Closes the design challenges that the votes judge, and notifies those who have won and taken part
(challenges#design-challenges)."""

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.challenges import closing
from contentsvc.store.fragments import NIL
from contentsvc.wire.notifications import ChallengeParticipated, ChallengeWon

EVERY = 10.0
"""Most seconds until the database is tried again when it has failed."""


class ChallengeCloser:
    """Closes challenges at their deadlines. Any number of processes may try: the challenge's lock
    lets one of them do it."""

    def __init__(self, db: Database, queue: TaskQueue) -> None:
        self._db = db
        self._queue = queue

    async def run(self) -> None:
        """Close those that are ready. One that fails delays no other.

        Raises what closing the last of those that failed has raised.
        """
        failed: Exception | None = None
        for challenge in await closing.ready(self._db):
            try:
                await self._close(challenge)
            except Exception as error:
                failed = error
        if failed is not None:
            raise failed

    async def _close(self, challenge: str) -> None:
        async with self._db.transaction() as tx:
            if await closing.lock_ready(tx, challenge):
                await closing.close_by_votes(tx, challenge)
                await self._queue.put(tx, tasks.ChallengeClosed(challenge=challenge))


async def challenge_closed(
    tx: Db, task: tasks.ChallengeClosed, place: str | None, most: int
) -> Batch:
    """The next users who have taken part. Winners are notified of that alone. `place` is the id of
    the last one who was notified."""
    rows = await closing.outcomes(tx, task.challenge, place or NIL, most)
    batch = [
        (
            row.user_id,
            (ChallengeWon if row.won else ChallengeParticipated)(
                challenge=task.challenge, content=row.content_id
            ),
        )
        for row in rows
    ]
    return Batch(list(batch), rows[-1].user_id if len(rows) == most else None)
