"""The queue of tasks: what is still to be done after a cause has committed.

A cause puts a task into it, in its own transaction. The task has all that has to be known for it.
Any process does it: see contentsvc.framework.tasks.task_runners. The schema of the service has the
table `tasks`.

A service declares its tasks as subclasses of Task and Effect. A task has the JSON of its row as
fields, and its class's tag as its kind, so that a row can be read by another release: give a new
field a default.

The row of a step is locked while a batch runs. The row of an effect is claimed: until the lease
ends, it is one process's, and only with the lease can that process say what came of it.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, json

from contentsvc.framework.db.query import Db, found, many, maybe, none, one

STEPS: Final = "steps"
"""The queue of all steps. Each kind of effects has a queue by its name."""
LOCK_TIMEOUT = "500ms"
"""How long a batch waits for a lock. The process works on no other row meanwhile."""
SILENCE = "5s"
"""How long a process may hold a row without a statement. If its machine dies, others get the row
then."""
FIRST_PAUSE, LAST_PAUSE = 1.0, 60.0
"""Seconds until a batch that failed is tried again. They double each time."""
MOST_WEIGHT: Final = 30.0
"""Seconds for which a row that has begun lets newer ones go before it, at most. Less than any
pause: see `take`."""
MOST = 10_000
"""Tasks of a queue that are counted at most."""

_FIRST: Final = """(topic is null or (
    select true from tasks older where older.topic = tasks.topic and older.id < tasks.id limit 1
) is null)"""
"""Whether no older one has the same topic."""
_LIMITS: Final = f"""(
    select set_config('lock_timeout', '{LOCK_TIMEOUT}', true),
           set_config('idle_in_transaction_session_timeout', '{SILENCE}', true)
) limits"""
"""The limits of a transaction that holds the lock of a row."""
_YIELDS: Final = "place is not null and tries = 0 and lease is null"
"""Whether a row is scheduled later only so that others are done before it: a step that has begun,
an effect that was put in turn."""
_MINE: Final = "id = :id and lease = :lease::uuid"

SHARED: Final = "new"
"""The place of an effect names its turn. Effects of one turn are scheduled one after the other, so
that those of other turns are done between them. All places that begin with this word and a blank
have one turn together."""
_LAST: Final = "last"
"""The beginning of the place of an effect that is done when no other waits."""
LAST_AFTER: Final = "10 days"
"""For how long an effect waits that is done when no other waits: longer than MOST others of a turn.
After that it is done like any other, so none waits for ever."""


def turn_of(place: str) -> str:
    """SQL of the columns `low` and `high`: the places that have one turn with this one are between
    them. `place` is an expression. Words come after digits and letters up to f in each order of a
    database."""
    return f"""case
        when {place} like '%{SHARED} %' then split_part({place}, '{SHARED} ', 1) || '{SHARED}'
        else {place}
    end as low, case
        when {place} like '%{SHARED} %' then split_part({place}, '{SHARED} ', 1) || '{SHARED}z'
        else {place}
    end as high"""


def _first(which: str, longest: str) -> str:
    """SQL of the common table expressions that lock the row `first`: the one of `which` that has
    its turn. A row that is scheduled later than in so many seconds, the `longest` that any waits,
    was written before the clock was set back. One that only lets others go first has its turn when
    there are none."""
    return f"""late as materialized (
        select * from tasks where {which} and due <= now() and {_FIRST}
        order by due, id limit 1
        for update skip locked
    ), ahead as materialized (
        select * from tasks
        where {which} and due > now() and {_FIRST}
          and (due > now() + make_interval(secs => {longest}) or {_YIELDS})
        order by due, id limit 1
        for update skip locked
    ), first as (select * from late union all select * from ahead limit 1)"""


class Backlog(NamedTuple):
    """The tasks of one kind that wait: how many, how many of them have failed, and the age of the
    oldest in seconds."""

    kind: str
    tasks: int
    failing: int
    oldest: float


class TaskRow(NamedTuple):
    """A row that this transaction has locked. `due` changes with each batch. `tries` and `failure`
    say how often this batch has failed, and why."""

    id: int
    due: str
    kind: str
    task: str
    place: str | None
    tries: int
    failure: str | None


class Long(NamedTuple):
    """A row that takes some time."""

    id: int
    kind: str
    task: str


class Claimed(NamedTuple):
    """A task that this process is to do. It has waited for so many seconds."""

    id: int
    lease: str
    task: str
    waited: float


class Encoded(NamedTuple):
    """A task as its row has it."""

    queue: str
    kind: str
    task: str
    topic: str | None


class Task(Struct, tag_field="kind", rename="camel", kw_only=True, frozen=True):
    """Something to do in steps, each a transaction, with all that a step has to know."""

    @property
    def topic(self) -> str | None:
        """What it is about, if tasks about it must be done one after the other, in the order in
        which they were put."""
        return None


class Effect(Task, frozen=True):
    """Something to do outside of the database, by one process at a time."""


def kind_of(task: Task | type[Task]) -> str:
    """The kind of a task, as its row has it."""
    return str(task.__struct_config__.tag)


def encoded(task: Task) -> Encoded:
    """The columns of a task's row."""
    kind = kind_of(task)
    queue = kind if isinstance(task, Effect) else STEPS
    return Encoded(queue, kind, json.encode(task).decode(), task.topic)


class TaskQueue:
    """Where a cause puts its tasks. `wake` begins the work in this process. `notify` says to this
    one and the others that a task waits, before which each has something to do."""

    def __init__(self, wake: Callable[[], None], notify: Callable[[], None] = lambda: None) -> None:
        self.wake = wake
        self.notify = notify

    async def put(self, db: Db, task: Task, wait: float = 0) -> None:
        """Have the task done once `db` has committed, and `wait` seconds have passed. Meanwhile
        each process does what it does before."""
        await put(db, task, wait)
        db.after_commit(self.wake)
        if wait:
            db.after_commit(self.notify)


async def put(db: Db, task: Task, wait: float = 0) -> None:
    """Have the task done, `wait` seconds from now, with the next check for tasks."""
    await insert(db, *encoded(task), wait)


async def put_all(db: Db, tasks: Sequence[Task]) -> None:
    """Have tasks of one kind done, in their order, with the next check for tasks."""
    if tasks:
        rows = [encoded(task) for task in tasks]
        queue, kind, _, _ = rows[0]
        await _insert_all(db, queue, kind, [row.task for row in rows], [row.topic for row in rows])


@none("""
    insert into tasks (queue, kind, task, topic, due)
    select :queue, :kind, task, topic, clock_timestamp()
    from unnest(:tasks::text[], :topics::text[]) with ordinality as given (task, topic, place)
    order by place
""")
async def _insert_all(
    db: Db, queue: str, kind: str, tasks: list[str], topics: list[str | None]
) -> None:
    """Add rows that can be done at once."""


@none("""
    insert into tasks (queue, kind, task, topic, due)
    values (:queue, :kind, :task, :topic, clock_timestamp() + make_interval(secs => :wait))
""")
async def insert(db: Db, queue: str, kind: str, task: str, topic: str | None, wait: float) -> None:
    """Add a row, scheduled in `wait` seconds. It is not done while there is an older one of the
    same topic."""


@one("""
    insert into tasks (queue, kind, task, topic, due, lease)
    values (:queue, :kind, :task, :topic,
            clock_timestamp() + make_interval(secs => :seconds::float8), gen_random_uuid())
    returning id, lease::text, task, 0::float8 as waited
""")
async def insert_claimed(
    db: Db, queue: str, kind: str, task: str, topic: str | None, seconds: float
) -> Claimed:
    """Add an effect that is this process's for so many seconds."""


@maybe(f"""
    with {_first(f"queue = '{STEPS}' and kind = any(:kinds)", f"{LAST_PAUSE}")}
    select id, due::text, kind, task, place, tries, failure
    from first cross join lateral {_LIMITS}
""")
async def take(db: Db, kinds: Sequence[str]) -> TaskRow | None:
    """Lock the row of the first scheduled step of one of these kinds, until the end of the
    transaction. None if other processes have locked all that are due."""


@none(f"""
    update tasks set place = :place, tries = 0, failure = null,
        due = clock_timestamp() + least(
            greatest(clock_timestamp() - created, '0'), make_interval(secs => {MOST_WEIGHT})
        )
    where id = :id
""")
async def move(db: Db, id: int, place: str) -> None:
    """Note that the next batch begins at `place`. All other rows that are due have their turn
    first, and those that come within this row's weight: the time since it was put, at most
    MOST_WEIGHT. If there are no others, it has its turn at once."""


@many(f"""
    select id, kind, task from tasks
    where queue = '{STEPS}' and kind = any(:kinds) and {_FIRST}
      and (place is not null or due > created + interval '1 second')
    order by due, id limit :most
""")
async def long(db: Db, kinds: Sequence[str], most: int) -> list[Long]:
    """Rows of these kinds that have begun, or were put for later, locked by others or not."""


@maybe(f"""
    with held as (
        update tasks set due = greatest(due, clock_timestamp() + make_interval(secs => :seconds))
        where id = :id and {_FIRST}
        returning place
    )
    select coalesce(place, '') as place from held cross join lateral {_LIMITS}
""")
async def lock(db: Db, id: int, seconds: float) -> str | None:
    """Lock a row until the end of the transaction, and give its place, empty for the first batch.
    A row that has not begun does not begin for so many seconds. None if it is done."""


@none("delete from tasks where id = :id")
async def finish(db: Db, id: int) -> None:
    """Delete a row that is done."""


@found(f"""
    update tasks
    set tries = tries + 1, failure = :failure, due = clock_timestamp() + make_interval(
        secs => least({FIRST_PAUSE} * 2 ^ least(tries, 30), {LAST_PAUSE})
    )
    where id = (
        select id from tasks where id = :id and due = :due::timestamptz for update skip locked
    )
    returning true
""")
async def postpone(db: Db, id: int, due: str, failure: str) -> bool:
    """Note that the batch with this `due` has failed, and schedule it again after a pause. False
    if it was done after all, or another process works on it."""


@one(f"""
    select count(*) from (
        (select true from tasks where queue = :queue and due <= now() order by due limit :most)
        union all
        (select true from tasks
         where queue = :queue and due > now()
           and (due > now() + make_interval(secs => :longest::float8) or {_YIELDS})
         order by due limit 1)
    ) late
""")
async def due(db: Db, queue: str, most: int, longest: float) -> int:
    """How many effects of this kind can be done now: their time has come, they only let others go
    first, or they are scheduled later than any waits (`longest`). About `most` are counted."""


@maybe(f"""
    with {_first("queue = :queue", ":seconds::float8 + :last_pause::float8")}
    update tasks
    set lease = gen_random_uuid(),
        due = clock_timestamp() + make_interval(secs => :seconds::float8)
    where id = (select id from first)
    returning id, lease::text, task,
              greatest(extract(epoch from clock_timestamp() - created), 0)::float8 as waited
""")
async def claim(db: Db, queue: str, seconds: float, last_pause: float) -> Claimed | None:
    """Claim the first scheduled effect of this kind, for so many seconds. None if there is none,
    or other processes have claimed all."""


@found(f"delete from tasks where {_MINE} returning true")
async def end(db: Db, id: int, lease: str) -> bool:
    """Delete an effect that is done, or given up. False if others have claimed it."""


@none(f"""
    update tasks
    set lease = null, tries = 0, failure = null, place = null, created = later.due, due = later.due
    from (select clock_timestamp() + make_interval(secs => :seconds::float8) as due) later
    where {_MINE}
""")
async def again(db: Db, id: int, lease: str, seconds: float) -> None:
    """Have an effect done once more in so many seconds, as if it were put then."""


@maybe(f"""
    update tasks
    set lease = null, tries = tries + 1, failure = :failure,
        due = clock_timestamp() + make_interval(
            secs => least(
                greatest(:first::float8 * 2 ^ least(tries, 30), :asked::float8), :last::float8
            )
        )
    where {_MINE}
    returning least(
        greatest(:first::float8 * 2 ^ least(tries - 1, 30), :asked::float8), :last::float8
    )
""")
async def put_off(
    db: Db, id: int, lease: str, failure: str, first: float, last: float, asked: float
) -> float | None:
    """Note that an effect has failed, and let it wait. The pause doubles each time, and is at least
    what the other side has `asked` for, but never longer than the `last`. Gives its seconds, None
    if others have claimed it."""


@none(f"""
    with mine as (
        select held.*, {turn_of("held.place")} from (
            select id, queue, starts_with(place, '{_LAST} ') is true as again, case
                when starts_with(place, '{_LAST} ') then place
                else '{_LAST} ' || coalesce(place, '')
            end as place
            from tasks where {_MINE}
        ) held
    )
    update tasks t
    set lease = null, tries = 0, failure = null, task = :task, place = mine.place,
        created = case when mine.again then t.created else clock_timestamp() end,
        due = clock_timestamp() + interval '{LAST_AFTER}' + make_interval(
            secs => :spacing::float8 * waiting.tasks
        )
    from mine cross join lateral (select count(*) as tasks from (
        select from tasks w
        where w.queue = mine.queue and w.place between mine.low and mine.high and w.id <> mine.id
        limit {MOST}
    ) theirs) waiting
    where t.id = mine.id and t.lease = :lease::uuid
""")
async def put_last(db: Db, id: int, lease: str, task: str, spacing: float) -> None:
    """Have an effect done as this task when no other of its queue waits. Effects of one turn are
    scheduled so many seconds after each other. It counts as put now, if it was not put last
    before."""


@none("""
    update tasks
    set tries = 0, failure = null, created = clock_timestamp(), due = clock_timestamp()
    where queue = :queue and topic = :topic and lease is null
""")
async def hasten(db: Db, queue: str, topic: str) -> None:
    """Schedule the effects of this topic that no process has claimed for now, as if they were put
    now."""


@none(f"update tasks set lease = null, due = clock_timestamp() where {_MINE}")
async def release(db: Db, id: int, lease: str) -> None:
    """Let an effect be claimed again, after all others that are due."""


@one("""
    with gone as (
        delete from tasks
        where queue = :queue and topic = :topic and (lease is null or due <= clock_timestamp())
        returning true
    )
    select count(*) from gone
""")
async def withdraw(db: Db, queue: str, topic: str) -> int:
    """Delete the effects of this topic that no process has claimed. Gives their number."""


@found("select from tasks where queue = :queue and topic = :topic")
async def is_queued(db: Db, queue: str, topic: str) -> bool:
    """Whether there is an effect of this topic."""


@many("""
    select kind, count(*) as tasks, count(*) filter (where tries > 0) as failing,
           greatest(extract(epoch from clock_timestamp() - min(created)), 0)::float8 as oldest
    from unnest(:queues::text[]) as named (queue) cross join lateral (
        select kind, tries, created from tasks t where t.queue = named.queue
        order by due, id limit :most
    ) waiting
    group by kind
""")
async def backlog(db: Db, queues: Sequence[str], most: int) -> list[Backlog]:
    """What waits, by kind. Of each queue, only the first `most` are counted."""
