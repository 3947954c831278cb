"""The pre-check of parts whose bytes have gone (content#pre-check)."""

import msgspec

from contentsvc.api.content.precheck import UploadPrecheck
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import reference
from tests.api.files.filing import FilingCase, bundle, part
from tests.api.support import no_types
from tests.support.buckets import MemoryBucket


class LookTests(FilingCase):
    """Without a word: the folder itself is looked at."""

    async def setUp(self) -> None:
        await super().setUp()
        self.bucket = MemoryBucket()
        self.prechecks = UploadPrecheck(
            self.db, no_types(self.db), required_platforms=(), files=True, folder=self.bucket
        )
        self.lost, self.kept = self.uploaded()[0], self.uploaded()[0]
        self.bucket.put(self.kept, bytes(10))
        first, second, package = part(self.lost), part(self.kept), bundle(linux64=self.lost)
        await self.made(draft(entity=first, originating=[second], packagesOriginating=[package]))
        self.first, self.second = reference(first), reference(second)
        self.package = package["id"]

    async def needed(self) -> tuple[list[dict[str, str]], list[str]]:
        answer = await self.check(dependencies=[self.first, self.second], packages=[self.package])
        return msgspec.to_builtins(answer.needed), answer.needed_packages

    async def test_gone(self) -> None:
        """Entities and packages are needed whose files the folder lacks, although the database
        takes them for there."""
        self.assertEqual(await self.needed(), ([self.first], [self.package]))
        self.bucket.put(self.lost, bytes(10))
        self.assertEqual(await self.needed(), ([], []))

    async def test_away(self) -> None:
        """While the folder is away, the database decides, as it does for publishing."""
        self.bucket.away = True
        self.assertEqual(await self.needed(), ([], []))

    async def test_studio(self) -> None:
        """Paths of the studio's own are not looked for."""
        own = part("studio/tree")
        await self.create(entity=own)
        answer = await self.check(dependencies=[reference(own)])
        self.assertEqual(answer.needed, [])
        self.assertEqual(self.bucket.looked, [])


class GoneTests(FilingCase):
    async def test_gone(self) -> None:
        """What is registered is needed if a file of it is gone, blocked or being collected."""
        there, away, blocked, going, package = (self.uploaded()[0] for _ in range(5))
        entities = [part(path) for path in (there, away, blocked, going, "studio/part")]
        packages = [bundle(win64=there, linux64=package), bundle(osx64="studio", win64=there)]
        await self.create(originating=entities, packagesOriginating=packages)
        self.sql("update files set stored = false where path = any(%s)", [away, package])
        self.sql("update files set collecting = true where path = %s", going)
        self.sql("insert into blocked_files (sha256, reason) values (%s, '')", blocked[3:])
        unknown = part("x")
        answer = await self.check(
            dependencies=[reference(each) for each in [*entities, unknown]],
            packages=[each["id"] for each in packages],
        )
        needed = [reference(each) for each in (*entities[1:4], unknown)]
        self.assertEqual(msgspec.to_builtins(answer.needed), needed)
        self.assertEqual(answer.needed_packages, [packages[0]["id"]])
        self.assertEqual(answer.problems, [])


class LimitTests(FilingCase):
    async def test_refused(self) -> None:
        """A large one counts, also one of content that is there, or that cannot be decoded."""
        game = await self.create()
        many = [reference(part("x")) for _ in range(200)]
        for wrong, code in (
            ({"contentId": game}, "content_exists"),
            ({"entity": 1}, "invalid_body"),
        ):
            self.sql("delete from rate_limits")
            self.prechecks.per_minute = 6
            for expected in (code, code, "too_many_requests"):
                found = await self.statuses(self.check(dependencies=many, **wrong))
                self.assertEqual(found, [expected])
