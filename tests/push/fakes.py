"""Fakes in memory: a log of notifications, sockets, and what stands for the hub."""

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple
from uuid import UUID

from msgspec import json
from msgspec.structs import asdict, replace
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from contentsvc.push.hub import Hub
from contentsvc.push.statistics import Delays
from contentsvc.push.stream import Close, Position, SocketPosition
from contentsvc.store.notifications.notifications import Following, Stored
from contentsvc.store.notifications.streams import Aged, State, StreamEnd, Tally

LIMITS = {"sockets": 20_000, "sockets_per_user": 8}
"""Those of a hub in most tests."""


AGE = 0.25
"""Seconds that a notification has when it is read."""


def delays() -> Delays:
    """Nobody hears of them."""
    return Delays(Clock(), lambda stored_by, seconds: None)


class Commits:
    """The part of a transaction that waits for its commit. It commits when told to."""

    def __init__(self) -> None:
        self.callbacks: list[Callable[[], None]] = []

    def after_commit(self, callback: Callable[[], None]) -> None:
        self.callbacks.append(callback)

    def commit(self) -> None:
        for callback in self.callbacks:
            callback()


class Read:
    """A query under way: the database runs it at some moment, and answers later."""

    def __init__(self, query: Callable[[], Any], kind: str, size: int) -> None:
        self._query = query
        self.kind = kind
        self.size = size
        self.ran = False
        self.result: Any = None
        self.answer: Deferred[Any] = Deferred()

    def run(self) -> None:
        if not self.ran:
            self.ran, self.result = True, self._query()


class FakeLog:
    """Stands for store.streams and its database.

    It answers at once, or, when `held`, as the test says with `answer` and `fail`.
    """

    def __init__(self, held: bool = False) -> None:
        self.rows: dict[str, list[Following]] = {}
        self.trimmed: dict[str, int] = {}
        self.unread: dict[str, int] = {}
        self.changes: dict[str, int] = {}
        self.keeping: set[str] = set()
        self.held = held
        self.reads: list[Read] = []
        self.asked: list[tuple[str, int]] = []
        self.error: Exception | None = None
        self._ids = count(1)

    def commit(self, user: str = "ann", text: str = "") -> Following:
        """Append a row, as a committed transaction does."""
        rows = self.rows.setdefault(user, [])
        seq = len(rows) + 1
        data = json.encode({"kind": "Debug", "text": text or str(seq)}).decode()
        id, previous = str(UUID(int=next(self._ids))), rows[-1].id if rows else None
        rows.append(Following(user, seq, id, 1000 + seq, False, data, previous))
        self.unread[user] = self.unread.get(user, 0) + 1
        return rows[-1]

    def read(self, user: str = "ann", unread: int = 0) -> None:
        """Change read flags, so that so many are unread."""
        self.unread[user] = unread
        self.changes[user] = self.changes.get(user, 0) + 1

    def go_back(self, user: str = "ann", to: int = 0) -> None:
        """Lose what came after a number, as a database does that is an older one."""
        del self.rows.setdefault(user, [])[to:]
        self.trimmed[user] = min(self.trimmed.get(user, 0), to)

    def id(self, user: str, seq: int) -> str | None:
        """The id of a number, where it is there."""
        there = self.trimmed.get(user, 0) < seq <= self.newest(user)
        return self.rows[user][seq - 1].id if there else None

    def trim(self, user: str, upto: int) -> None:
        """Delete by retention."""
        self.trimmed[user] = max(upto, self.trimmed.get(user, 0))

    def newest(self, user: str) -> int:
        return len(self.rows.get(user, ()))

    def states(self, db: object, users: list[str], seqs: list[int], /) -> Deferred[list[State]]:
        def one(user: str, seq: int) -> State:
            newest, trimmed = self.newest(user), self.trimmed.get(user, 0)
            id, at = self.id(user, newest), self.id(user, seq)
            unread, changes = self.unread.get(user, 0), self.changes.get(user, 0)
            return State(newest, id, trimmed, unread, changes, at)

        def query() -> list[State]:
            return [one(user, seq) for user, seq in zip(users, seqs, strict=True)]

        return self._read(query, "states", len(users))

    def moved(
        self,
        db: object,
        users: list[str],
        seqs: list[int],
        ids: list[str | None],
        changes: list[int],
        /,
    ) -> Deferred[list[StreamEnd]]:
        def query() -> list[StreamEnd]:
            found = []
            for user, seq, id, known in zip(users, seqs, ids, changes, strict=True):
                newest, at, now = self.newest(user), self.id(user, seq), self.changes.get(user, 0)
                if newest != seq or at != id or now != known:
                    last, trimmed = self.id(user, newest), self.trimmed.get(user, 0)
                    found.append(StreamEnd(user, newest, last, trimmed, now, at))
            return found

        return self._read(query, "moved", len(users))

    def subscribers(self, db: object, users: list[str], /) -> Deferred[list[str]]:
        return succeed([user for user in users if user in self.keeping])

    def tallies(self, db: object, users: list[str], /) -> Deferred[list[Tally]]:
        def one(user: str) -> Tally:
            unread, changes = self.unread.get(user, 0), self.changes.get(user, 0)
            return Tally(user, self.newest(user), unread, changes)

        return self._read(lambda: [one(user) for user in users], "tallies", len(users))

    def pages(
        self, db: object, users: list[str], afters: list[int], rows: int, size: int, /
    ) -> Deferred[list[list[Stored]]]:
        def one(user: str, seq: int) -> list[Stored]:
            there = self.rows.get(user, [])[max(seq, self.trimmed.get(user, 0)) :][:rows]
            return list(there)

        def query() -> list[list[Stored]]:
            return [one(user, seq) for user, seq in zip(users, afters, strict=True)]

        return self._read(query, "pages", len(users))

    def after(
        self, db: object, users: list[str], afters: list[int], limit: int, /
    ) -> Deferred[list[Aged]]:
        def query() -> list[Aged]:
            rows: list[Aged] = []
            for user, seq in sorted(zip(users, afters, strict=True)):
                there = self.rows.get(user, [])[max(seq, self.trimmed.get(user, 0)) :]
                before = [self.id(user, seq), *(row.id for row in there)]
                rows += [
                    Aged(**asdict(replace(row, previous=id)), age=AGE)
                    for row, id in zip(there, before, strict=False)
                ]
            return rows[:limit]

        return self._read(query, "after", len(users))

    def answer(self, read: Read | None = None) -> None:
        """Answer one read under way, the oldest unless another is given."""
        read = read or self.reads[0]
        read.run()
        self.reads.remove(read)
        read.answer.callback(read.result)

    def fail(self, error: Exception, read: Read | None = None) -> None:
        """Let one read under way fail."""
        read = read or self.reads[0]
        self.reads.remove(read)
        read.answer.errback(error)

    def _read(self, query: Callable[[], Any], kind: str, size: int) -> Deferred[Any]:
        self.asked.append((kind, size))
        if self.error is not None:
            raise self.error
        if not self.held:
            return succeed(query())
        self.reads.append(Read(query, kind, size))
        return self.reads[-1].answer


class Seen(NamedTuple):
    """A message that a socket was sent, and the very bytes of its frame."""

    message: dict[str, Any]
    frame: bytes


class FakeSocket:
    """A socket, as the hub sees it. Tests set `paused` through `pause`."""

    def __init__(self, hub: Hub, user: str = "ann", session: str = "s1") -> None:
        self.hub = hub
        self.user = user
        self.session = session
        self.asked_by: str | None = None
        self.position = SocketPosition()
        self.turn = self.heard = 0
        self.seen: list[Seen] = []
        self.closes: list[Close] = []
        self.cut = False
        self.pings = 0
        self.queue: list[bytes] = []
        self._paused = False
        self._drained: Deferred[None] | None = None

    def join(
        self, resume: int | None = None, problem: Any = None, id: str | None = None
    ) -> "FakeSocket":
        """Come in and sign in, unless the hub refuses."""
        refusal = self.hub.opened(self)
        if refusal is not None:
            self.end(refusal)
        else:
            self.hub.attach(self, None if resume is None else Position(resume, id), problem)
        return self

    def pause(self, paused: bool) -> None:
        self._paused = paused
        if not paused and self._drained is not None:
            drained, self._drained = self._drained, None
            drained.callback(None)

    def leave(self) -> None:
        """The connection is lost."""
        self.hub.closed(self)
        self.pause(False)

    def send(self, frame: bytes) -> None:
        if not self.closes:
            self.seen.append(Seen(decode(frame), frame))

    def push_library(self, frame: bytes) -> None:
        self.send(frame)

    def push_state(self, frame: bytes) -> None:
        self.send(frame)

    def drained(self) -> Deferred[None] | None:
        if not self._paused:
            return None
        self._drained = Deferred()
        return self._drained

    def end(self, close: Close) -> None:
        if not self.closes:
            self.closes.append(close)
            self.hub.detach(self)

    def drop(self) -> None:
        self.cut = True
        self.leave()

    def ping(self) -> None:
        self.pings += 1

    @property
    def types(self) -> list[str]:
        return [each.message["type"] for each in self.seen]

    @property
    def hello(self) -> dict[str, Any]:
        return self.seen[0].message

    @property
    def seqs(self) -> list[int]:
        """The numbers of the notifications it was sent."""
        return [s.message["seq"] for s in self.seen if s.message["type"] == "notification"]

    @property
    def states(self) -> list[tuple[int, int]]:
        """The states it was told: the number and how many are unread."""
        said = [each.message for each in self.seen if each.message["type"] == "state"]
        return [(message["seq"], message["unread"]) for message in said]


def payload(frame: bytes) -> bytes:
    """The text of an unmasked frame of the server."""
    assert frame[0] == 0x81, frame[:2]
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]


def decode(frame: bytes) -> dict[str, Any]:
    """The message in an unmasked text frame of the server."""
    message: dict[str, Any] = json.decode(payload(frame))
    return message


def make(
    held: bool = False, clock: Clock | None = None, **limits: Any
) -> tuple[Clock, FakeLog, Hub]:
    """A clock, a log and a hub between them."""
    clock, log = clock or Clock(), FakeLog(held)
    return clock, log, Hub(clock, None, log, delays(), **LIMITS | limits)  # type: ignore[arg-type]


class Listener:
    """Stands for the hub and the relay."""

    def __init__(self) -> None:
        self.delivered: list[Following] = []
        self.announced: list[tuple[str, int]] = []
        self.states: list[str] = []
        self.libraries: list[str] = []
        self.connected = False

    def deliver(self, row: Following) -> bool:
        self.delivered.append(row)
        return self.connected

    def announce(self, user: str, seq: int) -> None:
        self.announced.append((user, seq))

    def changed(self, user: str) -> None:
        self.states.append(user)

    def announce_changed(self, user: str) -> None:
        self.states.append(user)

    def library_changed(self, user: str) -> None:
        self.libraries.append(user)

    def announce_library(self, user: str) -> None:
        """The others."""
