"""Messages as WebSocket frames, which can be written to any number of sockets."""

from autobahn.websocket.protocol import PreparedMessage
from msgspec import Raw, json

from contentsvc.store.notifications.notifications import Following, Stored
from contentsvc.store.notifications.streams import Tally
from contentsvc.wire.notifications import (
    ErrorMessage,
    Message,
    NotificationMessage,
    StateMessage,
    notification_json,
)


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
