"""Which folder the files of this database lie in, with the setting `local` (files#sending)."""

from collections.abc import Awaitable, Callable

from contentsvc.framework.db.query import Db, found, maybe, none

Find = Callable[[bool], Awaitable[str]]
"""Gives the id of the folder that is to be this database's. Its argument says whether there ought
to be files in it."""


async def settle(tx: Db, find: Find) -> str:
    """The id of the folder. Where there is none yet, it is that which `find` gives: of all
    processes, one asks it. Raises what `find` raises."""
    known = await folder(tx)
    if known is None:
        await lock(tx)
        known = await folder(tx)
    if known is None:
        known = await find(await any_stored(tx))
        await keep(tx, known)
    return known


@maybe("select id from file_folder")
async def folder(db: Db) -> str | None:
    """The id of the folder. None if there is none yet."""


@none("select pg_advisory_xact_lock(hashtext('file_folder'))")
async def lock(tx: Db) -> None:
    """Have every other process wait that is about to choose a folder, until the transaction
    ends."""


@found("select from files where stored limit 1")
async def any_stored(db: Db) -> bool:
    """Whether the bytes of any file ought to be there."""


@none("""
    insert into file_folder (id) values (:id)
    on conflict (one) do update set id = excluded.id, created = now()
""")
async def keep(tx: Db, id: str) -> None:
    """From now on it is the folder with this id."""
