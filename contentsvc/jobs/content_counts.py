"""Adds up what content was played, downloaded, subscribed to and collected (content#counts)."""

from collections import Counter
from datetime import UTC, datetime
from typing import Final

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import Bell, Clock
from contentsvc.framework.db.database import Database
from contentsvc.framework.tasks.runner import Job, WriteBehind
from contentsvc.store.content import content_counts
from contentsvc.store.fragments import NIL

EVERY: Final = 5.0
"""Most seconds until it is tried again when it has failed."""
FORGET: Final = 600.0
"""Seconds between two checks for old counts."""
FLUSH: Final = 0.25
"""Seconds between two writes of downloads: a process that is killed loses those since the last."""
PAUSE: Final = 0.1
"""Seconds between two batches."""
KNOWN: Final = 50_000
"""Downloads of today that a process knows, so that it does not write them again."""
WRITTEN: Final = 2000
"""Downloads that one statement writes."""


class ContentDownloads:
    """The downloads by user, content and day of UTC that the database does not have yet. They are
    written together, so that a read costs no transaction."""

    def __init__(self, db: Database, wall: Clock) -> None:
        self._wall = wall
        self._day = ""
        self._known: set[tuple[str, str]] = set()

        async def write(downloads: Counter[tuple[str, str, str]]) -> None:
            users, contents, days = (list(column) for column in zip(*downloads, strict=True))
            await content_counts.add_downloads(db, users, contents, days)

        self.counts = WriteBehind(write, WRITTEN)

    def note(self, user: str, content: str) -> None:
        """A user has downloaded a content."""
        day = datetime.fromtimestamp(self._wall.seconds(), UTC).date().isoformat()
        if day != self._day or len(self._known) >= KNOWN:
            self._day = day
            self._known.clear()
        if (user, content) not in self._known:
            self._known.add((user, content))
            self.counts.count((user, content, day))


def jobs(clock: IReactorTime, db: Database, downloads: ContentDownloads) -> list[Job]:
    """The jobs that maintain the counts."""

    after = NIL

    async def add_up() -> float | None:
        nonlocal after
        async with db.transaction() as tx:
            contents = await content_counts.lock(tx, after)
            if contents:
                await content_counts.add_up(tx, contents)
        # In turns: content that is played all the time must not delay the counts of others.
        more = len(contents) == content_counts.CONTENTS
        after = contents[-1] if more else NIL
        return PAUSE if more else None

    async def forget() -> float | None:
        return PAUSE if await content_counts.forget(db) == content_counts.OLD else None

    return [
        Job(
            "add up plays", EVERY, add_up, Bell(clock), queue="plays", waits=content_counts.WAITING
        ),
        Job("delete old plays", FORGET, forget),
        downloads.counts.job("count downloads of content", FLUSH),
    ]
