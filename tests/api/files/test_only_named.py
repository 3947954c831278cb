"""Content from before the service had files may name a path of its own. It shows nothing of the
bytes that somebody sends there later (files#files)."""

import msgspec

from tests.api.content.test_items import draft
from tests.api.content.test_revisions import reference, revision
from tests.api.files.filing import part
from tests.api.files.test_downloads import DownloadCase


class OnlyNamedTests(DownloadCase):
    async def setUp(self) -> None:
        await super().setUp()
        (self.path,) = self.uploaded(by=self.bob)
        self.body = draft()
        self.old = await self.made(self.body)
        self.sql(
            "update entities set path = %s where entity_id = %s",
            *(self.path, self.body["entity"]["entityId"]),
        )

    async def test_files(self) -> None:
        """The file is not in the list, so neither its existence nor its size shows; also if the
        author has announced it."""
        self.assertEqual(await self.files(self.old), [])
        self.sql(
            "insert into user_files (user_id, path, size) values (%s, %s, 10)", self.ann, self.path
        )
        self.assertEqual(await self.files(self.old), [])

    async def test_used(self) -> None:
        """Who uses the part does not get the bytes, and does not count as who has sent them."""
        used = [reference(self.body["entity"])]
        game = await self.create(entity=part("studio"), using=used)
        self.assertEqual(await self.files(game), [])
        again = revision(entity=part("studio"), using=used)
        await self.publish(again, game=self.old)
        self.assertEqual(await self.files(self.old), [])
        self.assertEqual(self.claims_of(self.path), [])
        self.assertEqual(await self.missing(self.create(entity=part(self.path))), [self.path])

    async def test_sent(self) -> None:
        """Once the author has sent the bytes too, the next revision that uses the part has them."""
        self.sql(
            "insert into user_files (user_id, path, size, sent) values (%s, %s, 10, true)",
            *(self.ann, self.path),
        )
        again = revision(entity=part("studio"), using=[reference(self.body["entity"])])
        await self.publish(again, game=self.old)
        self.assertNotIn(None, (await self.urls(self.old)).values())
        self.assertEqual(list(await self.urls(self.old)), [self.path])

    async def test_precheck(self) -> None:
        """The part is needed, until somebody publishes the file, or the caller has sent it."""
        asked = reference(self.body["entity"])

        async def needed() -> bool:
            answer = await self.check(dependencies=[asked], packages=[])
            return bool(msgspec.to_builtins(answer.needed))

        self.assertTrue(await needed())
        await self.create(self.by_bob, entity=part(self.path))
        self.assertFalse(await needed())

    async def test_given_up(self) -> None:
        """The files of a deleted revision are not in its list any more once they count for the
        author no longer, whoever sends them later."""
        (own,) = self.uploaded()
        body = draft(entity=part(own))
        game = await self.made(body)
        await self.publish(revision(entity=part("studio")), game=game)
        await self.delete_revision(game, body["revisionId"])
        self.assertEqual(await self.urls(game, body["revisionId"]), {own: None})
        self.sql("delete from user_files where path = %s", own)
        self.assertEqual(await self.files(game, body["revisionId"]), [])
