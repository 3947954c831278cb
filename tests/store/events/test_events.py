"""Events and their numbers, on a real Postgres (studio#events)."""

from contextlib import closing
from typing import Any

import psycopg2

from contentsvc.store.events import events
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class EventCase(StoreCase):
    anew = True  # Numbers are counted from 1.

    async def note(self, db: Any = None, kind: Any = "ContentChanged") -> str:
        """An event about a new content."""
        id = guid()
        await events.note(db or self.db, kind, None, "content", id)
        return id

    async def read(self, after: int = 0, limit: int = 100) -> list[tuple[int, str]]:
        """The numbers and subjects after a number."""
        rows = await events.page(self.db, after, limit)
        return [(row.event.number, row.event.subject) for row in rows if row.event is not None]

    async def number(self, most: int = 100) -> tuple[int, int]:
        """Give numbers: the newest, and how many."""
        return await events.number(self.db, most)


class NumberTests(EventCase):
    async def test_order(self) -> None:
        """Events get consecutive numbers in the order in which they were written."""
        ids = [await self.note() for _ in range(5)]
        self.assertEqual(await self.read(), [])
        self.assertEqual(await self.number(2), (2, 2))
        self.assertEqual(await self.number(), (5, 3))
        self.assertEqual(await self.number(), (5, 0))
        self.assertEqual(await self.read(), [*enumerate(ids, 1)])

    async def test_late_commit(self) -> None:
        """What was written before others and commits after they got their numbers gets a higher
        one."""
        with closing(psycopg2.connect(self.url)) as slow:
            with slow.cursor() as cursor:
                cursor.execute(
                    "select note_event('UserBanned', null, 'user', %s, null, '{}')", (guid(),)
                )
            early = await self.note()
            self.assertEqual(await self.number(), (1, 1))
            slow.commit()
        self.assertEqual(await self.number(), (2, 1))
        self.assertEqual((await self.read())[0], (1, early))

    async def test_rolled_back(self) -> None:
        """What is rolled back is no event."""
        with self.assertRaises(ZeroDivisionError):
            async with self.db.transaction() as tx:
                await self.note(tx)
                raise ZeroDivisionError
        self.assertEqual(await self.number(), (0, 0))

    async def test_at_once(self) -> None:
        """Several who give numbers at once give each once, and a reader beside them never sees one
        appear at or below what it has read."""
        seen: list[int] = []

        async def write() -> None:
            for _ in range(60):
                async with self.db.transaction() as tx:
                    await self.note(tx)

        async def give() -> None:
            while len(seen) < 180:
                await self.number(7)

        async def follow() -> None:
            after = 0
            while len(seen) < 180:
                rows = await events.page(self.db, after, 10)
                numbers = [row.event.number for row in rows if row.event is not None]
                seen.extend(numbers)
                after = numbers[-1] if len(numbers) == 10 else rows[0].newest

        await together(write(), write(), write(), give(), give(), follow())
        self.assertEqual(seen, [*range(1, 181)])

    async def test_off(self) -> None:
        """A session that says that events are off writes none."""
        pool = await self.pool(session={"contentsvc.events": "off"})
        await self.note(pool)
        self.assertEqual(await self.number(), (0, 0))


class PageTests(EventCase):
    async def test_kinds(self) -> None:
        """Only events of the kinds that are asked for are read, in order; the newest number is that
        of all."""
        for kind in ("UserBanned", "BanLifted", "UserBanned", "RoleChanged"):
            await self.note(kind=kind)
        await self.number()
        rows = await events.page_of_kinds(self.db, ["RoleChanged", "UserBanned"], 0, 2)
        self.assertEqual([row.event and row.event.number for row in rows], [1, 3])
        self.assertEqual({row.newest for row in rows}, {4})
        present = await events.present(self.db, ["BanLifted", "RoleChanged"], 2, 4)
        self.assertEqual(present, ["RoleChanged"])


class TrimTests(EventCase):
    async def test_old(self) -> None:
        """Old events are deleted from the oldest on, without holes, and numbers go on."""
        for _ in range(6):
            await self.note()
        await self.number()
        self.sql("update events set created = now() - interval '31 days' where number in (1, 2, 4)")
        self.assertEqual(await events.trim(self.db, 30), 2)
        self.assertEqual(await events.trim(self.db, 30), 0)
        (row, *_) = await events.page(self.db, 0, 1)
        self.assertEqual((row.newest, row.trimmed, row.event and row.event.number), (6, 2, 3))
        self.sql("update events set created = now() - interval '31 days'")
        self.assertEqual(await events.trim(self.db, 30), 4)
        await self.note()
        self.assertEqual(await self.number(), (7, 1))
