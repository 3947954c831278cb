"""Everything that wants or gives up the same files at the same time (extensions §3)."""

from collections.abc import Awaitable
from random import Random
from typing import Any

from contentsvc.db.errors import Unavailable
from contentsvc.store import claims, collection, files, storage
from contentsvc.web.errors import Problem
from tests.api.filing import PNG, FilingCase, part
from tests.api.support import Caller
from tests.api.test_content import draft
from tests.api.test_revisions import revision
from tests.support.databases import together

EXPECTED = {"file_missing", "revision_current", "revision_gone", "revision_not_found"}


class CrowdTests(FilingCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.random = Random(10)
        self.parts = [self.uploaded()[0] for _ in range(6)]
        self.shots = self.uploaded(*[PNG] * 6)
        for path in (*self.parts, *self.shots):
            self.sql(
                """insert into user_files (user_id, path, size, sent, due)
                   values (%s, %s, 10, true, null)""",
                *(self.bob, path),
            )
        self.games = {
            self.ann: [await self.create() for _ in range(2)],
            self.bob: [await self.create(self.by_bob) for _ in range(2)],
        }

    def some(self, paths: list[str]) -> list[str]:
        """Two of them, in any order."""
        return self.random.sample(paths, 2)

    def acts(self, by: Caller) -> list[Awaitable[Any]]:
        """One of each kind."""
        game = self.random.choice(self.games[by.user])
        other = {"description": "", "screenshotUris": self.some(self.shots)}
        core, *rest = map(part, self.some(self.parts))
        return [
            self.put(by, game, other),
            self.made(draft(entity=core, screenshotUris=self.some(self.shots)), by),
            self.publish(revision(entity=core, originating=rest), by, game),
            self.give_up(by, game),
            self.announce(by.user),
            self.collect(),
            claims.purge(self.db),
        ]

    async def give_up(self, by: Caller, game: str) -> None:
        """Delete the first revision."""
        rows = self.sql(
            "select id::text from revisions where content_id = %s order by ordinal limit 1", game
        )
        await self.delete_revision(game, rows[0][0], by)

    async def announce(self, user: str) -> None:
        """What POST /uploads locks and writes."""
        paths = sorted(self.some(self.parts) + self.some(self.shots))
        async with self.db.transaction() as tx:
            await files.touch(tx, paths)
        async with self.db.transaction() as tx:
            await storage.lock(tx, user)
            await files.lock(tx, paths)
            await storage.announce(tx, user, paths, [10] * 4, [True] * 4)

    async def collect(self) -> None:
        """What the collector does."""
        for user in await collection.lapsing(self.db):
            async with self.db.transaction() as tx:
                if await collection.lock_storage(tx, user):
                    paths = await collection.lapse(tx, user)
                    await collection.give_up(tx, paths)
        async with self.db.transaction() as tx:
            await collection.mark(tx, await collection.lock_due(tx))

    async def quietly(self, act: Awaitable[Any]) -> None:
        """Its outcome may be a refusal that it can foresee."""
        try:
            await act
        except Problem as problem:
            self.assertIn(problem.code, EXPECTED)
        except Unavailable as error:
            self.fail(f"it waited in a circle: {error}")

    async def test_crowd(self) -> None:
        """Nothing waits in a circle. What is claimed is kept and counts, and the sums are right."""
        for _ in range(8):
            # All is due. The announcements of some files are so too.
            self.sql("update files set due = now() where due is not null and not collecting")
            self.sql("update user_files set due = now() where due is not null and path < '3'")
            acts = [act for by in (self.by_ann, self.by_bob) * 2 for act in self.acts(by)]
            self.random.shuffle(acts)
            await together(*map(self.quietly, acts))
        lost = self.sql(
            """select c.path from claims c left join files f on f.path = c.path
               where f.path is null or f.collecting"""
        )
        uncounted = self.sql(
            """select c.path from claims c left join user_files u
               on u.user_id = c.owner_id and u.path = c.path
               where c.owner_id is not null and (u.path is null or not u.sent)"""
        )
        wrong = self.sql(
            """select s.user_id from storage s cross join lateral (
                   select coalesce(sum(u.size), 0) as used,
                          count(*) filter (where not u.sent) as pending
                   from user_files u where u.user_id = s.user_id
               ) u where (s.used, s.pending) <> (u.used, u.pending)"""
        )
        forgotten = self.sql(
            """select f.path from files f where f.due is null
               and not exists (select from claims c where c.path = f.path)
               and not exists (select from user_files u where u.path = f.path)"""
        )
        self.assertEqual([lost, uncounted, wrong, forgotten], [[], [], [], []])
        self.assertTrue(self.sql("select 1 from claims limit 1"))
