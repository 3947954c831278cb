"""The service closed for maintenance (docs/guides/maintenance.md): the row that says so.

A process reads it with its heartbeat and its check of the schema, by the function maintenance_now.
"""

from msgspec import Struct

from contentsvc.framework.db.query import Db, found, maybe


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
