"""What becomes of files (files#files): bytes that arrive, beside blocks and the collector."""

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.paths import digest_of, path_of, paths_of
from contentsvc.store.files import blocks, files, storage, unused
from tests.support.databases import StoreCase, guid

WAITING = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


class FileCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.user_id = await self.user()
        self.path = path_of((guid() + guid()).replace("-", ""))
        self.token = await self.announced(self.user_id)

    async def announced(self, user: str, size: int = 10) -> str:
        """The token of a new announcement of the file."""
        async with self.db.transaction() as tx:
            await storage.lock(tx, user)
            await files.begin(tx, [self.path])
            (new,) = await storage.announce(tx, user, [self.path], [size], [False], ["entity"])
        return new.token

    async def arrive(
        self, token: str | None = None, *, size: int = 10, invalid: bool = False
    ) -> files.Refusal | None:
        """The bytes come."""
        async with self.db.transaction() as tx:
            return await files.arrived(tx, token or self.token, size, invalid=invalid)

    async def block(self, db: Db | None = None) -> None:
        """An admin blocks the digest."""
        if db is None:
            async with self.db.transaction() as tx:
                await self.block(tx)
        else:
            await blocks.put(db, digest_of(self.path), "r")
            await blocks.hide(db, paths_of(digest_of(self.path)))

    def file(self) -> tuple[object, ...]:
        """Size, stored and invalid of the file."""
        (row,) = self.sql("select size, stored, invalid from files where path = %s", self.path)
        return row

    def sent(self, user: str | None = None) -> tuple[object, ...]:
        """Size and sent of a user's announcement."""
        (row,) = self.sql(
            "select size, sent from user_files where path = %s and user_id = %s",
            *(self.path, user or self.user_id),
        )
        return row

    async def usage(self) -> tuple[int, int]:
        """What the user's files take."""
        found = await storage.usage(self.db, self.user_id)
        assert found is not None
        return found.used, found.pending


class ArrivedTests(FileCase):
    async def test_earlier_size(self) -> None:
        """Bytes that come by the upload of an earlier, right size count with their length."""
        async with self.db.transaction() as tx:
            await storage.announce(tx, self.user_id, [self.path], [99], [False], ["entity"])
        self.assertEqual(await self.usage(), (99, 1))
        self.assertIsNone(await self.arrive(size=10))
        self.assertEqual(await self.usage(), (10, 0))

    async def test_invalid(self) -> None:
        """An image that is none is stored, and stays invalid."""
        await self.arrive(invalid=True)
        self.assertEqual(self.file(), (10, True, True))
        await self.arrive()
        self.assertEqual(self.file(), (10, True, True))

    async def test_unannounced(self) -> None:
        """Nobody's token, or that of an announcement that has lapsed, is refused."""
        self.assertEqual(await self.arrive(guid()), "unannounced")
        self.sql("delete from user_files where path = %s", self.path)
        self.assertEqual(await self.arrive(), "unannounced")
        self.assertEqual(self.file(), (None, False, False))

    async def test_blocked(self) -> None:
        """Blocked bytes are refused, and their upload is known to be blocked before they come."""
        before = await files.announcement(self.db, self.token)
        self.assertEqual(before, (self.user_id, self.path, False))
        await self.block()
        self.assertEqual(await self.arrive(), "blocked")
        self.assertEqual(self.file(), (None, False, False))
        self.assertEqual(self.sent(), (10, False))
        now = await files.announcement(self.db, self.token)
        self.assertEqual(now, (self.user_id, self.path, True))

    async def test_collecting(self) -> None:
        """What is just being deleted is refused."""
        self.sql("update files set collecting = true where path = %s", self.path)
        self.assertEqual(await self.arrive(), "collecting")
        self.assertEqual(self.file(), (None, False, False))


class RaceTests(FileCase):
    alone = True

    async def begin(self, act: Deferred[object]) -> None:
        """Wait until an act waits for a lock."""
        while self.sql(WAITING) == [(0,)]:
            self.assertNoResult(act)
            await deferLater(reactor, 0)

    async def test_block_first(self) -> None:
        """Bytes that arrive while they are being blocked wait, and are refused."""
        async with self.db.transaction() as tx:
            await self.block(tx)
            act = Deferred.fromCoroutine(self.arrive())
            await self.begin(act)
        self.assertEqual(await act, "blocked")

    async def test_arrival_first(self) -> None:
        """A block that comes while bytes arrive waits, and has them gone: even the first ones."""
        async with self.db.transaction() as tx:
            self.assertIsNone(await files.arrived(tx, self.token, 10, invalid=False))
            act = Deferred.fromCoroutine(self.block())
            await self.begin(act)
        await act
        self.assertEqual(self.file(), (10, False, False))

    async def test_block_before_first(self) -> None:
        """The first announcement of a file that is being blocked waits, and sees the block. The
        block leaves no row."""
        self.path = path_of((guid() + guid()).replace("-", ""))
        seen: list[bool] = []

        async def announce() -> None:
            async with self.db.transaction() as tx:
                await files.begin(tx, [self.path])
                seen.extend(row.blocked for row in await files.states_of(tx, guid(), [self.path]))
                self.assertEqual(len(await files.lock(tx, [self.path])), 1)

        async with self.db.transaction() as tx:
            await self.block(tx)
            act = Deferred.fromCoroutine(announce())
            await self.begin(act)
            self.assertEqual(self.sql("select 1 from files where path = %s", self.path), [])
        await act
        self.assertEqual(seen, [True])

    async def test_block_after_first(self) -> None:
        """A block waits for the first announcement of its file. So who deletes the bytes knows of
        the upload."""
        self.path = path_of((guid() + guid()).replace("-", ""))
        async with self.db.transaction() as tx:
            await storage.lock(tx, self.user_id)
            await files.begin(tx, [self.path])
            act = Deferred.fromCoroutine(self.block())
            await self.begin(act)
            await storage.announce(tx, self.user_id, [self.path], [10], [False], ["entity"])
        await act
        self.assertEqual(self.file(), (None, False, False))
        self.assertTrue(await blocks.reachable(self.db, digest_of(self.path), [self.path]))

    async def test_collector_first(self) -> None:
        """Bytes that arrive while the file is being marked wait, and are refused."""
        self.sql("delete from user_files where path = %s", self.path)
        self.sql("update files set due = now() where path = %s", self.path)
        async with self.db.transaction() as tx:
            self.assertIn(self.path, await unused.lock_expired(tx))
            await unused.mark(tx, [self.path])
            # What only a bug or a restored back-up makes: an announcement of what is collected.
            act = Deferred.fromCoroutine(self.announce_and_arrive())
            await self.begin(act)
        self.assertEqual(await act, "collecting")

    async def announce_and_arrive(self) -> files.Refusal | None:
        """Announce without asking whether it is being collected; then the bytes come."""
        return await self.arrive(await self.announced(self.user_id))

    async def test_arrival_before_collector(self) -> None:
        """The collector passes over a file whose bytes are just arriving."""
        self.sql("update files set due = now() where path = %s", self.path)
        async with self.db.transaction() as tx:
            await files.arrived(tx, self.token, 10, invalid=False)
            self.assertNotIn(self.path, await unused.lock_expired(self.db))

    async def test_lapsed_first(self) -> None:
        """Bytes that arrive while their announcement lapses wait, and are refused."""
        self.sql("update user_files set due = now() where path = %s", self.path)
        async with self.db.transaction() as tx:
            self.assertTrue(await unused.lock_storage(tx, self.user_id))
            self.assertEqual(await unused.lapse(tx, self.user_id), [self.path])
            act = Deferred.fromCoroutine(self.arrive())
            await self.begin(act)
        self.assertEqual(await act, "unannounced")


class StorageTests(FileCase):
    async def test_row(self) -> None:
        """The row of a user who has none is made once, however many ask at once."""
        user = await self.user()
        self.assertEqual(await storage.usage(self.db, user), (0, 0, False, False))
        self.assertIsNone(await storage.usage(self.db, guid()))
        async with self.db.transaction() as tx:
            self.assertEqual(await storage.lock(tx, user), (0, 0, False, False))
            act = Deferred.fromCoroutine(self.lock_beside(user))
        self.assertEqual(await act, (0, 0, False, False))

    async def lock_beside(self, user: str) -> storage.Usage:
        """Lock the row in a transaction of its own."""
        async with self.db.transaction() as tx:
            return await storage.lock(tx, user)
