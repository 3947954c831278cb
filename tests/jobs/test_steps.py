"""Notifying many: batches, turns, and rows that fail."""

from typing import Any

import psycopg2
from twisted.internet.task import Clock

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks import task_runners as module
from contentsvc.framework.tasks.task_runners import kinds
from contentsvc.jobs.steps import Batch
from contentsvc.wire.notifications import Debug
from tests.jobs.support import MOST, Call, StepCase, call
from tests.support.databases import guid
from tests.support.deferreds import together
from tests.support.lines import logged_by


class BatchTests(StepCase):
    async def test_all(self) -> None:
        """Each recipient is notified once, and the row is gone."""
        users = [await self.user() for _ in range(2 * MOST + 1)]
        await self.put("hello", users)
        self.assertEqual(await self.work(), 3)
        self.assertEqual([self.notified(user) for user in users], [["hello"]] * len(users))
        self.assertEqual(self.left(), [])

    async def test_pushed(self) -> None:
        """Each is pushed to this process's sockets and announced to the others, as it is stored."""
        users = [await self.user() for _ in range(3)]
        await self.put("one", users)
        await self.put("two", users[:1])
        await self.work()
        expected = {(users[0], 1), (users[0], 2), (users[1], 1), (users[2], 1)}
        self.assertEqual({(row.user_id, row.seq) for row in self.listener.delivered}, expected)
        self.assertEqual(set(self.listener.announced), expected)
        for row in self.listener.delivered:
            stored = self.sql(
                "select id, unix(created), data from notifications where user_id = %s and seq = %s",
                row.user_id,
                row.seq,
            )
            self.assertEqual(stored, [(row.id, row.created, row.data)])

    async def test_after_commit(self) -> None:
        """Nothing is pushed of a batch that was not committed."""

        async def broken(tx: Db, task: Call, place: str | None, most: int) -> Batch:
            await call(tx, task, place, most)
            return Batch([(task.users[0], Debug(text="x"))] * (most + 1), None)

        await self.put("hello", [await self.user()])
        await self.work(self.another(self.db, kinds=kinds((Call, broken))))
        self.flushLoggedErrors(ValueError)
        self.assertEqual((self.listener.delivered, self.listener.announced), ([], []))

    async def test_turns(self) -> None:
        """A small row is done after one batch of a huge one."""
        many, bob = [await self.user() for _ in range(10 * MOST)], await self.user()
        await self.put("huge", many)
        await self.put("small", [bob])
        await self.work(batches=2)
        notified = sum(len(self.notified(user)) for user in many)
        self.assertEqual((self.notified(bob), notified), (["small"], MOST))

    async def test_huge(self) -> None:
        """Batches of a row that has just been put go before those of all huge ones."""
        many = [await self.user() for _ in range(10 * MOST)]
        for text in "huge", "huger", "hugest":
            await self.put(text, many)
        self.sql("update tasks set created = now() - interval '1 minute'")
        await self.work(batches=3)
        self.assertEqual([place for place, _, _ in self.left()], [f"{MOST}"] * 3)
        few = [await self.user() for _ in range(MOST + 1)]
        await self.put("small", few)
        await self.work(batches=2)
        self.assertEqual([self.notified(user) for user in few], [["small"]] * len(few))

    async def test_gone(self) -> None:
        """A recipient who does not exist any more is left out."""
        ann, bob = await self.user(), await self.user()
        await self.put("hello", [ann, guid(), bob])
        await self.work()
        self.assertEqual(
            (self.notified(ann), self.notified(bob), self.left()), (["hello"], ["hello"], [])
        )

    async def test_nobody(self) -> None:
        """A batch without recipients moves on all the same."""

        async def rarely(tx: Db, task: Call, place: str | None, most: int) -> Batch:
            return Batch([], "1") if place is None else Batch([(task.users[0], notified)], None)

        notified = Debug(text="late")
        ann = await self.user()
        await self.put("hello", [ann])
        await self.work(self.another(self.db, kinds=kinds((Call, rarely))))
        self.assertEqual((self.notified(ann), self.left()), (["late"], []))

    async def test_pause(self) -> None:
        """After a batch there is a pause as long as the batch took, up to half a second; without a
        row there is nothing to go on with."""
        clock, took = Clock(), [0.05, 3.0]

        async def slow(tx: Db, task: Call, place: str | None, most: int) -> Batch:
            clock.advance(took.pop(0))
            return await call(tx, task, place, most)

        await self.put("hello", [await self.user() for _ in range(MOST + 1)])
        runner = self.another(self.db, clock=clock, kinds=kinds((Call, slow)))
        self.assertEqual([await runner.run() for _ in range(3)], [0.05, 0.5, None])

    async def test_slow(self) -> None:
        """Where recipients take long, batches are smaller, and grow again."""
        clock, sizes = Clock(), list[int]()

        async def slow(tx: Db, task: Call, place: str | None, most: int) -> Batch:
            clock.advance(0.1 * most)
            sizes.append(most)
            return await call(tx, task, place, most)

        await self.put("hello", [await self.user() for _ in range(10)])
        await self.work(self.another(self.db, clock=clock, kinds=kinds((Call, slow))))
        self.assertEqual(sizes, [4, 1, 2, 1, 2])

    async def test_several_processes(self) -> None:
        """Several at once notify each recipient once, whatever row they get."""
        users = [await self.user() for _ in range(12)]
        runners = [self.runner, *[self.another(await self.pool(size=2)) for _ in range(2)]]
        texts = [f"{n}" for n in range(8)]
        for text in texts:
            await self.put(text, users)
        while self.left():
            await together(*(self.work(runner) for runner in runners))
        for user in users:
            self.assertEqual(sorted(self.notified(user)), texts)


class FailureTests(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob = await self.user(), await self.user()
        self.logged = logged_by(module, self)

    def again(self) -> None:
        """The pauses are over."""
        self.sql("update tasks set due = now()")

    def broken(self, *errors: Exception) -> Any:
        """A runner whose step raises these first."""
        left = list(errors)

        async def step(tx: Db, task: Call, place: str | None, most: int) -> Batch:
            if task.text == "broken" and left:
                raise left.pop(0)
            return await call(tx, task, place, most)

        return self.another(self.db, kinds=kinds((Call, step)))

    async def test_postponed(self) -> None:
        """A row whose step fails keeps its place and says why; the others go on."""
        await self.put("broken", [self.ann])
        await self.put("sound", [self.bob])
        await self.work(self.broken(KeyError("x")))
        self.flushLoggedErrors(KeyError)
        self.assertEqual(self.left(), [(None, 1, "KeyError: 'x'")])
        self.assertEqual((self.notified(self.ann), self.notified(self.bob)), ([], ["sound"]))

    async def test_again(self) -> None:
        """It is tried again, and goes on where it was."""
        users = [self.ann, *[await self.user() for _ in range(MOST)]]
        await self.put("broken", users)
        runner = self.broken(KeyError("x"), KeyError("x"))
        for _ in range(3):
            await self.work(runner)
            self.again()
        self.flushLoggedErrors(KeyError)
        self.assertEqual([self.notified(user) for user in users], [["broken"]] * len(users))

    async def test_log(self) -> None:
        """The log says once why a row fails, and again if the reason is another."""
        await self.put("broken", [self.ann])
        runner = self.broken(KeyError("x"), KeyError("x"), KeyError("y"), Unavailable("away"))
        for _ in range(4):
            await self.work(runner)
            self.again()
        self.assertEqual(len(self.flushLoggedErrors(KeyError)), 2)
        self.assertEqual(self.logged, ["Could not notify of Call: away"])

    async def test_unreadable(self) -> None:
        """A row that cannot be read is postponed too."""
        self.sql(
            """insert into tasks (queue, kind, task) values ('steps', 'Call', '{"kind":"Call"}')"""
        )
        await self.put("sound", [self.bob])
        await self.work()
        self.assertEqual(len(self.flushLoggedErrors()), 1)
        self.assertEqual(self.notified(self.bob), ["sound"])
        self.assertEqual([tries for _, tries, _ in self.left()], [1])

    async def test_locked(self) -> None:
        """While somebody holds a recipient's counter the row is postponed, and others go on."""
        await self.put("first", [self.ann])
        await self.work()
        holder = psycopg2.connect(self.url)
        self.addCleanup(holder.close)
        with holder.cursor() as cursor:
            cursor.execute(
                "select from notification_counters where user_id = %s for update", (self.ann,)
            )
        await self.put("second", [self.ann, self.bob])
        await self.put("third", [self.bob])
        await self.work()
        self.assertEqual((self.notified(self.ann), self.notified(self.bob)), (["first"], ["third"]))
        holder.rollback()
        self.again()
        await self.work()
        self.assertEqual(self.notified(self.ann), ["first", "second"])
        self.assertEqual(self.notified(self.bob), ["third", "second"])

    async def test_deleted_amid(self) -> None:
        """A recipient who is deleted while the batch runs spoils it once at most."""
        deleter = psycopg2.connect(self.url)
        self.addCleanup(deleter.close)

        async def step(tx: Db, task: Call, place: str | None, most: int) -> Batch:
            if not deleter.closed:
                with deleter.cursor() as cursor:
                    cursor.execute("delete from users where id = %s", (self.ann,))
            return await call(tx, task, place, most)

        await self.put("hello", [self.ann, self.bob])
        runner = self.another(self.db, kinds=kinds((Call, step)))
        await self.work(runner)
        deleter.commit()
        deleter.close()
        self.again()
        await self.work(runner)
        self.assertEqual((self.notified(self.bob), self.left()), (["hello"], []))

    async def test_database_away(self) -> None:
        """Where the database is away, that is no row's fault: the job fails."""
        await self.put("hello", [self.ann])
        pool = await self.pool()
        pool.stop()
        with self.assertRaises(Unavailable):
            await self.another(pool).run()
        self.assertEqual(self.left(), [(None, 0, None)])
