"""The logs of notifications, as sockets read them."""

from collections.abc import Sequence

from contentsvc.store.notifications import flags, streams
from contentsvc.store.notifications.notifications import Stored
from contentsvc.store.notifications.streams import State, StreamEnd, Tally
from tests.store.notifications.test_notifications import NotificationCase
from tests.support.databases import guid


class FeedTests(NotificationCase):
    async def after(self, users: Sequence[str], afters: Sequence[int], limit: int) -> list[object]:
        """The users and numbers of a read."""
        rows = await streams.after(self.db, list(users), list(afters), limit)
        return [(row.user_id, row.seq) for row in rows]

    async def test_state_of_none(self) -> None:
        """A user without notifications has an empty log."""
        self.assertEqual(await self.numbers(), (0, 0, 0))

    async def test_states(self) -> None:
        """Where several users' logs stand comes in the order in which they are asked for."""
        bob, nobody = await self.user(), guid()
        for user in self.ann, bob, bob:
            await self.insert(user)
        found = await streams.states(self.db, [bob, nobody, self.ann, bob], [0] * 4)
        self.assertEqual([each.newest for each in found], [2, 0, 1, 2])

    async def test_states_at(self) -> None:
        """The id of any number can be asked for; there is none below 1, above the newest, and
        where there is no such row."""
        rows = [await self.insert() for _ in range(3)]
        self.sql("delete from notifications where id = %s", rows[1].id)
        found = await streams.states(self.db, [self.ann] * 6, [0, 1, 2, 3, 4, 2**63 - 1])
        ids = [None, rows[0].id, None, rows[2].id, None, None]
        self.assertEqual([each.at for each in found], ids)
        self.assertEqual({each.id for each in found}, {rows[2].id})

    async def pages(self, *asked: tuple[str, int], rows: int = 9, size: int = 999) -> list[object]:
        """The numbers on the pages of these users, after these numbers."""
        users, afters = [user for user, _ in asked], [after for _, after in asked]
        found = await streams.pages(self.db, users, afters, rows, size)
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
        found = await streams.after(self.db, [self.ann], [1], 9)
        followed = [(row.seq, row.previous) for row in found]
        self.assertEqual(followed, [(2, rows[0].id), (3, rows[1].id)])
        (row, *_) = await streams.after(self.db, [self.ann], [0], 9)
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

    async def moved(self, *asked: tuple[str, int, str | None, int]) -> list[StreamEnd]:
        """Which of these are not as they are said to be."""
        lists = (list(each) for each in zip(*asked, strict=True))
        return await streams.moved(self.db, *lists)

    async def test_moved(self) -> None:
        """A log whose newest has another number or id than the one known is told, and no other."""
        bob, eve, nobody, gone = await self.user(), await self.user(), guid(), guid()
        ann1, ann2, bob1 = await self.insert(), await self.insert(), await self.insert(bob)
        self.assertEqual(
            await self.moved((self.ann, 2, ann2.id, 0), (bob, 1, bob1.id, 0), (eve, 0, None, 0)),
            [],
        )
        found = await self.moved(
            (self.ann, 1, ann1.id, 0), (bob, 1, gone, 0), (eve, 0, None, 0), (nobody, 3, gone, 0)
        )
        expected = [
            StreamEnd(self.ann, 2, ann2.id, 0, 0, ann1.id),
            StreamEnd(bob, 1, bob1.id, 0, 0, bob1.id),
            StreamEnd(nobody, 0, None, 0, 0, None),
        ]
        self.assertEqual(sorted(found), sorted(expected))

    async def test_changes(self) -> None:
        """So is one whose read flags have changed, and one with a deletion."""
        first, last = await self.insert(), await self.insert()
        await flags.mark(self.db, self.ann, first.id, True)
        await flags.delete(self.db, self.ann, last.id)
        self.assertEqual(await self.moved((self.ann, 2, last.id, 2)), [])
        expected = StreamEnd(self.ann, 2, last.id, 0, 2, last.id)
        self.assertEqual(await self.moved((self.ann, 2, last.id, 1)), [expected])
        (state,) = await streams.states(self.db, [self.ann], [2])
        self.assertEqual(state, State(2, last.id, 0, 0, 2, last.id))

    async def test_tallies(self) -> None:
        """How many are unread is read for many users, those without a log too."""
        bob, nobody = await self.user(), guid()
        row = await self.insert()
        await self.insert(bob)
        await flags.mark(self.db, self.ann, row.id, True)
        found = await streams.tallies(self.db, [bob, nobody, self.ann])
        expected = [Tally(bob, 1, 1, 0), Tally(nobody, 0, 0, 0), Tally(self.ann, 1, 0, 1)]
        self.assertEqual(sorted(found), sorted(expected))

    async def test_deleted(self) -> None:
        """A deleted one is replayed, empty, with its number, id and time."""
        rows = [await self.insert() for _ in range(3)]
        await flags.delete(self.db, self.ann, rows[1].id)
        data = '{"kind":"Deleted"}'
        expected = Stored(self.ann, 2, rows[1].id, rows[1].created, True, data)
        ((_, paged, _),) = await streams.pages(self.db, [self.ann], [0], 9, 999)
        self.assertEqual(paged, expected)
        found = await streams.after(self.db, [self.ann], [1], 9)
        self.assertEqual([row.previous for row in found], [rows[0].id, rows[1].id])
        self.assertEqual((found[0].read, found[0].data), (True, data))
