"""News between the processes, over one LISTEN connection each.

The news has only ids: a user has notifications up to some seq, a user's read flags have changed or
notifications were deleted, or a session has ended. Postgres replays nothing. So whenever LISTEN is
in force again, the sweep reads what may have been missed.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import Annotated, Any, NamedTuple, Protocol
from uuid import uuid4

from msgspec import DecodeError, Meta, Struct, field, json
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.core.timers import Backoff, Bell, NextTurn, timer
from contentsvc.db.connection import Connection, connect, execute
from contentsvc.push.retries import FIRST_PAUSE, LAST_PAUSE, Reports

IDS = 120
"""Most ids in one payload: each needs 60 bytes with its number, and Postgres allows 7,999."""

_LISTEN = "listen to the other processes"

log = Logger()


class News(Struct, omit_defaults=True):
    """One payload of NOTIFY. Other releases may have fewer members or more."""

    origin: str = field(name="o")
    seqs: dict[str, Annotated[int, Meta(ge=1, le=2**63 - 1)]] = field(
        name="n", default_factory=dict
    )
    revoked: list[str] = field(name="r", default_factory=list)
    changed: list[str] = field(name="c", default_factory=list)


class Hub(Protocol):
    """Hears of notifications."""

    def noticed(self, user: str, seq: int) -> None: ...
    def changed(self, user: str) -> None: ...


class Revocation(Protocol):
    """Hears of sessions that were ended."""

    def heard(self, sids: Iterable[str]) -> None: ...


class Reconciler(Protocol):
    """Finds news that came while this process did not listen."""

    def ask(self) -> None: ...


class Times(NamedTuple):
    """Times in seconds. After `keepalive` of silence the connection is tested. Its opening, and
    each statement on it, may take `answer`. The pause before it is opened again doubles from
    `first_pause` to `last_pause`."""

    keepalive: float = 5.0
    answer: float = 5.0
    first_pause: float = FIRST_PAUSE
    last_pause: float = LAST_PAUSE


TIMES = Times()


class Relay:
    """Tells the other processes its news, and hears theirs.

    `dsn` is opened for LISTEN. `alive` is True while LISTEN is in force, and `listens` counts how
    often it has come into force.
    """

    _hub: Hub
    _revocation: Revocation
    _sweep: Reconciler

    def __init__(
        self,
        reactor: Any,
        *,
        dsn: str,
        random: Random,
        times: Times = TIMES,
    ) -> None:
        self._reactor = reactor
        self._dsn = dsn
        self._times = times
        self._random = random
        self._origin = uuid4().hex
        self._decoder = json.Decoder(News)
        self._connection: Connection | None = None
        self.listens = 0
        self._stopped = False
        self._work = Bell(reactor)
        self._listening: Deferred[None] | None = None
        self._seqs: dict[str, int] = {}
        self._sids: set[str] = set()
        self._changed: set[str] = set()
        self._turn = NextTurn(reactor, self._work.ring)
        self._reports = Reports(reactor)

    @property
    def alive(self) -> bool:
        return self._connection is not None

    async def start(self, hub: Hub, revocation: Revocation, sweep: Reconciler) -> None:
        """Listen from now on, and tell these objects the news. Tries as often as necessary. Done
        when LISTEN is in force."""
        self._hub, self._revocation, self._sweep = hub, revocation, sweep
        listening: Deferred[None] = Deferred()
        self._listening = listening
        Deferred.fromCoroutine(self._serve()).addErrback(self._failed)
        await listening

    async def stop(self) -> None:
        """Close the connection and hear nothing more."""
        self._stopped = True
        if self._connection is not None:
            self._connection.abandon()
        self._work.ring()
        self._started()

    def announce(self, user: str, seq: int) -> None:
        """Tell the others that `user` has notifications up to `seq`.

        Without a connection the news is dropped: the others' sweeps find it.
        """
        if self._connection is not None:
            self._seqs[user] = max(seq, self._seqs.get(user, 0))
            self._turn.ask()

    def announce_changed(self, user: str) -> None:
        """Tell the others that read flags of `user` have changed, or notifications were deleted.
        Without a connection, their sweeps find it."""
        if self._connection is not None:
            self._changed.add(user)
            self._turn.ask()

    def announce_revoked(self, sid: str) -> None:
        """Tell the others that a session has ended. Without a connection, their sweeps find it."""
        if self._connection is not None:
            self._sids.add(sid)
            self._turn.ask()

    # The connection. Only _serve runs statements on it, one at a time.

    async def _serve(self) -> None:
        times = self._times
        pauses = Backoff(times.first_pause, times.last_pause, self._random)
        while not self._stopped:
            connection = None
            try:
                connection = await connect(
                    self._reactor, self._dsn, timeout=times.answer, statement_timeout=times.answer
                )
                await self._listen(connection)
                self._reports.works(_LISTEN)
                pauses.reset()
                await self._speak(connection)
            except Exception as error:
                if not self._stopped:  # otherwise it was abandoned for the stop
                    self._reports.failed(_LISTEN, error)
            if connection is not None:
                connection.abandon()
            self._lost()
            self._work.silence()
            if not self._stopped:
                await self._work.wait(pauses.next())

    async def _listen(self, connection: Connection) -> None:
        connection.addNotifyObserver(self._heard)
        connection.lost = self._lost
        await self._run(connection, "LISTEN contentsvc")
        if self._stopped:
            return
        self._connection = connection
        self.listens += 1
        self._sweep.ask()  # for news from before LISTEN
        self._started()

    async def _speak(self, connection: Connection) -> None:
        while not self._stopped:
            await self._work.wait(self._times.keepalive)
            if connection.broken:
                break
            payloads = list(self._payloads())
            if payloads:
                notify = "select pg_notify('contentsvc', p) from unnest(%s::text[]) p"
                await self._run(connection, notify, payloads)
            else:
                await self._run(connection, "select 1")

    async def _run(self, connection: Connection, sql: str, *args: object) -> None:
        """Raises Unavailable if there is no answer in time. Nothing else shows that the server's
        machine is gone."""
        with timer(self._reactor, self._times.answer, connection.abandon):
            await execute(connection, sql, args or None)

    def _lost(self) -> None:
        if self._connection is not None and not self._stopped:
            # Log: the process hears of other processes' notifications only when it is back. Do: if
            # it repeats, look at the network and the database.
            log.warn("Lost the LISTEN connection to the database: connecting again")
        self._connection = None
        self._seqs.clear()
        self._sids.clear()
        self._changed.clear()
        self._work.ring()

    def _started(self) -> None:
        if self._listening is not None:
            listening, self._listening = self._listening, None
            listening.callback(None)

    def _payloads(self) -> Iterator[str]:
        seqs, self._seqs = iter(self._seqs.items()), {}
        while some := dict(islice(seqs, IDS)):
            yield json.encode(News(self._origin, seqs=some)).decode()
        sids, self._sids = iter(self._sids), set()
        while few := list(islice(sids, IDS)):
            yield json.encode(News(self._origin, revoked=few)).decode()
        users, self._changed = iter(self._changed), set()
        while few := list(islice(users, IDS)):
            yield json.encode(News(self._origin, changed=few)).decode()

    def _heard(self, notify: Any) -> None:
        try:
            news = self._decoder.decode(notify.payload)
        except (DecodeError, RecursionError) as error:
            # Log: another program uses the channel `contentsvc` in this database. Do: give the
            # service a database of its own.
            log.warn("Ignored a NOTIFY payload that cannot be read: {error}", error=error)
            return
        if news.origin != self._origin:
            self._revocation.heard(news.revoked)
            for user, seq in news.seqs.items():
                self._hub.noticed(user, seq)
            for user in news.changed:
                self._hub.changed(user)

    def _failed(self, failure: Failure) -> None:
        log.failure("The relay failed", failure)
