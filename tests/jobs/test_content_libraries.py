"""Users are notified that what they keep has changed (content#library-map)."""

from typing import Any

from msgspec import json
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.query import Db
from contentsvc.jobs.handlers import KINDS
from contentsvc.store.accounts import deletion
from contentsvc.store.content import (
    items,
    library_audience,
    publication_audience,
    subscriptions,
)
from contentsvc.store.tasks import LibraryChanged
from tests.jobs.support import StepCase
from tests.support.databases import guid

WAITING = (
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
)


class LibraryCase(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        self.author = await self.user()
        self.game = await self.content(self.author)
        self.users = [await self.user() for _ in range(5)]
        for user in self.users:
            await self.keep(user)

    async def keep(
        self, user: str, content: str = "", pin: str | None = None, db: Db | None = None
    ) -> None:
        """Have a user keep a content."""
        if db is None:
            async with self.db.transaction() as tx:
                await self.keep(user, content, pin, tx)
            return
        outcome, _, _ = await subscriptions.put(db, user, content or self.game, pin, False, 0)
        self.assertEqual(outcome, "changed")

    async def changed(self, revision: str | None = None, db: Db | None = None) -> None:
        """A row about the content, if somebody keeps it: a `revision` of it, or something else."""
        given = db or self.db, self.queue
        if revision is None:
            await library_audience.notify_subscribers(*given, self.game)
        else:
            await publication_audience.notify_of_revision(*given, self.author, self.game, revision)

    def heard(self, user: str) -> list[dict[str, Any]]:
        """What a user was notified of."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data) for (data,) in rows]


class RevisionTests(LibraryCase):
    async def test_all(self) -> None:
        """All who keep it are notified of a revision once, and of the next ones within a day
        never."""
        first, second = guid(), guid()
        await self.changed(first)
        await self.work()
        notified = {"kind": "SubscriptionUpdated", "content": self.game, "revision": first}
        self.assertEqual([self.heard(user) for user in self.users], [[notified]] * 5)
        await self.changed(second)
        await self.work()
        self.assertEqual([self.heard(user) for user in self.users], [[notified]] * 5)
        self.sql("update subscription_tellings set told = told - interval '1 day'")
        await self.changed(second)
        await self.work()
        notified |= {"revision": second}
        self.assertEqual([self.heard(user)[1:] for user in self.users], [[notified]] * 5)

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
        """Not notified are the author, who has a pin, who has muted the kind, and who came
        later."""
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
        """Nobody is notified of a revision of what is suspended."""
        await items.set_status(self.db, None, self.game, "suspended")
        await self.changed(guid())
        await self.work()
        self.assertEqual([self.heard(user) for user in self.users], [[]] * 5)


class MeanwhileTests(LibraryCase):
    """Somebody subscribes while the content changes, and was not there when it was asked for whom
    there is."""

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from subscriptions")
        self.late = self.users[0]

    async def notified(self) -> list[str]:
        """Whose sockets have been notified, when all is done."""
        await self.work()
        self.assertEqual(self.left(), [])
        return self.listener.libraries

    async def test_nobody(self) -> None:
        """A change of what nobody keeps has no task."""
        await self.changed()
        await self.changed(guid())
        self.assertEqual(self.left(), [])

    async def test_amid(self) -> None:
        """Who subscribes amid a change is notified when it is over, of no revision."""
        async with self.db.transaction() as tx:
            await items.lock(tx, self.game, self.author, False)
            await self.changed(guid(), tx)
            await self.keep(self.late)
        self.assertEqual((await self.notified(), self.heard(self.late)), ([self.late], []))

    async def test_private(self) -> None:
        """Who subscribes amid a change of what is private alone is notified, and nobody who does
        not see it."""
        await self.keep(self.users[1])
        self.sql("update contents set visibility = 'private' where id = %s", self.game)
        self.sql(
            "insert into content_guests (content_id, user_id, role, accepted) "
            "values (%s, %s, 'tester', true)",
            *(self.game, self.late),
        )
        async with self.db.transaction() as tx:
            await items.lock(tx, self.game, self.author, False)
            await self.keep(self.late)
        self.assertEqual(await self.notified(), [self.late])

    async def test_not_over(self) -> None:
        """A change that goes on for long is waited for, without a place in the queue."""
        async with self.db.transaction() as tx:
            await items.lock(tx, self.game, self.author, False)
            await self.keep(self.late)
            await self.runner.run()
            ((_, tries, failure),) = self.left()
            self.assertEqual((tries, self.listener.libraries), (1, []))
            self.assertIn("lock", failure)
        self.sql("update tasks set due = now()")
        self.assertEqual(await self.notified(), [self.late])

    async def test_settled(self) -> None:
        """Who subscribes while nothing changes leaves no task."""
        await self.keep(self.late)
        self.assertEqual(self.left(), [])

    async def test_before(self) -> None:
        """A change that begins before a subscription has committed waits for it, and finds it."""

        async def change() -> None:
            async with self.db.transaction() as changing:
                await items.lock(changing, self.game, self.author, False)
                await self.changed(None, changing)

        async with self.db.transaction() as subscribing:
            await self.keep(self.late, db=subscribing)
            changing = Deferred.fromCoroutine(change())
            while not self.sql(WAITING):
                self.assertNoResult(changing)
                await deferLater(reactor, 0)
        await changing
        self.assertEqual(await self.notified(), [self.late])


class SocketTests(LibraryCase):
    async def audience(self) -> list[str]:
        """Whose sockets the next steps notify."""
        await self.work()
        return sorted(self.listener.libraries)

    async def test_changed(self) -> None:
        """All who keep it are notified of any change, pinned or not."""
        ((revision,),) = self.sql("select revision_id from contents where id = %s", self.game)
        pinned = await self.user()
        await self.keep(pinned, pin=revision)
        await self.changed()
        self.assertEqual(await self.audience(), sorted([*self.users, pinned]))

    async def test_private(self) -> None:
        """Who keeps what is private now is notified when that began, and of nothing later. Guests
        and the author are."""
        await self.keep(self.author)
        self.sql("update contents set visibility = 'private' where id = %s", self.game)
        given = self.db, self.queue, self.game
        await library_audience.notify_subscribers(*given, "active")
        self.assertEqual(await self.audience(), sorted([*self.users, self.author]))
        self.listener.libraries.clear()
        await self.changed()
        await self.changed(guid())
        await library_audience.notify_subscribers(*given, "suspended")
        self.assertEqual(set(await self.audience()), {self.author})

    async def test_of_friends(self) -> None:
        """When what friends saw becomes private, they are notified, and others are not."""
        friend, guest = self.users[0], self.users[1]
        self.sql(
            "insert into pairs (lesser, greater, friends) "
            "values (least(%s::uuid, %s), greatest(%s::uuid, %s), 1)",
            *(friend, self.author) * 2,
        )
        self.sql("update contents set visibility = 'private' where id = %s", self.game)
        self.sql(
            "insert into content_guests (content_id, user_id, role, accepted) "
            "values (%s, %s, 'tester', false)",
            *(self.game, guest),
        )
        await library_audience.notify_subscribers(self.db, self.queue, self.game, "friends")
        self.assertEqual(await self.audience(), sorted([friend, guest]))

    async def test_superseded_by_less(self) -> None:
        """A task of those who saw it is not superseded by one of those who see it."""
        first = LibraryChanged(content=self.game, before="active")
        await self.queue.put(self.db, first)
        await self.changed()
        self.assertFalse(await library_audience.is_superseded(self.db, first))
        await library_audience.notify_subscribers(self.db, self.queue, self.game, "active")
        self.assertTrue(await library_audience.is_superseded(self.db, first))

    async def test_left(self) -> None:
        """All who keep something of an author who leaves are notified, of whichever content."""
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
        first = LibraryChanged(content=self.game, revision=guid(), before="")
        await self.queue.put(self.db, first)
        self.assertFalse(await library_audience.is_superseded(self.db, first))
        await self.changed()
        self.assertFalse(await library_audience.is_superseded(self.db, first))
        await self.changed(guid())
        self.assertTrue(await library_audience.is_superseded(self.db, first))
