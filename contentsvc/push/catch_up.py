"""Sockets between signing in and the live stream (socket#connecting, socket#resuming).

However many come at once, the database is read by a few statements at a time, each for many
sockets. No socket is closed because others came before it: a waiting socket is pinged like any
other, and gets `hello` in its turn.
"""

from collections.abc import Callable

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.db.batched_reads import BatchedReads
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.sockets.heartbeat import INTERVAL
from contentsvc.push.stream import (
    OVERLOADED,
    Log,
    Position,
    Sizes,
    Stream,
    Subscriber,
    encode,
    log_changed,
    notification_frame,
)
from contentsvc.store.notifications.notifications import Stored
from contentsvc.store.notifications.streams import State
from contentsvc.wire.socket import ErrorMessage, HelloMessage, Message

JOINS = 2
"""The most reads at once of users' states, and of backlogs: most of the pool stays free."""
READ_TIMEOUT = 10.0
"""Seconds that a socket's own read may take before the socket is closed."""
STUCK = 5.0
"""Seconds that a read may take before the process counts as not ready for sockets."""
_LARGEST = 2**63 - 1
"""The largest number that the database knows."""

log = Logger()


class CatchUp:
    """Says hello to the sockets of streams, and sends them their backlog.

    Calls `want` with a user's newest number, which the stream may not know yet, and `greeted` with
    the number of changes that a socket's hello comes after.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        db: Db,
        store: Log,
        sizes: Sizes,
        want: Callable[[Stream, int], None],
        greeted: Callable[[Stream, int], None],
    ) -> None:
        self._db = db
        self._sizes = sizes
        self._store = store
        self._want = want
        self._greeted = greeted
        self._states: BatchedReads[tuple[str, int], State] = BatchedReads(
            reactor,
            "read the database for sockets that join",
            self._read_states,
            reads=JOINS,
            most=sizes.states,
            patience=READ_TIMEOUT,
        )
        self._pages: BatchedReads[tuple[str, int], list[Stored]] = BatchedReads(
            reactor,
            "read the backlog of sockets",
            self._read_pages,
            reads=JOINS,
            most=sizes.pages,
            patience=READ_TIMEOUT,
        )

    @property
    def stuck(self) -> bool:
        """Whether sockets have waited too long for an answer of the database."""
        return max(self._states.overdue, self._pages.overdue) > STUCK

    def join(
        self, stream: Stream, socket: Subscriber, resume: Position | None, problem: Message | None
    ) -> None:
        """Say hello (then `problem`), send what came after `resume`, and go live."""
        joining = Deferred.fromCoroutine(self._join(stream, socket, resume, problem))
        joining.addErrback(self._failed, socket)

    def leave(self, socket: Subscriber) -> None:
        """Forget a socket that has ended, or will."""
        self._states.leave(socket)
        self._pages.leave(socket)

    def stop(self) -> None:
        """End every wait."""
        self._states.stop()
        self._pages.stop()

    async def _read_states(self, asked: list[tuple[str, int]]) -> list[State]:
        users, seqs = [user for user, _ in asked], [seq for _, seq in asked]
        return await self._store.states(self._db, users, seqs)

    async def _read_pages(self, asked: list[tuple[str, int]]) -> list[list[Stored]]:
        users, afters = [user for user, _ in asked], [position for _, position in asked]
        sizes = self._sizes
        return await self._store.pages(self._db, users, afters, sizes.page, sizes.page_bytes)

    async def _join(
        self, stream: Stream, socket: Subscriber, resume: Position | None, problem: Message | None
    ) -> None:
        position = socket.position
        state = await self._state(stream, socket, resume)
        if state is None:
            return
        if stream.last < 0:
            stream.last, stream.id = state.newest, state.id
        self._greet(stream, socket, state, resume, problem)
        self._greeted(stream, state.changes)
        self._want(stream, state.newest)
        # Between this comparison and going live there is no await.
        while position.seq < stream.last:
            sent, of = stream.last, stream.log
            if socket not in stream.sockets:
                return
            rows = await self._pages.ask(socket, (socket.user, position.seq))
            if rows is None:
                return
            if stream.log != of:
                continue  # log_changed has said where the socket goes on
            if not rows:
                # Everything that was sent live before the read began has come, or is deleted.
                position.reach(max(position.seq, sent))
            drained = self._send(stream, socket, rows, sent)
            # The unsent rows are read again: to hold them for every slow socket would be too much.
            del rows
            if drained is not None:
                await drained
        if socket in stream.sockets:
            position.go_live()

    def _send(
        self, stream: Stream, socket: Subscriber, rows: list[Stored], sent: int
    ) -> Deferred[None] | None:
        """Send a page until the socket is full; the Deferred fires when it takes more again."""
        for row in rows:
            if row.seq > sent:
                # The stream sends this row: it knows whether the row follows the last one sent.
                socket.position.reach(sent)
                self._want(stream, row.seq)
                break
            socket.position.reach(row.seq)
            socket.send(notification_frame(row))
            drained = socket.drained()
            if drained is not None or socket not in stream.sockets:
                return drained
        return None

    async def _state(
        self, stream: Stream, socket: Subscriber, resume: Position | None
    ) -> State | None:
        at = 0 if resume is None else min(resume.seq, _LARGEST)
        while True:
            of = stream.log
            state = await self._states.ask(socket, (socket.user, at))
            if state is None or stream.log == of:
                return state

    def _greet(
        self,
        stream: Stream,
        socket: Subscriber,
        state: State,
        resume: Position | None,
        problem: Message | None,
    ) -> None:
        start, id = state.newest, state.id
        if resume is not None:
            if resume.seq > state.newest:
                detail = f"There is no notification {resume.seq} yet. The newest is {start}."
                problem = ErrorMessage("seq_ahead", detail)
            elif resume.seq > state.trimmed and resume.id not in {None, state.at}:
                problem = log_changed(start, id)
            else:
                start, id = resume.seq, state.at
                if start < state.trimmed:
                    detail = f"Notifications before {state.trimmed + 1} are no longer kept."
                    problem = ErrorMessage("trimmed", detail)
        socket.send(encode(HelloMessage(start, state.unread, INTERVAL, id)))
        if problem is not None:
            socket.send(encode(problem))
        socket.position.greet(start, id if start > stream.last else None, state.changes)

    def _failed(self, failure: Failure, socket: Subscriber) -> None:
        if failure.check(CancelledError, Unavailable) is None:
            log.failure("A socket could not join", failure)
        socket.end(OVERLOADED)
