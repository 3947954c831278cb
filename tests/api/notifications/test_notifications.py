"""The list of notifications, where retention has deleted the beginning; changes of many."""

import msgspec
from twisted.internet.defer import Deferred

from contentsvc.api.notifications.notifications import Notifications
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.statement import Row, Statement
from contentsvc.framework.http.reply import Encoded
from contentsvc.store import retention
from contentsvc.store.notifications import flags, notifications, streams
from contentsvc.wire.notifications import DeleteUpTo, NotificationQuery, ReadUpTo
from tests.api.support import ApiCase, Caller, Notifier
from tests.support.databases import guid


class CursorTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.family = Notifications(self.db, Notifier())
        self.ann = await self.user()
        self.ids = []
        for _ in range(5):
            row = await notifications.insert(self.db, self.ann, "Debug", '{"kind":"Debug"}')
            self.ids.append(row.id)

    async def trim(self, upto: int) -> None:
        """Have retention delete up to this number."""
        self.sql(
            "update notifications set created = now() - interval '91 days'"
            " where user_id = %s and seq <= %s",
            *(self.ann, upto),
        )
        await retention.trim_notifications(self.db, 90, self.ann)
        (state,) = await streams.states(self.db, [self.ann], [0])
        self.assertEqual((state.trimmed, state.unread), (upto, 5 - upto))

    async def listed(self, **query: object) -> int:
        """How many are given."""
        answer = await self.family.list_notifications(
            Caller(self.ann), self.ann, NotificationQuery(**query)
        )
        given = isinstance(answer, Encoded)
        return len(msgspec.json.decode(answer.json) if given else answer.items)

    async def code(self, **query: object) -> str:
        """Why none are."""
        return (await self.refused(self.listed(**query))).code

    async def test_kept(self) -> None:
        """Without a cursor there is all that is kept, and with one all that follows it."""
        await self.trim(3)
        self.assertEqual([await self.listed(), await self.listed(limit=1)], [2, 1])
        for after, count in (("3", 2), ("4", 1), ("5", 0), ("9", 0), (self.ids[3], 1)):
            self.assertEqual(await self.listed(after=after), count, after)

    async def test_expired(self) -> None:
        """A cursor after which something is gone is refused, whatever else is asked for."""
        await self.trim(3)
        for after in "0", "1", "2", *self.ids[:3]:
            self.assertEqual(await self.code(after=after), "cursor_expired")
            self.assertEqual(await self.code(after=after, limit=2), "cursor_expired")
            self.assertEqual(await self.code(after=after, since=1.0), "cursor_expired")

    async def test_all_gone(self) -> None:
        """So where the whole log is gone: an empty list would hide it."""
        await self.trim(5)
        self.assertEqual(await self.code(after="4"), "cursor_expired")
        self.assertEqual([await self.listed(after="5"), await self.listed()], [0, 0])

    async def test_never_there(self) -> None:
        """An id that is not there is no cursor where nothing is gone yet."""
        self.assertEqual(await self.code(after=guid()), "invalid_query")
        await self.trim(1)
        self.assertEqual(await self.code(after=guid()), "cursor_expired")

    async def test_hole_of_since(self) -> None:
        """Notifications that `since` leaves out are still there."""
        self.assertEqual(await self.listed(after="1", since=4e9), 0)


class Failing:
    """A database that goes away after so many statements."""

    def __init__(self, db: Database, after: int) -> None:
        self._db = db
        self._left = after

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        self._left -= 1
        if self._left < 0:
            raise Unavailable("gone")
        return await self._db.run(statement, args)


class ManyTests(ApiCase):
    """Changes of more notifications than one statement takes."""

    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.ann = await self.user()
        for _ in range(7):
            await notifications.insert(self.db, self.ann, "Debug", '{"kind":"Debug"}')

    def family(self, db: object = None) -> Notifications:
        """The operations, three notifications at a time."""
        return Notifications(db or self.db, self.notifier, batch=3)  # type: ignore[arg-type]

    async def delete(self, up_to: int | str, db: object = None) -> None:
        """Delete up to this one."""
        query = DeleteUpTo(up_to=str(up_to))
        await self.family(db).clear_notifications(Caller(self.ann), self.ann, query)

    async def left(self) -> list[int]:
        """The numbers that are there."""
        rows = await notifications.listed(self.db, self.ann, 0, None, 99)
        return [row.seq for row in rows]

    async def test_delete(self) -> None:
        """After the answer all are gone, and the sockets are told once."""
        await self.delete(6)
        self.assertEqual((await self.left(), self.notifier.states), ([7], [self.ann]))
        await self.delete(6)
        self.assertEqual(self.notifier.states, [self.ann])
        await self.delete(9)
        self.assertEqual((await self.left(), self.notifier.states), ([], [self.ann] * 2))

    async def test_delete_by_id(self) -> None:
        """So it is by an id, also where the parts come out even."""
        (*_, row, _) = await notifications.listed(self.db, self.ann, 0, None, 99)
        await self.delete(row.id)
        self.assertEqual((await self.left(), self.notifier.states), ([7], [self.ann]))

    async def test_read(self) -> None:
        """All are read, and the sockets are told once."""
        for _ in range(2):
            body = ReadUpTo(up_to=99)
            await self.family().mark_notifications_read(Caller(self.ann), self.ann, body)
            state = await flags.state(self.db, self.ann)
            self.assertEqual(state and state.unread, 0)
        self.assertEqual(self.notifier.states, [self.ann])

    async def test_interrupted(self) -> None:
        """If the database goes away amid them, the oldest are gone, and the sockets are told. The
        same call again deletes the rest."""
        await self.assertFailure(
            Deferred.fromCoroutine(self.delete(7, Failing(self.db, 2))), Unavailable
        )
        self.assertEqual((await self.left(), self.notifier.states), ([7], [self.ann]))
        await self.delete(7)
        self.assertEqual((await self.left(), self.notifier.states), ([], [self.ann] * 2))

    async def test_meanwhile(self) -> None:
        """What is stored while they are deleted stays: a number above the newest means those that
        there were."""
        other = await self.pool()

        class Busy(Failing):
            async def run(busy, statement: Statement, args: Row) -> list[Row]:
                rows = await super().run(statement, args)
                await notifications.insert(other, self.ann, "Debug", '{"kind":"Debug"}')
                return rows

        await self.delete(99, Busy(self.db, 99))
        self.assertEqual(await self.left(), [8, 9, 10])
