"""Users, their sockets, and the frames to send: the hub and the joins share these."""

from collections.abc import Awaitable
from typing import NamedTuple, Protocol

from autobahn.websocket.protocol import PreparedMessage
from msgspec import Raw, json
from twisted.internet.defer import Deferred

from contentsvc.db.query import Db
from contentsvc.push.heartbeat import Pinged
from contentsvc.store.notifications import Following, Standing, State, Stored
from contentsvc.wire.notifications import notification_json
from contentsvc.wire.socket import ErrorMessage, Message, NotificationMessage


class Close(NamedTuple):
    """A close, with a goodbye before it."""

    code: int
    reason: str
    retry_after: int


DRAINING = Close(1001, "draining", 1)
OVERLOADED = Close(1013, "overloaded", 5)
REVOKED = Close(4403, "revoked", 0)
SLOW_CONSUMER = Close(4408, "slow_consumer", 1)
REPLACED = Close(4410, "replaced", 60)


class Position(NamedTuple):
    """A place in a user's log: a notification's number, and its id if known."""

    seq: int
    id: str | None = None


class Subscriber(Pinged, Protocol):
    """A socket, as the hub sees it. Only the hub writes `position`, `known` and `live`.

    `position` is -1 until the socket has had its hello. If the position is ahead of the last
    notification that the feed has sent, `known` is the id of the notification there.
    """

    user: str
    session: str
    position: int
    known: str | None
    live: bool

    def send(self, frame: bytes) -> None:
        """Write a frame, or queue it. Does nothing if the socket has ended."""

    def drained(self) -> Deferred[None] | None:
        """None if the transport takes more now. Otherwise fires when it does, or has gone."""

    def end(self, close: Close) -> None:
        """Say goodbye and close. Detaches from the hub at once."""


class Log(Protocol):
    """The reads of store.notifications that the hub makes."""

    def states(self, db: Db, users: list[str], seqs: list[int], /) -> Awaitable[list[State]]: ...
    def pages(
        self, db: Db, users: list[str], afters: list[int], rows: int, size: int, /
    ) -> Awaitable[list[list[Stored]]]: ...
    def after(
        self, db: Db, users: list[str], afters: list[int], limit: int, /
    ) -> Awaitable[list[Following]]: ...
    def moved(
        self, db: Db, users: list[str], seqs: list[int], ids: list[str | None], /
    ) -> Awaitable[list[Standing]]: ...


class Feed:
    """A connected user.

    `last` and `id` are the number and id of the last notification that was sent. `last` is -1
    until the first socket has read where it starts. `id` is None at 0, and if retention has
    deleted the notification. `log` counts how often the log has turned out to be another one. A
    read that began before such a change does not count.
    """

    __slots__ = ("id", "last", "log", "sockets", "user", "wanted")

    def __init__(self, user: str) -> None:
        self.user = user
        self.last = -1
        self.id: str | None = None
        self.log = 0
        self.wanted = 0
        self.sockets: list[Subscriber] = []  # oldest first


def encode(message: Message) -> bytes:
    """The WebSocket frame of a message. It can be written to any number of sockets."""
    frame: bytes = PreparedMessage(json.encode(message), False, False, True).payloadHybi
    return frame


def notification_frame(row: Stored | Following) -> bytes:
    """The frame of a stored notification. It shows the same object as REST."""
    shown = notification_json(row.id, row.created, row.read, row.data)
    return encode(NotificationMessage(row.seq, Raw(shown)))


def log_changed(newest: int, id: str | None) -> ErrorMessage:
    """The message for a client that knows another log than the present one, which ends there."""
    detail = f"The service's database went back in time. This socket goes on after {newest}."
    return ErrorMessage("log_changed", detail, newest, id)
