"""A socket, as the hub sees it: where it is in a user's log, and how it can end."""

from typing import NamedTuple, Protocol

from autobahn.websocket.protocol import PreparedMessage
from msgspec import Raw, json
from twisted.internet.defer import Deferred

from contentsvc.framework.sockets.heartbeat import Pinged
from contentsvc.store.notifications.notifications import Following, Stored
from contentsvc.store.notifications.streams import Tally
from contentsvc.wire.notifications import (
    ErrorMessage,
    Message,
    NotificationMessage,
    StateMessage,
    notification_json,
)


class Close(NamedTuple):
    """A close, with a goodbye before it."""

    code: int
    reason: str
    retry_after: int


DRAINING = Close(1001, "draining", 1)
OVERLOADED = Close(1013, "overloaded", 5)
RESTORING = Close(1013, "restoring", 5)
REVOKED = Close(4403, "revoked", 0)
SLOW_CONSUMER = Close(4408, "slow_consumer", 1)
REPLACED = Close(4410, "replaced", 60)


class Position(NamedTuple):
    """A place in a user's log: a notification's number, and its id if known."""

    seq: int
    id: str | None = None


class Subscriber(Pinged, Protocol):
    """A socket, as the hub sees it. Only the hub writes `position`, `known`, `live` and `changes`.

    `position` is -1 until the socket has had its hello. If the position is ahead of the last
    notification that the stream has sent, `known` is the id of the notification there. The last
    state that was sent to the socket was read after so many `changes`.
    """

    user: str
    session: str
    position: int
    known: str | None
    live: bool
    changes: int

    def send(self, frame: bytes) -> None:
        """Write a frame, or queue it. Does nothing if the socket has ended."""

    def push_state(self, frame: bytes) -> None:
        """Write a frame with a state. While the transport is full, only the newest waits."""

    def push_library(self, frame: bytes) -> None:
        """The same of the message `library`."""

    def drained(self) -> Deferred[None] | None:
        """None if the transport takes more now. Otherwise fires when it does, or has gone."""

    def end(self, close: Close) -> None:
        """Say goodbye and close. Detaches from the hub at once."""


def encode(message: Message) -> bytes:
    """The frame of a message."""
    frame: bytes = PreparedMessage(json.encode(message), False, False, True).payloadHybi
    return frame


def notification_frame(row: Stored | Following) -> bytes:
    """The frame of a stored notification. It shows the same object as REST."""
    shown = notification_json(row.id, row.created, row.read, row.data)
    return encode(NotificationMessage(row.seq, Raw(shown)))


def state_frame(tally: Tally) -> bytes:
    """The frame that says how many notifications a user has not read."""
    return encode(StateMessage(tally.newest, tally.unread))


def log_changed(newest: int, id: str | None) -> ErrorMessage:
    """The message for a client that knows another log than the present one, which ends there."""
    detail = f"The service's database went back in time. This socket goes on after {newest}."
    return ErrorMessage("log_changed", detail, newest, id)
