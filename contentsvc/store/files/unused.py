"""Files that nobody needs any more, and announcements of files that have lapsed (files#own-files).

Any number of processes may ask at once, and the database's clock decides what has expired.

A file is collected in three steps: it is marked, its bytes are deleted, its row is removed. Marking
puts a task for the files. Only the process with the lease of this task deletes the bytes, and
removes the rows. So no process deletes bytes late, after another has removed the row and a user has
sent them again. Any process may take a lease that is over: so the work of a process that has died
is finished.

A marked file cannot be used or announced. A writer that needs a file locks its row and reads the
mark; the collector locks the row, and checks in its next statement who needs the file.
"""

from contentsvc.framework.db.query import Db, found, many, none, one
from contentsvc.framework.tasks import task_queue
from contentsvc.store.files import files
from contentsvc.store.tasks import DeleteUnusedFiles

FILES = 100
"""Files in a batch."""
USERS, ANNOUNCEMENTS = 100, 1000
"""Users in a round, and announcements of each in a batch."""
LEASE = 300.0
"""Seconds of the lease of files that a process collects."""
MARGIN = 60.0
"""Seconds before the end of the lease at which it deletes no more bytes."""
DELETE_AT_ONCE = 16
"""Files that the store is asked to delete at once."""

_NEEDED = """(
    exists (select from claims c where c.path = f.path)
    or exists (select from user_files u where u.path = f.path)
)"""


@many(f"""
    select distinct user_id from (
        select user_id from user_files where due <= now() order by due limit {ANNOUNCEMENTS}
    ) due limit {USERS}
""")
async def lapsing(db: Db) -> list[str]:
    """Users who have announcements that have expired."""


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
    """Delete a user's announcements that have expired, if nothing of theirs claims the file. Gives
    the paths. The user's storage row must be locked."""


async def give_up(tx: Db, paths: list[str]) -> None:
    """Have the collector check these files, whose claims this transaction has removed."""
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
async def lock_expired(db: Db) -> list[str]:
    """Lock files whose time has expired."""


async def mark(tx: Db, paths: list[str]) -> list[str]:
    """Of these files, which are locked, mark those that nobody needs, and have them deleted. Gives
    their paths. The others expire no more."""
    marked = await _mark(tx, paths)
    if marked:
        await task_queue.put(tx, DeleteUnusedFiles(paths=marked))
    return marked


@many(f"""
    with kept as (
        update files f set due = null where path = any(:paths) and {_NEEDED}
    )
    update files f set collecting = true, due = null
    where path = any(:paths) and not {_NEEDED}
    returning path
""")
async def _mark(tx: Db, paths: list[str]) -> list[str]:
    """Write it."""


async def remove(tx: Db, paths: list[str]) -> int:
    """Remove the rows of these marked files, whose bytes are gone, and whose task this transaction
    has ended. Gives their number. The row of a file that somebody needs after all stays: it must be
    sent again."""
    return await _remove(tx, await _lock_marked(tx, paths))


@many("""
    select path from files where path = any(:paths) and collecting order by path for update
""")
async def _lock_marked(tx: Db, paths: list[str]) -> list[str]:
    """Lock those of the files that are marked."""


@one(f"""
    with gone as (
        delete from files f where path = any(:paths) and not {_NEEDED}
        returning path
    ), kept as (
        update files f set collecting = false, stored = false, scaled = null, due = null
        where path = any(:paths) and {_NEEDED}
    )
    select count(*) from gone
""")
async def _remove(tx: Db, paths: list[str]) -> int:
    """Write it."""
