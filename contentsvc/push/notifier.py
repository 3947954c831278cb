"""The notifier: every notification is stored and pushed here."""

from typing import Protocol

from msgspec import json

from contentsvc.db.query import Db
from contentsvc.store import notifications
from contentsvc.store.notifications import Following
from contentsvc.wire.notifications import Notification


class Local(Protocol):
    """This process's hub."""

    def deliver(self, row: Following) -> None: ...


class Others(Protocol):
    """The relay to the other processes."""

    def announce(self, user: str, seq: int) -> None: ...


class Notifier:
    """Stores notifications, and publishes them once they are committed."""

    def __init__(self, hub: Local, relay: Others) -> None:
        self._hub = hub
        self._relay = relay

    async def send(self, db: Db, recipient: str, notification: Notification) -> None:
        """Store one for the user `recipient`; push it when `db` has committed.

        Raises Refused `notification_counters_user` if the user does not exist.
        """
        kind = notification.__struct_config__.tag
        row = await notifications.insert(
            db, recipient, str(kind), json.encode(notification).decode()
        )
        db.after_commit(lambda: self._publish(row))

    def _publish(self, row: Following) -> None:
        self._hub.deliver(row)
        self._relay.announce(row.user_id, row.seq)
