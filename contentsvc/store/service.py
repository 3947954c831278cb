"""The service closed for maintenance (docs/guides/maintenance.md): the row that says so.

A process reads it with its heartbeat and its check of the schema, by the function maintenance_now.
"""

from typing import NamedTuple

from msgspec import Struct

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db, found, maybe, one
from contentsvc.store.schema_definition import names
from contentsvc.store.schema_marks import MARKED


class Maintenance(Struct):
    """Since when the service is closed, until when (None: until somebody opens it), both in Unix
    seconds, the text for players, and whether reads are answered."""

    started: int
    until: int | None
    message: str | None
    reads: bool


@found("""
    insert into maintenance as m (until, message, reads)
    select t.until, :message, :reads
    from (select to_timestamp(:until::bigint) as until) t
    where t.until is null or t.until > clock_timestamp()
    on conflict (one) do update
    set until = excluded.until, message = excluded.message, reads = excluded.reads,
        started = case when m.until <= clock_timestamp() then clock_timestamp() else m.started end
    returning 1
""")
async def turn_on(db: Db, until: int | None, message: str | None, reads: bool) -> bool:
    """Close the service, or change what is said about it. False if `until` has passed."""


@maybe("""
    select unix(started) as started, unix(until) as until, message, reads
    from maintenance where until is null or until > clock_timestamp()
""")
async def present(db: Db) -> Maintenance | None:
    """That of now, if the service is closed."""


@found("""
    with gone as (delete from maintenance returning until)
    select from gone where until is null or until > clock_timestamp()
""")
async def turn_off(db: Db) -> bool:
    """Open the service. Whether it was closed."""


class Signs(NamedTuple):
    """Whether somebody waits for the marks of the schema, and what the function maintenance_now
    gives."""

    waits: bool
    maintenance: str | None


@one("select restore_waits() as waits, maintenance_now() as maintenance")
async def signs(db: Db) -> Signs:
    """Check for them. Waits for no lock."""


@one(MARKED)
async def marked(db: Db) -> bool:
    """Whether the tables are those that the marks name. Not while somebody waits for the marks: it
    would wait too."""


@one("select count(*) from schema_upgrades where name = any(:names)")
async def applied(db: Db, names: list[str]) -> int:
    """How many of these upgrades have been applied."""


async def ping(db: Db) -> bool:
    """Whether the pool answers and the schema is current. Raises Unavailable."""
    expected = names()
    return await applied(db, expected) == len(expected)


@found("select where current_setting('transaction_read_only') = 'off'")
async def writable(db: Db) -> bool:
    """Whether the server takes writes: it is no standby, and nobody has made it read-only."""


async def writes(db: Db) -> bool:
    """Whether the server takes writes. Raises Unavailable if it does not answer."""
    return await writable(db)


async def answers(db: Database) -> bool:
    """Whether the pool has given a connection back recently, or does so now. Raises Unavailable."""
    return not db.stalled or await ping(db)
