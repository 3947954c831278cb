"""Ratings (content#ratings): the tallies are exact whoever votes when."""

import json

from contentsvc.store.content import items, ratings
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class RatingTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.game = await self.content(self.author)

    async def put(self, user: str, up: bool, content: str | None = None) -> bool:
        """Vote."""
        return await ratings.put(self.db, user, content or self.game, False, up)

    async def take_back(self, user: str) -> bool:
        """Vote no more."""
        return await ratings.delete(self.db, user, self.game, False)

    def tally(self) -> tuple[int, int]:
        """The votes up and down that the content counts, which must be those that there are."""
        (counted,) = self.sql("select up, down from contents where id = %s", self.game)
        (there,) = self.sql(
            "select count(*) filter (where up), count(*) filter (where not up)"
            " from ratings where content_id = %s",
            self.game,
        )
        self.assertEqual(counted, there)
        return counted

    async def test_many_users(self) -> None:
        """Twenty users who vote at once are twenty votes."""
        users = [await self.user() for _ in range(20)]
        await together(*(self.put(user, n % 4 > 0) for n, user in enumerate(users)))
        self.assertEqual(self.tally(), (15, 5))

    async def test_one_user(self) -> None:
        """A user who votes this way and that twenty times at once has one vote."""
        user = await self.user()
        await together(*(self.put(user, n % 2 == 0) for n in range(20)))
        self.assertEqual(sum(self.tally()), 1)

    async def test_all_at_once(self) -> None:
        """Votes, changes and withdrawals of several users at once leave exact tallies."""
        users = [await self.user() for _ in range(5)]
        acts = []
        for n in range(60):
            user = users[n % 5]
            acts.append(self.take_back(user) if n % 3 == 0 else self.put(user, n % 2 == 0))
        await together(*acts)
        self.assertLessEqual(sum(self.tally()), 5)

    async def test_no_content(self) -> None:
        """Where there is no such content, or none that the user sees, there is no vote."""
        await items.set_status(self.db, None, self.game, "suspended")
        other = await self.user()
        self.assertFalse(await self.put(other, True))
        self.assertFalse(await self.put(other, True, guid()))
        self.assertFalse(await self.take_back(other))
        self.assertTrue(await self.put(self.author, True))
        self.assertTrue(await ratings.put(self.db, other, self.game, True, True))
        self.assertEqual(self.tally(), (2, 0))

    async def test_one_turn(self) -> None:
        """Of many votes at once each is stored, or told that there is no such content."""
        users = [await self.user() for _ in range(20)]
        games = [self.game, guid()]
        found = await together(*(self.put(u, n % 3 > 0, games[n % 2]) for n, u in enumerate(users)))
        self.assertEqual(found, [n % 2 == 0 for n in range(20)])
        self.assertEqual(self.tally(), (6, 4))

    async def test_of_user(self) -> None:
        """A user's votes are on what that user may see, in the order of the content's ids."""
        user = await self.user()
        games = sorted([await self.content(self.author) for _ in range(3)])
        for n, game in enumerate(games):
            await self.put(user, n == 1, game)
        expected = list(zip(games, "010", strict=True))

        async def seen(moderate: bool) -> list[tuple[str, str]]:
            entries = await ratings.of_user(self.db, user, moderate, 9)
            return list(json.loads(f"{{{entries}}}").items())

        self.assertEqual(await seen(False), expected)
        await items.set_status(self.db, None, games[0], "suspended")
        self.assertEqual(await seen(False), expected[1:])
        self.assertEqual(await seen(True), expected)

    async def test_state(self) -> None:
        """The validator of a user's votes changes with each vote, also with one that turns."""
        user = await self.user()
        states = []
        for up in (True, False, True):
            await self.put(user, up)
            states.append(await ratings.state(self.db, user, False))
        self.assertNotEqual(states[0], states[1])
        self.assertEqual(states[0], states[2])
