"""Plays and what they add up to: exact whoever plays when (content#plays)."""

from contentsvc.store.content import content_counts
from contentsvc.store.fragments import NIL
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

_COUNTS = "plays, players, completions, downloads, favourites"


class PlayTests(StoreCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.game = await self.content(self.author)

    async def play(
        self, user: str, id: str | None = None, *, most: int = 0, seconds: int = 1
    ) -> int:
        """Count a play."""
        given = self.game, False, None, id or guid(), seconds, True, most
        return await content_counts.add(self.db, user, *given)

    async def add_up(self) -> None:
        """Add up what there is, unless somebody else does."""
        async with self.db.transaction() as tx:
            if contents := await content_counts.lock(tx, NIL):
                await content_counts.add_up(tx, contents)

    async def added(self) -> tuple[int, ...]:
        """The counts, once all is added up. The days sum up to them."""
        await self.add_up()
        (counts,) = self.sql(f"select {_COUNTS} from contents where id = %s", self.game)
        sums = ", ".join(f"coalesce(sum({each}), 0)::bigint" for each in _COUNTS.split(", "))
        (days,) = self.sql(f"select {sums} from content_days where content_id = %s", self.game)
        self.assertEqual(counts, days)
        (rank,) = self.sql("select played from content_ranks where content_id = %s", self.game)
        self.assertEqual((counts[1],), rank)
        return counts

    async def test_at_once(self) -> None:
        """Plays of several users at once, each several times, are counted, and each player once."""
        users = [await self.user() for _ in range(5)]
        await together(*(self.play(users[n % 5]) for n in range(40)))
        self.assertEqual((40, 5, 40, 0, 0), await self.added())
        await together(*(self.play(users[n % 5]) for n in range(10)))
        self.assertEqual((50, 5, 50, 0, 0), await self.added())

    async def test_repeats(self) -> None:
        """The same id twenty times at once is one play, also after it was added up."""
        user, id = await self.user(), guid()
        await together(*(self.play(user, id) for _ in range(20)))
        self.assertEqual((1, 1, 1, 0, 0), await self.added())
        await self.play(user, id)
        self.assertEqual((1, 1, 1, 0, 0), await self.added())

    async def test_a_day_later(self) -> None:
        """After 24 hours the same id is another play, whether or not the first was deleted."""
        user, id = await self.user(), guid()
        for forgotten in (False, True):
            await self.play(user, id)
            await self.added()
            self.sql(
                "update content_tallies set created = created - interval '25 hours'"
                " where user_id = %s",
                user,
            )
            if forgotten:
                self.assertEqual(1, await content_counts.forget(self.db))
        await self.play(user, id)
        self.assertEqual((3, 1, 3, 0, 0), await self.added())

    async def test_limit(self) -> None:
        """Plays beyond the limit are refused with the seconds to wait; a repeat is none."""
        user, id = await self.user(), guid()
        self.assertEqual(0, await self.play(user, id, most=2))
        self.assertEqual(0, await self.play(user, most=2))
        self.assertGreater(await self.play(user, most=2), 0)
        self.assertEqual(0, await self.play(user, id, most=2))
        self.assertEqual((2, 1, 2, 0, 0), await self.added())

    async def test_several_contents(self) -> None:
        """Of plays at once, each has its own answer: of others' content, one's own, and what is not
        there."""
        user, revision = await self.user(), guid()
        given = (
            *((user, self.game, None), (self.author, self.game, None), (user, guid(), None)),
            *((user, self.game, revision), (user, self.game, None)),
        )
        found = await together(
            *(
                content_counts.add(self.db, who, game, False, part, guid(), 1, True, 0)
                for who, game, part in given
            )
        )
        missing = content_counts.NO_CONTENT, content_counts.NO_REVISION
        self.assertEqual(found, [0, 0, *missing, 0])
        self.assertEqual((2, 1, 2, 0, 0), await self.added())

    async def test_release_before(self) -> None:
        """A daemon of 1.0.0 counts plays with the function that it calls."""
        user, play = await self.user(), guid()
        for _ in range(2):
            self.sql(
                "select add_plays(array[%s::uuid], array[%s::uuid], '{false}', '{null}',"
                " array[%s::uuid], '{1}', '{true}', '{20}', interval '1 minute')",
                *(user, self.game, play),
            )
        self.assertEqual(0, await self.play(user, play))
        self.assertEqual((1, 1, 1, 0, 0), await self.added())

    async def test_downloads(self) -> None:
        """A download is a user, a content and a day, whichever process notes it how often."""
        users = [await self.user() for _ in range(2)]
        for day in ("2026-11-22", "2026-11-22", "2026-11-23"):
            await content_counts.add_downloads(self.db, users, [self.game] * 2, [day] * 2)
        self.assertEqual((0, 0, 0, 4, 0), await self.added())
        (first, *_) = await content_counts.of_days(self.db, self.game, "2026-11-22", "2026-11-23")
        self.assertEqual(2, first.downloads)

    async def test_adding_up_at_once(self) -> None:
        """Two processes that add up at once count nothing twice."""
        users = [await self.user() for _ in range(3)]
        await together(*(self.play(user) for user in users), *(self.add_up() for _ in range(3)))
        self.assertEqual((3, 3, 3, 0, 0), await self.added())
