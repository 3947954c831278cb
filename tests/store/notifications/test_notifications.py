"""The log of notifications (design#one-log): numbers without holes, exact counts of the unread."""

from contentsvc.framework.db.errors import Refused
from contentsvc.store.notifications import notifications, streams
from contentsvc.store.notifications.notifications import Following, Stored
from contentsvc.store.notifications.streams import State
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


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
        (found,) = await streams.states(self.db, [self.ann], [0])
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
        counters = self.sql("select 1 from notification_counters where user_id = %s", nobody)
        self.assertEqual(counters, [])


class IdTests(NotificationCase):
    async def numbered(self, count: int) -> None:
        """Each id begins with the number of its row, and the row before is known."""
        rows = await together(*(self.insert() for _ in range(count)))
        rows.sort(key=lambda row: row.seq)
        self.assertEqual([int(row.id[:8], 16) for row in rows], [row.seq for row in rows])
        self.assertEqual([row.previous for row in rows], [None, *(row.id for row in rows[:-1])])
        self.assertEqual((await self.state()).id, rows[-1].id)

    async def test_alone(self) -> None:
        """The id of a lone notification begins with its number."""
        await self.numbered(1)

    async def test_together(self) -> None:
        """So do the ids of those that are stored in one statement."""
        await self.numbered(20)

    async def test_large(self) -> None:
        """A number that is too large for its id is found by it all the same."""
        self.sql("insert into notification_counters values (%s, %s, 0)", self.ann, 2**40 + 6)
        row = await self.insert()
        self.assertEqual(row.id[:8], "00000007")
        self.assertEqual(await notifications.number(self.db, self.ann, row.id), 2**40 + 7)

    async def test_by_hand(self) -> None:
        """A row that was inserted by hand without an id is found by the id that it got."""
        await self.insert()
        ((made,),) = self.sql(
            "insert into notifications (user_id, seq, kind, data, created)"
            " values (%s, 2, 'Debug', '{}', now()) returning id",
            self.ann,
        )
        self.assertEqual(await notifications.number(self.db, self.ann, made), 2)


class ReadTests(NotificationCase):
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
