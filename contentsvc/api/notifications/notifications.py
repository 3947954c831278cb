"""Notifications: notifications#list, their read flags, deletions and mutes
(notifications#notifications), and the debug
notification: notifications#debug."""

import math
from collections.abc import Awaitable, Callable

from msgspec import Raw, Struct

from contentsvc.api.call import Call
from contentsvc.api.errors import CursorExpired, NotificationNotFound, NotMutable, UserNotFound
from contentsvc.api.paging import PIECE, LongList, Piece, listed, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_parameter, at_pointer
from contentsvc.framework.http.guids import is_guid
from contentsvc.framework.http.permissions import SELF, SIGNED_IN
from contentsvc.framework.http.route import route
from contentsvc.push.notifier import Notifier
from contentsvc.store.notifications import flags, notifications
from contentsvc.store.notifications.flags import BATCH, Reached
from contentsvc.wire.notifications import (
    NOT_MUTABLE,
    OF_TOPIC,
    AnyNotification,
    Debug,
    DebugNotify,
    DeleteUpTo,
    NotificationQuery,
    NotificationSettings,
    NotificationSettingsAnswer,
    NotificationState,
    ReadChange,
    ReadUpTo,
    can_be_named,
    notification_json,
)

_NUMBERS = 2**63 - 1
"""The largest number that the database knows."""

_UpTo = Callable[[Db, str, str | None, int | None, int, int], Awaitable[Reached | None]]


class Notifications(Struct):
    """A user's notifications: the same log that the user's sockets get.

    One statement changes at most `batch` of them. The `unmutable` topics of the studio cannot be
    muted by name.
    """

    db: Database
    notifier: Notifier
    unmutable: tuple[str, ...] = ()
    piece: Piece = PIECE
    batch: int = BATCH

    @route("GET", "/user/<guid:user>/notifications", allow=SELF, raises=(CursorExpired,))
    async def list_notifications(
        self, call: Call, user: str, query: NotificationQuery
    ) -> LongList[AnyNotification]:
        """List the user's notifications (notifications#list), oldest first."""
        if query.since is not None and not math.isfinite(query.since):
            raise at_parameter("since", "This must be a number of Unix seconds.")
        if query.after is not None and is_guid(query.after):
            found = await notifications.number(self.db, user, query.after)
            if found is None:
                if await notifications.trimmed(self.db, user):
                    raise CursorExpired()  # it is not known any more which ids existed
                raise at_parameter("after", "You have no notification with this id.")
            after = found
        else:
            after = position(query) or 0
        most = self.piece.rows if query.limit is None else query.limit
        rows = await notifications.listed(self.db, user, after, query.since, most)
        # Numbers have holes only where retention, deletions or `since` leave some out.
        holed = query.after is not None and (not rows or rows[0].seq > after + 1)
        if holed and after < (await notifications.trimmed(self.db, user) or 0):
            raise CursorExpired()
        if query.limit is not None:
            return listed(rows, query, _number, _item)

        def page(last: int) -> Awaitable[list[notifications.Stored]]:
            return notifications.page(self.db, user, last, query.since, *self.piece)

        def state() -> Awaitable[str]:
            return notifications.listed_state(self.db, user, after, query.since)

        return self.piece.whole(rows, _number, _item, start=after, page=page, state=state)

    @route("GET", "/user/<guid:user>/notifications/state", allow=SELF)
    async def get_notification_state(self, call: Call, user: str) -> NotificationState:
        """Get the numbers of the newest and the oldest notification of the user, and how many are
        unread."""
        return await flags.state(self.db, user) or NotificationState(0, 1, 0)

    @route(
        "PATCH",
        "/user/<guid:user>/notifications/<guid:notification>",
        allow=SELF,
        raises=(NotificationNotFound,),
    )
    async def update_notification(
        self, call: Call, user: str, notification: str, body: ReadChange
    ) -> None:
        """Set or clear the read flag of one notification."""
        changed = await flags.mark(self.db, user, notification, body.read)
        if changed is None:
            raise NotificationNotFound()
        if changed:
            self.notifier.changed(user)

    @route(
        "POST",
        "/user/<guid:user>/notifications/read",
        allow=SELF,
        raises=(NotificationNotFound,),
    )
    async def mark_notifications_read(self, call: Call, user: str, body: ReadUpTo) -> None:
        """Mark one notification and all before it as read. `upTo` is its id or its number."""
        await self._up_to(user, str(body.up_to), flags.mark_up_to)

    @route("DELETE", "/user/<guid:user>/notifications/<guid:notification>", allow=SELF)
    async def delete_notification(self, call: Call, user: str, notification: str) -> None:
        """Delete one notification. This succeeds too if there is no such one."""
        if await flags.delete(self.db, user, notification):
            self.notifier.changed(user)

    @route(
        "DELETE",
        "/user/<guid:user>/notifications",
        allow=SELF,
        raises=(NotificationNotFound,),
    )
    async def clear_notifications(self, call: Call, user: str, query: DeleteUpTo) -> None:
        """Delete one notification and all before it. `upTo` is its id or its number."""
        text = query.up_to
        if not is_guid(text) and not (text.isascii() and text.isdigit()):
            raise at_parameter("upTo", "This must be a notification's id or number.")
        await self._up_to(user, text, flags.delete_up_to)

    async def _up_to(self, user: str, text: str, act: _UpTo) -> None:
        """Do this to the notification with this number or id, and to all before it, in batches."""
        notification = text.lower() if is_guid(text) else None
        number = None if notification is not None else min(int(text), _NUMBERS)
        after, changed = 0, False
        try:
            while True:
                reached = await act(self.db, user, notification, number, after, self.batch)
                if reached is None:
                    break
                changed = changed or reached.changed > 0
                # A number above the newest means those that there were at the beginning.
                notification, number, after = None, reached.upto, reached.last
                if reached.changed < self.batch:
                    break
        finally:
            if changed:
                self.notifier.changed(user)
        if reached is None and notification is not None:
            raise NotificationNotFound()

    @route("GET", "/user/<guid:user>/notifications/settings", allow=SELF)
    async def get_notification_settings(self, call: Call, user: str) -> NotificationSettingsAnswer:
        """Get the kinds of notifications that the user has muted (notifications#muting)."""
        return NotificationSettingsAnswer(muted=await flags.muted(self.db, user) or [])

    @route(
        "PUT",
        "/user/<guid:user>/notifications/settings",
        allow=SELF,
        heeds="/user/<guid:user>/notifications/settings",
        raises=(NotMutable, UserNotFound),
    )
    async def set_notification_settings(
        self, call: Call, user: str, body: NotificationSettings
    ) -> None:
        """Mute exactly these kinds of notifications. From then on they are not stored. `Studio:`
        and a topic mutes that topic of the studio's notifications."""
        for place, kind in enumerate(body.muted):
            if not can_be_named(kind):
                raise at_pointer(f"/muted/{place}", "There is no such kind of notifications.")
        kinds = list(dict.fromkeys(body.muted))
        unmutable = {*NOT_MUTABLE, *(OF_TOPIC + topic for topic in self.unmutable)}
        fixed = [kind for kind in kinds if kind in unmutable]
        if fixed:
            raise NotMutable(kinds=fixed)
        if not call.conditional:
            if not await flags.mute(self.db, user, kinds):
                raise UserNotFound()
            return
        async with self.db.transaction() as tx:
            if not await flags.lock_muted(tx, user):
                raise UserNotFound()
            await call.unchanged(tx)
            await flags.mute(tx, user, kinds)


class DebugTools(Struct):
    """A test notification, for people who write clients. By default (`debug_notify`) it is only on
    a developer's machine."""

    db: Db
    notifier: Notifier

    @route("POST", "/debug/notify", allow=SIGNED_IN, raises=(UserNotFound,))
    async def send_debug_notification(self, call: Call, body: DebugNotify) -> None:
        """Send a user a notification of kind Debug (notifications#debug)."""
        await self.notifier.send(self.db, body.recipient, Debug(text=body.text))


def _number(row: notifications.Stored) -> int:
    return row.seq


def _item(row: notifications.Stored) -> Raw:
    return Raw(notification_json(row.id, row.created, row.read, row.data))
