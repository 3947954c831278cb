"""The debug notification: spec §4.18."""

from msgspec import Struct

from contentsvc.api.errors import UserNotFound
from contentsvc.db.query import Db
from contentsvc.push.notifier import Notifier
from contentsvc.web.call import Call
from contentsvc.web.permissions import SIGNED_IN
from contentsvc.web.route import route
from contentsvc.wire.notifications import Debug, DebugNotify


class DebugTools(Struct):
    """A test notification, for people who write clients. By default (`debug_notify`) it is only on
    a developer's machine."""

    db: Db
    notifier: Notifier

    @route("POST", "/debug/notify", allow=SIGNED_IN, raises=(UserNotFound,))
    async def send_debug_notification(self, call: Call, body: DebugNotify) -> None:
        """Send a user a notification of kind Debug (spec §4.18)."""
        await self.notifier.send(self.db, body.recipient, Debug(text=body.text))
