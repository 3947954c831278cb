"""A connected user and this user's sockets, as the hub sees them: their positions in the log, what
can be sent to them, and how they end. Also the reads of the database for such users."""

from collections.abc import Awaitable
from typing import NamedTuple, Protocol

from autobahn.websocket.protocol import PreparedMessage
from msgspec import Raw, json
from twisted.internet.defer import Deferred

from contentsvc.framework.db.query import Db
from contentsvc.framework.sockets.heartbeat import Pinged
from contentsvc.store.notifications.notifications import Following, Stored
from contentsvc.store.notifications.streams import Aged, State, StreamEnd, Tally
from contentsvc.wire.notifications import notification_json
from contentsvc.wire.socket import ErrorMessage, Message, NotificationMessage, StateMessage


class Sizes(NamedTuple):
    """The most that one read of the database is for.

    A read for streams that are behind has `users` users and `rows` rows in all. A read of states
    has `users` users too. A check of the logs has `checked` connected users. One read gives
    `states` sockets their hello: some milliseconds of work in one turn. One read gives `pages`
    sockets a page of their backlog: `page` rows, and `page_bytes` without its last row, enough to
    fill a transport's buffer.
    """

    users: int = 500
    rows: int = 1000
    checked: int = 500
    states: int = 50
    pages: int = 8
    page: int = 100
    page_bytes: int = 64 * 1024


SIZES = Sizes()


class Log(Protocol):
    """The reads of store.streams that the hub makes."""

    def states(self, db: Db, users: list[str], seqs: list[int], /) -> Awaitable[list[State]]: ...
    def pages(
        self, db: Db, users: list[str], afters: list[int], rows: int, size: int, /
    ) -> Awaitable[list[list[Stored]]]: ...
    def after(
        self, db: Db, users: list[str], afters: list[int], limit: int, /
    ) -> Awaitable[list[Aged]]: ...
    def moved(
        self,
        db: Db,
        users: list[str],
        seqs: list[int],
        ids: list[str | None],
        changes: list[int],
        /,
    ) -> Awaitable[list[StreamEnd]]: ...
    def tallies(self, db: Db, users: list[str], /) -> Awaitable[list[Tally]]: ...
    def subscribers(self, db: Db, users: list[str], /) -> Awaitable[list[str]]: ...


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


class SocketPosition:
    """Where a socket is in its user's log. Others read it; its methods alone write it.

    `seq` is -1 until the socket has had its hello. If it is ahead of the last notification that the
    stream has sent, `known` is the id of the notification there. `live` says whether the stream
    sends the socket what comes. The last state that the socket was sent was read after so many
    `changes`.
    """

    __slots__ = ("changes", "known", "live", "seq")

    def __init__(self) -> None:
        self.seq = self.changes = -1
        self.known: str | None = None
        self.live = False

    @property
    def greeted(self) -> bool:
        """Whether the socket has had its hello."""
        return self.seq >= 0

    def greet(self, seq: int, known: str | None, changes: int) -> None:
        """The socket has had its hello: it goes on after `seq`, and has this state."""
        self.seq, self.known, self.changes = seq, known, changes

    def reach(self, seq: int) -> None:
        """The socket has all notifications up to this one."""
        self.seq = seq

    def go_live(self) -> None:
        """The socket has all that its stream has sent."""
        self.live = True

    def start_anew(self, seq: int) -> None:
        """The log is another one, and the socket goes on after `seq`. That there were as many
        changes does not mean that the state is the same."""
        self.seq, self.known, self.changes = seq, None, -1

    def show(self, changes: int) -> None:
        """The socket was sent the state after so many changes."""
        self.changes = changes


class Subscriber(Pinged, Protocol):
    """A socket, as the hub sees it."""

    user: str
    session: str
    asked_by: str | None
    """The session with whose portal code its own began."""
    position: SocketPosition

    def send(self, frame: bytes) -> None:
        """Write a frame, or queue it. Does nothing if the socket has ended."""

    def push_state(self, frame: bytes) -> None:
        """Write a frame with a state. While the transport is full, only the newest waits."""

    def push_library(self, frame: bytes) -> None:
        """Write the message `library`. While the transport is full, only one waits."""

    def drained(self) -> Deferred[None] | None:
        """None if the transport takes more now. Otherwise fires when it does, or has gone."""

    def end(self, close: Close) -> None:
        """Say goodbye and close. Detaches from the hub at once."""


class Stream:
    """A connected user.

    `last` and `id` are the number and id of the last notification that was sent. `last` is -1
    until the first socket has read where it starts. `id` is None at 0, and if retention has
    deleted the notification. `log` counts how often the log has turned out to be another one. A
    read that began before such a change does not count. `changes` is the highest number of changes
    that was read for the user's present log, -1 before the first.
    """

    __slots__ = ("changes", "id", "last", "log", "sockets", "user", "wanted")

    def __init__(self, user: str) -> None:
        self.user = user
        self.last = -1
        self.id: str | None = None
        self.log = 0
        self.wanted = 0
        self.changes = -1
        self.sockets: list[Subscriber] = []  # oldest first


def encode(message: Message) -> bytes:
    """The frame of a message."""
    frame: bytes = PreparedMessage(json.encode(message), False, False, True).payloadHybi
    return frame


def notification_frame(row: Stored | Following) -> bytes:
    """The frame of a stored notification. It shows the same object as REST."""
    shown = notification_json(row.id, row.created, row.read, row.data)
    return encode(NotificationMessage(row.seq, Raw(shown)))


def state_frame(tally: Tally) -> bytes:
    """The frame with the number of a user's unread notifications."""
    return encode(StateMessage(tally.newest, tally.unread))


def log_changed(newest: int, id: str | None) -> ErrorMessage:
    """The message for a client that knows another log than the present one, which ends there."""
    detail = f"The service's database went back in time. This socket goes on after {newest}."
    return ErrorMessage("log_changed", detail, newest, id)
