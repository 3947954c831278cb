"""The log of notifications (design §7): numbers without holes, exact counts of the unread."""

from collections.abc import Sequence

from contentsvc.db.errors import Refused
from contentsvc.store import notifications
from contentsvc.store.notifications import Following, Standing, State, Stored
from tests.support.databases import StoreCase, guid, together


class NotificationCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def insert(self, user: str | None = None) -> Following:
        """Append one."""
        data = '{"kind":"Debug","text":"x"}'
        return await notifications.insert(self.db, user or self.ann, "Debug", data)

    async def state(self) -> State:
        """Where ann's log stands; its count of the unread must be that of the rows."""
        (found,) = await notifications.states(self.db, [self.ann], [0])
        rows = self.sql(
            "select count(*) from notifications where user_id = %s and not read", self.ann
        )
        self.assertEqual(found.unread, rows[0][0])
        last = self.sql(
            "select id from notifications where user_id = %s order by seq desc limit 1", self.ann
        )
        self.assertEqual([(found.id,)] if last else None, last or found.id)
        return found

    async def numbers(self) -> tuple[int, int, int]:
        """The newest, the number up to which retention has deleted, and the unread."""
        found = await self.state()
        return found.newest, found.trimmed, found.unread

    async def seqs(self, user: str | None = None) -> list[int]:
        """The numbers in the user's log."""
        rows = await notifications.listed(self.db, user or self.ann, 0, None, 1000)
        return [row.seq for row in rows]


class NumberTests(NotificationCase):
    async def test_at_once(self) -> None:
        """Fifty at once are 1 to 50, and their times are in the same order."""
        rows = await together(*(self.insert() for _ in range(50)))
        self.assertEqual(sorted(row.seq for row in rows), list(range(1, 51)))
        times = self.sql(
            "select created from notifications where user_id = %s order by seq", self.ann
        )
        self.assertEqual(times, sorted(times))
        self.assertEqual(await self.numbers(), (50, 0, 50))

    async def test_each_user(self) -> None:
        """Each user's are numbered apart."""
        bob = await self.user()
        await together(*(self.insert(user) for user in (self.ann, bob) * 10))
        for user in (self.ann, bob):
            self.assertEqual(await self.seqs(user), list(range(1, 11)))

    async def test_rolled_back(self) -> None:
        """One that was rolled back leaves no hole."""
        await self.insert()
        with self.assertRaises(KeyError):
            async with self.db.transaction() as tx:
                await notifications.insert(tx, self.ann, "Debug", "{}")
                raise KeyError
        self.assertEqual((await self.insert()).seq, 2)
        self.assertEqual(await self.numbers(), (2, 0, 2))

    async def test_commit_order(self) -> None:
        """A number is taken only when those below it have been committed or undone."""

        async def rolled_back() -> None:
            try:
                async with self.db.transaction() as tx:
                    await notifications.insert(tx, self.ann, "Debug", "{}")
                    raise KeyError
            except KeyError:
                pass

        acts = [rolled_back() if n % 3 == 0 else self.insert() for n in range(30)]
        await together(*acts)
        self.assertEqual(await self.seqs(), list(range(1, 21)))

    async def test_row(self) -> None:
        """The result is the row as it is stored."""
        row = await self.insert()
        expected = (self.ann, 1, row.id, row.created, False, '{"kind":"Debug","text":"x"}')
        self.assertEqual(row, Following(*expected, None))
        rows = await notifications.listed(self.db, self.ann, 0, None, 1000)
        self.assertEqual(rows, [Stored(*expected)])
        self.assertEqual(await notifications.number(self.db, self.ann, row.id), 1)

    async def test_nobody(self) -> None:
        """An unknown recipient is refused by name, and nothing is left."""
        nobody = guid()
        with self.assertRaises(Refused) as caught:
            await self.insert(nobody)
        self.assertEqual(caught.exception.constraint, "notification_counters_user")
        counters = self.sql("select from notification_counters where user_id = %s", nobody)
        self.assertEqual(counters, [])


class ReadFlagTests(NotificationCase):
    async def mark(self, row: Following, read: bool = True) -> bool:
        """Set the flag."""
        return await notifications.mark(self.db, self.ann, row.id, read)

    async def up_to(self, row: Following) -> bool:
        """Set it on this and those before."""
        return await notifications.mark_up_to(self.db, self.ann, row.id)

    async def test_mark(self) -> None:
        """Read and unread again, as often as it is said, is counted once each time."""
        row = await self.insert()
        for read, unread in ((True, 0), (True, 0), (False, 1), (False, 1), (True, 0)):
            self.assertTrue(await self.mark(row, read))
            self.assertEqual((await self.state()).unread, unread)

    async def test_mark_at_once(self) -> None:
        """Marked by twenty at once, it is counted once."""
        rows = [await self.insert() for _ in range(4)]
        await together(*(self.mark(row) for row in rows[:2] for _ in range(20)))
        self.assertEqual((await self.state()).unread, 2)

    async def test_mark_amid_inserts(self) -> None:
        """Marking and inserting at once leave an exact count."""
        rows = [await self.insert() for _ in range(15)]
        acts = [act for row in rows for act in (self.mark(row), self.insert(), self.insert())]
        await together(*acts)
        self.assertEqual(await self.numbers(), (45, 0, 30))

    async def test_up_to(self) -> None:
        """All up to one are marked, those after it are not, and that again changes nothing."""
        rows = [await self.insert() for _ in range(5)]
        await self.mark(rows[1])
        for _ in range(2):
            self.assertTrue(await self.up_to(rows[3]))
            self.assertEqual((await self.state()).unread, 1)
        found = await notifications.listed(self.db, self.ann, 0, None, 1000)
        self.assertEqual([row.read for row in found], [True] * 4 + [False])

    async def test_up_to_at_once(self) -> None:
        """The count is exact after marks and inserts at the same time."""
        rows = [await self.insert() for _ in range(20)]
        acts = [act for row in rows for act in (self.up_to(row), self.mark(row), self.insert())]
        await together(*acts)
        self.assertEqual(await self.numbers(), (40, 0, 20))

    async def test_of_another(self) -> None:
        """Another user's notification is not there, and stays as it was."""
        row = await self.insert(await self.user())
        self.assertFalse(await self.mark(row))
        self.assertFalse(await self.up_to(row))
        self.assertIsNone(await notifications.number(self.db, self.ann, row.id))
        read = self.sql("select read from notifications where id = %s", row.id)
        self.assertEqual(read, [(False,)])


class ReadTests(NotificationCase):
    async def after(self, users: Sequence[str], afters: Sequence[int], limit: int) -> list[object]:
        """The users and numbers of a read."""
        rows = await notifications.after(self.db, list(users), list(afters), limit)
        return [(row.user_id, row.seq) for row in rows]

    async def test_state_of_none(self) -> None:
        """A user without notifications has an empty log."""
        self.assertEqual(await self.numbers(), (0, 0, 0))

    async def test_states(self) -> None:
        """Where several users' logs stand comes in the order in which they are asked for."""
        bob, nobody = await self.user(), guid()
        for user in self.ann, bob, bob:
            await self.insert(user)
        found = await notifications.states(self.db, [bob, nobody, self.ann, bob], [0] * 4)
        self.assertEqual([each.newest for each in found], [2, 0, 1, 2])

    async def test_states_at(self) -> None:
        """The id of any number can be asked for; there is none below 1, above the newest, and
        where there is no such row."""
        rows = [await self.insert() for _ in range(3)]
        self.sql("delete from notifications where id = %s", rows[1].id)
        found = await notifications.states(self.db, [self.ann] * 6, [0, 1, 2, 3, 4, 2**63 - 1])
        ids = [None, rows[0].id, None, rows[2].id, None, None]
        self.assertEqual([each.at for each in found], ids)
        self.assertEqual({each.id for each in found}, {rows[2].id})

    async def pages(self, *asked: tuple[str, int], rows: int = 9, size: int = 999) -> list[object]:
        """The numbers on the pages of these users, after these numbers."""
        users, afters = [user for user, _ in asked], [after for _, after in asked]
        found = await notifications.pages(self.db, users, afters, rows, size)
        return [[row.seq for row in page] for page in found]

    async def test_pages(self) -> None:
        """Each page has the rows after its own number, however often its user is asked for."""
        bob = await self.user()
        for user in (self.ann, bob) * 4:
            await self.insert(user)
        asked = (bob, 3), (self.ann, 4), (self.ann, 0), (bob, 1), (self.ann, 2)
        self.assertEqual(await self.pages(*asked, rows=3), [[4], [], [1, 2, 3], [2, 3, 4], [3, 4]])

    async def test_page_of_bytes(self) -> None:
        """A page ends with the row that brings it to its bytes, and has one at least."""
        rows = [await self.insert() for _ in range(5)]
        size = len(rows[0].data)
        self.assertEqual(await self.pages((self.ann, 0), size=2 * size), [[1, 2]])
        self.assertEqual(await self.pages((self.ann, 0), size=2 * size + 1), [[1, 2, 3]])
        self.assertEqual(await self.pages((self.ann, 3), size=1), [[4]])

    async def test_after(self) -> None:
        """Several users' rows are read at once, each after its own number, in order."""
        ann, bob, eve = sorted([self.ann, await self.user(), await self.user()])
        for user in (ann, bob, eve) * 3:
            await self.insert(user)
        found = await self.after([eve, ann, bob], [0, 2, 3], 100)
        self.assertEqual(found, [(ann, 3), (eve, 1), (eve, 2), (eve, 3)])
        self.assertEqual(
            await self.after([eve, ann], [0, 0], 4), [*((ann, n) for n in (1, 2, 3)), (eve, 1)]
        )
        self.assertEqual(await self.after([], [], 9), [])

    async def test_follows(self) -> None:
        """Each that is appended says which it follows, and so does each that is read."""
        rows = [await self.insert() for _ in range(3)]
        self.assertEqual([row.previous for row in rows], [None, rows[0].id, rows[1].id])
        found = await notifications.after(self.db, [self.ann], [1], 9)
        followed = [(row.seq, row.previous) for row in found]
        self.assertEqual(followed, [(2, rows[0].id), (3, rows[1].id)])
        (row, *_) = await notifications.after(self.db, [self.ann], [0], 9)
        self.assertIsNone(row.previous)

    async def test_follows_older_daemon(self) -> None:
        """Notifications of a daemon of the release before, which kept no ids in the counter, are
        not mistaken for others."""
        first = await self.insert()
        ((between,),) = self.sql(
            "with counter as (update notification_counters set seq = seq + 1, unread = unread + 1"
            " where user_id = %s returning user_id, seq)"
            " insert into notifications (user_id, seq, kind, data, created)"
            " select user_id, seq, 'Debug', '{}', clock_timestamp() from counter returning id",
            self.ann,
        )
        last = await self.insert()
        self.assertEqual((last.seq, last.previous), (3, first.id))
        self.assertNotEqual(last.previous, between)
        self.assertEqual((await self.insert()).previous, last.id)

    async def moved(self, *asked: tuple[str, int, str | None]) -> list[Standing]:
        """Which of these are not as they are said to be."""
        lists = (list(each) for each in zip(*asked, strict=True))
        return await notifications.moved(self.db, *lists)

    async def test_moved(self) -> None:
        """A log whose newest has another number or id than the one known is told, and no other."""
        bob, eve, nobody, gone = await self.user(), await self.user(), guid(), guid()
        ann1, ann2, bob1 = await self.insert(), await self.insert(), await self.insert(bob)
        self.assertEqual(
            await self.moved((self.ann, 2, ann2.id), (bob, 1, bob1.id), (eve, 0, None)), []
        )
        found = await self.moved(
            (self.ann, 1, ann1.id), (bob, 1, gone), (eve, 0, None), (nobody, 3, gone)
        )
        expected = [
            Standing(self.ann, 2, ann2.id, 0, ann1.id),
            Standing(bob, 1, bob1.id, 0, bob1.id),
            Standing(nobody, 0, None, 0, None),
        ]
        self.assertEqual(sorted(found), sorted(expected))

    async def test_listed(self) -> None:
        """A list may begin after a number, after a time, and end at a limit."""
        for _ in range(4):
            await self.insert()
        self.sql(
            "update notifications set created = to_timestamp(1000 + seq + 0.9) where user_id = %s",
            self.ann,
        )

        async def seqs(after: int, since: float | None, limit: int = 1000) -> list[int]:
            rows = await notifications.listed(self.db, self.ann, after, since, limit)
            return [row.seq for row in rows]

        self.assertEqual(await seqs(1, None), [2, 3, 4])
        self.assertEqual(await seqs(0, None, 2), [1, 2])
        self.assertEqual(await seqs(0, 1002), [3, 4], "whole seconds, strictly greater")
        self.assertEqual(await seqs(0, 1002.5), [3, 4])
        self.assertEqual(await seqs(0, 1e300), [])
        self.assertEqual(await seqs(2**62, None), [])
