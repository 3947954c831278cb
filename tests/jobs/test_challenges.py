"""Challenges that close by themselves, and who is notified of closed ones
(challenges#design-challenges)."""

from typing import Any

from msgspec import json

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import Task, TaskQueue
from contentsvc.jobs.challenges import EVERY, ChallengeCloser
from contentsvc.jobs.handlers import KINDS
from contentsvc.store.challenges import definitions, entries
from tests.jobs.support import StepCase
from tests.store.challenges.test_definitions import FUTURE, PAST, definition
from tests.support.deferreds import together


class ChallengeCase(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        self.deadlines = ChallengeCloser(self.db, self.queue)

    async def create(self, **changes: Any) -> str:
        """The id of a new challenge, that the votes judge; its time is over."""
        changes = {"opens": PAST, "closes": PAST + 9, "judging": "votes", **changes}
        return await definitions.create(self.db, definition(**changes))

    async def entry(self, challenge: str, author: str, up: int = 0) -> str:
        """The id of a new content with these up-votes, which has entered."""
        made = await self.content(author)
        self.sql("update contents set up = %s where id = %s", up, made)
        await entries.enter(self.db, challenge, made, author)
        return made

    async def state(self, challenge: str) -> str:
        row = await definitions.get(self.db, challenge, None, False)
        return "" if row is None else row.state

    def heard(self, user: str) -> list[dict[str, str]]:
        """What the user was notified of."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data) for (data,) in rows]


class DeadlineTests(ChallengeCase):
    async def test_stays(self) -> None:
        """Those that admins judge, that are still open, or that never close, stay."""
        made = [
            await self.create(judging="admins"),
            await self.create(closes=FUTURE),
            await self.create(closes=None),
        ]
        await self.deadlines.run()
        states = [await self.state(challenge) for challenge in made]
        self.assertEqual(states, ["judging", "open", "open"])
        self.assertEqual(self.left(), [])

    async def test_in_time(self) -> None:
        """Two looks fit into the minute that a challenge has for closing."""
        self.assertLess(2 * EVERY, 60)

    async def test_several_processes(self) -> None:
        """Of several processes one closes it: the rewards and the task are there once."""
        for _ in range(5):
            challenge = await self.create()
            await self.entry(challenge, await self.user(), up=1)
            others = [ChallengeCloser(await self.pool(size=2), self.queue) for _ in range(3)]
            await together(*(each.run() for each in (self.deadlines, *others)))
            self.assertEqual(await self.state(challenge), "closed")
        self.assertEqual(len(self.left()), 5)
        self.assertEqual(self.sql("select count(*) from challenge_rewards"), [(10,)])

    async def test_not_closed(self) -> None:
        """Where the closing fails, nobody is notified of it."""
        challenge = await self.create()
        put = self.queue.put

        async def breaks(tx: Db, task: Task) -> None:
            await put(tx, task)
            raise KeyError("x")

        self.patch(self.queue, "put", breaks)
        with self.assertRaises(KeyError):
            await self.deadlines.run()
        self.assertEqual((self.left(), await self.state(challenge)), ([], "judging"))

    async def test_one_fails(self) -> None:
        """One that cannot be closed holds up no other, and the job fails."""
        held, other = await self.create(), await self.create(closes=PAST + 10)
        self.options = "-c lock_timeout=100ms"
        deadlines = ChallengeCloser(await self.pool(), self.queue)
        async with self.db.transaction() as tx:
            await definitions.lock(tx, held)
            with self.assertRaises(Unavailable):
                await deadlines.run()
        self.assertEqual([await self.state(each) for each in (held, other)], ["judging", "closed"])
        await deadlines.run()
        self.assertEqual(await self.state(held), "closed")

    async def test_dies(self) -> None:
        """If a process dies before it has committed, nothing has happened, and another closes the
        challenge."""

        class Dying(TaskQueue):
            """Fails after everything was written."""

            async def put(self, db: Db, task: Task) -> None:
                await super().put(db, task)
                raise KeyError("killed")

        challenge = await self.create()
        await self.entry(challenge, await self.user(), up=1)
        with self.assertRaises(KeyError):
            await ChallengeCloser(self.db, Dying(lambda: None)).run()
        self.assertEqual((await self.state(challenge), self.left()), ("judging", []))
        self.assertEqual(self.sql("select * from challenge_rewards"), [])
        await self.deadlines.run()
        self.assertEqual((await self.state(challenge), len(self.left())), ("closed", 1))


class NotifiedTests(ChallengeCase):
    async def test_whole_batches(self) -> None:
        """All are notified once if the last batch is full too."""
        challenge = await self.create()
        authors = [await self.user() for _ in range(4)]
        for author in authors:
            await self.entry(challenge, author)
        await self.deadlines.run()
        await self.work()
        self.assertEqual([len(self.heard(author)) for author in authors], [1] * 4)
