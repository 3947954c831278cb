"""Events for the studio's back end: studio#events."""

from functools import partial

from msgspec import Struct
from twisted.internet.interfaces import IReactorTime

from contentsvc.api.call import Call
from contentsvc.api.errors import CursorExpired
from contentsvc.api.paging import choice
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.errors import Problem, Unavailable
from contentsvc.framework.http.route import route
from contentsvc.push.event_feed import EventFeed
from contentsvc.roles import EVENTS
from contentsvc.store.events import events
from contentsvc.wire.events import EVENT_KINDS, EventPage, EventQuery


class Events(Struct):
    """What has happened, in the order of its commits, for programs that follow it."""

    db: Database
    feed: EventFeed
    clock: IReactorTime

    @route("GET", "/events", allow=EVENTS, raises=(CursorExpired,))
    async def list_events(self, call: Call, query: EventQuery) -> EventPage:
        """Get events after a number, in order (studio#events). `next` is the number after which the
        next call goes on; no event appears at or below it later. With `wait` and no event to show,
        the answer comes as soon as there is one. 503 `unavailable` if too many calls wait already,
        or 20 of the same account. A wait ends with its token: 401."""
        kinds = None
        if query.kinds is not None:
            kinds = choice("kinds", query.kinds, EVENT_KINDS)
        if query.after is None:
            return EventPage([], (await events.page(self.db, 0, 0))[0].newest)
        began, after = self.clock.seconds(), query.after
        while True:
            rows = await self._read(after, kinds, query.limit)
            items = [events.shown(row.event) for row in rows if row.event is not None]
            newest = rows[0].newest
            if after > newest or 0 < after < rows[0].trimmed:
                raise CursorExpired(
                    "Some events after this number are no longer kept, or there is no event of "
                    "this number. Read from 0."
                )
            left = began + query.wait - self.clock.seconds()
            if items or left <= 0 or self.feed.stopped or call.gone:
                full = len(items) == query.limit
                return EventPage(items, items[-1].number if full else newest)
            if self.feed.full(call.user):
                raise Unavailable("Too many wait for events here. Try again.", cause="limit")
            after = newest
            since = self.clock.seconds()
            given = after, kinds, left, call.when_gone, call.user, partial(_may, call)
            await self.feed.wait(*given)
            call.waited(self.clock.seconds() - since)
            call.check_again()

    async def _read(self, after: int, kinds: list[str] | None, limit: int) -> list[events.PageRow]:
        if kinds is None:
            return await events.page(self.db, after, limit)
        return await events.page_of_kinds(self.db, kinds, after, limit)


def _may(call: Call) -> bool:
    """Whether the call would not be refused now."""
    try:
        call.check_again()
    except Problem:
        return False
    return True
