"""The job that looks for announcements: whom it tells, and when."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.jobs.announcements import READS, AnnouncementWatch, within
from contentsvc.store.notifications import announcements
from tests.support.databases import StoreCase, fresh, guid


class AnnouncementWatchTests(StoreCase):
    alone = True

    async def setUp(self) -> None:
        self._databases[type(self)] = fresh(self.server())
        await super().setUp()
        self.sql("delete from announcements")
        self.told: list[int] = []
        self.watch = AnnouncementWatch(self.db, lambda: 3 * READS, self.tell)
        await self.watch.run()

    async def tell(self, within: int) -> None:
        """What sockets are told."""
        self.told.append(within)

    async def announce(self, begins: int | None = None, until: int | None = None) -> str:
        """One more announcement; its id."""
        id = guid()
        await announcements.put(self.db, id, "Soon", "", "info", begins, until)
        return id

    async def heard(self) -> int:
        """How often sockets were told, in two looks."""
        self.told.clear()
        await self.watch.run()
        await self.watch.run()
        return len(self.told)

    async def test_first(self) -> None:
        """The first look tells nobody, and without a change no later one does."""
        self.assertEqual((self.told, await self.heard()), ([], 0))

    async def test_changes(self) -> None:
        """A new announcement, another text and a deletion are told once each, with the seconds for
        so many sockets."""
        id = await self.announce()
        self.assertEqual((await self.heard(), self.told), (1, [3]))
        await announcements.put(self.db, id, "Now", "", "info", None, None)
        self.assertEqual(await self.heard(), 1)
        await announcements.put(self.db, id, "Now", "", "info", None, None)
        self.assertEqual(await self.heard(), 0)
        await announcements.delete(self.db, id)
        self.assertEqual(await self.heard(), 1)

    async def test_clock(self) -> None:
        """That an announcement begins is told, and that it is over."""
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
