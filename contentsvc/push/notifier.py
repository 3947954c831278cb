"""The notifier: every notification is stored and pushed here."""

from collections.abc import Iterable, Sequence

from attrs import define
from msgspec import json

from contentsvc.framework.db.query import Db
from contentsvc.push.hub import Hub
from contentsvc.push.relay import Relay
from contentsvc.push.statistics import Delays
from contentsvc.store.notifications import notifications
from contentsvc.store.notifications.notifications import Following
from contentsvc.wire.base import tag_of
from contentsvc.wire.notifications import Notification


@define(eq=False)
class Notifier:
    """Stores notifications, and publishes them once they are committed. `delays` hears how long
    that takes."""

    _hub: Hub
    _relay: Relay
    _delays: Delays

    async def send(self, db: Db, recipient: str, notification: Notification) -> None:
        """Store one for the user `recipient`, unless they have muted its kind; push it when `db`
        has committed.

        Raises Refused `notification_counters_user` if the user does not exist.
        """
        began = self._delays.seconds()
        row = await notifications.insert(db, recipient, tag_of(notification), data_of(notification))
        if row is not None:
            self._publish_after_commit(db, [row], began)

    async def send_many(self, db: Db, batch: Sequence[tuple[str, Notification]]) -> None:
        """Store one for each of these recipients, in one statement, and push them when `db` has
        committed. A recipient who is named several times gets them in this order. Recipients who
        do not exist, or have muted the kind, are left out.

        Their counters are locked in the order of user ids.
        """
        if not batch:
            return
        began = self._delays.seconds()
        # Often all get the same object.
        datas = {id(each): data_of(each) for _, each in batch}
        rows = await notifications.insert_many(
            db,
            [recipient for recipient, _ in batch],
            [tag_of(each) for _, each in batch],
            [datas[id(each)] for _, each in batch],
        )
        self._publish_after_commit(db, rows, began)

    def publish(self, db: Db, rows: Sequence[Following]) -> None:
        """Push rows that another statement has stored, when `db` has committed."""
        self._publish_after_commit(db, rows, self._delays.seconds())

    def changed(self, user: str) -> None:
        """Send the user's sockets the new state: read flags have changed, or notifications were
        deleted, and that is committed."""
        self._hub.changed(user)
        self._relay.announce_changed(user)

    def library_changed(self, users: Iterable[str]) -> None:
        """Notify these users' sockets that their library, or what of it is available, may have
        changed, and that is committed. A user may be named several times."""
        for user in users:
            self._hub.library_changed(user)
            self._relay.announce_library(user)

    def _publish_after_commit(self, db: Db, rows: Sequence[Following], began: float) -> None:
        db.after_commit(lambda: self._publish(rows, began))

    def _publish(self, rows: Sequence[Following], began: float) -> None:
        for row in rows:
            if self._hub.deliver(row):
                self._delays.own(began)
            self._relay.announce(row.user_id, row.seq)


def data_of(notification: Notification) -> str:
    """The kind as the log has it: JSON text, its tag first."""
    return json.encode(notification).decode()
