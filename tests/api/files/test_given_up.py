"""Files that are given up, and content and revisions without them (extensions §3)."""

import msgspec

from tests.api.content.test_items import draft
from tests.api.content.test_revisions import reference, revision
from tests.api.files.filing import FilingCase, bundle, part
from tests.support.databases import guid


class DeleteTests(FilingCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.old, self.new = self.uploaded()[0], self.uploaded()[0]
        body = draft(entity=part(self.old))
        self.first, self.game = body["revisionId"], await self.made(body)
        second = revision(entity=part(self.new))
        await self.publish(second)
        self.second = second["revisionId"]

    async def test_given_up(self) -> None:
        """A deleted revision gives up its files, stays in the list as gone, and can be deleted
        again and published again without effect."""
        for _ in range(2):
            await self.delete_revision(self.game, self.first)
        self.assertEqual(self.claims_of(self.old), [])
        self.assertEqual(len(self.claims_of(self.new)), 1)
        listed = msgspec.to_builtins(await self.listed())
        self.assertEqual([one.get("gone") for one in listed], [None, True])
        detail = await self.contents.get_revision(self.by_ann, self.game, self.first)
        self.assertIs(msgspec.to_builtins(detail)["gone"], True)
        detail = await self.contents.get_revision(self.by_ann, self.game, self.second)
        self.assertNotIn("gone", msgspec.to_builtins(detail))
        await self.publish(revision(revisionId=self.first), game=self.game)

    async def test_current(self) -> None:
        """The current revision cannot be deleted, nor a deleted one become the current one."""
        act = self.delete_revision(self.game, self.second)
        self.assertEqual(await self.code(act), "revision_current")
        await self.delete_revision(self.game, self.first)
        self.assertEqual(await self.code(self.choose(self.first)), "revision_gone")
        await self.choose(self.second)

    async def test_others(self) -> None:
        """Only the author may, and whoever cannot see the content does not learn of it."""
        for caller in (self.by_bob, self.by_admin):
            act = self.delete_revision(self.game, self.first, caller)
            self.assertEqual(await self.code(act), "forbidden")
        self.flag(self.game, suspended=True)
        act = self.delete_revision(self.game, self.first, self.by_bob)
        self.assertEqual(await self.code(act), "content_not_found")
        act = self.delete_revision(guid(), self.first)
        self.assertEqual(await self.code(act), "content_not_found")
        other = await self.create()
        for id in (guid(), self.first):
            act = self.delete_revision(other, id)
            self.assertEqual(await self.code(act), "revision_not_found")
        self.flag(self.game, deleted=True)
        await self.delete_revision(self.game, self.first)

    async def test_at_once(self) -> None:
        """Of a deletion and a choice at once, one comes first, and the other is refused."""
        for _ in range(4):
            acts = (self.delete_revision(self.game, self.first), self.choose(self.first))
            found = await self.statuses(*acts)
            self.assertIn(found, (["done", "revision_gone"], ["revision_current", "done"]))
            self.sql("update revisions set gone = false where id = %s", self.first)
            await self.choose(self.second)


class PrecheckTests(FilingCase):
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


class PurgedTests(FilingCase):
    async def test_restore(self) -> None:
        """Purged content cannot be restored; its withdrawal can be repeated, and it stays deleted
        content for all else."""
        await self.withdrawal.delete_content(self.by_ann, self.game)
        self.sql("update contents set purged = true where id = %s", self.game)
        await self.withdrawal.delete_content(self.by_ann, self.game)
        act = self.withdrawal.restore_content(self.by_ann, self.game)
        self.assertEqual(await self.code(act), "content_purged")
        act = self.withdrawal.restore_content(self.by_admin, self.game)
        self.assertEqual(await self.code(act), "forbidden")
        act = self.withdrawal.restore_content(self.by_bob, self.game)
        self.assertEqual(await self.code(act), "content_not_found")
        self.assertEqual(await self.code(self.publish()), "content_deleted")
