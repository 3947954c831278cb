"""Everything that wants or gives up the same files at the same time (files#own-files)."""

from collections.abc import Awaitable
from random import Random
from typing import Any

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.http.errors import Problem
from contentsvc.jobs.files import expire_announcements
from contentsvc.store.files import files, inventory, references, storage, unused
from contentsvc.wire.accounts import Profile, UserUpdate
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import revision
from tests.api.files.filing import PNG, FilingCase, new, part
from tests.api.support import Caller
from tests.support.databases import guid
from tests.support.deferreds import together

EXPECTED = {"file_missing", "revision_current", "revision_gone", "revision_not_found"}


class CrowdTests(FilingCase):
    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.random = Random(10)
        self.parts = [new() for _ in range(6)]
        self.shots = [new(PNG) for _ in range(6)]
        self.unknown = [new() for _ in range(3)]
        self.renew()
        self.games = {
            self.ann: [await self.create() for _ in range(2)],
            self.bob: [await self.create(self.by_bob) for _ in range(2)],
        }

    def renew(self) -> None:
        """All is there, sent by both, and due. The announcements of some files are so too, and
        those of others lapsed long ago."""
        self.sql(
            """insert into files (path, size, stored, due)
               select path, 10, true, now() from unnest(%s) as named (path)
               on conflict (path) do update
               set stored = true, collecting = false, due = now()""",
            self.parts + self.shots,
        )
        self.sql(
            """insert into user_files (user_id, path, size, sent, due)
               select user_id::uuid, path, 10, true, case
                   when path < '4' then now() when path < 'c' then now() + interval '1 day'
               end
               from unnest(%s) as named (path), unnest(%s) as them (user_id)
               on conflict (user_id, path) do update set sent = true, due = excluded.due""",
            *(self.parts + self.shots, [self.ann, self.bob]),
        )

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
            self.dress(by),
            self.announce(by.user),
            self.collect(),
            self.repair(self.some(self.shots), known=True),
            self.repair(self.some(self.parts) + self.some(self.unknown), known=False),
            references.purge(self.db),
        ]

    async def give_up(self, by: Caller, game: str) -> None:
        """Delete the first revision."""
        rows = self.sql(
            "select id::text from revisions where content_id = %s order by ordinal limit 1", game
        )
        await self.delete_revision(game, rows[0][0], by)

    async def dress(self, by: Caller) -> None:
        """Put on another avatar."""
        avatar, profile = self.random.choice(self.shots), Profile()
        body = UserUpdate(avatar=avatar, emblem=None, full_profile=profile, public_profile=profile)
        await self.users.update_user(by, by.user, body)

    async def withdraw(self, by: Caller) -> None:
        """Content that has images was deleted long ago."""
        game = await self.create(by, screenshotUris=self.some(self.shots))
        await self.withdrawal.delete_content(by, game)
        self.sql("update contents set withdrawn = '2020-01-01' where id = %s", game)

    async def announce(self, user: str) -> None:
        """What POST /uploads locks and writes."""
        unknown = self.some(self.unknown)
        paths = [*self.some(self.parts), *self.some(self.shots), *unknown]
        async with self.db.transaction() as tx:
            await files.touch(tx, paths)
        async with self.db.transaction() as tx:
            await storage.lock(tx, user)
            await files.begin(tx, unknown)
            good = [row.path for row in await files.lock(tx, paths) if not row.collecting]
            await storage.announce(
                tx, user, good, [10] * len(good), [True] * len(good), ["entity"] * len(good)
            )

    async def collect(self) -> None:
        """What the collector does, except that it deletes nothing."""
        await expire_announcements(self.db)
        async with self.db.transaction() as tx:
            await unused.mark(tx, await unused.lock_expired(tx))

    async def repair(self, paths: list[str], *, known: bool) -> None:
        """What a check of all files does to bytes that are wrong, or that nobody knows. The wrong
        ones come again."""
        async with self.db.transaction() as tx:
            held = await inventory.seize(tx, paths, known)
        if held is not None:
            async with self.db.transaction() as tx:
                await unused.remove(tx, held.paths)
        if known:
            async with self.db.transaction() as tx:
                await files.lock(tx, paths)
                await files.settle(
                    tx, guid(), paths, [True] * 2, [10] * 2, [False] * 2, ["entity"] * 2
                )

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
        for _ in range(16):
            self.renew()
            for by in (self.by_ann, self.by_bob):
                await self.withdraw(by)
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
