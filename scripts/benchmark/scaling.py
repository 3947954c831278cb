"""`scripts/bench --scaling`: what docs/scaling.md says of Postgres by itself. How much CPU a NOTIFY
costs with so many listeners, and what hash partitions cost. No daemon runs."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import psycopg2

from contentsvc.store.migrate import migrate

from . import postgres
from .processes import cpu_nanoseconds
from .report import laid_out

LISTENERS = (0, 1, 8, 16, 64)
"""So many processes listen."""
_TOLD = 300
"""NOTIFY, one after the other."""
_PARTITIONS = 16
_USERS, _EACH = 20_000, 20
"""Users of the partitioned table, and the notifications of each."""
_CALLS = 4_000
_SEED = 5
_NAME = "bench_scaling"
_TABLES = f"""
    create table whole (like notifications including defaults, primary key (user_id, seq));
    create table parted (like notifications including defaults, primary key (user_id, seq))
        partition by hash (user_id);
    do $$ begin
        for n in 0 .. {_PARTITIONS - 1} loop
            execute format('create table parted_%s partition of parted
                            for values with (modulus {_PARTITIONS}, remainder %s)', n, n);
        end loop;
    end $$;
    insert into whole (user_id, seq, kind, data, created)
    select lpad(to_hex(u), 32, '0')::uuid, n, 'Debug', repeat('x', 60), now()
    from generate_series(1, {_EACH}) n, generate_series(0, {_USERS - 1}) u;
    insert into parted select * from whole;
"""  # noqa: S608
_READ = """
    prepare read_{table} (uuid, bigint) as
    select seq, id, data, created, read from {table}
    where user_id = $1 and seq > $2 order by seq limit 20
"""
_WRITE = """
    prepare write_{table} (uuid, bigint) as
    insert into {table} (user_id, seq, kind, data, created)
    values ($1, $2, 'Debug', repeat('x', 60), now())
"""


def run(folder: Path, kind: Callable[..., postgres.Server], say: Callable[[str], None]) -> str:
    """Measure, and give the tables. Raises ServerError."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        server = kind(folder, {})
        stack.callback(server.stop)
        url = postgres.fresh(server, _NAME)
        stack.callback(postgres.dropped, server, url)
        migrate(url)
        say("NOTIFY")
        told = list(_notify(url, postgres.postmaster(server)))
        say("partitions")
        return "\n".join(
            [
                *laid_out(("listeners", "µs of Postgres for a NOTIFY", "for each"), told),
                "",
                *laid_out(("", "one table, µs", f"{_PARTITIONS} partitions", "times"), _parts(url)),
            ]
        )


def _notify(url: str, postmaster: int) -> Iterable[tuple[str, str, str]]:
    alone = 0.0
    for listeners in LISTENERS:
        with ExitStack() as stack:
            for _ in range(listeners):
                _connected(url, stack).execute("listen contentsvc")
            sender = _connected(url, stack)
            sender.execute("select pg_notify('contentsvc', 'x')")
            before = cpu_nanoseconds(postmaster)
            for n in range(_TOLD):
                sender.execute("select pg_notify('contentsvc', %s)", (f"{n:060}",))
            cost = (cpu_nanoseconds(postmaster) - before) / _TOLD / 1000
        alone = cost if not listeners else alone
        each = f"{(cost - alone) / listeners:.0f}" if listeners else ""
        yield str(listeners), f"{cost:.0f}", each


def _parts(url: str) -> list[Sequence[str]]:
    with ExitStack() as stack:
        cursor = _connected(url, stack)
        cursor.execute(_TABLES)
        cursor.execute("vacuum (analyze) whole, parted")
        found: dict[tuple[str, str], float] = {}
        for table in ("whole", "parted"):
            cursor.execute(_READ.format(table=table))
            cursor.execute(_WRITE.format(table=table))
            for what in ("read", "write"):
                found[what, table] = _cost(cursor, f"execute {what}_{table} (%s, %s)", what)
        return [
            (
                what,
                f"{found[what, 'whole']:.0f}",
                f"{found[what, 'parted']:.0f}",
                f"{found[what, 'parted'] / found[what, 'whole']:.2f}",
            )
            for what in ("read", "write")
        ]


def _cost(cursor: Any, statement: str, what: str) -> float:
    random, pid = Random(_SEED), cursor.connection.info.backend_pid  # noqa: S311
    users = [str(UUID(int=random.randrange(_USERS))) for _ in range(_CALLS)]
    numbers = [_EACH + 1 + n if what == "write" else 0 for n in range(_CALLS)]
    for n in range(10):  # the plan is the general one from then on
        cursor.execute(statement, (users[n], _EACH + _CALLS + 1 + n if what == "write" else 0))
    before = cpu_nanoseconds(pid)
    for user, number in zip(users, numbers, strict=True):
        cursor.execute(statement, (user, number))
    return (cpu_nanoseconds(pid) - before) / _CALLS / 1000


def _connected(url: str, stack: ExitStack) -> Any:
    """A cursor of a connection of its own, whose statements commit by themselves."""
    connection = stack.enter_context(closing(psycopg2.connect(url)))
    connection.autocommit = True
    return connection.cursor()
