"""Closing and deleting design challenges that have entries (extensions §2)."""

from tests.api.challenges.test_definitions import ADMIN
from tests.api.challenges.test_entries import JUDGING, STRANGER, UPCOMING, EntryCase
from tests.support.databases import guid


class CloseTests(EntryCase):
    async def test_close(self) -> None:
        """An admin closes it with winners, which it shows from then on; those who took part are
        told by a task."""
        await self.enter()
        other = await self.entered()
        await self.close(other, self.game, other)
        shown = await self.challenges.get_challenge(STRANGER, self.challenge)
        self.assertEqual((shown.state, shown.winners), ("closed", [self.game, other]))
        self.assertEqual(self.told(), [{"kind": "ChallengeClosed", "challenge": self.challenge}])
        self.assertEqual(self.tasks.woken, 1)

    async def test_repeat(self) -> None:
        """The same set of winners again succeeds, in whatever order; another is refused."""
        await self.enter()
        other = await self.entered()
        await self.close(self.game, other)
        await self.close(other, self.game, other)
        for winners in ([], [self.game], [self.game, other, guid()]):
            problem = await self.refused(self.close(*winners))
            self.assertEqual((problem.status, problem.code), (409, "challenge_closed"))
        self.assertEqual(len(self.told()), 1)

    async def test_states(self) -> None:
        """It is closed while it is open or judged, not before."""
        await self.change(**UPCOMING)
        self.assertEqual((await self.refused(self.close(guid()))).code, "challenge_not_open")
        await self.change(**JUDGING)
        await self.close()
        self.assertEqual(
            (await self.challenges.get_challenge(STRANGER, self.challenge)).state, "closed"
        )

    async def test_votes(self) -> None:
        """An admin may close one that the votes judge too."""
        await self.enter()
        await self.change(judging="votes")
        await self.close(self.game)
        self.assertEqual(await self.winners(), [self.game])

    async def test_unknown_entry(self) -> None:
        """What is no entry cannot win, and what is hidden neither; the problem lists them, and
        nothing changes."""
        await self.enter()
        hidden = await self.entered()
        await self.suspend(hidden)
        beside = await self.content(self.ann.user)
        problem = await self.refused(self.close(self.game, hidden, beside, beside))
        self.assertEqual((problem.status, problem.code), (422, "unknown_entry"))
        self.assertEqual(sorted(problem.members["entries"]), sorted([hidden, beside]))
        self.assertEqual(
            (await self.challenges.get_challenge(STRANGER, self.challenge)).state, "open"
        )
        self.assertEqual(self.told(), [])

    async def test_unknown(self) -> None:
        """What does not exist is not closed."""
        problem = await self.refused(self.close(challenge=guid()))
        self.assertEqual(problem.code, "challenge_not_found")

    async def test_hidden_winner(self) -> None:
        """A winner that is suspended later is shown to those who see it; it has won all the
        same."""
        await self.enter()
        await self.close(self.game)
        await self.suspend(self.game)
        for caller, expected in ((STRANGER, []), (self.ann, [self.game]), (ADMIN, [self.game])):
            self.assertEqual(await self.winners(caller), expected)
        await self.close(self.game)

    async def test_delete(self) -> None:
        """A challenge with entries is not deleted, with hidden ones neither."""
        await self.enter()
        for _ in range(2):
            problem = await self.refused(self.challenges.delete_challenge(ADMIN, self.challenge))
            self.assertEqual((problem.status, problem.code), (409, "challenge_has_entries"))
            await self.suspend(self.game)
        await self.leave()
        await self.challenges.delete_challenge(ADMIN, self.challenge)
