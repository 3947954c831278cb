"""The closing of design challenges (challenges#closing): who wins, and who gets which reward."""

from typing import Any

from twisted.internet.defer import Deferred

from contentsvc.store.challenges import closing, definitions, entries
from contentsvc.store.challenges.closing import Outcome
from contentsvc.store.fragments import NIL
from tests.store.challenges.test_definitions import FUTURE, PAST, ChallengeCase, definition
from tests.support.databases import guid


class ClosingCase(ChallengeCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.challenge = await self.create(judging="votes")

    async def entry(self, author: str | None = None, up: int = 0, down: int = 0) -> str:
        """The id of a new content with these votes, which has entered."""
        author = author or await self.user()
        made = await self.content(author)
        self.sql("update contents set up = %s, down = %s where id = %s", up, down, made)
        await entries.enter(self.db, self.challenge, made, author)
        return made

    async def close(self, *winners: str) -> list[str]:
        """The unknown ones."""
        async with self.db.transaction() as tx:
            await definitions.lock(tx, self.challenge)
            return await closing.close(tx, guid(), self.challenge, list(winners))

    async def by_votes(self) -> list[str]:
        """The winners by votes."""
        async with self.db.transaction() as tx:
            await definitions.lock(tx, self.challenge)
            await closing.close_by_votes(tx, self.challenge)
        return (await self.row(self.challenge)).winners

    def rewards(self) -> set[tuple[str, bool, str]]:
        """User, won, and content of each reward."""
        rows = self.sql(
            "select user_id, won, content_id from challenge_rewards where challenge_id = %s",
            self.challenge,
        )
        self.assertEqual(len(set(rows)), len(rows))
        return set(rows)


class GrantTests(ClosingCase):
    async def test_no_wait(self) -> None:
        """Closing does not wait for whoever holds a content."""
        made = await self.entry()
        async with self.db.transaction() as tx:
            await entries.lock_content(tx, made, None, True)
            self.assertEqual(await self.close(made), [])

    async def test_leaving(self) -> None:
        """The content of somebody whose account was deleted a moment ago wins nothing."""
        leaving = await self.user()
        gone, made = await self.entry(leaving, up=9), await self.entry(up=1)
        self.sql("delete from users where id = %s", leaving)
        self.sql("update departures set pending = true where user_id = %s", leaving)
        self.assertEqual(await self.close(gone, made), [gone])
        self.assertNotIn(gone, {content for _, _, content in self.rewards()})

    async def test_outcomes(self) -> None:
        """Those who took part are given in the order of their ids, part by part, each with what
        they are told; who has lost the reward meanwhile too."""
        authors = sorted([await self.user() for _ in range(5)])
        made = [await self.entry(author) for author in authors]
        await self.close(made[3], made[1])
        self.sql("update challenge_rewards set taken = true where user_id = %s", authors[1])
        expected = [
            Outcome(author, n in {1, 3}, game)
            for n, (author, game) in enumerate(zip(authors, made, strict=True))
        ]
        found: list[Outcome] = []
        place = NIL
        while part := await closing.outcomes(self.db, self.challenge, place, 2):
            found += part
            place = part[-1].user_id
        self.assertEqual(found, expected)


class VoteTests(ClosingCase):
    async def test_equals(self) -> None:
        """Equals share, of one author too: they win once."""
        ann = await self.user()
        made = [await self.entry(author, 5, 1) for author in (ann, ann, None)]
        await self.entry(up=4, down=1)
        self.assertEqual(await self.by_votes(), made)
        won = {(user, content) for user, won, content in self.rewards() if won}
        self.assertEqual(len(won), 2)
        self.assertIn((ann, made[1]), won)


class DueTests(ClosingCase):
    alone = True

    async def lock_due(self, challenge: str) -> bool:
        async with self.db.transaction() as tx:
            return await closing.lock_ready(tx, challenge)

    async def test_due(self) -> None:
        """Those that the votes judge are due once their time is over, until they are closed."""
        times: dict[str, Any] = {"opens": PAST, "closes": PAST + 9}
        expected = await self.create(judging="votes", **times)
        others = [
            await self.create(judging="admins", **times),
            await self.create(judging="votes", opens=PAST, closes=FUTURE),
            await self.create(judging="votes"),
            guid(),
        ]
        self.assertEqual(await closing.ready(self.db), [expected])
        self.assertEqual([await self.lock_due(each) for each in others], [False] * 4)
        self.assertTrue(await self.lock_due(expected))
        self.challenge = expected
        await self.close()
        self.assertEqual(await closing.ready(self.db), [])
        self.assertFalse(await self.lock_due(expected))

    async def test_changed(self) -> None:
        """One whose definition is being changed is judged by what is committed."""
        due = await self.create(judging="votes", opens=PAST, closes=PAST + 9)
        async with self.db.transaction() as tx:
            await definitions.lock(tx, due)
            waiting = Deferred.fromCoroutine(self.lock_due(due))
            await definitions.replace(tx, due, definition(judging="votes", closes=FUTURE))
        self.assertFalse(await waiting)
