"""Collections of content: content#collections."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import Content, User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import COLLECTION, CONTENT_INFO


class CollectionCase(SpecCase):
    """Users with collections."""

    async def collect(
        self, user: User, collection: str, *items: Content, public: bool = True, **said: Any
    ) -> str:
        """Make a collection with these items, in this order. Gives its path."""
        body = {"name": "Castles", "public": public} | said
        await self.put(self.path(user, collection), body, by=user, expect=204)
        for item in items:
            await self.item(user, collection, item, before=None)
        return f"collections/{collection}"

    def path(self, user: User, collection: str) -> str:
        """The path of a user's collection."""
        return f"user/{user.id}/collections/{collection}"

    async def item(
        self, user: User, collection: str, item: Content, expect: int | None = 204, **body: Any
    ) -> Response:
        """Put an item."""
        path = f"{self.path(user, collection)}/items/{item.id}"
        return await self.put(path, body, by=user, expect=expect)

    async def order(self, collection: str, by: User | None = None) -> list[str]:
        """The ids of the items that a caller sees."""
        found = await self.read(f"collections/{collection}/items", [CONTENT_INFO], by=by)
        return [item["id"] for item in found]

    async def shown(self, collection: str, by: User | None = None) -> dict[str, Any]:
        """A collection."""
        found: dict[str, Any] = await self.read(f"collections/{collection}", COLLECTION, by=by)
        return found


class CollectionsTests(CollectionCase):
    """PUT, DELETE and GET of collections."""

    async def test_made(self):
        """content#collections: PUT makes a collection with the caller's id, and again changes what
        it says: without a description it has none."""
        user, id = await self.user(), guid()
        await self.collect(user, id, description="Of stone")
        self.assertEqual(
            {"name": "Castles", "description": "Of stone", "public": True, "items": 0},
            {k: v for k, v in (await self.shown(id)).items() if k in ("name", "description")}
            | {"public": True, "items": 0},
        )
        await self.collect(user, id, name="Forts")
        found = await self.shown(id)
        said = found["name"], found["description"], found["kind"], found["owner"]["id"]
        self.assertEqual(("Forts", "", "collection", user.id), said)

    async def test_not_blank(self):
        """content#collections: the name has 1 to 128 characters and is not blank."""
        user = await self.user()
        for name in ("", " ", "\u200b", "x" * 129):
            body = {"name": name, "public": True}
            response = await self.put(self.path(user, guid()), body, by=user)
            self.problem(response, 400, "invalid_body")

    async def test_others_id(self):
        """content#collections: an id that is another user's collection, or another user's own, is
        409 `collection_exists`."""
        user, other, id = await self.user(), await self.user(), guid()
        await self.collect(other, id)
        body = {"name": "Mine", "public": True}
        for taken in (id, other.id):
            response = await self.put(self.path(user, taken), body, by=user)
            self.problem(response, 409, "collection_exists")

    async def test_private(self):
        """content#collections: to others, a private one is 404 `collection_not_found`, with its
        items, and in no list."""
        user, id = await self.user(), guid()
        await self.collect(user, id, public=False)
        self.assertEqual(id, (await self.shown(id, by=user))["id"])
        for by in (None, await self.user(), await self.admin()):
            for path in (f"collections/{id}", f"collections/{id}/items"):
                self.problem(await self.get(path, by=by), 404, "collection_not_found")
            found = await self.read(f"user/{user.id}/collections", [COLLECTION], by=by)
            self.assertEqual([], found)

    async def test_list(self):
        """content#collections: the list has the favourites first, then the newest; with `content`,
        those that hold it."""
        user, ids = await self.user(), [guid(), guid()]
        made = await self.content(await self.user())
        await self.collect(user, ids[0], made)
        await self.collect(user, ids[1])
        path = f"user/{user.id}/collections"
        own = await self.read(path, [COLLECTION], by=user)
        self.assertEqual([user.id, ids[1], ids[0]], [one["id"] for one in own])
        self.assertEqual([ids[1], ids[0]], [c["id"] for c in await self.read(path, [COLLECTION])])
        found = await self.read(f"{path}?content={made.id}", [COLLECTION], by=user)
        self.assertEqual(([ids[0]], [1]), ([c["id"] for c in found], [c["items"] for c in found]))
        self.problem(await self.get(f"user/{guid()}/collections"), 404, "user_not_found")

    async def test_list_by_hidden(self):
        """content#collections: to who does not see a content, no collection holds it."""
        author, user, id = await self.user(), await self.user(), guid()
        made = await self.content(author)
        await self.collect(user, id, made)
        body = {"visibility": "private"}
        await self.put(f"{made.path}/visibility", body, by=author, expect=204)
        path = f"user/{user.id}/collections?content={made.id}"
        for by, expected in ((None, []), (user, []), (author, [id]), (await self.admin(), [id])):
            found = await self.read(path, [COLLECTION], by=by)
            self.assertEqual(expected, [one["id"] for one in found])

    async def test_deleted(self):
        """content#collections: DELETE is 204, also where there is none, and deletes no other
        user's."""
        user, other, id = await self.user(), await self.user(), guid()
        await self.collect(user, id)
        await self.delete(self.path(other, id), by=other, expect=204)
        await self.shown(id)
        for _ in range(2):
            await self.delete(self.path(user, id), by=user, expect=204)
        self.problem(await self.get(f"collections/{id}", by=user), 404, "collection_not_found")

    async def test_staff(self):
        """content#collections: staff delete another's collection; it stands in what admins did."""
        user, id = await self.user(), guid()
        await self.collect(user, id)
        moderator = await self.member("moderator")
        await self.delete(self.path(user, id), by=moderator, expect=204)
        self.problem(await self.get(f"collections/{id}", by=user), 404, "collection_not_found")
        (act,) = (await self.get(f"moderation/actions?subject={id}", by=moderator)).json()
        self.assertEqual("collection_deleted", act["action"])
        self.assertEqual({"kind": "collection", "id": id}, act["subject"])
        missing = await self.delete(f"user/{guid()}/collections/{id}", by=moderator)
        self.problem(missing, 404, "user_not_found")


class FavouritesTests(CollectionCase):
    """The collection that everybody has."""

    async def test_there(self):
        """content#collections: it is there without being made, private, without items."""
        user = await self.user()
        found = await self.shown(user.id, by=user)
        self.assertEqual(
            ("favourites", "", "", False, 0),
            tuple(found[name] for name in ("kind", "name", "description", "public", "items")),
        )
        self.assertEqual([], await self.order(user.id, by=user))
        self.problem(await self.get(f"collections/{user.id}"), 404, "collection_not_found")

    async def test_public_alone(self):
        """content#collections: PUT changes `public` alone."""
        user = await self.user()
        for body in ({"public": True}, {"name": "x", "description": "y", "public": True}):
            await self.put(self.path(user, user.id), body, by=user, expect=204)
            found = await self.shown(user.id)
            self.assertEqual(("", ""), (found["name"], found["description"]))
        await self.put(self.path(user, user.id), {"public": False}, by=user, expect=204)
        self.problem(await self.get(f"collections/{user.id}"), 404, "collection_not_found")

    async def test_kept(self):
        """content#collections: it cannot be deleted: 409 `collection_kept`, to staff too."""
        user = await self.user()
        for by in (user, await self.admin()):
            response = await self.delete(self.path(user, user.id), by=by)
            self.problem(response, 409, "collection_kept")

    async def test_items(self):
        """content#collections: it takes items without having been written before."""
        user, made = await self.user(), await self.content(await self.user())
        await self.item(user, user.id, made)
        self.assertEqual([made.id], await self.order(user.id, by=user))
        self.assertEqual(1, (await self.shown(user.id, by=user))["items"])


class ItemTests(CollectionCase):
    """Items and their order."""

    async def test_order(self):
        """content#collections: a new item comes first, one that is there stays; with `before` it
        comes before that one, with null to the end."""
        user, id = await self.user(), guid()
        a, b, c, d = [await self.content(user) for _ in range(4)]
        await self.collect(user, id)

        async def put(item: Content, *expected: Content, **body: Any) -> None:
            await self.item(user, id, item, **body)
            self.assertEqual([each.id for each in expected], await self.order(id))

        await put(a, a)
        await put(b, b, a)
        await put(a, b, a)
        await put(c, b, a, c, before=None)
        await put(d, b, d, a, c, before=a.id)
        await put(c, c, b, d, a, before=b.id)
        await put(c, c, b, d, a, before=c.id)
        await put(c, b, d, a, c, before=None)
        await put(a, b, a, d, c, before=d.id)
        await put(a, b, a, d, c, before=d.id.upper())
        self.assertEqual(4, (await self.shown(id))["items"])

    async def test_many_moves(self):
        """content#collections: items stay in order however often two of them change places."""
        user, id = await self.user(), guid()
        a, b, c = [await self.content(user) for _ in range(3)]
        await self.collect(user, id, a, b, c)
        for _ in range(30):
            await self.item(user, id, c, before=b.id)
            self.assertEqual([a.id, c.id, b.id], await self.order(id))
            await self.item(user, id, b, before=c.id)
            self.assertEqual([a.id, b.id, c.id], await self.order(id))

    async def test_refused(self):
        """content#collections: 404 where there is no such collection of the user's or no such
        content; 422 `unknown_item` where `before` is not in it, itself too."""
        user, other, id = await self.user(), await self.user(), guid()
        made, hidden = await self.content(other), await self.content(other)
        await self.moderate(hidden, "suspended")
        await self.collect(other, id)
        self.problem(await self.item(user, id, made, None), 404, "collection_not_found")
        self.problem(await self.item(user, guid(), made, None), 404, "collection_not_found")
        self.problem(await self.item(user, user.id, hidden, None), 404, "content_not_found")
        for before in (made.id, guid()):
            response = await self.item(user, user.id, made, None, before=before)
            self.problem(response, 422, "unknown_item")
        self.assertEqual([], await self.order(user.id, by=user))

    async def test_removed(self):
        """content#collections: DELETE of an item is 204 always."""
        user, made = await self.user(), await self.content(await self.user())
        await self.collect(user, id := guid(), made)
        for collection in (id, id, guid()):
            path = f"{self.path(user, collection)}/items/{made.id}"
            await self.delete(path, by=user, expect=204)
        self.assertEqual([], await self.order(id))
        self.assertEqual(0, (await self.shown(id))["items"])

    async def test_hidden(self):
        """content#collections: who does not see a content does not see it among the items, but it
        counts."""
        author, user, id = await self.user(), await self.user(), guid()
        made = await self.content(author)
        await self.collect(user, id, made)
        await self.moderate(made, "suspended")
        self.assertEqual([], await self.order(id, by=user))
        self.assertEqual([made.id], await self.order(id, by=author))
        self.assertEqual(1, (await self.shown(id))["items"])


class ReportTests(CollectionCase):
    """POST /api/v1/collections/{collection}/report."""

    async def test_evidence(self):
        """content#collections: a report keeps name and description as they were; the queue has it
        as of kind `collection`."""
        user, other, id = await self.user(), await self.user(), guid()
        path = await self.collect(user, id, name="Rude", description="Very")
        await self.post(f"{path}/report", {"reason": "abuse"}, by=other, expect=204)
        await self.collect(user, id, name="Nice")
        admin = await self.admin()
        (found,) = (await self.get(f"moderation/reports/collection/{id}", by=admin)).json()
        self.assertEqual({"name": "Rude", "description": "Very"}, found["evidence"])
        queue = (await self.get("moderation/reports?kind=collection", by=admin)).json()
        self.assertIn({"kind": "collection", "id": id}, [one["subject"] for one in queue])
        body = {"outcome": "upheld", "upTo": found["id"]}
        await self.put(f"moderation/reports/collection/{id}", body, by=admin, expect=204)

    async def test_refused(self):
        """content#collections: a private one is 404 to others, and nobody reports their own."""
        user, id = await self.user(), guid()
        path = await self.collect(user, id, public=False)
        body = {"reason": "abuse"}
        response = await self.post(f"{path}/report", body, by=await self.user())
        self.problem(response, 404, "collection_not_found")
        for own in (id, user.id):
            response = await self.post(f"collections/{own}/report", body, by=user)
            self.problem(response, 422, "cannot_report_self")
