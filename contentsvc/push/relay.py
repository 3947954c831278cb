"""What the processes tell each other, over one LISTEN connection each.

Postgres passes on ids only: that a user has notifications up to some seq, and that a session
was ended. It replays nothing, so the sweep reads every few seconds what may have been missed, and
whether the database went back in time.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import Annotated, Any, Protocol
from uuid import uuid4

from msgspec import DecodeError, Meta, Struct, field, json
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.db.connection import Connection, connect, execute
from contentsvc.db.errors import Unavailable
from contentsvc.db.query import Db
from contentsvc.push.feeds import report
from contentsvc.store import sessions
from contentsvc.timers import Backoff, Bell, NextTurn, timer
from contentsvc.tokens import Revoked

SWEEP = 4.0
"""Seconds between reads of what may have been missed."""
SWEEP_AGAIN = 1.0
"""Seconds until the next where one has failed."""
KEEPALIVE = 5.0
"""Seconds of silence after which the connection is tried, and then to its end if it is dead."""
ANSWER = 5.0
"""Seconds that one statement on the connection, or its opening, may take."""
FIRST_PAUSE, LAST_PAUSE = 0.1, 2.0
"""Seconds before the connection is opened again; doubled each time, give or take a half."""
REMINDER = 60.0
"""Seconds between the lines of the log that say the same of a database that is away."""
IDS = 120
"""Ids in one payload: with a number each takes 60 bytes, and Postgres takes 7,999 in all."""

_LISTEN = "listen to the other processes"
_SWEEP = "look for missed notifications"

log = Logger()


class News(Struct, omit_defaults=True):
    """One payload."""

    origin: str = field(name="o")
    seqs: dict[str, Annotated[int, Meta(ge=1, le=2**63 - 1)]] = field(
        name="n", default_factory=dict
    )
    revoked: list[str] = field(name="r", default_factory=list)


class Listener(Protocol):
    """What the relay needs of the hub."""

    async def check(self) -> None: ...
    def noticed(self, user: str, seq: int) -> None: ...
    def revoke(self, sids: Iterable[str]) -> None: ...


class Relay:
    """Tells the other processes, hears them, and sweeps.

    `dsn` is opened for LISTEN, `db` is read from. `alive` is True while LISTEN is in force.
    """

    def __init__(
        self,
        reactor: Any,
        *,
        dsn: str,
        db: Db,
        hub: Listener,
        revoked: Revoked,
        random: Random,
    ) -> None:
        self._reactor = reactor
        self._dsn = dsn
        self._db = db
        self._hub = hub
        self._revoked = revoked
        self._random = random
        self._origin = uuid4().hex
        self._decoder = json.Decoder(News)
        self._connection: Connection | None = None
        self._stopped = False
        self._work = Bell(reactor)
        self._sweep_due = Bell(reactor)
        self._listening: Deferred[None] | None = None
        self._seqs: dict[str, int] = {}
        self._sids: set[str] = set()
        self._turn = NextTurn(reactor, self._work.ring)
        self._swept = reactor.seconds()
        self._said: dict[str, float] = {}

    @property
    def alive(self) -> bool:
        return self._connection is not None

    async def start(self) -> None:
        """Listen from now on, as often as it takes; done when LISTEN is in force."""
        listening: Deferred[None] = Deferred()
        self._listening = listening
        for loop in (self._serve(), self._sweep_forever()):
            Deferred.fromCoroutine(loop).addErrback(self._failed)
        await listening

    async def stop(self) -> None:
        """Close the connection and hear nothing more."""
        self._stopped = True
        if self._connection is not None:
            self._connection.abandon()
        self._work.ring()
        self._sweep_due.ring()
        self._started()

    def announce(self, user: str, seq: int) -> None:
        """Tell the others that `user` has notifications up to `seq`.

        While the connection is away nothing is kept: the others' sweeps find it.
        """
        if self._connection is not None:
            self._seqs[user] = max(seq, self._seqs.get(user, 0))
            self._turn.ask()

    def announce_revoked(self, sid: str) -> None:
        """Tell the others that a session was ended; their sweeps find it otherwise."""
        if self._connection is not None:
            self._sids.add(sid)
            self._turn.ask()

    # The connection. Only _serve runs statements on it, one after the other.

    async def _serve(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE, self._random)
        while not self._stopped:
            connection = None
            try:
                connection = await connect(self._reactor, self._dsn, timeout=ANSWER)
                await self._listen(connection)
                self._said.pop(_LISTEN, None)
                pauses.reset()
                await self._speak(connection)
            except Exception as error:
                self._report(_LISTEN, error)
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
        self._sweep_due.ring()  # for what was said before LISTEN
        self._started()

    async def _speak(self, connection: Connection) -> None:
        while not self._stopped:
            await self._work.wait(KEEPALIVE)
            if connection.broken:
                break
            payloads = list(self._payloads())
            if payloads:
                notify = "select pg_notify('contentsvc', p) from unnest(%s::text[]) p"
                await self._run(connection, notify, payloads)
            else:
                await self._run(connection, "select 1")

    async def _run(self, connection: Connection, sql: str, *args: object) -> None:
        """Raises Unavailable if there is no answer in time: nothing else tells that the
        server's machine is gone."""
        with timer(self._reactor, ANSWER, connection.abandon):
            await execute(connection, sql, args or None)

    def _lost(self) -> None:
        if self._connection is not None and not self._stopped:
            log.warn("Lost the LISTEN connection to the database: connecting again")
        self._connection = None
        self._seqs.clear()
        self._sids.clear()
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

    def _heard(self, notify: Any) -> None:
        try:
            news = self._decoder.decode(notify.payload)
        except (DecodeError, RecursionError) as error:
            log.warn("Ignored a NOTIFY payload that cannot be read: {error}", error=error)
            return
        if news.origin != self._origin:
            self._end(news.revoked)
            for user, seq in news.seqs.items():
                self._hub.noticed(user, seq)

    # The sweep.

    async def _sweep_forever(self) -> None:
        pause = SWEEP
        while not self._stopped:
            await self._sweep_due.wait(pause)
            pause = SWEEP
            try:
                await self._sweep()
                self._said.pop(_SWEEP, None)
            except Exception as error:
                pause = min(SWEEP, SWEEP_AGAIN)
                self._report(_SWEEP, error)

    async def _sweep(self) -> None:
        try:
            await self.learn_ended()
        except Unavailable as error:
            # Who holds a lock on the sessions holds none on what was missed.
            if error.cause == "lock":
                await self._hub.check()
            raise
        await self._hub.check()

    async def learn_ended(self) -> None:
        """Read which sessions have been ended. Raises Unavailable."""
        # Sockets live on while the database is away, for however long.
        began = self._reactor.seconds()
        away = max(0, int(began - self._swept))
        self._end(await sessions.revoked(self._db, away + sessions.LATELY))
        self._swept = began
        self._revoked.complete = True

    def _end(self, sids: list[str]) -> None:
        new = [sid for sid in sids if sid not in self._revoked]
        for sid in new:
            self._revoked.add(sid)
        self._hub.revoke(new)

    def _report(self, what: str, error: Exception) -> None:
        if self._stopped:  # then the database is being closed under what still runs
            return
        now = self._reactor.seconds()
        if isinstance(error, Unavailable) and now - self._said.get(what, -REMINDER) < REMINDER:
            return
        self._said[what] = now
        report(what, error)

    def _failed(self, failure: Failure) -> None:
        log.failure("The relay failed", failure)
