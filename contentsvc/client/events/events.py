"""Events for the studio's back end (studio §3)."""

from random import Random
from typing import Any

from contentsvc.client.calls import Calls
from contentsvc.client.events.reader import EventReader
from contentsvc.wire.events import EventPage, EventQuery


class Events:
    """What has happened, for admins and for services with the scope `events`. The readers share
    `random`."""

    def __init__(self, reactor: Any, calls: Calls, random: Random) -> None:
        self._reactor = reactor
        self._calls = calls
        self._random = random
        self._readers: list[EventReader] = []

    async def list(self, query: EventQuery | None = None) -> EventPage:
        """Read events. Without `after` there are none, and `next` says where to begin. Raises
        ApiError (`cursor_expired`)."""
        return await self._calls.get("/events", EventPage, query)

    def follow(
        self, after: int | None = None, kinds: str | None = None, *, limit: int = 200
    ) -> EventReader:
        """All events after a number, and each that comes, for `async for`: 0 begins with the oldest
        that is kept, None with the next one. `kinds` is a comma list, `limit` the most that one
        answer has. Keep the reader's `after`, and begin there when you come back."""
        reader = EventReader(self._reactor, self._calls, self._random, after, kinds, limit)
        self._readers = [each for each in self._readers if not each.over]
        self._readers.append(reader)
        return reader

    def stop(self) -> None:
        """Stop all readers."""
        for reader in self._readers:
            reader.stop()
