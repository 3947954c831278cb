"""The outbox: what is still to be told to many (spec §6).

A cause puts a task into it, in its own transaction. Any process works it off: see
contentsvc.tasks.outbox. The tasks are in contentsvc.store.tasks.
"""

from collections.abc import Callable
from typing import NamedTuple

from contentsvc.db.query import Db, found, many, maybe, none
from contentsvc.store.tasks import Task, encoded

LOCK_TIMEOUT = "500ms"
"""How long a batch waits for a lock. The process works on no other row meanwhile."""
SILENCE = "5s"
"""How long a process may hold a row without a statement. If its machine dies, others get the row
then."""
FIRST_PAUSE, LAST_PAUSE = 1.0, 60.0
"""Seconds until a batch that failed is tried again. They double each time."""
MOST = 10_000
"""Tasks that are counted at most."""


class Backlog(NamedTuple):
    """The tasks of one kind that wait: how many, how many of them have failed, and the age of the
    oldest in seconds."""

    kind: str
    tasks: int
    failing: int
    oldest: float


class Row(NamedTuple):
    """A row that this transaction has locked. `turn` changes with each batch. `tries` and `failure`
    say how often this batch has failed, and why."""

    id: int
    turn: int
    kind: str
    task: str
    place: str | None
    tries: int
    failure: str | None


class Outbox:
    """Where a cause puts its tasks. `wake` begins the work in this process."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.wake = wake

    async def put(self, db: Db, task: Task) -> None:
        """Have the task done once `db` has committed."""
        await self.put_later(db, task)
        db.after_commit(self.wake)

    async def put_later(self, db: Db, task: Task) -> None:
        """The same without beginning. The caller does the task, or calls `wake`."""
        await insert(db, *encoded(task))


@none("insert into outbox (kind, task, topic) values (:kind, :task, :topic)")
async def insert(db: Db, kind: str, task: str, topic: str | None) -> None:
    """Add a row. It has no turn while there is an older one of the same topic."""


@maybe(f"""
    with held as materialized (
        select * from outbox
        where kind = any(:kinds)
          -- What is due later than any pause is long was written before the clock was set back.
          and (due is null or due <= now() or due > now() + make_interval(secs => {LAST_PAUSE}))
          and (topic is null or (
              select true from outbox older
              where older.topic = outbox.topic and older.id < outbox.id limit 1
          ) is null)
        order by turn limit 1
        for update skip locked
    )
    select id, turn, kind, task, place, tries, failure
    from held cross join lateral (
        select set_config('lock_timeout', '{LOCK_TIMEOUT}', true),
               set_config('idle_in_transaction_session_timeout', '{SILENCE}', true)
    ) limits
""")
async def take(db: Db, kinds: list[str]) -> Row | None:
    """Lock the row of one of these kinds whose turn it is, until the end of the transaction. None
    if there is none that nobody else works on."""


@maybe("""
    select id, turn, kind, task, place, tries, failure from outbox
    where topic = :topic order by id limit 1
    for update skip locked
""")
async def take_of(db: Db, topic: str) -> Row | None:
    """Lock the oldest row of a topic, until the end of the transaction. None if there is none that
    nobody else works on."""


@found("select from outbox where topic = :topic limit 1")
async def has(db: Db, topic: str) -> bool:
    """Whether there is a row of this topic."""


@none("""
    update outbox
    set place = :place, turn = nextval('outbox_turns'), tries = 0, failure = null, due = null
    where id = :id
""")
async def move(db: Db, id: int, place: str) -> None:
    """Note that the next batch begins at `place`, after all other rows have had their turn."""


@none("delete from outbox where id = :id")
async def finish(db: Db, id: int) -> None:
    """Delete a row that is done."""


@found(f"""
    update outbox
    set tries = tries + 1, failure = :failure, turn = nextval('outbox_turns'),
        due = now() + make_interval(
            secs => least({FIRST_PAUSE} * 2 ^ least(tries, 30), {LAST_PAUSE})
        )
    where id = (select id from outbox where id = :id and turn = :turn for update skip locked)
    returning true
""")
async def put_apart(db: Db, id: int, turn: int, failure: str) -> bool:
    """Note that the batch at this `turn` has failed, and let it wait. False if it was done after
    all, or another process is at it."""


@many("""
    select kind, count(*) as tasks, count(*) filter (where tries > 0) as failing,
           greatest(extract(epoch from clock_timestamp() - min(created)), 0)::float8 as oldest
    from (select kind, tries, created from outbox order by id limit :most) oldest
    group by kind
""")
async def backlog(db: Db, most: int) -> list[Backlog]:
    """What waits, by kind. Only the `most` oldest are counted."""
