"""What the studio notifies users of, and that its announcements have changed."""

from typing import Any

from msgspec import json
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.jobs.handlers import steps
from contentsvc.jobs.notifications import READS, AnnouncementWatch, StudioLimits, within
from contentsvc.store.notifications import announcements, flags
from contentsvc.store.notifications import studio_notifications as store
from contentsvc.store.social import follows
from contentsvc.store.tasks import StudioNotification
from tests.jobs.support import StepCase
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class AnnouncementWatchTests(StoreCase):
    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from announcements")
        self.notified: list[int] = []
        self.watch = AnnouncementWatch(self.db, lambda: 3 * READS, self.notify)
        await self.watch.run()

    async def notify(self, within: int) -> None:
        """The seconds that sockets are notified of."""
        self.notified.append(within)

    async def announce(self, begins: int | None = None, until: int | None = None) -> str:
        """One more announcement; its id."""
        id = guid()
        await announcements.put(self.db, id, "Soon", "", "info", begins, until)
        return id

    async def heard(self) -> int:
        """How often sockets were notified, in two looks."""
        self.notified.clear()
        await self.watch.run()
        await self.watch.run()
        return len(self.notified)

    async def test_first(self) -> None:
        """The first look notifies nobody, and without a change no later one does."""
        self.assertEqual((self.notified, await self.heard()), ([], 0))

    async def test_changes(self) -> None:
        """Sockets are notified once of a new announcement, another text and a deletion, with the
        seconds for so many sockets."""
        id = await self.announce()
        self.assertEqual((await self.heard(), self.notified), (1, [3]))
        await announcements.put(self.db, id, "Now", "", "info", None, None)
        self.assertEqual(await self.heard(), 1)
        await announcements.put(self.db, id, "Now", "", "info", None, None)
        self.assertEqual(await self.heard(), 0)
        await announcements.delete(self.db, id)
        self.assertEqual(await self.heard(), 1)

    async def test_clock(self) -> None:
        """Sockets are notified that an announcement begins, and that it is over."""
        id = await self.announce(begins=2**40)
        await self.heard()
        self.sql("update announcements set begins = 0 where id = %s", id)
        self.assertEqual(await self.heard(), 1)
        self.sql("update announcements set until = 1 where id = %s", id)
        self.assertEqual(await self.heard(), 1)


class WithinTests(SynchronousTestCase):
    def test_grows(self) -> None:
        """The seconds grow with the sockets, from one second on."""
        self.assertEqual([within(n) for n in (0, 1, READS, READS + 1, 20_000)], [1, 1, 1, 2, 100])


PAST, FUTURE = 1, 2**40
WAITING = (
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
)


class StudioCase(StepCase):
    limits = StudioLimits()

    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=steps(0, self.limits), most=2)
        self.users = sorted([await self.user() for _ in range(5)])

    async def send(
        self,
        audience: str = "everybody",
        *,
        expires: int | None = None,
        service: bool = True,
        **of: Any,
    ) -> str:
        """Have this audience notified of it; its id."""
        id = guid()
        await store.insert(self.db, id, "season", '{"title":"x"}', expires, guid(), service)
        task = StudioNotification(notification=id, audience=audience, **of)
        await self.queue.put(self.db, task)
        return id

    def heard(self, *users: str) -> list[int]:
        """How many notifications each of these users has, or all."""
        count = "select count(*) from notifications where user_id = %s and kind = 'Studio'"
        return [self.sql(count, user)[0][0] for user in users or self.users]

    async def counts(self, id: str) -> tuple[str, int, int, int]:
        """State, notified, muted, failed."""
        found = await store.get(self.db, id)
        assert found is not None
        return found.state, found.told, found.muted, found.failed


class AudienceTests(StudioCase):
    async def test_everybody(self) -> None:
        """All are notified once, with topic and data, and the counters say so."""
        id = await self.send(expires=FUTURE)
        self.assertEqual(await self.counts(id), ("telling", 0, 0, 0))
        self.assertEqual(await self.work(), 3)
        self.assertEqual((self.heard(), await self.counts(id)), ([1] * 5, ("done", 5, 0, 0)))
        ((data, unread, seq),) = self.sql(
            "select data, unread, c.seq from notifications n join notification_counters c"
            " using (user_id) where user_id = %s",
            self.users[0],
        )
        notified = {"kind": "Studio", "topic": "season", "data": {"title": "x"}, "expires": FUTURE}
        self.assertEqual((json.decode(data), unread, seq), (notified, 1, 1))
        self.assertEqual(len(self.listener.delivered), 5)

    async def test_ids(self) -> None:
        """Each id begins with the number, and each row knows the one before."""
        for _ in range(2):
            await self.send()
            await self.work()
        first, second = (row for row in self.listener.delivered if row.user_id == self.users[0])
        self.assertEqual((first.id[:8], second.id[:8]), ("00000001", "00000002"))
        self.assertEqual((first.previous, second.previous), (None, first.id))

    async def test_users(self) -> None:
        """Of a list all in it are notified, and those who have left count as failed."""
        gone = guid()
        id = await self.send("users", users=sorted([*self.users[:3], gone]))
        await self.work()
        self.assertEqual(self.heard(), [1, 1, 1, 0, 0])
        self.assertEqual(await self.counts(id), ("done", 3, 0, 1))

    async def test_followers(self) -> None:
        """Followers of that moment are notified who still follow."""
        ann = await self.user()
        for fan in self.users[:4]:
            await follows.follow(self.db, fan, ann, 0)
        id = await self.send("followers", of=ann, upto=await store.last_follow(self.db, ann))
        await follows.follow(self.db, self.users[4], ann, 0)
        await self.work(batches=1)
        await follows.unfollow(self.db, self.users[3], ann)
        await self.work()
        self.assertEqual(self.heard(), [1, 1, 1, 0, 0])
        self.assertEqual(await self.counts(id), ("done", 3, 0, 0))

    async def test_nobody(self) -> None:
        """An audience of nobody is done with the first batch."""
        id = await self.send("followers", of=self.users[0])
        await self.work()
        self.assertEqual((await self.counts(id), self.left()), (("done", 0, 0, 0), []))

    async def test_muted(self) -> None:
        """Who has muted the kind, or the topic, is counted and not notified; another topic
        comes."""
        for user, kinds in zip(
            self.users, (["Studio"], ["Studio:season"], ["Studio:sale", "Debug"]), strict=False
        ):
            await flags.mute(self.db, user, kinds)
        id = await self.send()
        await self.work()
        self.assertEqual(self.heard(), [0, 0, 1, 1, 1])
        self.assertEqual(await self.counts(id), ("done", 3, 2, 0))

    async def test_stopped(self) -> None:
        """After it was stopped nobody is notified, and what has come stays."""
        id = await self.send()
        await self.work(batches=1)
        self.assertTrue(await store.stop(self.db, id))
        await self.work()
        self.assertEqual((self.heard(), self.left()), ([1, 1, 0, 0, 0], []))
        self.assertEqual(await self.counts(id), ("stopped", 2, 0, 0))
        self.assertFalse(await store.stop(self.db, id))

    async def test_stopped_amid_batch(self) -> None:
        """A stop is answered when the batch under way has ended."""
        id = await self.send()
        other = await self.pool()
        async with self.db.transaction() as tx:
            await store.lock(tx, id)
            stopping = Deferred.fromCoroutine(store.stop(other, id))
            while not self.sql(WAITING):
                self.assertNoResult(stopping)
                await deferLater(reactor, 0)
        self.assertTrue(await stopping)

    async def test_expired(self) -> None:
        """From `expires` on nobody is notified, and it is done, though no batch has come since."""
        id = await self.send()
        await self.work(batches=1)
        self.sql("update studio_notifications set expires = %s where id = %s", PAST, id)
        self.assertEqual(await self.counts(id), ("done", 2, 0, 0))
        self.assertFalse(await store.stop(self.db, id))
        await self.work()
        self.assertEqual((self.heard(), self.left()), ([1, 1, 0, 0, 0], []))
        self.assertEqual(self.sql("select state from studio_notifications"), [("done",)])

    async def test_processes(self) -> None:
        """However many processes notify at once, each user is notified once."""
        id = await self.send()
        others = [
            self.another(await self.pool(), kinds=steps(0, self.limits), most=2) for _ in range(3)
        ]
        await together(*(self.work(runner) for runner in others))
        await self.work()
        self.assertEqual((self.heard(), await self.counts(id)), ([1] * 5, ("done", 5, 0, 0)))


class LimitTests(StudioCase):
    limits = StudioLimits(per_day=2, unmutable=frozenset({"season"}))

    async def test_per_day(self) -> None:
        """What services send beyond the limit of a day counts as failed; what admins send does not
        count."""
        ids = []
        for service in (True, False, True, True, False):
            ids.append(await self.send(service=service))
            # One after the other: which of several comes first is not said.
            await self.work()
        self.assertEqual(self.heard(), [4] * 5)
        failed = [(await self.counts(id))[3] for id in ids]
        self.assertEqual(failed, [0, 0, 0, 5, 0])

    async def test_next_day(self) -> None:
        """A new day begins at 0."""
        for _ in range(2):
            await self.send()
        await self.work()
        self.sql("update notification_counters set studio_day = studio_day - 1")
        await self.send()
        await self.work()
        self.assertEqual(self.heard(), [3] * 5)
        self.assertEqual(self.sql("select distinct studio_told from notification_counters"), [(1,)])

    async def test_unmutable(self) -> None:
        """A topic that cannot be muted goes to those too who have muted it."""
        await flags.mute(self.db, self.users[0], ["Studio", "Studio:season"])
        id = await self.send()
        await self.work()
        self.assertEqual((self.heard(), await self.counts(id)), ([1] * 5, ("done", 5, 0, 0)))
