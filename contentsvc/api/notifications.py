"""Notifications: spec §4.11, and their read flag."""

import math
from collections.abc import Awaitable

from msgspec import Raw

from contentsvc.api.errors import CursorExpired, NotificationNotFound
from contentsvc.api.paging import PIECE, LongList, Piece, listed, position
from contentsvc.db.query import Db
from contentsvc.store import notifications
from contentsvc.web.allow import SELF
from contentsvc.web.call import Call
from contentsvc.web.errors import at_parameter
from contentsvc.web.guids import is_guid
from contentsvc.web.route import route
from contentsvc.wire.notifications import (
    AnyNotification,
    NotificationQuery,
    ReadChange,
    ReadUpTo,
    notification_json,
)


class Notifications:
    """A user's notifications: the same log that the user's sockets get."""

    def __init__(self, db: Db, *, piece: Piece = PIECE) -> None:
        self._db = db
        self._piece = piece

    @route("GET", "/user/<guid:user>/notifications", allow=SELF, raises=(CursorExpired,))
    async def all(
        self, call: Call, user: str, query: NotificationQuery
    ) -> LongList[AnyNotification]:
        """List the user's notifications (spec §4.11), oldest first."""
        if query.since is not None and not math.isfinite(query.since):
            raise at_parameter("since", "This must be a number of Unix seconds.")
        if query.after is not None and is_guid(query.after):
            found = await notifications.number(self._db, user, query.after)
            if found is None:
                if await notifications.trimmed(self._db, user):
                    raise CursorExpired()  # it is not known any more which ids existed
                raise at_parameter("after", "You have no notification with this id.")
            after = found
        else:
            after = position(query) or 0
        most = self._piece.rows if query.limit is None else query.limit
        rows = await notifications.listed(self._db, user, after, query.since, most)
        # Numbers have holes only where retention or `since` leaves some out.
        holed = query.after is not None and (not rows or rows[0].seq > after + 1)
        if holed and after < (await notifications.trimmed(self._db, user) or 0):
            raise CursorExpired()
        if query.limit is not None:
            return listed(rows, query, _number, _item)

        def page(last: int) -> Awaitable[list[notifications.Stored]]:
            return notifications.page(self._db, user, last, query.since, *self._piece)

        def state() -> Awaitable[str]:
            return notifications.listed_state(self._db, user, after, query.since)

        return self._piece.whole(rows, _number, _item, start=after, page=page, state=state)

    @route(
        "PATCH",
        "/user/<guid:user>/notifications/<guid:notification>",
        allow=SELF,
        raises=(NotificationNotFound,),
    )
    async def mark(self, call: Call, user: str, notification: str, body: ReadChange) -> None:
        """Set or clear the read flag of one notification."""
        if not await notifications.mark(self._db, user, notification, body.read):
            raise NotificationNotFound()

    @route(
        "POST",
        "/user/<guid:user>/notifications/read",
        allow=SELF,
        raises=(NotificationNotFound,),
    )
    async def mark_up_to(self, call: Call, user: str, body: ReadUpTo) -> None:
        """Mark one notification and all before it as read."""
        if not await notifications.mark_up_to(self._db, user, body.up_to):
            raise NotificationNotFound()


def _number(row: notifications.Stored) -> int:
    return row.seq


def _item(row: notifications.Stored) -> Raw:
    return Raw(notification_json(row.id, row.created, row.read, row.data))
