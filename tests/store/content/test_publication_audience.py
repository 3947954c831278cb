"""Whom a publication is told to."""

from contentsvc.store.content import publication_audience
from contentsvc.store.content.publication_audience import MOST
from contentsvc.store.social import follows
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class AudienceCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def follow(self, user: str | None = None) -> str:
        """A follower of Ann."""
        user = user or await self.user()
        await follows.follow(self.db, user, self.ann, 0)
        return user


class ReachTests(AudienceCase):
    async def publish(self) -> int | None:
        """Ann publishes; the reach of that."""
        async with self.db.transaction() as tx:
            content = await self.content(self.ann, db=tx)
            return (await publication_audience.reach(tx, self.ann, content)).upto

    async def test_highest(self) -> None:
        """It is the number of the newest of the author's followers."""
        await self.follow()
        newest = await self.follow()
        ((number,),) = self.sql("select number from follows where follower = %s", newest)
        self.assertEqual(await self.publish(), number)

    async def test_nobody(self) -> None:
        """Without followers there is none."""
        self.assertIsNone(await self.publish())

    async def test_sliding(self) -> None:
        """The 24 hours slide: when one is older, the next is told again."""
        await self.follow()
        for _ in range(MOST):
            await self.publish()
        self.sql(
            "update revisions set created = created - '1 day'::interval where id ="
            " (select id from revisions where publisher_id = %s limit 1)",
            self.ann,
        )
        self.assertIsNotNone(await self.publish())
        self.assertIsNone(await self.publish())

    async def test_clock_set_back(self) -> None:
        """Publications from before the clock was set back do not count."""
        await self.follow()
        for _ in range(MOST):
            await self.publish()
        self.sql(
            "update revisions set created = now() + '1 hour' where publisher_id = %s", self.ann
        )
        self.assertIsNotNone(await self.publish())

    async def test_at_once(self) -> None:
        """Of more publications at once than that, no more are told."""
        await self.follow()
        reached = await together(*(self.publish() for _ in range(MOST + 6)))
        self.assertEqual(sum(upto is not None for upto in reached), MOST)


class FollowersTests(AudienceCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.game = await self.content(self.ann)
        self.fans = [await self.follow() for _ in range(5)]
        async with self.db.transaction() as tx:
            self.upto = (await publication_audience.reach(tx, self.ann, self.game)).upto or 0

    async def told(self, most: int = 2) -> list[str]:
        """All of them, so many at a time."""
        found: list[str] = []
        after = 0
        while rows := await publication_audience.followers(
            self.db, self.ann, self.game, after, self.upto, 0, most
        ):
            self.assertLessEqual(len(rows), most)
            found += [row.user_id for row in rows]
            after = rows[-1].number
        return found

    async def test_pages(self) -> None:
        """Each is there once, in the order of following."""
        self.assertEqual(await self.told(), self.fans)

    async def test_later(self) -> None:
        """Who follows after the publication is not told, also not who follows again."""
        await self.follow()
        await follows.unfollow(self.db, self.fans[0], self.ann)
        await self.follow(self.fans[0])
        self.assertEqual(await self.told(), self.fans[1:])

    async def test_not_active(self) -> None:
        """Nobody is told of content that is not active any more, or gone."""
        for flag in "suspended", "deleted":
            self.sql(f"update contents set {flag} = true where id = %s", self.game)
            self.assertEqual(await self.told(), [])
            self.sql(f"update contents set {flag} = false where id = %s", self.game)
        self.game = guid()
        self.assertEqual(await self.told(), [])
