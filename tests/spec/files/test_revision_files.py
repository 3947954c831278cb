"""Revisions whose files are given up: files#downloads."""

from __future__ import annotations

from typing import Any

from tests.spec.data import Content, guid, reference
from tests.spec.files.support import File, FilesCase, blob, made_of
from tests.spec.shapes import CONTENT_FILE, REVISION_ITEM
from tests.support.deferreds import together


class RevisionFilesTests(FilesCase):
    """DELETE /api/v1/content/{content}/revisions/{revision}."""

    async def superseded(self) -> tuple[Content, File, File]:
        """Content whose first revision is no longer the current one; the files of both."""
        author, old, new = await self.user(), blob(), blob()
        made = await self.holding(author, old)
        await self.upload(author, new)
        await self.publish(made, entity=made_of(new))
        return made, old, new

    async def give_up(self, of: Content, expect: int = 204) -> None:
        """DELETE its first revision, as its author."""
        path = f"{of.path}/revisions/{of.sent['revisionId']}"
        await self.delete(path, by=of.author, expect=expect)

    async def listed(self, of: Content) -> list[dict[str, Any]]:
        """Its revisions."""
        return list(await self.read(f"{of.path}/revisions", [REVISION_ITEM]))

    async def test_gone(self):
        """files#downloads: the revision stays listed with `gone: true`, the others without; a
        repeat is 204."""
        made, _, _ = await self.superseded()
        self.assertEqual(
            [False, False], [one.get("gone", False) for one in await self.listed(made)]
        )
        for _ in range(2):
            await self.give_up(made)
            new, old = await self.listed(made)
            self.assertEqual((made.sent["revisionId"], True), (old["id"], old["gone"]))
            self.assertFalse(new.get("gone", False))
        for one, gone in ((old, True), (new, False)):
            found = (await self.get(f"{made.path}/revisions/{one['id']}", expect=200)).json()
            self.assertIs(gone, found.get("gone", False))

    async def test_files(self):
        """files#downloads: it releases its claims: there are no URLs of it any more; of the current
        one there are."""
        made, _, new = await self.superseded()
        await self.give_up(made)
        path = f"{made.path}/revisions/{made.sent['revisionId']}/files"
        found = await self.read(path, [CONTENT_FILE])
        self.assertEqual({None}, {one["url"] for one in found} | {None})
        await self.gets(await self.link(made, new), new.data)

    async def test_shared_by_the_next(self):
        """files#downloads: what the current revision has too keeps its URL."""
        author, file = await self.user(), blob()
        made = await self.holding(author, file)
        await self.publish(made, entity=made_of(file))
        await self.give_up(made)
        await self.gets(await self.link(made, file), file.data)

    async def test_no_longer_used(self):
        """files#downloads: then active content does not use it, and it is not there for others."""
        made, old, new = await self.superseded()
        await self.there(await self.user(), old)
        await self.give_up(made)
        other = await self.user()
        await self.missing(other, old)
        await self.unusable(other, old)
        await self.there(other, new)
        await self.there(made.author, old)

    async def test_dependents_keep_it(self):
        """files#downloads: content that uses a part of it has a claim of its own."""
        author, old, new = await self.user(), blob(), blob()
        base = await self.holding(author, old)
        made = await self.content(
            await self.user(),
            originating=[],
            packagesOriginating=[],
            using=[reference(base.sent["entity"])],
        )
        await self.upload(author, new)
        await self.publish(base, entity=made_of(new))
        await self.give_up(base)
        await self.gets(await self.link(made, old), old.data)

    async def test_current(self):
        """files#downloads: the current one is 409 revision_current."""
        made = await self.holding(await self.user(), blob())
        path = f"{made.path}/revisions/{made.sent['revisionId']}"
        self.problem(await self.delete(path, by=made.author), 409, "revision_current")
        self.assertFalse((await self.listed(made))[0].get("gone", False))

    async def test_going_back(self):
        """files#downloads: PUT current on it is 409 revision_gone."""
        made, _, _ = await self.superseded()
        await self.give_up(made)
        response = await self.roll(made, made.sent["revisionId"], None)
        self.problem(response, 409, "revision_gone")
        self.assertTrue((await self.listed(made))[0]["current"])

    async def test_studio_paths(self):
        """files#downloads: a revision of the studio's own files can be given up as well."""
        made = await self.content(await self.user())
        await self.publish(made)
        await self.give_up(made)
        self.assertEqual(True, (await self.listed(made))[1]["gone"])
        response = await self.roll(made, made.sent["revisionId"], None)
        self.problem(response, 409, "revision_gone")

    async def test_hidden(self):
        """content#revisions: the author gives up a revision of hidden content too."""
        for hide in (lambda made: self.moderate(made, "suspended"), self.withdraw):
            made, _, _ = await self.superseded()
            await hide(made)
            await self.give_up(made)
            found = await self.read(f"{made.path}/revisions", [REVISION_ITEM], by=made.author)
            self.assertEqual([False, True], [one.get("gone", False) for one in found])

    async def test_given_up_at_once(self):
        """files#downloads: made current and given up at once, a revision is one of the two."""
        made, old, _ = await self.superseded()
        path = f"{made.path}/revisions/{made.sent['revisionId']}"
        rolled, given = await together(
            self.roll(made, made.sent["revisionId"], None), self.delete(path, by=made.author)
        )
        shown = {one["id"]: one for one in await self.listed(made)}[made.sent["revisionId"]]
        if rolled.status == 204:
            self.problem(given, 409, "revision_current")
            self.assertEqual((True, False), (shown["current"], shown.get("gone", False)))
            await self.gets(await self.link(made, old), old.data)
        else:
            self.problem(rolled, 409, "revision_gone")
            self.assertEqual(204, given.status)
            self.assertEqual((False, True), (shown["current"], shown["gone"]))

    async def test_missing(self):
        """Unknown content is 404 content_not_found, and so is another's that is hidden; an unknown
        revision revision_not_found."""
        made, _, _ = await self.superseded()
        response = await self.delete(f"{made.path}/revisions/{guid()}", by=made.author)
        self.problem(response, 404, "revision_not_found")
        response = await self.delete(f"content/{guid()}/revisions/{guid()}", by=made.author)
        self.problem(response, 404, "content_not_found")
        await self.moderate(made, "suspended")
        path = f"{made.path}/revisions/{made.sent['revisionId']}"
        response = await self.delete(path, by=await self.someone())
        self.problem(response, 404, "content_not_found")

    async def test_another_contents_revision(self):
        """A revision of other content is not found below this one."""
        made, _, _ = await self.superseded()
        other = await self.content(made.author)
        path = f"{other.path}/revisions/{made.sent['revisionId']}"
        self.problem(await self.delete(path, by=made.author), 404, "revision_not_found")

    async def test_repeat_of_its_publication(self):
        """content#revisions: a repeat of a published revisionId is still 201, and changes
        nothing."""
        author, new = await self.user(), blob()
        made = await self.holding(author, blob())
        await self.upload(author, new)
        sent = await self.publish(made, entity=made_of(new))
        await self.roll(made, made.sent["revisionId"])
        path = f"{made.path}/revisions/{sent['revisionId']}"
        await self.delete(path, by=author, expect=204)
        await self.post(f"{made.path}/revisions", sent, by=author, expect=201)
        gone = {one["id"]: one.get("gone", False) for one in await self.listed(made)}
        self.assertEqual({sent["revisionId"]: True, made.sent["revisionId"]: False}, gone)
