"""Read flags, deletions and mutes (notifications#read-flags): each is counted once, whoever acts at
once."""

from collections.abc import Callable
from random import Random
from typing import Any

from twisted.internet.defer import Deferred

from contentsvc.store import retention
from contentsvc.store.notifications import flags as marking
from contentsvc.store.notifications import notifications
from contentsvc.store.notifications import streams as feeds
from contentsvc.store.notifications.flags import Reached
from contentsvc.store.notifications.notifications import Following
from contentsvc.wire.notifications import NotificationState
from tests.store.notifications.test_notifications import NotificationCase
from tests.support.databases import guid
from tests.support.deferreds import together
from tests.support.walks import walks

EMPTY = ("Deleted", '{"kind":"Deleted"}', True)


class MarkingCase(NotificationCase):
    async def rows(self, count: int) -> list[Following]:
        """So many notifications of ann, in their order."""
        return [await self.insert() for _ in range(count)]

    async def mark(self, row: Following, read: bool = True) -> bool | None:
        """Set the flag."""
        return await marking.mark(self.db, self.ann, row.id, read)

    async def read_up_to(self, row: Following) -> Reached | None:
        """Set it on this and those before."""
        return await marking.mark_up_to(self.db, self.ann, row.id, None, 0, 1000)

    async def delete(self, row: Following) -> bool:
        """Delete one."""
        return await marking.delete(self.db, self.ann, row.id)

    async def delete_up_to(self, number: int, after: int = 0, rows: int = 1000) -> Reached | None:
        """Delete up to a number."""
        return await marking.delete_up_to(self.db, self.ann, None, number, after, rows)

    async def changes(self) -> int:
        """How often anything has changed."""
        return (await self.state()).changes

    def mark_of(self, user: str) -> int:
        """The number up to which all are known to be deleted. Nothing below it is there."""
        ((mark,),) = self.sql("select deleted from notification_counters where user_id = %s", user)
        kept = self.sql(
            "select seq from notifications where user_id = %s and seq <= %s and kind <> 'Deleted'",
            *(user, mark),
        )
        self.assertEqual(kept, [])
        return int(mark)


class ReadFlagTests(MarkingCase):
    async def test_mark(self) -> None:
        """Read and unread again, as often as it is said, is counted once each time."""
        (row,) = await self.rows(1)
        steps = ((True, 0, 1), (True, 0, 1), (False, 1, 2), (False, 1, 2), (True, 0, 3))
        for read, unread, changes in steps:
            before = await self.changes()
            self.assertEqual(await self.mark(row, read), changes > before)
            state = await self.state()
            self.assertEqual((state.unread, state.changes), (unread, changes))

    async def test_mark_at_once(self) -> None:
        """Marked by twenty at once, it is counted once."""
        rows = await self.rows(4)
        await together(*(self.mark(row) for row in rows[:2] for _ in range(20)))
        state = await self.state()
        self.assertEqual((state.unread, state.changes), (2, 2))

    async def test_mark_amid_inserts(self) -> None:
        """Marking and inserting at once leave an exact count."""
        rows = await self.rows(15)
        acts = [act for row in rows for act in (self.mark(row), self.insert(), self.insert())]
        await together(*acts)
        self.assertEqual(await self.numbers(), (45, 0, 30))

    async def test_up_to(self) -> None:
        """All up to one are marked, those after it are not, and that again changes nothing."""
        rows = await self.rows(5)
        await self.mark(rows[1])
        for reached in (Reached(4, 4, 3), Reached(4, 0, 0)):
            self.assertEqual(await self.read_up_to(rows[3]), reached)
            state = await self.state()
            self.assertEqual((state.unread, state.changes), (1, 2))
        found = await notifications.listed(self.db, self.ann, 0, None, 1000)
        self.assertEqual([row.read for row in found], [True] * 4 + [False])

    async def test_up_to_at_once(self) -> None:
        """The count is exact after marks and inserts at the same time."""
        rows = await self.rows(20)
        acts = [
            act for row in rows for act in (self.read_up_to(row), self.mark(row), self.insert())
        ]
        await together(*acts)
        self.assertEqual(await self.numbers(), (40, 0, 20))


class DeletionTests(MarkingCase):
    def contents(self) -> list[tuple[Any, ...]]:
        """What ann's rows have, in their order."""
        return self.sql(
            "select kind, data, read from notifications where user_id = %s order by seq", self.ann
        )

    async def test_one(self) -> None:
        """It keeps its row, number and id, and nothing else. Deleted again, nothing changes."""
        rows = await self.rows(3)
        for done in (True, False):
            self.assertEqual(await self.delete(rows[1]), done)
            state = await self.state()
            self.assertEqual((state.unread, state.changes), (2, 1))
        self.assertEqual(self.contents()[1], EMPTY)
        self.assertEqual(await self.seqs(), [1, 3])
        self.assertEqual(await notifications.number(self.db, self.ann, rows[1].id), 2)

    async def test_read_one(self) -> None:
        """One that was read is not subtracted again."""
        rows = await self.rows(2)
        await self.mark(rows[0])
        await self.delete(rows[0])
        state = await self.state()
        self.assertEqual((state.unread, state.changes), (1, 2))

    async def test_up_to(self) -> None:
        """This one and all before it go, as often as it is said; by its id as by its number."""
        rows = await self.rows(5)
        await self.mark(rows[0])
        await self.delete(rows[2])
        for reached in (Reached(4, 4, 3), Reached(4, 0, 0)):
            found = await marking.delete_up_to(self.db, self.ann, rows[3].id, None, 0, 9)
            self.assertEqual(found, reached)
            state = await self.state()
            self.assertEqual((state.unread, state.changes), (1, 3))
        self.assertEqual(self.contents(), [EMPTY] * 4 + [self.contents()[4]])
        self.assertEqual((await self.seqs(), self.mark_of(self.ann)), ([5], 4))

    async def test_batches(self) -> None:
        """A batch has so many, the oldest first; the next goes on from there."""
        await self.rows(5)
        reached = await self.delete_up_to(4, rows=3)
        self.assertEqual((reached, await self.seqs()), (Reached(4, 3, 3), [4, 5]))
        self.assertEqual(self.mark_of(self.ann), 3)
        self.assertEqual(await self.delete_up_to(4, 3, rows=3), Reached(4, 4, 1))
        self.assertEqual((await self.seqs(), self.mark_of(self.ann)), ([5], 4))

    async def test_mark_follows(self) -> None:
        """Lists begin after the deleted ones at the beginning, in whatever order they went."""
        rows = await self.rows(5)
        marks = []
        for n in (2, 1, 4, 0, 3):
            await self.delete(rows[n])
            marks.append(self.mark_of(self.ann))
        self.assertEqual(marks, [0, 0, 0, 3, 5])

    async def test_any_order(self) -> None:
        """Deletions, flags, inserts and retention at once, from two pools, leave exact counts, a
        mark that hides nothing, and numbers without holes."""
        other = await self.pool()
        for walk in walks(4):
            with walk:
                random = walk.random
                self.ann = await self.user()
                rows = await self.rows(30)
                flags = [random.random() < 0.5 for _ in rows]
                acts: list[Callable[[Any, Following], Any]] = [
                    lambda db, row: marking.delete(db, self.ann, row.id),
                    lambda db, row: marking.delete_up_to(db, self.ann, None, row.seq // 2, 0, 5),
                    lambda db, row, flags=flags: marking.mark(
                        db, self.ann, row.id, flags[row.seq - 1]
                    ),
                    lambda db, row: marking.mark_up_to(db, self.ann, row.id, None, 0, 5),
                    lambda db, row: notifications.insert(db, self.ann, "Debug", "{}"),
                    lambda db, row: retention.trim_notifications(db, 90, self.ann),
                ]
                self.sql(
                    "update notifications set created = now() - interval '99 days'"
                    " where user_id = %s and seq <= 5",
                    self.ann,
                )
                await together(
                    *(
                        random.choice(acts)(random.choice([self.db, other]), random.choice(rows))
                        for _ in range(200)
                    )
                )
                state = await self.state()
                self.mark_of(self.ann)
                there = self.sql("select seq from notifications where user_id = %s", self.ann)
                expected = list(range(state.trimmed + 1, state.newest + 1))
                self.assertEqual(sorted(seq for (seq,) in there), expected)


class MuteTests(MarkingCase):
    async def tell(self, kind: str, user: str | None = None) -> Following | None:
        """Store one of this kind, unless it is muted."""
        return await notifications.insert(self.db, user or self.ann, kind, f'{{"kind":"{kind}"}}')

    async def kinds(self, user: str) -> list[str]:
        """The kinds of the user's log, which has no holes."""
        rows = self.sql("select seq, kind from notifications where user_id = %s order by seq", user)
        self.assertEqual([seq for seq, _ in rows], list(range(1, len(rows) + 1)))
        (state,) = await feeds.states(self.db, [user], [0])
        self.assertEqual((state.newest, state.unread), (len(rows), len(rows)))
        return [kind for _, kind in rows]

    async def test_muted(self) -> None:
        """A muted kind is neither stored nor numbered, alone or among others."""
        await self.insert()
        self.assertTrue(await marking.mute(self.db, self.ann, ["NewFollower"]))
        self.assertIsNone(await self.tell("NewFollower"))
        told = ["NewFollower", "Debug"]
        self.assertIsNotNone(await self.tell("Debug"))
        bob = await self.user()
        rows = await notifications.insert_many(self.db, [self.ann, bob], told, ["{}", "{}"])
        self.assertEqual([row.user_id for row in rows], [bob])
        self.assertEqual(await self.kinds(self.ann), ["Debug", "Debug"])

    async def test_before_the_first(self) -> None:
        """Who has no notification yet can mute, and the first is number 1."""
        self.assertIsNone(await marking.muted(self.db, self.ann))
        await marking.mute(self.db, self.ann, ["Debug"])
        self.assertIsNone(await self.tell("Debug"))
        self.assertEqual(await marking.state(self.db, self.ann), NotificationState(0, 1, 0))
        row = await self.tell("NewFollower")
        self.assertEqual(row and (row.seq, row.previous), (1, None))

    async def test_unknown_user(self) -> None:
        """Somebody who does not exist mutes nothing, and leaves no row."""
        nobody = guid()
        self.assertFalse(await marking.mute(self.db, nobody, ["Debug"]))
        self.assertEqual(
            self.sql("select 1 from notification_counters where user_id = %s", nobody), []
        )

    async def test_final(self) -> None:
        """What commits after the mute is not of the kind, although streams of it go on from two
        pools."""
        other = await self.pool()
        for _ in range(5):
            ann = await self.user()
            stored: list[Following | None] = []

            async def stream(db: Any, kind: str, user: str = ann, rows: Any = stored) -> None:
                for _ in range(30):
                    rows.append(await notifications.insert(db, user, kind, "{}"))

            async def mute(user: str = ann) -> int:
                await marking.mute(self.db, user, ["NewFollower"])
                ((newest,),) = self.sql(
                    "select seq from notification_counters where user_id = %s", user
                )
                return int(newest)

            kinds = ("NewFollower", "Debug")
            streams = [stream(db, kind) for db in (self.db, other) for kind in kinds]
            *_, newest = await together(*streams, mute())
            there = await self.kinds(ann)
            self.assertEqual(len(there), sum(row is not None for row in stored))
            self.assertEqual(there.count("Debug"), 60)
            self.assertNotIn("NewFollower", there[newest:])

    async def test_first_row_at_once(self) -> None:
        """The mute and the first notifications may make the counter's row at once."""
        other = await self.pool()
        for seed in range(10):
            ann = await self.user()
            acts = [
                marking.mute(self.db, ann, ["NewFollower"]),
                *(
                    notifications.insert(db, ann, kind, "{}")
                    for db in (self.db, other)
                    for kind in ("NewFollower", "Debug")
                ),
                notifications.insert_many(other, [ann], ["Debug"], ["{}"]),
            ]
            Random(seed).shuffle(acts)
            await together(*acts)
            self.assertEqual((await self.kinds(ann)).count("Debug"), 3)
            self.assertEqual(await marking.muted(self.db, ann), ["NewFollower"])

    async def test_waits_for_the_writer(self) -> None:
        """A transaction that has stored one keeps the mute waiting until it has committed."""
        done: list[int] = []
        async with self.db.transaction() as tx:
            await notifications.insert(tx, self.ann, "Debug", "{}")

            async def mute() -> None:
                await marking.mute(self.db, self.ann, ["Debug"])
                done.append(len(await self.kinds(self.ann)))

            muting = Deferred.fromCoroutine(mute())
            await marking.state(self.db, guid())
            self.assertEqual(done, [])
        await muting
        self.assertEqual(done, [1])
