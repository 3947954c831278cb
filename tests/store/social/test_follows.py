"""Follows (social#following): a repeat is no second effect."""

from contentsvc.store.social import follows
from tests.support.databases import StoreCase
from tests.support.deferreds import together


class FollowTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob = await self.user(), await self.user()

    async def followers(self, user: str) -> list[str]:
        """The ids of a user's followers."""
        return [row.item.id for row in await follows.followers(self.db, user, None, 100, 1)]

    async def test_again(self) -> None:
        """Following ten times at once is following once, and keeps its place in the list."""
        await together(*(follows.follow(self.db, self.ann, self.bob, 0) for _ in range(10)))
        other = await self.user()
        await follows.follow(self.db, other, self.bob, 0)
        await follows.follow(self.db, self.ann, self.bob, 0)
        self.assertEqual(await self.followers(self.bob), [other, self.ann])
