"""The files of legal holds (moderation#holds).

A hold claims two files for each of its own: the file itself, and the place where its bytes are kept
apart, at `held/ab/abcdef…`. That place is a row of `files` as any other, once for each digest,
however many hold it: so the collector keeps it as long as anything claims it, and deletes it after
that. Once the bytes are there, the hold gives up the file itself: whatever becomes of that one, the
bytes are kept, and no URL that a player can have leads to them.

The row of the place comes before its bytes. So no bytes lie there that the service does not know.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, many, none, one
from contentsvc.store.files import files
from contentsvc.wire.moderation import HoldKind

RELEASED = 1000
"""Claims that one step gives up."""
_HELD = "'held/' || left({}, 67)"
"""Where the bytes of a file are kept apart: see contentsvc.framework.storage.paths."""


def of_digest(path: str, sha256: str) -> str:
    """SQL: whether a path is one of this digest, for content or for media."""
    first = f"left({sha256}::text, 2) || '/' || {sha256}::text"
    # An extension begins with what comes before a slash.
    return f"({path} >= {first} and {path} < {first} || '/')"


class Lying(NamedTuple):
    """A file whose bytes are there, and the place to keep them apart."""

    path: str
    size: int
    held: str


class Waiting(NamedTuple):
    """A file of a hold whose bytes are still to be kept apart, at the place `held`. `placed` says
    that they are there already, for another hold; `collecting`, that they are just being deleted
    there, for a hold that has ended."""

    path: str
    size: int
    held: str
    placed: bool
    collecting: bool


class Kept(NamedTuple):
    """A file of a hold. `held` is the place of its bytes, None if they are not there."""

    path: str
    size: int
    held: str | None


@many("""
    select distinct c.path from claims c
    where (c.holder = :content::uuid and c.kind = 'content'
           or c.kind = 'revision'
           and c.holder = any(array(select id from revisions where content_id = :content::uuid)))
      and c.path > :after
    order by c.path limit :limit
""")
async def _of_content(tx: Db, content: str, after: str, limit: int) -> list[str]:
    """The next files of a content: of all of its revisions, and its screenshots."""


@many("""
    select path from user_files where user_id = :user and sent and path > :after
    order by path limit :limit
""")
async def _of_user(tx: Db, user: str, after: str, limit: int) -> list[str]:
    """The next files of a user: of all content, the avatar, and what was sent and not published."""


@many(f"""
    select f.path from files f where {of_digest("f.path", ":sha256")} and f.path > :after
    order by f.path limit :limit
""")
async def _of_digest(tx: Db, sha256: str, after: str, limit: int) -> list[str]:
    """The next files of a digest."""


_OF = {"content": _of_content, "user": _of_user, "file": _of_digest}


async def claim(
    tx: Db, hold: str, kind: HoldKind, subject: str, after: str, limit: int
) -> str | None:
    """Claim the next files of what is held: those after a path whose bytes are there, of at most
    `limit`. Gives the path after which to go on, None if these were the last. Again, it changes
    nothing, but for files that were missing and are there now."""
    paths = await _OF[kind](tx, subject, after, limit)
    if lying := await _lock(tx, paths):
        await _make(tx, sorted({file.held for file in lying}))
        await _claim(tx, hold, [file.path for file in lying], [file.size for file in lying])
    return paths[-1] if len(paths) == limit else None


@found("""
    select from files where path = any(:paths::text[]) and stored and not collecting limit 1
""")
async def are_there(db: Db, paths: list[str]) -> bool:
    """Whether the bytes of any of these files are there."""


# See contentsvc.store.files.references: the collector waits, or it has been first.
@many(f"""
    select path, size, {_HELD.format("path")} as held from files
    where path = any(:paths::text[]) and stored and not collecting
    order by path for key share
""")
async def _lock(tx: Db, paths: list[str]) -> list[Lying]:
    """Lock those of these files whose bytes are there."""


@none("""
    insert into files as f (path, due) select path, null from unnest(:paths::text[]) as g (path)
    order by path
    -- Locks what is there.
    on conflict (path) do update set due = null
""")
async def _make(tx: Db, paths: list[str]) -> None:
    """Make the rows of these places, where there are none."""


@none(f"""
    with taken as (
        insert into held_files as h (hold, path, size)
        select :hold::uuid, path, size from unnest(:paths::text[], :sizes::bigint[]) g (path, size)
        on conflict (hold, path) do update set state = 'copying' where h.state = 'missing'
        returning path
    )
    insert into claims (holder, kind, path)
    select :hold::uuid, 'hold', path from taken
    union
    select :hold::uuid, 'hold', {_HELD.format("path")} from taken
    on conflict do nothing
""")
async def _claim(tx: Db, hold: str, paths: list[str], sizes: list[int]) -> None:
    """Write it."""


_WAITING = f"""
    select distinct on (h.path) h.path, h.size, {_HELD.format("h.path")} as held,
           coalesce(f.stored, false) as placed, coalesce(f.collecting, false) as collecting
    from held_files h left join files f on f.path = {_HELD.format("h.path")}
    where h.state = 'copying' and {{}}
    order by h.path
"""


@many(f"{_WAITING.format('h.hold = :hold')} limit :limit")
async def waiting(db: Db, hold: str, limit: int) -> list[Waiting]:
    """The next files of a hold that are still to be kept apart."""


@many(_WAITING.format("h.path = any(:paths::text[])"))
async def waiting_of(db: Db, paths: list[str]) -> list[Waiting]:
    """Those of these files that any hold is still to keep apart."""


async def settle(tx: Db, placed: list[Waiting], missing: list[Waiting]) -> None:
    """Note that the bytes of these files are in their places, and that those of the `missing` ones
    are nowhere. Holds that are to keep them give up the files themselves."""
    both = [*placed, *missing]
    locked = await _lock_holds(tx, [one.path for one in both])
    # Those that are given up as well: a transaction locks files once, in one order.
    await files.lock(tx, sorted({path for one in both for path in (one.path, one.held)}))
    sizes = [one.size for one in placed]
    await _place(tx, [one.held for one in placed], sizes)
    await _settle(tx, locked, [one.path for one in placed], [one.path for one in missing])


@many("""
    select id from holds
    where id = any(array(
        select hold from held_files where path = any(:paths::text[]) and state = 'copying'
    ))
    order by id for no key update
""")
async def _lock_holds(tx: Db, paths: list[str]) -> list[str]:
    """Lock the holds that wait for these files. They come before files in the order of locks."""


@none("""
    update files f set stored = true, size = g.size
    from unnest(:paths::text[], :sizes::bigint[]) g (path, size)
    where f.path = g.path and not f.collecting
""")
async def _place(tx: Db, paths: list[str], sizes: list[int]) -> None:
    """Write that bytes are there."""


@none(f"""
    with settled as (
        update held_files h
        set state = case when h.path = any(:placed::text[]) then 'kept' else 'missing' end
        from files f
        where h.hold = any(:holds::uuid[]) and h.state = 'copying'
          and f.path = {_HELD.format("h.path")}
          and (h.path = any(:placed::text[]) and f.stored and not f.collecting
               or h.path = any(:missing::text[]))
        returning h.hold, h.path, h.size, h.state
    ), counted as (
        update holds o set bytes = o.bytes + s.bytes
        from (select hold, sum(size) as bytes from settled where state = 'kept' group by hold) s
        where o.id = s.hold
    )
    delete from claims c using settled s
    where c.holder = s.hold and c.kind = 'hold' and c.path = s.path
""")
async def _settle(tx: Db, holds: list[str], placed: list[str], missing: list[str]) -> None:
    """Write it for the holds."""


@many(f"""
    select h.path, h.size, case when h.state = 'kept' and f.stored then f.path end as held
    from held_files h left join files f on f.path = {_HELD.format("h.path")}
    where h.hold = :hold and h.path > :after
    order by h.path limit :limit
""")
async def of_hold(db: Db, hold: str, after: str, limit: int) -> list[Kept]:
    """The next files of a hold, after a path."""


@one(f"""
    with few as materialized (
        select path from claims where holder = :hold and kind = 'hold'
        order by path limit {RELEASED}
    ), gone as (
        delete from claims c using few f
        where c.holder = :hold and c.kind = 'hold' and c.path = f.path
    )
    select count(*) = {RELEASED} from few
""")
async def release(tx: Db, hold: str) -> bool:
    """Give up some of the files of a hold that has ended. False if these were the last."""
