"""Reads events one after the other, whatever breaks meanwhile (studio §3)."""

from collections import deque
from random import Random
from typing import Any, Final

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import deferLater

from contentsvc.client.calls import Calls
from contentsvc.client.errors import ApiError, TlsError, Unreachable
from contentsvc.client.http import FIRST_PAUSE, TEMPORARY
from contentsvc.framework.core.timers import Backoff
from contentsvc.wire.events import Event, EventPage, EventQuery

WAIT: Final = 25
"""Seconds for which one question waits: less than proxies let a connection be silent."""
LAST_PAUSE: Final = 30.0
"""Seconds between two questions while the service cannot be reached."""


class EventReader:
    """Events in the order of their numbers, each once, until `stop`. One loop at a time.

    It goes on for ever after no answer, 429, 502, 503 and 504: first with the client's usual
    repeats, then with pauses of up to 30 s, never sooner than the service asks. Everything else is
    raised: ApiError (`cursor_expired`: some events are not kept any more, or an older back-up was
    restored), SessionEnded, NotSignedIn, TlsError. A reader that has raised can be asked again.
    """

    def __init__(
        self,
        reactor: Any,
        calls: Calls,
        random: Random,
        after: int | None,
        kinds: str | None,
        limit: int,
    ) -> None:
        self._reactor = reactor
        self._calls = calls
        self._backoff = Backoff(FIRST_PAUSE, LAST_PAUSE, random)
        self._kinds = kinds
        self._limit = limit
        self.after = after
        """The number of the event that was given last. With `kinds` it also moves on over others,
        when the next is asked for. None until the service has said which is the newest."""
        self._items: deque[Event] = deque()
        self._next = after
        self._asking: Deferred[EventPage] | None = None
        self.over = False
        """Whether it was stopped."""

    def __aiter__(self) -> "EventReader":
        return self

    async def __anext__(self) -> Event:
        while not self.over:
            if self._items:
                event = self._items.popleft()
                self.after = event.number
                return event
            self.after = self._next
            try:
                await self._read()
            except CancelledError:
                if not self.over:
                    raise
        raise StopAsyncIteration

    def stop(self) -> None:
        """End it at once, also while it waits. `after` stays."""
        self.over = True
        self._items.clear()
        if self._asking is not None:
            self._asking.cancel()

    async def _read(self) -> None:
        """Read what comes next. Raises CancelledError."""
        query = EventQuery(limit=self._limit)
        if self.after is not None:
            query = EventQuery(self.after, self._kinds, self._limit, WAIT)
        self._asking = Deferred.fromCoroutine(self._page(query))
        try:
            page = await self._asking
        finally:
            self._asking = None
        if self.after is None:
            self.after = page.next
        # What a cache between may have kept is not given again.
        new = [each for each in page.items if each.number > self.after]
        self._items.extend(new)
        self._next = max(page.next, self.after, *(each.number for each in new))

    async def _page(self, query: EventQuery) -> EventPage:
        while True:
            try:
                page = await self._calls.get("/events", EventPage, query, longer=query.wait)
            except TlsError:
                raise
            except Unreachable:
                least = 0.0
            except ApiError as error:
                if error.status not in TEMPORARY:
                    raise
                least = error.retry_after or 0.0
            else:
                self._backoff.reset()
                return page
            await deferLater(self._reactor, self._backoff.next(least))
