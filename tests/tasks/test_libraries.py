"""Users are told that what they keep has changed (library §1)."""

from typing import Any

from msgspec import json

from contentsvc.store.accounts import deletion
from contentsvc.store.content import (
    items,
    library_audience,
    publication_audience,
    subscriptions,
)
from contentsvc.store.social import follows
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
        """A row about the content: a `revision` of it, or something else."""
        given = self.db, self.queue
        if revision is None:
            await library_audience.notify_keepers(*given, self.game)
        else:
            await publication_audience.notify_of_revision(*given, self.author, self.game, revision)

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


class FollowedTests(LibraryCase):
    """The author has followers."""

    async def setUp(self) -> None:
        await super().setUp()
        self.fan = await self.user()
        await follows.follow(self.db, self.fan, self.author, 0)

    def kinds(self) -> list[str]:
        """The kinds of all tasks."""
        return [kind for (kind,) in self.sql("select kind from tasks order by id")]

    async def test_one_task(self) -> None:
        """A revision is one task, and both followers and keepers are told."""
        await self.changed(guid())
        self.assertEqual(self.kinds(), ["RevisionPublished"])
        await self.work()
        self.assertEqual([told["kind"] for told in self.heard(self.fan)], ["RevisionPublished"])
        for user in self.users:
            self.assertEqual([told["kind"] for told in self.heard(user)], ["SubscriptionUpdated"])
        self.assertEqual(sorted(self.listener.libraries), sorted(self.users))
        self.assertEqual(self.left(), [])

    async def test_nobody(self) -> None:
        """What nobody keeps has no task for keepers."""
        self.sql("delete from subscriptions")
        await self.changed(guid())
        await self.teller.run()
        self.assertEqual(self.left(), [])
        self.assertEqual(self.listener.libraries, [])

    async def test_meanwhile(self) -> None:
        """Who subscribes before the publication commits hears of it on the socket, also if they are
        the first; they are not told of that revision."""
        self.sql("delete from subscriptions")
        late = self.users[0]
        async with self.db.transaction() as tx:
            given = tx, self.queue, self.author, self.game
            await publication_audience.notify_of_revision(*given, guid())
            await self.keep(late)
        await self.work()
        self.assertEqual((self.listener.libraries, self.heard(late)), ([late], []))

    async def test_many(self) -> None:
        """Where the followers wait for those who are connected, the keepers do not."""
        self.sql(
            "with fans as (insert into users (username) select 'fan' || n"
            " from generate_series(1, %s) n returning id)"
            " insert into follows (follower, followed) select id, %s from fans",
            publication_audience.FEW,
            self.author,
        )
        await self.changed(guid())
        self.assertEqual(self.kinds(), ["LibraryChanged", "RevisionPublished"])
        await self.work(batches=3)
        self.assertEqual(sorted(self.listener.libraries), sorted(self.users))
        self.assertEqual(self.heard(self.fan), [])


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
