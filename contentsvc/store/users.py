"""Users: spec §4.5 to §4.8."""

from typing import NamedTuple

from contentsvc.store.lanes import SEARCHES
from contentsvc.store.query import Db, many, maybe, none
from contentsvc.wire.users import UserInfo


class FullRow(NamedTuple):
    """The full user record's columns."""

    id: str
    username: str
    email: str
    avatar: str | None
    emblem: str | None
    full_profile: str | None
    public_profile: str | None


class Found(NamedTuple):
    """One user found, or with `id` None the total of an empty page."""

    total: int
    id: str | None
    username: str
    avatar: str | None
    emblem: str | None
    profile: str | None


@maybe(
    """
    select id, username, avatar, emblem, public_profile as profile
    from users where id = :user::uuid
    """,
    together=True,
)
async def info(db: Db, user: str) -> UserInfo | None:
    """The public info of a user (spec §4.6)."""


@maybe("""
    select id, username, email, avatar, emblem, full_profile, public_profile
    from users where id = :user
""")
async def full(db: Db, user: str) -> FullRow | None:
    """The complete info of a user (spec §4.7)."""


@maybe("""
    update users set avatar = :avatar, emblem = :emblem,
                     full_profile = :full_profile, public_profile = :public_profile
    where id = :user
    returning true
""")
async def update(
    db: Db,
    user: str,
    avatar: str | None,
    emblem: str | None,
    full_profile: str | None,
    public_profile: str | None,
) -> bool | None:
    """Replace what a user may change (spec §4.8); None where there is no such user."""


@many("""
    with found as materialized (select id, rank, similarity from find_users(:q)),
         page as (
        select f.rank, f.similarity, u.id, u.username, u.avatar, u.emblem, u.public_profile
        from (select * from found order by rank, similarity desc, id
              limit :size offset :size::bigint * :page::bigint) f
        join users u on u.id = f.id
    )
    select t.total, p.id, p.username, p.avatar, p.emblem, p.public_profile as profile
    from (select count(*) as total from found) t left join page p on true
    order by p.rank, p.similarity desc, p.id
""", lane=SEARCHES)
async def search(db: Db, q: str, size: int, page: int) -> list[Found]:
    """One page of the users that match (spec §4.5): exact, prefix, similarity, then id."""


@maybe("select id from users where username_key = lower(:name collate \"C\")")
async def id_of(db: Db, name: str) -> str | None:
    """The id of the user of this name, whatever the case."""


@none("update users set admin = true where id = :user")
async def promote(db: Db, user: str) -> None:
    """Make a user an admin; sessions begun before keep their role until they renew."""


@none("update users set admin = false where id = :user")
async def demote(db: Db, user: str) -> None:
    """Make an admin a user like others; sessions begun before keep the role until they renew."""
