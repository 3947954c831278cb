"""What goes of reports and notices when they are old (notices#retention)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, maybe, one
from contentsvc.store.retention import NOTES

ROWS: Final = 200
"""Reports in a batch. Each has up to some 100 KiB with its evidence."""


class Closed(NamedTuple):
    """A subject that is locked, whose reports up to a number were decided long ago."""

    subject: int
    upto: int


class Removed(NamedTuple):
    """How many rows a batch has deleted, and whether there may be more."""

    rows: int
    more: bool


@maybe("""
    select d.subject, d.upto from report_decisions d
    join report_subjects s on s.number = d.subject
    where d.created < now() - make_interval(days => :days) and not exists (
        select from appeals a
        where a.report_subject = d.subject and a.upto <= d.upto and a.state = 'open'
    )
    order by d.created limit 1
    for no key update of s skip locked
""")
async def oldest(tx: Db, days: int) -> Closed | None:
    """Lock what was decided first, so many days ago or more, and before which no appeal is open.
    None if nothing was, or if others are at it."""


# A digest of a report that goes may be that of one that stays.
@one("""
    with old as materialized (
        select number, digest from reports
        where subject = :subject and number <= :upto order by number limit :limit
    ), gone as (
        delete from reports r using old where r.number = old.number
    ), unused as (
        delete from report_evidence e
        where e.subject = :subject and e.digest in (select digest from old)
          and not exists (
              select from reports r
              where r.subject = :subject and r.digest = e.digest
                and r.number not in (select number from old)
          )
    ), done as (
        delete from report_decisions
        where subject = :subject and upto = :upto and (select count(*) from old) < :limit::bigint
    )
    select count(*) from old
""")
async def remove(tx: Db, subject: int, upto: int, limit: int) -> int:
    """Delete reports of a locked subject up to a number, with their evidence, and the decision once
    none is left. Gives how many reports they were: `limit` if there may be more."""


async def delete(tx: Db, days: int, most: int = ROWS) -> Removed:
    """Delete a batch of reports that were closed so many days ago."""
    found = await oldest(tx, days)
    if found is None:
        return Removed(0, False)
    return Removed(await remove(tx, *found, most), True)


@one(f"""
    with old as (
        select id from notices where created < now() - make_interval(days => :days) and not erased
        order by created limit {NOTES}
        for update skip locked
    ), gone as (
        update notices set name = null, email = null, signature = null, erased = true
        where id = any(array(select id from old))
        returning 1
    )
    select count(*) from gone
""")
async def erase_notices(db: Db, days: int) -> int:
    """Erase who has sent at most NOTES notices that are older than so many days. Gives their
    number."""
