"""The measurement of a fan-out: an author whom many follow publishes, or the studio tells all of
these followers something, and others work meanwhile."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg2
from psycopg2 import sql

from . import bulk
from .helper import Helper
from .processes import Process
from .results import Fanout
from .steady import Begin, Broadcast, End, Frames, Latencies, Publish, Published, Step, Task, Told
from .world import Sizes

KEY = "fanout"
BROADCAST = "broadcast"
"""The same by the studio."""
RATE = 200
"""Requests of others, each second."""
ROUNDS = 3
"""More rounds would be more publications in a day than followers are told of."""
_SOCKETS = 50
_QUIETLY = 2
"""Fan-outs of a round with nothing beside them. One more has the others' requests."""
_MANY = 100_000
"""Followers beyond which a round has only the fan-out beside others' requests."""
_PATIENCE = 120.0
"""Seconds for everything to be told, at least."""
_EACH = 0.001
"""Seconds for each follower, at least."""
_APART = 2.0
"""Seconds between two publications of others beside a fan-out."""
_MOST_OF_EACH = 9
"""Publications of each of them: followers are told of ten in a day."""
_SMALL = 10
"""Authors who publish then, in turn. One user follows each of them."""

_CROWD = """
    delete from follows where followed = md5('user ' || %(star)s)::uuid;
    insert into users (id, username, email, password_hash)
    select md5('user ' || n)::uuid, 'fan' || n, 'user' || n || '@example.com', '-'
    from generate_series(%(first)s, %(last)s) n;
    insert into follows (follower, followed)
    select md5('user ' || n)::uuid, md5('user ' || %(star)s)::uuid
    from generate_series(%(first)s, %(last)s) n;
"""

_FOLLOW = """
    insert into follows (follower, followed)
    select md5('user ' || %(follower)s)::uuid, md5('user ' || n)::uuid
    from unnest(%(authors)s) n
    on conflict do nothing
"""

Cost = Callable[[Process], AbstractContextManager[list[float]]]


class FanoutError(Exception):
    """Somebody was not told, or twice; `str()` says who."""


def settle(
    url: str, patience: float = _PATIENCE, meanwhile: Callable[[], object] | None = None
) -> None:
    """Wait until the service with this database has told everything. Calls `meanwhile` every
    _APART seconds until then. Raises FanoutError."""
    deadline, due = time.monotonic() + patience, time.monotonic()
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        while _waiting(cursor):
            if time.monotonic() > deadline:
                raise FanoutError(f"not all is told after {patience:.0f} s")
            if meanwhile is not None and time.monotonic() >= due:
                meanwhile()
                due = time.monotonic() + _APART
            time.sleep(0.02)


def _waiting(cursor: Any) -> bool:
    table = sql.Identifier(_table(cursor) or "")
    cursor.execute(sql.SQL("select exists (select from {})").format(table))
    (waiting,) = cursor.fetchone()
    return bool(waiting)


def crowd(url: str, sizes: Sizes, fans: int, say: bulk.Say) -> None:
    """Have so many further users follow the star, and nobody else."""
    with bulk.connection(url) as cursor, bulk.said(say, f"{fans:,} followers"):
        cursor.execute("set session_replication_role = replica")
        values = {"star": sizes.star, "first": sizes.users, "last": sizes.users + fans - 1}
        cursor.execute(_CROWD, values)
        cursor.execute("vacuum (analyze) users, follows")


def known(url: str) -> bool:
    """Whether the database is of a release with a queue of tasks."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        return _table(cursor) is not None


def tells(url: str) -> bool:
    """Whether it is of a release by which the studio can tell something."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute("select to_regclass('studio_notifications') is not null")
        (there,) = cursor.fetchone()
        return bool(there)


def _table(cursor: Any) -> str | None:
    """The queue of tasks; of a release before 1.0.0, the outbox. None if it has none."""
    cursor.execute("select coalesce(to_regclass('tasks'), to_regclass('outbox'))::text")
    (table,) = cursor.fetchone()
    return None if table is None else str(table)


class Run:
    """Fan-outs on one daemon, of publications or by the `studio`; `into` gets what is measured.
    Raises HelperError, FanoutError."""

    def __init__(
        self,
        daemon: Process,
        url: str,
        keys: Path,
        sizes: Sizes,
        cost: Cost,
        into: Fanout,
        *,
        studio: bool = False,
    ) -> None:
        self._studio = studio
        self._daemon = daemon
        self._url = url
        self._sizes = sizes
        self._cost = cost
        self._into = into
        self._helper = Helper("steady")
        task = Task(daemon.port, str(keys), sizes, min(_SOCKETS, sizes.followers))
        self._sockets = task.sockets
        # Those with even numbers; the first is the one whom nobody shall follow.
        first = self._unfollowed + 2
        self._small = list(range(first, sizes.star, 2))[:_SMALL]
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            follower = {"follower": sizes.first_follower, "authors": self._small}
            cursor.execute(_FOLLOW, follower)
        try:
            self._helper.ask(msgspec.json.encode(task))
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the load generator."""
        self._helper.stop()

    def round(self, seconds: float) -> None:
        """One round; the others' requests without a fan-out last for so many seconds."""
        settle(self._url)
        into = self._into
        quietly = _QUIETLY if self._sizes.followers <= _MANY else 0
        for _ in range(quietly + 1):
            into.unfollowed.append(self._publish(self._unfollowed).took)
        for _ in range(quietly):
            with self._cost(self._daemon) as cost:
                into.told.append(self._fan_out())
            into.server.append(cost[0] / self._sizes.followers * 1e6)
            into.postgres.append(cost[1] / self._sizes.followers * 1e6)
        self._step(Begin(RATE))
        time.sleep(seconds)
        into.quiet += self._step(End(), Latencies).took
        into.told_beside.append(self._fan_out(beside=True))

    @property
    def _unfollowed(self) -> int:
        """The number of an author; dataset.py has only users with odd numbers followed."""
        return self._sizes.regulars + self._sizes.regulars % 2

    def _fan_out(self, *, beside: bool = False) -> float:
        """Let the star publish: the seconds from the answer until all are told."""
        if self._studio:
            published = self._step(Broadcast(self._sizes.star), Published)
        else:
            published = self._publish(self._sizes.star)
        begun = time.monotonic()
        self._into.followed.append(published.took)
        if beside:
            self._step(Begin(RATE))
        patience = max(_PATIENCE, self._sizes.followers * _EACH)
        settle(self._url, patience, self._overtake if beside else None)
        seconds = time.monotonic() - begun
        if beside:
            self._into.meanwhile += self._step(End(), Latencies).took
        told = self._step(Frames(published.content, 10), Told)
        if not len(told.after) == told.sockets == self._sockets:
            raise FanoutError(
                f"{told.sockets} of {self._sockets} sockets have {len(told.after)} frames"
            )
        self._into.frames += told.after
        self._check(published.content)
        return seconds

    def _overtake(self) -> None:
        """Let an author publish whom one follows who is connected."""
        if self._small and len(self._into.overtaking) < _MOST_OF_EACH * len(self._small):
            author = self._small[len(self._into.overtaking) % len(self._small)]
            published = self._publish(author)
            told = self._step(Frames(published.content, 30, 1), Told)
            if len(told.after) != 1:
                raise FanoutError(f"{len(told.after)} frames of another author's content")
            self._into.overtaking += told.after

    def _check(self, content: str) -> None:
        with closing(psycopg2.connect(self._url)) as connection, connection.cursor() as cursor:
            cursor.execute(
                "select count(*), count(distinct user_id) from notifications"
                " where kind = %s and position(%s in data) > 0",
                ("Studio" if self._studio else "ContentPublished", content),
            )
            rows, users = cursor.fetchone()
        if not rows == users == self._sizes.followers:
            raise FanoutError(f"{users} of {self._sizes.followers} followers got {rows}")

    def _publish(self, author: int) -> Published:
        return self._step(Publish(author), Published)

    def _step(self, step: Step, outcome: type[Any] = str) -> Any:
        return msgspec.json.decode(self._helper.ask(msgspec.json.encode(step)), type=outcome)
