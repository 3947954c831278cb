"""Announcements, arrivals, blocks, lapses and the collector over the same files at once
(files#announcing): nobody waits for another for good, and what is left fits together."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from twisted.internet import reactor

from contentsvc.framework.db.query import Db, Statements
from contentsvc.store.files import files
from contentsvc.wire.files import UploadedFile
from tests.api.files.uploading import UploadCase, digest, fresh, image, of, place, token
from tests.api.support import Caller
from tests.jobs.files import file_jobs
from tests.support.databases import guid
from tests.support.deferreds import together

ROUNDS, AT_ONCE, FILES, USERS = 25, 12, 10, 4
SUMS = """
    select s.used = coalesce(sum(u.size), 0) and s.pending = count(u.path) filter (where not u.sent)
    from storage s left join user_files u using (user_id) group by s.user_id, s.used, s.pending
"""

STATEMENTS = Statements()


@STATEMENTS.none("update files set due = now() where path = :path and not collecting")
async def expire_file(db: Db, path: str) -> None:
    """A day passes for a file."""


@STATEMENTS.none("update user_files set due = now() where path = :path and user_id = :user")
async def expire_announcement(db: Db, path: str, user: str) -> None:
    """A day passes for an announcement."""


class StressTests(UploadCase):
    """The daemon takes the bytes itself, as with `local`."""

    anew = True
    timeout = 120.0
    knows = False

    async def setUp(self) -> None:
        await super().setUp()
        self.random = random.Random(3)
        self.users = [await self.user() for _ in range(USERS)]
        self.data = {digest(each): each for each in (fresh() for _ in range(FILES))}
        self.given = [of(each) for each in self.data.values()]
        self.given += [image(each) for each in self.data.values()]
        jobs = [file_jobs(reactor, self.db, self.bucket) for _ in range(2)]
        self.jobs = [job.run for each in jobs for job in each]
        self.uploads: list[UploadedFile] = []
        self.outcomes: Counter[str] = Counter()

    async def names(self) -> None:
        """A user announces some of the files, in any order, and sends some of what is missing."""
        some = self.random.sample(self.given, self.random.randint(1, len(self.given)))
        missing = [each for each in await self.announce(*some, by=self.anybody()) if each.upload]
        self.uploads += missing
        for file in self.random.sample(missing, len(missing) // 2):
            await self.arrives(file)

    async def late(self) -> None:
        """Somebody uses upload URLs that they have had for some time."""
        for file in self.random.sample(self.uploads, min(5, len(self.uploads))):
            await self.arrives(file)

    async def arrives(self, file: UploadedFile) -> None:
        """The bytes come: to the store, or to the daemon, which puts them there if they count."""
        data = self.data[file.sha256]
        if self.knows:
            self.bucket.put(place(file), data, token(file))
            return
        async with self.db.transaction() as tx:
            refusal = await files.arrived(tx, token(file), len(data), invalid=False)
            if refusal is None:
                self.bucket.put(file.path, data)
        self.outcomes[refusal or "arrived"] += 1

    async def blocks(self) -> None:
        """An admin blocks a file, or lifts all blocks."""
        if self.random.random() < 0.5:
            await self.block(self.random.choice(list(self.data)))
        else:
            await self.lifts()

    async def lifts(self) -> None:
        """An admin lifts all blocks."""
        for sha256 in self.data:
            await self.files.unblock_file(Caller(guid(), admin=True), sha256)

    async def expires(self) -> None:
        """A day passes for some files and announcements. Nobody keeps to the order of locks but by
        taking one row at a time."""
        for path in self.random.sample(self.bucket.files, len(self.bucket.files) // 2):
            await expire_file(self.db, path)
            await expire_announcement(self.db, path, self.anybody())

    async def works(self) -> None:
        """The jobs of one of two processes run."""
        for job in self.random.sample(self.jobs, 3):
            await job()

    def anybody(self) -> str:
        return self.random.choice(self.users)

    async def storm(self) -> None:
        """Everything at once, again and again. What is refused is refused by name."""
        acts: list[Callable[[], Awaitable[Any]]] = [
            *(4 * [self.names]),
            *(self.late, self.blocks, self.expires, self.works),
        ]
        for _ in range(ROUNDS):
            begun = [self.random.choice(acts)() for _ in range(AT_ONCE)]
            self.outcomes.update(await self.statuses(*begun))

    def check(self) -> None:
        """The sums are those of the rows, and what counts as stored is there."""
        self.assertEqual({fits for (fits,) in self.sql(SUMS)}, {True})
        stored = {path for (path,) in self.sql("select path from files where stored")}
        self.assertLessEqual(stored, set(self.bucket.files))

    async def test_storm(self) -> None:
        """Nothing fails but by name, no deadlock comes, and afterwards everybody can have all of
        the files in two calls."""
        await self.storm()
        named = {"done", "file_blocked", "storage_unavailable"}
        self.assertLessEqual(
            self.outcomes.keys(), named | {"arrived", "blocked", "unannounced", "collecting"}
        )
        self.assertGreater(self.outcomes["done"], ROUNDS)
        self.check()

        await self.lifts()
        while any(pause is not None for pause in await together(*(job() for job in self.jobs))):
            pass
        for user in self.users:
            for file in await self.announce(*self.given, by=user):
                if file.upload:
                    await self.arrives(file)
            self.assertEqual(await self.there(*self.given, by=user), [True] * 2 * FILES)
            self.assertEqual(await self.usage(user), (2 * FILES * 36, 0))
        self.check()
        self.assertEqual(len(self.sql("select path from files where stored")), 2 * FILES)


class StoreStressTests(StressTests):
    """The bytes go to a store that nobody else sees, as with `s3`."""

    knows = True
