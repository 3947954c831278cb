"""Collections (content#collections), with room for few items."""

from contentsvc.api.content.collections import Collections
from contentsvc.framework.http.decode import Either
from contentsvc.wire.library import ItemBody
from tests.api.support import ApiCase, Caller
from tests.support.databases import guid


class MostItemsTests(ApiCase):
    async def test_most(self) -> None:
        """A collection takes as many items as it may have, and no more; one that is in it can be
        moved then."""
        family = Collections(self.db, most=0, items=2)
        user, author, collection = await self.user(), await self.user(), guid()
        caller = Caller(user)
        made = Either(b'{"name":"Castles","public":true}', None)
        await family.put_collection(caller, user, collection, made)
        first, second, third = [await self.content(author) for _ in range(3)]

        async def put(content: str) -> None:
            body = ItemBody(before=None)
            await family.put_collection_item(caller, user, collection, content, body)

        await put(first)
        await put(second)
        self.assertEqual((await self.refused(put(third))).code, "quota_exceeded")
        await put(first)
