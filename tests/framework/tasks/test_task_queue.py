"""The queue of tasks: rows take turns, one process has a row, and what fails is postponed."""

from msgspec import Struct, json

from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_queue import LAST_PAUSE, Task, TaskQueue, TaskRow
from contentsvc.store.tasks import ContentPublished
from tests.support.databases import StoreCase, guid


class Party(Task, frozen=True, tag="Party"):
    """A task of the tests."""

    place: str


class Dance(Party, frozen=True, tag="Dance"):
    """One that waits for those before it at the same place."""

    @property
    def topic(self) -> str:
        return self.place


class QueueCase(StoreCase):
    anew = True  # Whoever takes a row takes any.

    async def setUp(self) -> None:
        await super().setUp()
        self.woken = 0
        self.queue = TaskQueue(self.wake)

    def wake(self) -> None:
        self.woken += 1

    async def put(self, *places: str) -> None:
        """Tasks, in this order."""
        for place in places:
            await self.queue.put(self.db, Party(place=place))

    async def next(self) -> TaskRow | None:
        """The row whose turn it is; its lock is let go at once."""
        async with self.db.transaction() as tx:
            return await task_queue.take(tx, ["Party", "Dance"])

    async def there(self) -> TaskRow:
        """The same, where there must be one."""
        row = await self.next()
        assert row is not None
        return row


class PutTests(QueueCase):
    async def test_row(self) -> None:
        """A row remembers the task as JSON, and its kind."""
        task = ContentPublished(author=guid(), content=guid(), upto=7)
        await self.queue.put(self.db, task)
        ((kind, text),) = self.sql("select kind, task from tasks")
        self.assertEqual(kind, "ContentPublished")
        self.assertEqual(json.decode(text, type=ContentPublished), task)

    async def test_after_commit(self) -> None:
        """The process is woken once the row is there for others."""
        async with self.db.transaction() as tx:
            await self.queue.put(tx, Party(place="hall"))
            self.assertEqual((self.woken, await self.next()), (0, None))
        self.assertEqual((self.woken, (await self.there()).place), (1, None))

    async def test_others(self) -> None:
        """The other processes are notified of a task that waits, once it is there, and of no
        other."""
        notified: list[int] = []
        queue = TaskQueue(self.wake, lambda: notified.append(1))
        async with self.db.transaction() as tx:
            await queue.put(tx, Party(place="hall"), 2)
            self.assertEqual(notified, [])
        await queue.put(self.db, Party(place="hall"))
        self.assertEqual(notified, [1])

    async def test_rolled_back(self) -> None:
        """What is rolled back leaves no row, and wakes nobody."""
        with self.assertRaises(KeyError):
            async with self.db.transaction() as tx:
                await self.queue.put(tx, Party(place="hall"))
                raise KeyError
        self.assertEqual((self.woken, await self.next()), (0, None))

    async def test_field_of_another_release(self) -> None:
        """A row of a release that wrote more can be read."""

        class Later(Struct, tag_field="kind", tag="Party"):
            place: str
            dress: str

        text = json.encode(Later(place="hall", dress="red")).decode()
        self.assertEqual(json.decode(text, type=Party), Party(place="hall"))


class TakeTests(QueueCase):
    async def test_turns(self) -> None:
        """A row that has had a batch comes after all others that are as old."""
        await self.put("a", "b")
        self.sql("update tasks set created = now()")
        tasks = []
        for _ in range(4):
            row = await self.there()
            tasks.append(json.decode(row.task, type=Party).place)
            await task_queue.move(self.db, row.id, f"{len(tasks)}")
        self.assertEqual(tasks, ["a", "b", "a", "b"])
        self.assertEqual((await self.there()).place, "3")

    async def test_topic(self) -> None:
        """A row has no turn while there is an older one of its topic, whether that is locked, has
        had a batch or has failed; others have."""
        for task in (Dance(place="a"), Dance(place="a"), Dance(place="b"), Party(place="a")):
            await self.queue.put(self.db, task)
        first, second, other, party = [id for (id,) in self.sql("select id from tasks order by id")]

        async with self.db.transaction() as tx:
            row = await task_queue.take(tx, ["Party", "Dance"])
            self.assertEqual(row and row.id, first)
            found = []
            while (row := await self.next()) is not None:
                found.append(row.id)
                await task_queue.finish(self.db, row.id)
            self.assertEqual(found, [other, party])
            await task_queue.move(tx, first, "1")
        self.assertEqual((await self.there()).id, first)
        self.sql("update tasks set due = now() + interval '9 s', tries = 1 where id = %s", first)
        self.assertIsNone(await self.next())
        await task_queue.finish(self.db, first)
        self.assertEqual((await self.there()).id, second)

    async def test_weight(self) -> None:
        """Rows that have been at work for long come after those that are new, and at once where
        there are none."""
        await self.put("a", "b")
        self.sql("update tasks set created = now() - interval '1 hour'")
        for _ in range(2):
            old = await self.there()
            await task_queue.move(self.db, old.id, "1")
        await self.put("c")
        for place in "1", "2", "3":
            new = await self.there()
            self.assertEqual(json.decode(new.task, type=Party).place, "c")
            await task_queue.move(self.db, new.id, place)
        await task_queue.finish(self.db, new.id)
        self.assertEqual((await self.there()).id, old.id - 1)

    async def test_later(self) -> None:
        """A row that is to wait has no turn before."""
        await self.queue.put(self.db, Party(place="a"), 60)
        self.assertIsNone(await self.next())

    async def test_locked(self) -> None:
        """A row that one process has is no other's, and the next one is."""
        await self.put("a", "b")
        async with self.db.transaction() as first, self.db.transaction() as second:
            rows = [await task_queue.take(tx, ["Party"]) for tx in (first, second)]
            self.assertEqual(len({row.id for row in rows if row is not None}), 2)
            self.assertIsNone(await self.next())

    async def test_finished(self) -> None:
        """A row that is done is gone."""
        await self.put("a")
        await task_queue.finish(self.db, (await self.there()).id)
        self.assertEqual(self.sql("select 1 from tasks"), [])

    async def test_unknown_kind(self) -> None:
        """A kind that this release does not know is left where it is."""
        self.sql(
            """insert into tasks (queue, kind, task) values ('steps', 'Ball', '{"kind":"Ball"}')"""
        )
        await self.put("a")
        self.assertEqual((await self.there()).kind, "Party")
        await task_queue.finish(self.db, (await self.there()).id)
        self.assertIsNone(await self.next())
        self.assertEqual(self.sql("select kind from tasks"), [("Ball",)])

    async def test_limits(self) -> None:
        """The transaction that has a row waits less for locks than others, and may not be silent
        for long."""
        await self.put("a")
        show = "select current_setting('lock_timeout')"
        async with self.db.transaction() as tx:
            await task_queue.take(tx, ["Party"])
            assert tx.connection is not None
            cursor = await tx.connection.statement(
                f"{show}, current_setting('idle_in_transaction_session_timeout')", None
            )
            self.assertEqual(cursor.fetchall(), [("500ms", "5s")])
            connection = tx.connection
        cursor = await connection.statement(show, None)
        self.assertEqual(cursor.fetchall(), [("30s",)])


class PostponeTests(QueueCase):
    async def pauses(self, tries: int) -> list[float]:
        """The pauses of a row that fails so often, in seconds."""
        found = []
        for _ in range(tries):
            self.sql("update tasks set due = now()")
            row = await self.there()
            self.assertTrue(await task_queue.postpone(self.db, row.id, row.due, "broken"))
            ((pause,),) = self.sql("select extract(epoch from due - now()) from tasks")
            found.append(float(pause))
        return found

    async def test_pauses(self) -> None:
        """The pauses double up to a minute, and the row says how often and why it has failed."""
        await self.put("a")
        for pause, whole in zip(await self.pauses(8), [1, 2, 4, 8, 16, 32, 60, 60], strict=True):
            self.assertTrue(0 < pause <= whole, (pause, whole))
        self.assertEqual(self.sql("select tries, failure from tasks"), [(8, "broken")])
        self.assertIsNone(await self.next())

    async def test_many_tries(self) -> None:
        """However often it has failed, it is tried again."""
        await self.put("a")
        self.sql("update tasks set tries = 1000000")
        row = await self.there()
        self.assertTrue(await task_queue.postpone(self.db, row.id, row.due, "broken"))
        ((due,),) = self.sql("select due > now() and due <= now() + '1 min' from tasks")
        self.assertTrue(due)

    async def test_others_first(self) -> None:
        """Others have their turn meanwhile."""
        await self.put("a", "b")
        row = await self.there()
        await task_queue.postpone(self.db, row.id, row.due, "broken")
        self.assertNotEqual((await self.there()).id, row.id)

    async def test_mended(self) -> None:
        """After a batch that succeeds the row counts its failures from the start."""
        await self.put("a")
        await self.pauses(3)
        self.sql("update tasks set due = now()")
        await task_queue.move(self.db, (await self.there()).id, "5")
        row = await self.there()
        self.assertEqual((row.tries, row.failure), (0, None))

    async def test_clock_set_back(self) -> None:
        """A pause that was written before the clock was set back holds up nothing."""
        await self.put("a")
        self.sql("update tasks set due = now() + %s * '1 second'::interval", LAST_PAUSE - 5)
        self.assertIsNone(await self.next())
        self.sql("update tasks set due = now() + '1 hour'")
        self.assertIsNotNone(await self.next())

    async def test_done_by_another(self) -> None:
        """What another process has done meanwhile, or is at, is not postponed."""
        await self.put("a")
        row = await self.there()
        async with self.db.transaction() as tx:
            await task_queue.take(tx, ["Party"])
            self.assertFalse(await task_queue.postpone(self.db, row.id, row.due, "broken"))
            await task_queue.move(tx, row.id, "5")
        self.assertFalse(await task_queue.postpone(self.db, row.id, row.due, "broken"))
        self.assertEqual(self.sql("select tries, place from tasks"), [(0, "5")])
