"""Users are told that what they keep has changed (library §1)."""

from typing import Any

from msgspec import json

from contentsvc.store.accounts import deletion
from contentsvc.store.content import items, library_audience, subscriptions
from contentsvc.store.tasks import LibraryChanged
from contentsvc.tasks.handlers import KINDS
from tests.support.databases import guid
from tests.tasks.support import TellerCase


class LibraryCase(TellerCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.teller = self.telling(self.db, kinds=KINDS, most=2)
        self.author = await self.user()
        self.game = await self.content(self.author)
        self.users = [await self.user() for _ in range(5)]
        for user in self.users:
            await self.keep(user)

    async def keep(self, user: str, content: str = "", pin: str | None = None) -> None:
        """Have a user keep a content."""
        given = user, content or self.game, pin, False, 0
        outcome, _ = await subscriptions.put(self.db, *given)
        self.assertEqual(outcome, "changed")

    async def changed(self, revision: str | None = None) -> None:
        """A row about the content."""
        await library_audience.notify_keepers(self.db, self.queue, self.game, revision)

    def heard(self, user: str) -> list[dict[str, Any]]:
        """What a user was told."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data) for (data,) in rows]


class RevisionTests(LibraryCase):
    async def test_all(self) -> None:
        """All who keep it are told of a revision once, and of the next ones within a day never."""
        first, second = guid(), guid()
        await self.changed(first)
        await self.work()
        told = {"kind": "SubscriptionUpdated", "content": self.game, "revision": first}
        self.assertEqual([self.heard(user) for user in self.users], [[told]] * 5)
        await self.changed(second)
        await self.work()
        self.assertEqual([self.heard(user) for user in self.users], [[told]] * 5)
        self.sql("update subscription_tellings set told = told - interval '1 day'")
        await self.changed(second)
        await self.work()
        told |= {"revision": second}
        self.assertEqual([self.heard(user)[1:] for user in self.users], [[told]] * 5)

    async def test_one_row(self) -> None:
        """However many keep it, a change is one row; one that waits stands for those before it."""
        for revision in (guid(), None, guid(), None):
            await self.changed(revision)
        ((rows,),) = self.sql("select count(*) from tasks where kind = 'LibraryChanged'")
        self.assertEqual(rows, 4)
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [1] * 5)
        self.assertEqual(self.left(), [])

    async def test_not_due(self) -> None:
        """Not told are the author, who has a pin, who has muted the kind, and who came later."""
        pinned, muted, late = [await self.user() for _ in range(3)]
        ((revision,),) = self.sql("select revision_id from contents where id = %s", self.game)
        await self.keep(self.author)
        await self.keep(pinned, pin=revision)
        await self.keep(muted)
        self.sql(
            "insert into notification_counters (user_id, seq, unread, muted)"
            " values (%s, 0, 0, '{SubscriptionUpdated}')",
            muted,
        )
        await self.changed(guid())
        await self.keep(late)
        await self.work()
        for user in (self.author, pinned, muted, late):
            self.assertEqual(self.heard(user), [])
        self.assertEqual([len(self.heard(user)) for user in self.users], [1] * 5)

    async def test_hidden(self) -> None:
        """Nobody is told of a revision of what is suspended."""
        await items.set_status(self.db, None, self.game, "suspended")
        await self.changed(guid())
        await self.work()
        self.assertEqual([self.heard(user) for user in self.users], [[]] * 5)


class SocketTests(LibraryCase):
    async def audience(self) -> list[str]:
        """Whose sockets the next steps tell."""
        await self.work()
        return sorted(self.listener.libraries)

    async def test_changed(self) -> None:
        """All who keep it are told of any change, pinned or not."""
        ((revision,),) = self.sql("select revision_id from contents where id = %s", self.game)
        pinned = await self.user()
        await self.keep(pinned, pin=revision)
        await self.changed()
        self.assertEqual(await self.audience(), sorted([*self.users, pinned]))

    async def test_left(self) -> None:
        """All who keep something of an author who leaves are told, of whichever content."""
        other = await self.content(self.author)
        more = [await self.user() for _ in range(3)]
        for user in (*more, self.users[0]):
            await self.keep(user, other)
        async with self.db.transaction() as tx:
            await deletion.leave(tx, self.author, "-")
        self.assertEqual(set(await self.audience()), {*self.users, *more})
        self.assertEqual(self.left(), [])

    async def test_superseded(self) -> None:
        """A task without a later one is not superseded, nor is one of a revision by a change."""
        first = LibraryChanged(content=self.game, revision=guid())
        await self.queue.put(self.db, first)
        self.assertFalse(await library_audience.is_superseded(self.db, first))
        await self.changed()
        self.assertFalse(await library_audience.is_superseded(self.db, first))
        await self.changed(guid())
        self.assertTrue(await library_audience.is_superseded(self.db, first))
