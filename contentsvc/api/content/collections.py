"""Collections of content: content#collections."""

from msgspec import UNSET, Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_user, required
from contentsvc.api.errors import (
    CollectionExists,
    CollectionKept,
    CollectionNotFound,
    ContentNotFound,
    GuestAccount,
    QuotaExceeded,
    UnknownItem,
    UserNotFound,
)
from contentsvc.api.guests import NO_GUESTS, PUBLISH, GuestRules
from contentsvc.api.paging import PART, decoded, encoded, full, heavy, key_of, numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.http.permissions import ANYONE, SELF
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE
from contentsvc.store.content import collections as store
from contentsvc.store.content.collections import Space
from contentsvc.store.fragments import LAST
from contentsvc.store.moderation import audit_log
from contentsvc.wire.base import SortedPart
from contentsvc.wire.content import ContentInfo
from contentsvc.wire.library import (
    Collection,
    CollectionBody,
    CollectionsQuery,
    FavouritesBody,
    ItemBody,
)

_OF_USER = "/user/<guid:user>/collections"
_ONE = f"{_OF_USER}/<guid:collection>"
_ITEM = f"{_ONE}/items/<guid:content>"


class Collections(Struct):
    """What users have collected. A user may have `most` collections beside the favourites, 0 for
    any number."""

    db: Database
    most: int
    items: int = store.MOST
    part: int = PART
    guests: GuestRules = NO_GUESTS

    @route(
        "PUT",
        _ONE,
        allow=SELF,
        heeds="/collections/<guid:collection>",
        raises=(GuestAccount, UserNotFound, CollectionExists, QuotaExceeded),
    )
    async def put_collection(
        self, call: Call, user: str, collection: str, body: Either[CollectionBody | FavouritesBody]
    ) -> None:
        """Make a collection, or change its name, its description and who sees it: the caller
        chooses the id. Of the favourites, whose id is the user's, this changes `public` alone."""
        favourites = collection == user
        given = body.decode(FavouritesBody) if favourites else body.decode(CollectionBody)
        if given.public:
            await self.guests.check(self.db, call, PUBLISH)
        async with self.db.transaction() as tx:
            if not await store.lock_owner(tx, user):
                raise UserNotFound()
            if isinstance(given, FavouritesBody):
                await call.unchanged(tx)
                await store.write_favourites(tx, user)
                await store.change(tx, collection, "", "", given.public)
                return
            present = await store.ownership(tx, user, collection)
            if present.others or present.owner_id not in {None, user}:
                raise CollectionExists()
            await call.unchanged(tx)
            said = given.name, given.description, given.public
            if present.owner_id is not None:
                await store.change(tx, collection, *said)
                return
            used = await store.count(tx, user)
            if self.most and used >= self.most:
                raise _beyond(self.most, used, "collections")
            if not await store.create(tx, user, collection, *said):
                raise CollectionExists()

    @route(
        "DELETE",
        _ONE,
        allow=SELF | MODERATE,
        raises=(UserNotFound, CollectionKept),
    )
    async def delete_collection(self, call: Call, user: str, collection: str) -> None:
        """Delete a collection. If there is none, this is not an error. The favourites stay."""
        if call.service or call.user != user:
            await check_user(self.db, user)
        if collection == user:
            raise CollectionKept()
        async with self.db.transaction() as tx:
            if await store.delete(tx, user, collection) and call.user != user:
                await audit_log.record(
                    tx, *call.actor, "collection_deleted", "collection", collection, ""
                )

    @route("GET", _OF_USER, allow=ANYONE, raises=(UserNotFound,))
    async def list_collections(
        self, call: Call, user: str, query: CollectionsQuery
    ) -> Listed[Collection]:
        """List a user's collections, the favourites first, then the newest: to the user all, to
        others those that are public. With `content`, only those that hold it, and none if the
        caller does not see it."""
        window = position(query), query.limit, self.part
        caller, moderate = call.viewer
        rows = await store.of_user(self.db, user, caller, moderate, query.content, *window)
        if not rows:
            await check_user(self.db, user)
        owners = (row.item.owner for row in rows)
        return numbered(rows, query, cut=full(owners, self.part))

    @route(
        "GET",
        "/collections/<guid:collection>",
        allow=ANYONE,
        raises=(CollectionNotFound,),
    )
    async def get_collection(self, call: Call, collection: str) -> Collection:
        """Get a collection. Only its owner sees a private one."""
        return required(await store.get(self.db, collection, call.viewer.user), CollectionNotFound)

    @route(
        "GET",
        "/collections/<guid:collection>/items",
        allow=ANYONE,
        raises=(CollectionNotFound,),
    )
    async def list_collection_items(
        self, call: Call, collection: str, query: SortedPart
    ) -> Listed[ContentInfo]:
        """List the content of a collection that the caller sees, in the collection's order."""
        key, after = key_of("collection", collection), -LAST
        if query.after is not None:
            after = int(decoded(key, query.after, 1)[0])
        viewer = call.viewer
        rows = await store.items(self.db, collection, *viewer, after, query.limit)
        if not rows:
            required(await store.get(self.db, collection, viewer.user), CollectionNotFound)
        found = [row.item for row in rows if row.item is not None]
        goes_on = len(found) == query.limit or heavy(found)
        return Listed(found, encoded(key, (rows[-1].number,)) if goes_on else None)

    @route(
        "PUT",
        _ITEM,
        allow=SELF,
        raises=(
            GuestAccount,
            CollectionNotFound,
            ContentNotFound,
            UnknownItem,
            QuotaExceeded,
        ),
    )
    async def put_collection_item(
        self, call: Call, user: str, collection: str, content: str, body: ItemBody
    ) -> None:
        """Add a content item to a collection, or move it: before the item `before`, or to the end
        with null. Without `before`, a new one comes first, and one that is there stays."""
        before = None if body.before is UNSET else body.before
        async with self.db.transaction() as tx:
            if collection == user:
                await store.write_favourites(tx, user)
            if not await store.lock(tx, user, collection):
                raise CollectionNotFound()
            about = collection, content, user, call.viewer.moderate, before
            item = await store.placement(tx, *about)
            if not item.visible:
                raise ContentNotFound()
            if call.guest and await store.is_public(tx, collection):
                await self.guests.check(tx, call, PUBLISH)
            if before is not None and item.before is None:
                raise UnknownItem()
            added = item.place is None
            if added and item.items >= self.items:
                raise _beyond(self.items, item.items, "items in a collection")
            if not added and (body.before is UNSET or before == content):
                return
            end = -LAST if body.before is UNSET else LAST
            space = await store.space(tx, collection, content, item.at(end))
            if _is_in(space, item.place):
                return
            place = _between(space)
            if place is None:
                await store.spread(tx, collection)
                item = await store.placement(tx, *about)
                place = _between(await store.space(tx, collection, content, item.at(end)))
            await store.put(tx, collection, content, required(place, UnknownItem), added)

    @route("DELETE", _ITEM, allow=SELF)
    async def delete_collection_item(
        self, call: Call, user: str, collection: str, content: str
    ) -> None:
        """Remove a content item from a collection. If it is not in, this is not an error."""
        async with self.db.transaction() as tx:
            if await store.lock(tx, user, collection):
                await store.remove(tx, collection, content)


def _is_in(space: Space, place: int | None) -> bool:
    """Whether an item is where it belongs already."""
    low, high = space
    return place is not None and (low is None or low < place) and (high is None or place < high)


def _between(space: Space) -> int | None:
    """A place in this space. None if there is no room."""
    low, high = space
    if low is None:
        place = 0 if high is None else high - store.GAP
    else:
        place = low + store.GAP if high is None else (low + high) // 2
    return place if place != low and -store.EDGE < place < store.EDGE else None


def _beyond(limit: int, used: int, what: str) -> Problem:
    detail = f"This would exceed your quota of {limit} {what}."
    return QuotaExceeded(detail, limit=limit, used=used)
