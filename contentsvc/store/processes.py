"""The processes of the service, as they report themselves."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import Struct, json, structs

from contentsvc.framework.db.query import Db, found, many, none, one
from contentsvc.framework.tasks.runner import Failing

SUSPECT: Final = 8
"""Seconds after its last report when a process may have died."""
DEAD: Final = 60
"""Seconds after its last report when a process is forgotten."""


class _Reported(Struct):
    """The columns that say how a process is."""

    host: str
    pid: int
    version: str
    up: int
    seen: int
    sockets: int
    users: int


class Process(_Reported):
    """A process. It began `up` seconds ago, and was last heard of `seen` seconds ago. `sockets` and
    `users` are those connected to it."""

    failing: list[Failing]


class _Row(NamedTuple):
    """A process. `failing` is JSON text."""

    failing: str
    reported: _Reported


class Report(Struct):
    """What a process says of itself."""

    id: str
    host: str
    pid: int
    version: str
    sockets: int
    users: int
    failing: Sequence[Failing]


class Others(NamedTuple):
    """The state of the other processes: how many are alive, and how many have been silent for
    SUSPECT seconds. `left` is the time in seconds until the next of them will have been; SUSPECT
    without any. `maintenance` is what the function maintenance_now gives."""

    alive: int
    silent: int
    left: float
    maintenance: str | None = None


@one(f"""
    with said as (
        select * from json_to_record(:report) as said (
            id uuid, host text, pid integer, version text, sockets integer, users integer,
            failing text
        )
    ), beat as (
        insert into processes (id, host, pid, version, sockets, users, failing)
        select id, host, pid, version, sockets, users, failing from said
        on conflict (id) do update
        set seen = clock_timestamp(), sockets = excluded.sockets, users = excluded.users,
            failing = excluded.failing
    ), others as (
        select extract(epoch from clock_timestamp() - seen)::float8 as age
        from processes where id <> (select id from said)
    )
    -- What was seen in the future was seen before the clock was set back.
    select count(*) filter (where age >= 0 and age < {SUSPECT})::integer as alive,
           count(*) filter (where age < 0 or age >= {SUSPECT})::integer as silent,
           coalesce(min({SUSPECT} - age) filter (where age >= 0 and age < {SUSPECT}), {SUSPECT})
               as left,
           maintenance_now() as maintenance
    -- A heartbeat may be lost with the server, so it waits neither for a disk nor for a
    -- standby.
    from (select set_config('synchronous_commit', 'off', true)) as hasty
    left join others on age <= {DEAD}
""")
async def beat(db: Db, report: Report) -> Others:
    """Say that a process lives, and how it is."""


@none("delete from processes where id = :id")
async def leave(db: Db, id: str) -> None:
    """Say that it has ended."""


@one(f"""
    with gone as (
        delete from processes where id in (
            select id from processes
            -- What was seen in the future was seen before the clock was set back. One that lives
            -- reports itself again.
            where abs(extract(epoch from clock_timestamp() - seen)) > {DEAD}
            for update skip locked
        )
        returning 1
    )
    select count(*) from gone
""")
async def forget_dead(db: Db) -> int:
    """Forget the processes that have not reported for DEAD seconds. Gives their number."""


@found("select from processes where right(id::text, 12) = :prefix")
async def numbers(db: Db, prefix: str) -> bool:
    """Whether a process of this database numbers its requests with this prefix (X-Request-Id)."""


@many("""
    select failing, host, pid, version,
           greatest(extract(epoch from clock_timestamp() - started), 0)::integer as up,
           greatest(extract(epoch from clock_timestamp() - seen), 0)::integer as seen,
           sockets, users
    from processes order by host, started, pid
""")
async def _rows(db: Db) -> list[_Row]:
    """The rows of all."""


async def listed(db: Db) -> list[Process]:
    """All of them."""
    return [
        Process(**structs.asdict(reported), failing=json.decode(failing, type=list[Failing]))
        for failing, reported in await _rows(db)
    ]
