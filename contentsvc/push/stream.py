"""A connected user, as the hub sees it, and the reads of the database for such users."""

from collections.abc import Awaitable
from typing import NamedTuple, Protocol

from contentsvc.framework.db.query import Db
from contentsvc.push.subscriber import Subscriber
from contentsvc.store.notifications.notifications import Stored
from contentsvc.store.notifications.streams import Aged, State, StreamEnd, Tally


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
