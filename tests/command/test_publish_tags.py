"""`contentsvc publish` where the service names tags (content#tags)."""

from contentsvc.client import ApiError
from contentsvc.command.manifest import MANIFEST
from contentsvc.wire.content import StaffTags
from contentsvc.wire.searches import TagsQuery
from tests.command.test_publish import TOWER, FolderCase
from tests.spec.content.test_tags import GROUPS, with_tags
from tests.support import daemon


class TagsTests(FolderCase):
    async def daemon(self) -> daemon.Daemon:
        return await daemon.shared(
            "closed tags", lambda: with_tags(f"free = false\n{GROUPS}", files="local")
        )

    def tagged(self, *tags: str) -> None:
        """Write a manifest with these tags."""
        given = ", ".join(f'"{tag}"' for tag in tags)
        self.write(MANIFEST, TOWER.replace('"physics"', given).encode())

    async def test_refused(self) -> None:
        """What tags it may not have is said before anything is uploaded."""
        for tags, said in (
            (("Puzzle", "physics"), "(physics)"),
            (("Pick",), "(Pick)"),
            (("Puzzle", "Race", "Quiz"), "(at most 2 of genre)"),
        ):
            self.tagged(*tags)
            done = await self.publish(expect=1)
            self.assertIn(said, done.err)
        self.assertEqual((await self.client.files.get_user_storage()).used, 0)

    async def test_unchanged(self) -> None:
        """Another spelling, and tags that curators have given, are no changes."""
        self.tagged("puzzle", "CO-OP")
        await self.publish()
        self.assertEqual((await self.family.get(self.content)).tags, ["Puzzle", "Co-op"])
        self.assertIn("Nothing has changed", (await self.publish()).out)
        self.tagged("race")
        self.assertIn("Updated the description", (await self.publish()).out)
        self.assertEqual((await self.family.get(self.content)).tags, ["Race"])

    async def test_client(self) -> None:
        """The client lists tags, and asks for those of a curator."""
        (found,) = (await self.client.search.list_tags(TagsQuery(group="levels"))).items
        self.assertEqual((found.tag, found.group), ("Level of the week", "levels"))
        self.tagged("puzzle")
        await self.publish()
        with self.assertRaises(ApiError) as raised:
            await self.family.set_staff_tags(self.content, StaffTags(tags=[]))
        self.assertEqual(raised.exception.code, "forbidden")
