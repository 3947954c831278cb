"""The list of notifications, where retention has deleted the beginning."""

import msgspec

from contentsvc.api.notifications import Notifications
from contentsvc.store import feeds, notifications, retention
from contentsvc.web.reply import Encoded
from contentsvc.wire.notifications import NotificationQuery
from tests.api.support import ApiCase, Caller
from tests.support.databases import guid


class CursorTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.family = Notifications(self.db)
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
        (state,) = await feeds.states(self.db, [self.ann], [0])
        self.assertEqual((state.trimmed, state.unread), (upto, 5 - upto))

    async def listed(self, **query: object) -> int:
        """How many are given."""
        answer = await self.family.all(Caller(self.ann), self.ann, NotificationQuery(**query))
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
