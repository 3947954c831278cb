"""The files behind the service's own paths, and what becomes of one (files#files). A trigger says
which are given up (schema/functions/release_files.sql).

Locks are taken in this order: the user's storage row, then the rows of files in the order of path.
Rows of files are locked in one statement and written in the next. In the same statement, the write
would begin at the version of a row that was there before the lock was waited for, and may wait
there for somebody who waits for the lock.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none
from contentsvc.store.events.events import noting
from contentsvc.store.files import scaling, storage
from contentsvc.store.fragments import status_of

MOST_SEPARATE = 200
"""Most separate keys that are deleted with blocked files."""

Refusal = Literal["unannounced", "blocked", "collecting"]
"""Why bytes that have come do not count. unannounced: the user's announcement has lapsed. blocked:
an admin has blocked the digest. collecting: nobody needed the file, so it is being deleted."""


class Named(NamedTuple):
    """A file that a user names, as it is before the store is checked.

    `version` changes whenever the file's row does, except by a lock; None if there is no row.
    `size` is None until its bytes were there. `announced` says whether this user has announced it
    before. `separate_token` is the token of an announcement whose uploads go to a separate key,
    until the user knows that the bytes are there.
    """

    path: str
    version: str | None
    stored: bool
    size: int | None
    collecting: bool
    announced: bool
    separate_token: str | None
    blocked: bool


class Locked(NamedTuple):
    """A file whose row is locked. `size` is None until its bytes were there. `metadata`: it is
    `invalid` because it has some."""

    path: str
    version: str
    size: int | None
    stored: bool
    collecting: bool
    invalid: bool
    metadata: bool

    def newly_invalid(self, size: int | None) -> bool:
        """Whether metadata that is found in it now, at this size, makes it invalid. A file that was
        good before stays good: its bytes are the same."""
        return not (self.stored and not self.invalid and self.size == size)


class FileState(NamedTuple):
    """What a file is for one user: whether its digest is blocked, whether active content uses it,
    and the user's announcement, if there is one."""

    path: str
    blocked: bool
    active: bool
    size: int | None
    sent: bool
    token: str | None
    separate: bool
    use: str | None


class SeparateUpload(NamedTuple):
    """The token of an announcement whose uploads go to a separate key."""

    path: str
    token: str


class Announcement(NamedTuple):
    """The file that an upload URL is for, the user who announced it, and whether it is blocked."""

    user: str
    path: str
    blocked: bool


async def touch(tx: Db, paths: list[str]) -> None:
    """Postpone the deletion of these files to 24 hours from now, unless they are being collected. A
    row that was postponed within the last minute is not written."""
    if expiring := await _lock_expiring(tx, paths):
        await _extend(tx, expiring)


@many("""
    select path from files
    where path = any(:paths::text[]) and not collecting
      and (due is null or due < now() + interval '24 hours')
    order by path for no key update
""")
async def _lock_expiring(tx: Db, paths: list[str]) -> list[str]:
    """Lock those of the files whose deletion is to be postponed."""


@none("""
    update files set due = now() + interval '24 hours 1 minute'
    where path = any(:paths::text[])
""")
async def _extend(tx: Db, paths: list[str]) -> None:
    """Postpone the deletion of these files, which are locked."""


@many("""
    select named.path, f.xmin::text as version, coalesce(f.stored, false) as stored,
           f.size, coalesce(f.collecting, false) as collecting,
           u.path is not null as announced,
           case when u.apart and not u.sent then u.token end as separate_token,
           b.sha256 is not null as blocked
    from unnest(:paths::text[]) as named (path)
    left join files f on f.path = named.path
    left join user_files u on u.user_id = :user and u.path = named.path
    left join blocked_files b on b.sha256 = substr(named.path, 4, 64)
""")
async def named(tx: Db, user: str, paths: list[str]) -> list[Named]:
    """What is known of these files, one row for each."""


@many("""
    insert into files (path) select path from unnest(:paths::text[]) as named (path)
    order by path collate "C" on conflict do nothing returning path
""")
async def begin(tx: Db, paths: list[str]) -> list[str]:
    """Make the rows of these files where there are none. Gives their paths. Whoever wants to make
    one meanwhile waits until the transaction ends."""


@many("""
    select path, xmin::text as version, size, stored, collecting, invalid, metadata
    from files where path = any(:paths::text[]) order by path for no key update
""")
async def lock(tx: Db, paths: list[str]) -> list[Locked]:
    """Lock these files until the transaction ends. Publishing goes on meanwhile."""


@many(f"""
    select named.path, b.sha256 is not null as blocked, used.active is not null as active,
           u.size, coalesce(u.sent, false) as sent, u.token, coalesce(u.apart, false) as separate,
           u.use
    from unnest(:paths::text[]) as named (path)
    left join user_files u on u.user_id = :user and u.path = named.path
    left join blocked_files b on b.sha256 = substr(named.path, 4, 64)
    left join lateral (
        select true as active from claims c join contents k on k.id = c.content_id
        where c.path = named.path and {status_of("k")} = 'active' limit 1
    ) used on true
""")
async def states_of(tx: Db, user: str, paths: list[str]) -> list[FileState]:
    """What these files are for a user, one row for each. The files must be locked before, so that a
    block is either seen here or waits for them."""


@many(f"""
    select path, token from user_files
    where path = any(:paths::text[]) and apart
    order by due desc limit {MOST_SEPARATE}
""")
async def separate_uploads(db: Db, paths: list[str]) -> list[SeparateUpload]:
    """The latest announcements of these files whose bytes may lie at separate keys."""


async def settle(
    tx: Db,
    user: str,
    paths: list[str],
    stored: list[bool],
    sizes: list[int | None],
    invalid: list[bool],
    uses: Sequence[str | None],
    metadata: Sequence[bool] = (),
) -> None:
    """Write what the store has of these files, which are locked, and which the `user` has announced
    for these `uses`. Those with `metadata` are invalid as long as they have it; none has any if it
    is left out. Have smaller images made of the images that have come, in the user's turn."""
    with_metadata = [*metadata] or [False] * len(paths)
    new = await _settle(tx, user, paths, stored, sizes, invalid, [*uses], with_metadata)
    await scaling.ask(tx, new, user)


_STORED = noting(
    "FileStored",
    ":user::uuid",
    "file",
    "substr(path, 4, 64)",
    rows="(select * from settled where came order by path) s",
    data="""json_build_object('size', size, 'use', coalesce(
        use, case when position('.' in path) > 0 then 'screenshot' else 'entity' end
    ))""",
)


# Bytes of another length are others: those from before were damaged.
@many(f"""
    with settled as (
        update files f
        set stored = seen.stored, size = coalesce(seen.size, f.size),
            invalid = seen.invalid or seen.metadata
                or (f.invalid and not f.metadata
                    and f.size is not distinct from coalesce(seen.size, f.size)),
            metadata = seen.metadata,
            scaled = case
                when f.stored and seen.stored
                    and f.size is not distinct from coalesce(seen.size, f.size)
                then f.scaled
            end
        from unnest(
            :paths::text[], :stored::boolean[], :sizes::bigint[], :invalid::boolean[],
            :uses::text[], :metadata::boolean[]
        ) as seen (path, stored, size, invalid, use, metadata) join files o on o.path = seen.path
        where f.path = seen.path
        returning f.path, f.stored, f.invalid, f.scaled, f.size, seen.use,
                  f.stored and not o.stored as came
    ), noted as ({_STORED})
    select path from settled
    where stored and not invalid and scaled is null and position('.' in path) > 0
    order by path
""")
async def _settle(
    tx: Db,
    user: str,
    paths: list[str],
    stored: list[bool],
    sizes: list[int | None],
    invalid: list[bool],
    uses: list[str | None],
    metadata: list[bool],
) -> list[str]:
    """Write it. Gives the images that have no smaller ones."""


@maybe("""
    select u.user_id as user, u.path, b.sha256 is not null as blocked
    from user_files u
    -- Who has left announces nothing more.
    join users on users.id = u.user_id
    left join blocked_files b on b.sha256 = substr(u.path, 4, 64)
    where u.token = :token
""")
async def announcement(db: Db, token: str) -> Announcement | None:
    """The announcement of the token of an upload URL. None if it has lapsed."""


async def arrived(
    tx: Db, token: str, size: int, *, invalid: bool, metadata: bool = False
) -> Refusal | None:
    """Count the bytes that a user has sent, all `size` of them, with the upload URL of this token.
    `invalid` says that they are no good image, `metadata` that they are one with metadata that the
    service refuses. Returns why they do not count, if so.

    The file is locked until the transaction ends. So if the bytes go to their path between this and
    the commit, they go there only if they count, and never while the file is being deleted.
    """
    announced = await announcement(tx, token)
    if announced is None:
        return "unannounced"
    user, path, _ = announced
    await storage.lock(tx, user)
    rows = await lock(tx, [path])
    (now,) = await states_of(tx, user, [path])
    if now.blocked:
        return "blocked"
    if now.token != token:
        return "unannounced"
    if rows[0].collecting:
        return "collecting"
    is_refused = metadata and rows[0].newly_invalid(size)
    await settle(tx, user, [path], [True], [size], [invalid], [now.use], [is_refused])
    await storage.send(tx, user, path, size)
    return None
