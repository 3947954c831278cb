"""Makes content searchable whose words are not there yet, such as what somebody has written by hand
or a release that makes other words."""

from collections.abc import Callable

from twisted.logger import Logger

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.store.content import search_index
from contentsvc.store.tasks import RenewWords

EVERY = 5.0
"""Most seconds until the database is tried again when it has failed."""

log = Logger()


async def renew_words(tx: Db, task: RenewWords, place: str | None, most: int) -> Batch:
    """The next batch, from the oldest content on: so that what the release before has published
    meanwhile comes too. `place` is the number of the last one of the batch before. Nobody is told
    anything here."""
    last = await search_index.renew_next(tx, int(place or 0), most)
    return Batch([], None if last is None else str(last))


class SearchIndexer:
    """Writes words, batch by batch. `now` is a clock, in seconds."""

    def __init__(self, now: Callable[[], float], db: Database) -> None:
        self._now = now
        self._db = db
        self._total = 0

    async def run(self) -> float | None:
        """Do a batch, and rest for as long as it took."""
        begun = self._now()
        if await search_index.is_stale(self._db):
            async with self._db.transaction() as tx:
                if not await search_index.ours(tx):
                    return None
                done = await search_index.renew_stale(tx)
            self._total += done
            if done:
                return self._now() - begun
        if self._total:
            # Log: so much content from before an upgrade can be found now.
            log.info("Made content searchable: {total}", total=self._total)
            self._total = 0
        return None
