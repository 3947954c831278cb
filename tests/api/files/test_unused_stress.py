"""Publishing, giving up, naming and collecting the same files at once (files#own-files): nobody
ever claims bytes that are gone, and nothing that counts is lost."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.api.files.blocks import FileBlocks
from contentsvc.api.files.files import Files
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.db.query import Db, Statements
from contentsvc.store.files import references
from contentsvc.wire.accounts import Profile, UserUpdate
from contentsvc.wire.files import UploadsBody
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import revision
from tests.api.files.filing import PNG, FilingCase, part
from tests.api.files.test_uploads_stress import SUMS, expire_announcement, expire_file
from tests.api.files.uploading import BASE, LIMITS, digest, fresh, image, of, place, token
from tests.api.support import Caller, acts
from tests.jobs.files import file_jobs
from tests.support.buckets import MemoryBucket
from tests.support.deferreds import together
from tests.support.pictures import png

ROUNDS, AT_ONCE, FILES, PROCESSES = 40, 12, 8, 3
CLAIMED = """
    select c.path, coalesce(f.stored and not f.collecting, false) as good
    from (select distinct path from claims) c left join files f using (path)
"""
OWED = """
    select c.owner_id, c.path from claims c
    left join user_files u on u.user_id = c.owner_id and u.path = c.path
    where c.owner_id is not null and u.path is null
"""


STATEMENTS = Statements()


@STATEMENTS.none("update contents set withdrawn = '2020-01-01' where id = :content and deleted")
async def expire_content(db: Db, content: str) -> None:
    """Thirty days pass for a deleted content."""


class StormTests(FilingCase):
    anew = True
    timeout = 120.0

    async def setUp(self) -> None:
        await super().setUp()
        self.random = random.Random(5)
        self.bucket = MemoryBucket()
        self.bucket.before = self.slowly
        place = reactor, self.db, self.bucket
        self.files = Files(
            *place,
            option="s3",
            limits=LIMITS,
            public_url=BASE,
            scaled=True,
            blocks=FileBlocks(*place, acts(), lambda: None, WallClock()),
            stored=lambda: None,
        )
        pictures = [png(8, 8) + fresh() for _ in range(FILES)]
        self.data = {digest(each): each for each in pictures}
        self.given = [of(each) for each in self.data.values()]
        self.images = [image(each) for each in self.data.values()]
        self.jobs: list[Callable[[], Awaitable[Any]]] = []
        for _ in range(PROCESSES):
            db = await self.pool(size=2)
            jobs = file_jobs(reactor, db, self.bucket)
            self.jobs += [jobs.expiry.run, jobs.collection.run]
        self.games: dict[str, tuple[Caller, list[str]]] = {}
        self.outcomes: Counter[str] = Counter()
        self.audits = 0

    def slowly(self) -> Deferred[None]:
        """The store takes a moment. Now and then, whatever is under way, all must be in order."""
        if self.random.random() < 0.1:
            self.audit()
        return deferLater(reactor, self.random.random() * 0.01)

    def audit(self) -> None:
        """All that is claimed is there: the row says so, and the bytes are."""
        self.audits += 1
        for path, good in self.sql(CLAIMED):
            self.assertTrue(good, path)
            self.assertIn(path, self.bucket.kept)

    async def names(self, by: Caller | None = None) -> None:
        """A user announces some files, sends what is missing, and verifies it."""
        by = by or self.anybody()
        every = [*self.given, *self.images]
        some = self.random.sample(every, self.random.randint(1, len(every)))
        body = msgspec.convert({"files": some}, UploadsBody)
        for file in (await self.files.announce_files(by, body)).files:
            if file.upload is not None:
                self.bucket.put(place(file), self.data[file.sha256], token(file))
        await self.files.announce_files(by, body)

    async def creates(self) -> None:
        """A user publishes two files and an image."""
        by, body = self.anybody(), self.parts(draft())
        game = await self.made(body | {"screenshotUris": [self.path(PNG)]}, by)
        self.games[game] = by, [body["revisionId"]]

    async def revises(self) -> None:
        """An author publishes others instead."""
        game, by, revisions = self.game_of_somebody()
        body = self.parts(revision())
        await self.publish(body, by, game)
        revisions.append(body["revisionId"])

    async def gives_up(self) -> None:
        """An author gives up an old revision."""
        game, by, revisions = self.game_of_somebody()
        if len(revisions) > 1:
            await self.delete_revision(game, self.random.choice(revisions[:-1]), by)

    async def purges(self) -> None:
        """Content was deleted for long."""
        game, by, _ = self.game_of_somebody()
        await self.withdrawal.delete_content(by, game)
        await expire_content(self.db, game)
        while await references.purge(self.db):
            pass

    async def dresses(self) -> None:
        """A user puts on another avatar, or none."""
        by = self.anybody()
        avatar = self.random.choice([None, self.path(PNG)])
        profile = Profile()
        body = UserUpdate(avatar=avatar, emblem=None, full_profile=profile, public_profile=profile)
        await self.users.update_user(by, by.user, body)

    async def expires(self) -> None:
        """A day passes for some files and announcements, between what is under way."""
        for path in self.random.sample(self.bucket.files, len(self.bucket.files) // 2):
            await expire_file(self.db, path)
            for user in (self.ann, self.bob, self.admin):
                await expire_announcement(self.db, path, user)

    async def works(self) -> None:
        """The jobs of a process run."""
        for job in self.random.sample(self.jobs, 3):
            await job()

    def parts(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body with two files."""
        return body | {"entity": part(self.path()), "originating": [part(self.path())]}

    def path(self, media_type: str = "") -> str:
        """That of one of the files."""
        sha256 = self.random.choice(list(self.data))
        return f"{sha256[:2]}/{sha256}{'.png' if media_type else ''}"

    def anybody(self) -> Caller:
        return self.random.choice([self.by_ann, self.by_bob, self.by_admin])

    def game_of_somebody(self) -> tuple[str, Caller, list[str]]:
        """A content of Ann's to begin with; any that was published since."""
        if not self.games:
            return self.game, self.by_ann, [self.first]
        game = self.random.choice(list(self.games))
        return (game, *self.games[game])

    async def test_storm(self) -> None:
        """Whatever happens at once, what is claimed is there. When all is given up, nothing is
        left."""
        acts = [
            *(4 * [self.names], 2 * [self.creates], 2 * [self.revises], 2 * [self.dresses]),
            *(3 * [self.gives_up], 2 * [self.purges], 8 * [self.works]),
        ]
        flat = [act for several in acts for act in several]
        for _ in range(ROUNDS):
            await self.expires()
            begun = [self.random.choice(flat)() for _ in range(AT_ONCE)]
            self.outcomes.update(await self.statuses(*begun))
            self.audit()
            self.assertEqual(self.sql(OWED), [])
            self.assertEqual({fits for (fits,) in self.sql(SUMS)} - {True}, set())
        self.assertLessEqual(
            self.outcomes.keys(),
            {"done", "file_missing", "storage_unavailable", "content_deleted"},
        )
        self.assertGreater(self.outcomes["done"], ROUNDS)
        self.assertGreater(self.outcomes["file_missing"], 0)
        self.assertGreater(self.audits, ROUNDS)
        self.assertGreater(len(self.bucket.deleted), 0)
        await self.end()

    async def end(self) -> None:
        """Everybody gives up everything, and a day passes."""
        self.assertGreater(len(self.bucket.files), 0)
        for holder, kind in self.sql("select distinct holder, kind from claims"):
            self.sql("delete from claims where holder = %s and kind = %s", holder, kind)
        self.sql("update user_files set due = now()")
        self.sql("update files set due = now() where due is not null and not collecting")
        while any(pause is not None for pause in await together(*(job() for job in self.jobs))):
            pass
        self.assertEqual(self.sql("select path from files"), [])
        self.assertEqual({used for (used,) in self.sql("select used from storage")}, {0})
