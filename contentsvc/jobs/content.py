"""Notifies users of what has become of content, and makes content searchable.

Followers are notified of what was published, the authors of dependents and subscribers of what has
changed (content#content, content#subscriptions).
"""

from collections.abc import Callable

from attrs import define, field
from msgspec import json
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_queue import kind_of
from contentsvc.framework.tasks.task_runners import LONGEST_REST, MOST
from contentsvc.jobs.steps import Batch
from contentsvc.push.notifier import Notifier
from contentsvc.store import tasks
from contentsvc.store.content import (
    dependents,
    library_audience,
    publication_audience,
    search_index,
    suggestions,
    tags,
)
from contentsvc.store.fragments import NIL
from contentsvc.wire.notifications import (
    ContentPublished,
    DependencyStatus,
    Notification,
    RevisionPublished,
    SubscriptionUpdated,
)

CONNECTED_EVERY = 1.0
"""Most seconds until the database is tried again when it has failed."""
MOST_PUBLICATIONS = 100
"""Publications that are checked; followers of others have no head start."""
USERS_AT_ONCE = 1_000
"""Connected users of whom one statement asks whether they follow."""
SEARCH_EVERY = 5.0
"""Most seconds until the database is tried again when it has failed."""
COUNT_PAUSE = 0.1
"""Seconds between two batches of words, or of tags."""
_PUBLISHED = {kind_of(task): task for task in (tasks.ContentPublished, tasks.RevisionPublished)}

log = Logger()


async def published(
    tx: Db, task: tasks.Publication, place: str | None, most: int, *, within: int = 0
) -> Batch:
    """The next followers, with what was published; only those who were seen `within` so many days,
    0: all. `place` is the follow number of the last one of the previous batch."""
    after = int(place or 0)
    if place is None and isinstance(task, tasks.ContentPublished):
        await publication_audience.begin(tx, task.author, task.content)
    rows = await publication_audience.followers(
        tx, task.author, task.content, after, task.upto, within, most
    )
    last = str(rows[-1].number) if len(rows) == most else None
    notification = notification_of(task)
    return Batch([(row.user_id, notification) for row in rows if row.notified], last)


def notification_of(task: tasks.Publication) -> Notification:
    """What followers are notified of."""
    if isinstance(task, tasks.RevisionPublished):
        return RevisionPublished(author=task.author, content=task.content, revision=task.revision)
    return ContentPublished(author=task.author, content=task.content)


@define(eq=False)
class ConnectedFollowers:
    """Notifies followers who have a socket before the others. `connected` gives the users who have
    one here, and `wake` begins the steps.

    Each process notifies its own. It locks the task's row for each batch, as the steps do, and the
    batch commits with a note of the users whom it has notified, whom the steps then leave out. So
    each follower is notified once, whichever process dies where. Each batch gives another head
    start. A note goes when the steps have passed it: there are never more than connected followers.
    """

    _clock: IReactorTime
    _db: Database
    _notifier: Notifier
    _connected: Callable[[], list[str]]
    _wake: Callable[[], None]
    _most: int = field(default=MOST, kw_only=True)
    _left: dict[int, list[str]] = field(factory=dict, init=False)

    async def run(self) -> float | None:
        """Notify one batch. Gives the pause until the next; None if all are notified who were
        connected when this process first saw the task. Raises what the database raises."""
        began = self._clock.seconds()
        rows = await task_queue.long(self._db, list(_PUBLISHED), MOST_PUBLICATIONS)
        self._left = {row.id: self._left[row.id] for row in rows if row.id in self._left}
        for row in rows:
            task = json.decode(row.task, type=_PUBLISHED[row.kind])
            if row.id not in self._left:
                self._left[row.id] = await self._following(task)
            if self._left[row.id]:
                await self._notify(row.id, task)
                return min(self._clock.seconds() - began, LONGEST_REST)
        if rows:
            self._wake()
        return None

    async def _following(self, task: tasks.Publication) -> list[str]:
        users, found = self._connected(), []
        for start in range(0, len(users), USERS_AT_ONCE):
            some = users[start : start + USERS_AT_ONCE]
            found += await publication_audience.following(self._db, task.author, some, task.upto)
        return found

    async def _notify(self, id: int, task: tasks.Publication) -> None:
        some = self._left[id][: self._most]
        async with self._db.transaction() as tx:
            place = await task_queue.lock(tx, id, publication_audience.HEAD_START)
            if place is not None:
                after = int(place or 0)
                notified = await publication_audience.notify_early(
                    tx, task.author, task.content, some, after, task.upto
                )
                notification = notification_of(task)
                await self._notifier.send_many(tx, [(user, notification) for user in notified])
        del self._left[id][: self._most]


async def dependency_changed(
    tx: Db,
    task: tasks.DependencyChanged,
    place: str | None,
    most: int,
    *,
    reach: int = dependents.MOST,
) -> Batch:
    """The next authors, each with the newest of their dependents. `place` is the last author of the
    batch before."""
    given = task.dependency, task.actor, task.by_author
    rows = await dependents.authors(tx, *given, place or NIL, most, reach)
    batch = [
        (
            row.author_id,
            DependencyStatus(
                dependency=task.dependency,
                status=task.status,
                content=row.newest,
                contents=row.contents,
            ),
        )
        for row in rows
        if row.notified
    ]
    return Batch([*batch], rows[-1].author_id if len(rows) == most else None)


async def library_changed(
    tx: Db, task: tasks.LibraryChanged, place: str | None, most: int
) -> Batch:
    """The next subscribers of a content. `place` is the number of the last one of the batch
    before."""
    if place is None and await library_audience.is_superseded(tx, task):
        return Batch([], None)
    if place is None and task.unsettled:
        await library_audience.await_changes(tx, task.content)
    revision = task.revision
    after, notified = int(place or 0), revision is not None
    given = task.content, after, task.upto, notified, task.before
    rows = await library_audience.subscribers(tx, *given, most)
    batch: list[tuple[str, Notification]] = []
    if revision is not None:
        updated = SubscriptionUpdated(content=task.content, revision=revision)
        batch = [(row.user_id, updated) for row in rows if row.notified]
    last = str(rows[-1].number) if len(rows) == most else None
    return Batch(batch, last, libraries=[row.user_id for row in rows if row.concerned])


async def author_left(tx: Db, task: tasks.AuthorLeft, place: str | None, most: int) -> Batch:
    """The next subscribers of an author's content. `place` has the numbers of the content and of
    the subscription of the last one of the batch before."""
    content, after = map(int, (place or "0 0").split())
    rows = await library_audience.subscribers_of_author(tx, task.author, content, after, most)
    last = f"{rows[-1].content} {rows[-1].number}" if len(rows) == most else None
    return Batch([], last, libraries=list(dict.fromkeys(row.user_id for row in rows)))


async def renew_words(tx: Db, task: tasks.RenewWords, place: str | None, most: int) -> Batch:
    """The next batch, from the oldest content on: so that what the release before has published
    meanwhile comes too. `place` is the number of the last one of the batch before. Nobody is
    notified."""
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


class _Counter:
    """Counts what content has, batch by batch. `now` is a clock, in seconds."""

    def __init__(self, now: Callable[[], float], db: Database) -> None:
        self._now = now
        self._db = db
        self._total = 0

    async def run(self) -> float | None:
        """Do a batch, and rest: what changes meanwhile is one batch. Of those from before an
        upgrade, for as long as it took."""
        begun = self._now()
        async with self._db.transaction() as tx:
            done = await self._count(tx)
        if done is None:
            return None
        added, old = done
        self._total += old
        if self._total and not old:
            self._tell(self._total)
            self._total = 0
        if old:
            return self._now() - begun
        return COUNT_PAUSE if added else None

    async def _count(self, tx: Db) -> tuple[bool, int] | None:
        """Do a batch. Gives whether there was something to add up, and how much was counted that
        an upgrade has found; None if another process does it."""
        raise NotImplementedError

    def _tell(self, total: int) -> None:
        """Say that so much from before an upgrade is counted."""
        raise NotImplementedError


class WordCounter(_Counter):
    """Counts the words of names and tags."""

    async def _count(self, tx: Db) -> tuple[bool, int] | None:
        if not await suggestions.ours(tx):
            return None
        return await suggestions.add_up(tx), await suggestions.count_old(tx)

    def _tell(self, total: int) -> None:
        # Log: searches that are misspelt are mended by so much content from before an upgrade.
        log.info("Counted the words of content: {total}", total=total)


class TagCounter(_Counter):
    """Counts tags."""

    async def _count(self, tx: Db) -> tuple[bool, int] | None:
        if not await tags.ours(tx):
            return None
        return await tags.add_up(tx), await tags.count_old(tx)

    def _tell(self, total: int) -> None:
        # Log: the list of tags has the numbers of so much content from before an upgrade.
        log.info("Counted the tags of content: {total}", total=total)
