"""Files that nobody needs any more, and announcements of files that have lapsed (extensions §3).

Any number of processes may ask at once, and the database's clock decides what is due.

A file is collected in three steps: it is marked, its bytes are deleted, its row is removed. Whoever
marks it holds a lease: until that is over, nobody else deletes these bytes. So no process deletes
them late, after another has removed the row and a user has sent them again. A lease that is over is
anybody's: so the work of a process that has died is finished.

What is marked is good for nobody, and cannot be announced. A writer that needs a file locks its row
and reads the mark; the collector locks the row, and looks who needs the file in its next statement.
"""

from typing import NamedTuple

from contentsvc.db.query import Db, found, many, none, one
from contentsvc.store.files import files

FILES = 100
"""Files in a batch."""
USERS, ANNOUNCEMENTS = 100, 1000
"""Users in a round, and announcements of each in a batch."""
LEASE = 300
"""Seconds for which a process holds the files that it collects."""

_NEEDED = """(
    exists (select from claims c where c.path = f.path)
    or exists (select from user_files u where u.path = f.path)
)"""


class Held(NamedTuple):
    """A file whose bytes this process may delete until its lease is over. The lease is the text of
    a time, and stands for the right itself."""

    path: str
    lease: str


@many(f"""
    select distinct user_id from (
        select user_id from user_files where due <= now() order by due limit {ANNOUNCEMENTS}
    ) due limit {USERS}
""")
async def lapsing(db: Db) -> list[str]:
    """Users who have announcements that are due."""


@found("select true from storage where user_id = :user for update skip locked")
async def lock_storage(db: Db, user: str) -> bool:
    """Lock what a user's files sum up to. False if another transaction has it."""


@many(f"""
    with due as materialized (
        select u.path, exists (
            select from claims c where c.owner_id = u.user_id and c.path = u.path
        ) as claimed
        from user_files u where u.user_id = :user and u.due <= now()
        order by u.due limit {ANNOUNCEMENTS}
    ), kept as (
        update user_files set due = null
        where user_id = :user and path = any(array(select path from due where claimed))
    )
    delete from user_files
    where user_id = :user and path = any(array(select path from due where not claimed))
    returning path
""")
async def lapse(db: Db, user: str) -> list[str]:
    """Delete a user's announcements that are due, if nothing of theirs claims the file. Gives the
    paths. The user's storage row must be locked."""


async def give_up(tx: Db, paths: list[str]) -> None:
    """Have the collector look at these files, which somebody has given up in this transaction."""
    # Not only those that have no time now: the collector may just be taking it away.
    await files.lock(tx, paths)
    await _give_up(tx, paths)


@none("update files set due = coalesce(due, now()) where path = any(:paths)")
async def _give_up(tx: Db, paths: list[str]) -> None:
    """Write it."""


@many(f"""
    select path from files where due <= now() and not collecting
    order by due limit {FILES}
    for update skip locked
""")
async def lock_due(db: Db) -> list[str]:
    """Lock files that are due."""


@many(f"""
    with kept as (
        update files f set due = null where path = any(:paths) and {_NEEDED}
    )
    update files f set collecting = true, due = now() + interval '{LEASE} seconds'
    where path = any(:paths) and not {_NEEDED}
    returning path, due::text as lease
""")
async def mark(db: Db, paths: list[str]) -> list[Held]:
    """Of these files, which are locked, mark those that nobody needs. The others are due no
    more."""


@many(f"""
    select path from files
    where collecting
      -- What is due much later than any lease lasts was written before the clock was set back.
      and (due <= now() or due > now() + interval '{2 * LEASE} seconds')
    order by path limit {FILES}
    for update skip locked
""")
async def lock_abandoned(db: Db) -> list[str]:
    """Lock marked files whose lease is over."""


@many(f"""
    update files set due = now() + interval '{LEASE} seconds' where path = any(:paths)
    returning path, due::text as lease
""")
async def hold(db: Db, paths: list[str]) -> list[Held]:
    """Hold these marked files, which are locked, from now on."""


@many("""
    select path from files
    where path = any(:paths) and collecting and due = :lease::timestamptz
    order by path for update
""")
async def lock_held(db: Db, paths: list[str], lease: str) -> list[str]:
    """Lock those of the files that this lease still holds."""


@one(f"""
    with gone as (
        delete from files f where path = any(:paths) and not {_NEEDED}
        returning path
    ), kept as (
        update files f set collecting = false, stored = false, due = null
        where path = any(:paths) and {_NEEDED}
    )
    select count(*) from gone
""")
async def finish(db: Db, paths: list[str]) -> int:
    """Remove the rows of these files, which are locked, and whose bytes are gone. Gives their
    number. A file that somebody needs after all keeps its row: it must be sent again."""
