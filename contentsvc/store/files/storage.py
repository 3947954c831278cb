"""The storage that a user's files take: the storage row, and the files that the user has announced
(files#files).

A transaction that writes the files of a user locks the storage row first. Triggers maintain its
sums (schema/functions/tally_storage.sql).
"""

from collections.abc import Sequence
from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none


class Usage(NamedTuple):
    """All that a user has: bytes announced, stored or claimed, and the number of files without
    bytes from the user. `confirmed` says whether the user has confirmed an address, `guest`
    whether it is a guest."""

    used: int
    pending: int
    confirmed: bool
    guest: bool


class Token(NamedTuple):
    """The token of a user's announcement, and whether its uploads go to a separate key."""

    path: str
    token: str
    separate: bool


async def lock(tx: Db, user: str) -> Usage:
    """A user's storage row, locked until the transaction ends. It is made if there is none."""
    usage = await _lock_row(tx, user)
    if usage is None:
        await begin(tx, user)
        usage = await _lock_row(tx, user)
    return usage or Usage(0, 0, False, False)


@maybe("""
    select s.used, s.pending, coalesce((
        select u.email is not null and u.email_confirmed from users u where u.id = s.user_id
    ), false) as confirmed, coalesce((
        select u.guest from users u where u.id = s.user_id
    ), false) as guest
    from storage s where s.user_id = :user for update
""")
async def _lock_row(tx: Db, user: str) -> Usage | None:
    """The row, locked. None if the user has never had any file."""


@none("insert into storage (user_id) values (:user) on conflict do nothing")
async def begin(tx: Db, user: str) -> None:
    """Make the row."""


@maybe("""
    select coalesce(s.used, 0) as used, coalesce(s.pending, 0) as pending,
           u.email is not null and u.email_confirmed as confirmed, u.guest
    from users u left join storage s on s.user_id = u.id where u.id = :user
""")
async def usage(db: Db, user: str) -> Usage | None:
    """What a user's files take. None if there is no such user."""


_SEPARATE = """(
    u.apart or not excluded.sent
    and exists (select from files f where f.path = u.path and f.size is not null)
    and exists (select from user_files o where o.path = u.path and o.user_id <> u.user_id)
)"""
"""Once others may have sent a file, a user who has not sent it gets no URL of its path. With such a
URL they could replace it by the same bytes in another form, which is as if the file were lost."""


@many(f"""
    insert into user_files as u (user_id, path, size, sent, use, apart)
    select :user::uuid, named.path, named.size, named.sent, named.use,
           exists (select from files f where f.path = named.path and f.stored)
           or exists (
               select from user_files o where o.path = named.path and o.user_id <> :user::uuid
           )
    from unnest(:paths::text[], :sizes::bigint[], :sent::boolean[], :uses::text[])
        as named (path, size, sent, use)
    order by named.path collate "C"
    on conflict (user_id, path) do update
    set size = excluded.size, sent = excluded.sent, use = excluded.use,
        due = now() + interval '24 hours 1 minute',
        apart = {_SEPARATE}
    where (u.size, u.sent, u.use, u.apart)
          is distinct from (excluded.size, excluded.sent, excluded.use, {_SEPARATE})
       or u.due is null or u.due < now() + interval '24 hours'
    returning path, token, apart as separate
""")
async def announce(
    tx: Db, user: str, paths: list[str], sizes: list[int], sent: list[bool], uses: Sequence[str]
) -> list[Token]:
    """Register files of a user, or change their sizes, uses and whether they were `sent`. Gives the
    tokens of the new and changed ones. A row that was named within the last minute and does not
    change is not written.

    The files must be locked: so of all users who announce a file, at most one is not `separate`."""


@none("update user_files set sent = true, size = :size where user_id = :user and path = :path")
async def send(tx: Db, user: str, path: str, size: int) -> None:
    """Note that a user has sent the bytes of a file that they have announced."""
