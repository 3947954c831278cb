"""Users: accounts#search, accounts#user-info, accounts#full-record and accounts#update."""

from typing import Final, NamedTuple

from contentsvc.framework.db.connection_bulkhead import SEARCHES, WHOLE
from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store import rate_limits
from contentsvc.store.fragments import USER, state, within
from contentsvc.store.rate_limits import USER_UPDATES
from contentsvc.wire.accounts import UserInfo


class FullRow(NamedTuple):
    """The full user record's columns."""

    id: str
    username: str
    email: str
    email_verified: bool
    avatar: str | None
    emblem: str | None
    full_profile: str | None
    public_profile: str | None
    role: str
    guest: bool
    terms: str | None
    accepted: int | None


class Me(NamedTuple):
    """The name of a user, and whether it is a guest."""

    username: str
    guest: bool


class RecordBefore(NamedTuple):
    """A user's record before an update: the avatar, whether the update `differs` from it, and the
    role."""

    avatar: str | None
    differs: bool
    role: str


PROFILES = 1024 * 1024
"""Bytes of profiles that one page of a search holds."""


SECONDS: Final = 1.0
"""Seconds in which a search looks for similar names."""
SORTED: Final = 2000
"""Of the names that begin with the search's words, so many are sorted by similarity: see
users_starting_with in schema/functions/find_users.sql."""


class FoundUser(NamedTuple):
    """A user on a page of a search, or None if the page is empty, and how many were found in
    `total`. `bytes` is the size of all profiles of the page. If it exceeds PROFILES, the page has
    no profiles, and `infos` gives them."""

    total: int
    bytes: int
    info: UserInfo | None


@maybe(
    f"""
    select {USER} as profile from users u where u.id = :user::uuid
    """,
    together=True,
)
async def info(db: Db, user: str) -> UserInfo | None:
    """The public info of a user (accounts#user-info)."""


@maybe("""
    select id, username, coalesce(email, '') as email,
           email is not null and email_confirmed as email_verified,
           avatar, emblem, full_profile, public_profile, role, guest,
           terms, unix(terms_accepted) as accepted
    from users where id = :user
""")
async def full(db: Db, user: str) -> FullRow | None:
    """The complete info of a user (accounts#full-record)."""


@maybe("select username, guest from users where id = :user")
async def me(db: Db, user: str) -> Me | None:
    """What is told of a user who asks who it is."""


_GIVEN: Final = "(:avatar, :emblem::uuid, :full_profile, :public_profile)"
_DIFFERS: Final = f"(avatar, emblem, full_profile, public_profile) is distinct from {_GIVEN}"
_SET: Final = f"""
    update users set (avatar, emblem, full_profile, public_profile) = {_GIVEN},
                     updated = clock_timestamp()
"""
_NO_REWARD = """
    (emblem is not distinct from :emblem or :emblem is null or not exists (
        select from challenges where win_emblem = :emblem or participate_emblem = :emblem
    ))
"""


class Updated(NamedTuple):
    """What came of an update. `simple` is False if it needs more than this statement can check:
    then nothing has changed. `wait` is the seconds until the user may change the record once more,
    if they may not now."""

    simple: bool
    wait: int


def _updated(simple: str) -> str:
    return f"""
        with held as materialized (
            select id, {_DIFFERS} as differs, {simple} as simple
            from users where id = :user for no key update
        ), allowed as materialized (
            select id, {rate_limits.taken(USER_UPDATES, "id")} as wait
            from held where simple and differs
        ), changed as (
            {_SET} where id = (select id from allowed where wait = 0)
        )
        select h.simple, coalesce(a.wait, 0) as wait from held h left join allowed a on true
    """


@maybe(_updated(_NO_REWARD))
async def update(
    db: Db,
    user: str,
    avatar: str | None,
    emblem: str | None,
    full_profile: str | None,
    public_profile: str | None,
    most: int,
) -> Updated | None:
    """Replace the members that a user may change (accounts#update). Where nothing differs, nothing
    is written. A change counts for the limit of `most` USER_UPDATES, 0 for any number. It is not
    simple if the emblem is new and a reward: then the user must have earned it. None if there is no
    such user."""


# The paths of the service's own images have these lengths.
@maybe(_updated(f"(avatar is null or octet_length(avatar) not in (71, 72)) and {_NO_REWARD}"))
async def update_unclaimed(
    db: Db,
    user: str,
    avatar: str | None,
    emblem: str | None,
    full_profile: str | None,
    public_profile: str | None,
    most: int,
) -> Updated | None:
    """The same, but it is not simple either if the avatar before may be a file of the service's
    own: then the user claims it."""


@none(f"{_SET} where id = :user")
async def update_earned(
    tx: Db,
    user: str,
    avatar: str | None,
    emblem: str | None,
    full_profile: str | None,
    public_profile: str | None,
) -> None:
    """The same, of a user who is locked and has earned the emblem. It counts for nothing."""


@none("""
    update users set avatar = coalesce(nullif(avatar, ''), :avatar),
                     emblem = coalesce(emblem, :emblem::uuid),
                     full_profile = coalesce(nullif(full_profile, ''), :full_profile),
                     public_profile = coalesce(nullif(public_profile, ''), :public_profile),
                     updated = clock_timestamp()
    where id = :user
""")
async def fill(
    tx: Db,
    user: str,
    avatar: str | None,
    emblem: str | None,
    full_profile: str | None,
    public_profile: str | None,
) -> None:
    """Give a user, who is locked, what of this they have not. It counts for nothing."""


@one("select unix(coalesce(updated, created)) from users where id = :user")
async def changed(tx: Db, user: str) -> int:
    """When a user, who is locked, last changed their own record, in Unix seconds."""


@found("select from users where id = :user for no key update")
async def lock(db: Db, user: str) -> bool:
    """Lock a user's record until the transaction ends. False if there is no such user."""


@maybe(f"""
    select avatar, {_DIFFERS} as differs, role
    from users where id = :user for no key update
""")
async def lock_for_update(
    tx: Db,
    user: str,
    avatar: str | None,
    emblem: str | None,
    full_profile: str | None,
    public_profile: str | None,
) -> RecordBefore | None:
    """The same, and how the record is before an update to these values. None if there is no such
    user."""


_OTHERS: Final = f"""
    last as materialized (
        select max(username_key) as key from users_starting_with(:q)
        where (select count(*) from found) >= {SORTED}
    ), others as not materialized (
        select u.username_key from users u
        where u.username_key > (select key from last)
          and u.username_key < lower(:q collate "C") || chr(127)
          and not u.guest
    )
"""
_SKIPPED: Final = "greatest(:size::bigint * :page::bigint - (select count(*) from found), 0)"
_LEFT: Final = """least(
    :size::bigint,
    greatest(:size::bigint * (:page::bigint + 1) - (select count(*) from found), 0)
)"""


def _page(found: str) -> str:
    """The page of these rows of id, rank and similarity, and of all others whose names begin with
    `q`, after them in the alphabet. If it is empty, a row says only how many there are."""
    return f"""
        with found as materialized ({found}), {_OTHERS}
        select t.total, coalesce(p.bytes, 0) as bytes, p.id, p.username, p.avatar, p.emblem,
               case when p.bytes <= {PROFILES} then p.public_profile end as profile
        from (
            select (select count(*) from found) + (select count(*) from others) as total
        ) t
        left join (
            select f.rank, f.similarity, {USER},
                   coalesce(sum(octet_length(u.public_profile)) over (), 0) as bytes
            from (
                (select * from found order by rank, similarity desc, id
                 limit :size offset :size::bigint * :page::bigint)
                union all
                select u.id, 3, -row_number() over (order by o.username_key)
                from (select * from others order by username_key
                      limit {_LEFT} offset {_SKIPPED}) o
                join users u using (username_key)
            ) f
            join users u on u.id = f.id
        ) p on true
        order by p.rank, p.similarity desc, p.id
    """


@many(
    _page("select id, rank, similarity from find_users(:q)"),
    lane=SEARCHES,
    replica=True,
    seconds=SECONDS,
)
async def search(db: Db, q: str, size: int, page: int) -> list[FoundUser]:
    """One page of the users that match (accounts#search): exact, prefix, similarity, then id. See
    schema/functions/find_users.sql. Raises Unavailable with the cause "time-out" after SECONDS."""


@many(
    _page("""
        select id, case when username_key = lower(:q collate "C") then 0 else 1 end as rank,
               length(username_key) * -1 as similarity
        from users_starting_with(:q)
    """),
    lane=SEARCHES,
    replica=True,
)
async def search_beginning(db: Db, q: str, size: int, page: int) -> list[FoundUser]:
    """The same of those alone whose names begin with `q`: the shortest come first."""


@many(
    within(
        f"""
        select g.n, {USER} as profile
        from unnest(:users::uuid[]) with ordinality as g (id, n) join users u on u.id = g.id
        """,
        "id, username, avatar, emblem, profile",
        "n",
    )
)
async def infos(db: Db, users: list[str], bytes: int) -> list[UserInfo]:
    """The public infos of these users, in this order: at least one, and no more once the profiles
    have this many `bytes`."""


@one(
    f"""
    select {state(f"row(g.n, {USER})")}
    from unnest(:users::uuid[]) with ordinality as g (id, n) join users u on u.id = g.id
    """,
    lane=WHOLE,
)
async def infos_state(db: Db, users: list[str]) -> str:
    """A value that changes whenever one of them does."""


@maybe('select id from users where username_key = lower(:name collate "C")')
async def id_of(db: Db, name: str) -> str | None:
    """The id of the user with this name, whatever the case."""
