"""How far the logs of a primary and of its replica are, and who waits for the replica.

The primary is asked once for all reads of a reactor turn, and by one statement at a time. The
replica is asked over and over for as long as somebody waits. Its answers are hints: the check that
travels with a read decides.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall

from contentsvc.framework.core.timers import Sleeps, cancel
from contentsvc.framework.db.connection import one_line
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.db.statement import Statement

CATCH_UP_TIMEOUT: Final = 0.05
"""Seconds that a read may wait until the replica has what it must have."""
PAUSE: Final = 0.002
"""Seconds between two questions how far the replica is."""
_LOOK: Final = 0.05
"""Seconds between two looks for what nobody's request waits for."""
BEHIND: Final = "it is behind the primary"
LANE: Final = "replica positions"
"""The lane of all statements here."""

# If commits do not wait for a flush, they are seen and acknowledged before it.
_PRIMARY = Statement(
    "replica_primary",
    """
    select ('x' || substr(pg_walfile_name(p.l), 1, 8))::bit(32)::integer as timeline,
           (p.l - '0/0')::bigint as lsn
    from (
        select case when pg_is_in_recovery() then null
                    when current_setting('synchronous_commit') = 'off'
                    then pg_current_wal_insert_lsn()
                    else pg_current_wal_flush_lsn() end as l
    ) p
    where p.l is not null
    """,
    lane=LANE,
)
# The timeline is that of what is received. It is read after what has been replayed, which was
# received before. It is null without streaming, and without the right to see it.
_SEEN = """
    select (select received_tli from pg_stat_wal_receiver) as timeline, s.*
    from (
        select (pg_last_wal_replay_lsn() - '0/0')::bigint as lsn {more}
        where pg_is_in_recovery() offset 0
    ) s
"""
_REPLICA = Statement("replica_seen", _SEEN.format(more=""), lane=LANE)
MARK: Final = Statement(
    "replica_mark",
    _SEEN.format(more=", pg_snapshot_xmax(pg_current_snapshot())::text as xid"),
    lane=LANE,
)
"""What the statement before has seen at most: a `Mark` of contentsvc.framework.db.consistent_reads,
with a null for none."""
_ENDED = Statement(
    "replica_ended",
    "select where pg_snapshot_xmin(pg_current_snapshot()) >= :xid::text::xid8",
    ["xid"],
    [False],
    LANE,
)
"""On the primary: a row if all transactions before this one have ended."""
PREPARE_CHECK: Final = """
    prepare replica_check (pg_lsn, integer) as
    select 1 / case when pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1
                     and (select received_tli from pg_stat_wal_receiver) = $2 then 1 else 0 end;
"""
"""Makes `Position.check` known to a connection."""


class Position(NamedTuple):
    """A place in the log of a timeline."""

    timeline: int
    lsn: int

    @property
    def check(self) -> str:
        """The statement that fails unless this is a replica that has replayed the log so far."""
        lsn = f"{self.lsn >> 32:X}/{self.lsn & 0xFFFFFFFF:X}"
        return f"EXECUTE replica_check('{lsn}', {self.timeline});"


class _Turn:
    """The reads of one reactor turn. They wait for the same position, at most until `timer`."""

    position: Position | None = None
    timer: IDelayedCall | None = None

    def __init__(self) -> None:
        self.ended = False
        self._waiters: list[Deferred[Position | None]] = []

    def wait(self) -> Deferred[Position | None]:
        waiter: Deferred[Position | None] = Deferred()
        self._waiters.append(waiter)
        return waiter

    def end(self, position: Position | None) -> None:
        """Let the reads go to the replica, or without a position to the primary."""
        self.ended = True
        cancel(self.timer)
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.callback(position)


class Positions:
    """Those of a `primary` and its `replica`. Calls `fail` with the reason if the replica is late,
    or does not say where it is."""

    def __init__(self, reactor: Any, primary: Db, replica: Db, fail: Callable[[str], None]) -> None:
        self._reactor = reactor
        self._primary = primary
        self._replica = replica
        self._fail = fail
        self._sleeps = Sleeps(reactor)
        self._seen: Position | None = None
        self._fresh: _Turn | None = None
        """The reads for which the primary has not been asked."""
        self._asking = False
        self._behind: list[_Turn] = []
        """The reads that wait for the replica."""
        self._watching = False

    def reach(self) -> Deferred[Position | None]:
        """A position that has all that was acknowledged before now, when the replica is there; None
        if it is not in time."""
        if self._fresh is None:
            self._fresh = turn = _Turn()
            turn.timer = self._reactor.callLater(CATCH_UP_TIMEOUT, self._expire, turn)
            if not self._asking:
                self._asking = True
                self._reactor.callLater(0, self._ask)
        return self._fresh.wait()

    def forget(self) -> None:
        """Ask the replica before the next read goes there."""
        self._seen = None

    def end(self) -> None:
        """Let all reads that wait go to the primary."""
        self._seen = None
        turns, self._behind = self._behind, []
        if self._fresh is not None:
            turns.append(self._fresh)
            self._fresh = None
        for turn in turns:
            turn.end(None)

    def stop(self) -> None:
        """Do so, and ask no more."""
        self.end()
        self._sleeps.stop()

    def _ask(self) -> None:
        turn, self._fresh = self._fresh, None
        if turn is None:
            self._asking = False
        else:
            Deferred.fromCoroutine(self._learn(turn))

    async def _learn(self, turn: _Turn) -> None:
        try:
            turn.position = await self.of_primary()
        except Exception:
            # The read itself will show what ails the primary.
            turn.position = None
        self._ask()
        if turn.position is None or self._reached(turn.position):
            turn.end(turn.position)
        elif not turn.ended:
            self._behind.append(turn)
            if not self._watching:
                self._watching = True
                Deferred.fromCoroutine(self._watch())

    def _reached(self, position: Position) -> bool:
        """Whether the replica was seen to be there."""
        seen = self._seen
        return seen is not None and seen.timeline == position.timeline and seen.lsn >= position.lsn

    async def _watch(self) -> None:
        try:
            while self._behind:
                self._seen = await self.of_replica()
                for turn in [t for t in self._behind if t.position and self._reached(t.position)]:
                    self._behind.remove(turn)
                    turn.end(turn.position)
                if self._behind:
                    await self._sleeps.sleep(PAUSE)
        except CancelledError:
            pass  # it stops
        except Exception as error:
            self._fail(one_line(error))
        finally:
            self._watching = False

    def _expire(self, turn: _Turn) -> None:
        if turn is self._fresh:
            self._fresh = None
        late = turn in self._behind
        if late:
            self._behind.remove(turn)
        turn.end(None)
        if late:  # otherwise it is the primary that has not answered
            self._fail(BEHIND)

    async def of_primary(self) -> Position | None:
        """How far the primary's log is flushed; None if this is no primary. Raises Unavailable."""
        rows = await self._primary.run(_PRIMARY, ())
        return Position(*rows[0]) if rows else None

    async def of_replica(self) -> Position | None:
        """How far the replica is; None if it is no replica that streams. Raises Unavailable."""
        rows = await self._replica.run(_REPLICA, ())
        return Position(*rows[0]) if rows and None not in rows[0] else None

    async def catch_up(self, needed: Position, seconds: float) -> None:
        """Wait until the replica is there. Raises Unavailable: it is not within so many seconds;
        CancelledError: it stops."""
        late = self._reactor.seconds() + seconds
        while True:
            self._seen = seen = await self.of_replica()
            if self._reached(needed):
                return
            if seen is None:
                raise Unavailable("it does not stream from the primary")
            if self._reactor.seconds() > late:
                other = seen.timeline != needed.timeline
                raise Unavailable("it follows another primary" if other else BEHIND)
            await self._sleeps.sleep(_LOOK)

    async def ended(self, xid: str, seconds: float) -> None:
        """Wait until all transactions before this one have ended on the primary. Raises
        Unavailable, CancelledError likewise."""
        late = self._reactor.seconds() + seconds
        while not await self._primary.run(_ENDED, (xid,)):
            if self._reactor.seconds() > late:
                raise Unavailable("the primary does not show what its replica has shown")
            await self._sleeps.sleep(_LOOK)
