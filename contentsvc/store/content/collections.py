"""Collections of content: content#collections.

A user's favourites are the collection whose id is the user's. They have a row once somebody has
written something of them; before, what is read is made of the user's row.

Whoever changes a collection or its items locks the collection's row before, so that two moves come
one after the other. The owner's row is locked for the number of the owner's collections.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store.fragments import (
    AUTHOR,
    BEFORE,
    INFO,
    USER,
    Numbered,
    infos_within,
    seen,
    within,
)
from contentsvc.wire.content import ContentInfo
from contentsvc.wire.library import Collection

MOST: Final = 1000
"""Items of a collection."""
GAP: Final = 2**44
"""Between the places of two items. It can be halved 44 times, and an item can come first, or last,
some hundred thousand times, before all of the collection need new places."""
EDGE: Final = 2**62
"""No place is beyond it, in either direction."""
_FIRST = 10**18 - 1
"""The number of the favourites in the list of their owner's collections."""


class Ownership(NamedTuple):
    """The owner of the collection with an id, None if there is none, and whether the id is another
    user's."""

    owner_id: str | None
    others: bool


class Placement(NamedTuple):
    """A collection whose row is locked, and where a content may go in it. `place` is where the
    content is, None if it is not in; `before` is the place of the item that it is to come
    before."""

    items: int
    visible: bool
    place: int | None
    before: int | None

    def at(self, end: int) -> int:
        """The place before which the content comes: that of the item, or else an end."""
        return end if self.before is None else self.before


class Space(NamedTuple):
    """The places between which there is nothing: None at an end."""

    low: int | None
    high: int | None


_KIND = "case when c.id = c.owner_id then 'favourites' else 'collection' end as kind"
_COLUMNS = f"""
    {{id}} as collection, {USER}, {{name}} as name, {{description}} as description,
    {{public}} as public, {{items}} as items, unix({{updated}}) as updated, {{kind}}
"""
_ROW = _COLUMNS.format(
    id="c.id",
    name="c.name",
    description="c.description",
    public="c.public",
    items="c.items",
    updated="c.updated",
    kind=_KIND,
)
_UNWRITTEN = _COLUMNS.format(
    id="u.id",
    name="''",
    description="''",
    public="false",
    items="0",
    updated="u.created",
    kind="'favourites' as kind",
)
_NO_ROW = "not exists (select from collections k where k.id = u.id)"
_SEEN = "(c.public or c.owner_id = :caller::uuid)"
_PAGE = f"""
    select p.* from (
        select case when c.id = c.owner_id then {_FIRST} else c.number end as number, {_ROW}
        from collections c join users u on u.id = c.owner_id
        where c.owner_id = :user and {_SEEN} and (:content::uuid is null or exists (
            select from collection_items i join contents k on k.id = i.content_id
            where i.collection_id = c.id and i.content_id = :content and {seen("k")}
        ))
        union all
        select {_FIRST}, {_UNWRITTEN} from users u
        where u.id = :user and u.id = :caller and :content::uuid is null and {_NO_ROW}
    ) p (number, id, owner_id, username, avatar, emblem, profile, name, description, public, items,
         updated, kind)
    where p.number < {BEFORE}
    order by p.number desc limit :limit
"""


@many(
    within(
        _PAGE,
        "number, id, owner_id as id, username, avatar, emblem, profile, name, description, public,"
        " items, updated, kind",
        "number desc",
        "coalesce(octet_length(profile), 0)",
    )
)
async def of_user(
    db: Db,
    user: str,
    caller: str | None,
    moderate: bool,
    content: str | None,
    before: int | None,
    limit: int,
    bytes: int,
) -> list[Numbered[Collection]]:
    """A user's collections that the caller may see, the favourites first, then the newest: at most
    `limit`, and no more once the profiles have so many `bytes`. With a `content`, those that hold
    it: none if the caller does not see it."""


@maybe(f"""
    select c.collection as id, c.id, c.username, c.avatar, c.emblem, c.profile, c.name,
           c.description, c.public, c.items, c.updated, c.kind
    from (
        select {_ROW} from collections c join users u on u.id = c.owner_id
        where c.id = :collection and {_SEEN}
        union all
        select {_UNWRITTEN} from users u where u.id = :collection and u.id = :caller and {_NO_ROW}
    ) c (collection, id, username, avatar, emblem, profile, name, description, public, items,
         updated, kind)
""")
async def get(db: Db, collection: str, caller: str | None) -> Collection | None:
    """A collection, if the caller may see it."""


_ITEMS: Final = f"""
    select i.place as number, {INFO}
    from (
        select i.content_id, i.place from collection_items i
        where i.collection_id = c.id and i.place > :after
    ) i
    cross join lateral (select * from contents where id = i.content_id offset 0) c {AUTHOR}
    where {seen()}
    order by i.place limit :limit
"""


@many(f"""
    select d.*
    from collections c left join lateral ({infos_within(_ITEMS, "number", "number")}) d on true
    where c.id = :collection and {_SEEN}
    order by d.number
""")
async def items(
    db: Db, collection: str, caller: str | None, moderate: bool, after: int, limit: int
) -> list[Numbered[ContentInfo | None]]:
    """The items of a collection that the caller sees, in their order, after a place: at most
    `limit`, and no more once their attributes have PART bytes. No row at all if the caller may not
    see the collection."""


@found("select from users where id = :user for no key update")
async def lock_owner(tx: Db, user: str) -> bool:
    """Lock a user, so that their collections are counted exactly. False if there is none."""


@one("""
    select (select owner_id from collections where id = :collection) as owner_id,
           exists (select from users where id = :collection and id <> :user) as others
""")
async def ownership(tx: Db, user: str, collection: str) -> Ownership:
    """The owner of a collection."""


@one("select count(*) from collections where owner_id = :user and id <> owner_id")
async def count(tx: Db, user: str) -> int:
    """How many collections a user has, without the favourites."""


@found("""
    insert into collections (id, owner_id, name, description, public)
    values (:collection, :user, :name, :description, :public)
    on conflict (id) do nothing
    returning true
""")
async def create(
    tx: Db, user: str, collection: str, name: str, description: str, public: bool
) -> bool:
    """Make a collection. False if another user has made one with this id meanwhile."""


@none("""
    update collections
    set name = :name, description = :description, public = :public, updated = clock_timestamp()
    where id = :collection and (name, description, public) <> (:name, :description, :public)
""")
async def change(tx: Db, collection: str, name: str, description: str, public: bool) -> None:
    """Change what a collection says of itself."""


@none("""
    insert into collections (id, owner_id, name, description, public, updated)
    select id, id, '', '', false, created from users where id = :user
    on conflict (id) do nothing
""")
async def write_favourites(tx: Db, user: str) -> None:
    """Make the row of a user's favourites, if there is none."""


@found("""
    delete from collections where id = :collection and owner_id = :user and id <> owner_id
    returning true
""")
async def delete(db: Db, user: str, collection: str) -> bool:
    """Delete a collection of a user. False if the user has no such one."""


@found("select from collections where id = :collection and public")
async def is_public(tx: Db, collection: str) -> bool:
    """Whether others see a collection."""


@found("""
    select from collections where id = :collection and owner_id = :user for no key update
""")
async def lock(tx: Db, user: str, collection: str) -> bool:
    """Lock a collection of a user until the transaction ends. False if the user has no such
    one."""


@one(f"""
    select c.items, exists (
               select from contents k
               where k.id = :content
                 and {seen("k", ":user")}
           ) as visible,
           (
               select i.place from collection_items i
               where i.collection_id = c.id and i.content_id = :content
           ) as place,
           (
               select i.place from collection_items i
               where i.collection_id = c.id and i.content_id = :before
           ) as before
    from collections c where c.id = :collection
""")
async def placement(
    tx: Db, collection: str, content: str, user: str, moderate: bool, before: str | None
) -> Placement:
    """Where a content is in a collection that the transaction has locked."""


@one("""
    select (
               select i.place from collection_items i
               where i.collection_id = :collection and i.place < :before
                 and i.content_id <> :content
               order by i.place desc limit 1
           ) as low,
           (
               select i.place from collection_items i
               where i.collection_id = :collection and i.place >= :before
                 and i.content_id <> :content
               order by i.place limit 1
           ) as high
""")
async def space(tx: Db, collection: str, content: str, before: int) -> Space:
    """The places between which a content comes before a place, itself left out."""


@none("""
    with put as (
        insert into collection_items as i (collection_id, content_id, place)
        values (:collection, :content, :place)
        on conflict (collection_id, content_id) do update set place = excluded.place
    )
    update collections
    set items = items + case when :added then 1 else 0 end, updated = clock_timestamp()
    where id = :collection
""")
async def put(tx: Db, collection: str, content: str, place: int, added: bool) -> None:
    """Put a content at a place of a collection that the transaction has locked; `added` says that
    it was not in."""


@none(f"""
    update collection_items i set place = o.n * {GAP}
    from (
        select content_id, row_number() over (order by place) as n
        from collection_items where collection_id = :collection
    ) o
    where i.collection_id = :collection and i.content_id = o.content_id
""")
async def spread(tx: Db, collection: str) -> None:
    """Make gaps again between the places of a locked collection."""


@none("""
    with gone as (
        delete from collection_items where collection_id = :collection and content_id = :content
        returning true
    )
    update collections set items = items - 1, updated = clock_timestamp()
    where id = :collection and exists (select from gone)
""")
async def remove(tx: Db, collection: str, content: str) -> None:
    """Take a content out of a collection that the transaction has locked."""
