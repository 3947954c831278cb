"""Testers and members of content (content#members).

Whoever lets somebody in locks the row of the pair, then the content. So a block finds all that was
before it, and no content has more of them than it may.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store.fragments import (
    BEFORE,
    INFO,
    INFO_BYTES,
    INFO_COLUMNS,
    PART,
    USER,
    Numbered,
    seen,
    within,
)
from contentsvc.store.rate_limits import INVITATIONS, taken
from contentsvc.wire.library import GuestRole, Member, Membership, Tester


class Host(NamedTuple):
    """The author of a content, and whether the caller sees it."""

    author_id: str
    visible: bool


class Invited(NamedTuple):
    """What became of an invitation. `known`: the user was invited before. `used` is how many of
    this role the content had before. `wait` is the seconds until the author may invite one more, if
    they may not now. `notified`: the user is to be notified."""

    known: bool
    used: int
    wait: int
    notified: bool


@maybe(f"""
    select c.author_id, {seen("c", ":caller::uuid", ":moderate::boolean")} as visible
    from contents c where c.id = :content
""")
async def host(db: Db, content: str, caller: str | None, moderate: bool) -> Host | None:
    """Whose content it is. None if there is no such content."""


@found("""
    select from contents where id = :content and author_id = :author and not deleted
    for no key update
""")
async def lock_content(tx: Db, content: str, author: str) -> bool:
    """Lock a content of the author's until the transaction ends. False if it is deleted."""


@one(f"""
    with others as materialized (
        select count(*) as used, coalesce(bool_or(user_id = :user), false) as known
        from content_guests where content_id = :content and role = :role
    ), allowed as materialized (
        select known, used, case when known or used >= :quota::bigint then 0
                                 else {taken(INVITATIONS, ":author::uuid")} end as wait
        from others
    ), made as (
        insert into content_guests (content_id, user_id, role, accepted)
        select :content, :user, :role, :role = 'tester' from allowed
        where not known and used < :quota::bigint and wait = 0
        returning user_id
    ), told as (
        -- A user who has muted this is notified the next time.
        insert into guests_told (content_id, user_id, role)
        select :content, m.user_id, :role from made m
        where not exists (
            select from notification_counters n
            where n.user_id = m.user_id and :kind::text = any(n.muted)
        )
        on conflict do nothing
        returning user_id
    )
    select known, used, wait, exists (select from told) as notified from allowed
""")
async def invite(
    tx: Db,
    content: str,
    author: str,
    user: str,
    role: GuestRole,
    kind: str,
    quota: int,
    most: int,
) -> Invited:
    """Let a user in, if the content has less than its `quota` of this role. Both are locked. It
    counts for the author's limit of `most` INVITATIONS, 0 for any number. `kind` is that of the
    notification, which each user gets only once."""


@found("""
    update content_guests set accepted = true
    where content_id = :content and user_id = :user and role = 'editor'
    returning true
""")
async def accept(db: Db, content: str, user: str) -> bool:
    """Accept to be a member. False without an invitation."""


@found("""
    delete from content_guests where content_id = :content and user_id = :user and role = :role
    returning true
""")
async def remove(db: Db, content: str, user: str, role: GuestRole) -> bool:
    """End what there is. False if there is nothing."""


@none("""
    delete from content_guests g using contents c
    where c.id = g.content_id and (
        g.user_id = :user and c.author_id = :other or g.user_id = :other and c.author_id = :user
    )
""")
async def part(tx: Db, user: str, other: str) -> None:
    """End all that there is between two users, whose pair is locked."""


def _people(more: str, which: str) -> str:
    page = f"""
        select g.number, {USER} as profile, unix(g.since) as since{more}
        from content_guests g join users u on u.id = g.user_id
        where g.content_id = :content and {which} and g.number < {BEFORE}
        order by g.number desc limit :limit
    """
    columns = f"number, id, username, avatar, emblem, profile, since{more and ', accepted'}"
    return within(page, columns, "number desc")


@many(_people("", "g.role = 'tester'"))
async def testers(
    db: Db, content: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[Tester]]:
    """The testers of a content, the newest first: at most `limit`, and no more once the profiles
    have this many `bytes`."""


@many(
    _people(
        ", g.accepted",
        "g.role = 'editor' and (g.accepted or :every::boolean or g.user_id = :caller::uuid)",
    )
)
async def members(
    db: Db,
    content: str,
    caller: str | None,
    every: bool,
    before: int | None,
    limit: int,
    bytes: int,
) -> list[Numbered[Member]]:
    """The members of a content, likewise: those who have accepted and the caller, and with `every`
    all others."""


_MEMBERSHIPS: Final = f"""
    select g.number, {INFO}, g.role, g.accepted, unix(g.since) as since
    from content_guests g
    join contents c on c.id = g.content_id
    join users u on u.id = c.author_id
    where g.user_id = :user and c.status not in ('suspended', 'deleted') and g.number < {BEFORE}
    order by g.number desc limit :limit
"""


@many(
    within(
        _MEMBERSHIPS,
        f"number, {INFO_COLUMNS}, role, accepted, since",
        "number desc",
        INFO_BYTES,
        str(PART),
    )
)
async def memberships(
    db: Db, user: str, before: int | None, limit: int
) -> list[Numbered[Membership]]:
    """What the user is a tester or a member of, or is invited to be, as far as they see it. The
    newest come first."""
