"""The pre-check of parts whose bytes have gone from the folder without a word (extensions §3)."""

import msgspec

from contentsvc.api.content.precheck import UploadPrecheck
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import reference
from tests.api.files.filing import FilingCase, bundle, part
from tests.support.buckets import MemoryBucket


class LookTests(FilingCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.bucket = MemoryBucket()
        self.prechecks = UploadPrecheck(
            self.db, required_platforms=(), files=True, folder=self.bucket
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
