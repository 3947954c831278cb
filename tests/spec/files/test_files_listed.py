"""The files of content, with URLs to read them: files#downloads."""

from __future__ import annotations

import time
from typing import Any

from tests.spec.data import Content, User, guid, reference
from tests.spec.files.support import File, FilesCase, blob, made_of, packed, picture
from tests.spec.shapes import CONTENT_FILE


class ListedCase(FilesCase):
    """GET …/files."""

    async def whole(self, author: User) -> tuple[Content, dict[str, File]]:
        """Content with every kind of part, and their files."""
        parts = {
            "core": blob(61),
            "dependency": blob(62),
            "win64": blob(63, "package"),
            "osx64": blob(64, "package"),
            "linux64": blob(65, "package"),
        }
        await self.upload(author, *parts.values())
        platforms = {one: parts[one] for one in ("win64", "osx64", "linux64")}
        made = await self.content(
            author,
            entity=made_of(parts["core"]),
            originating=[made_of(parts["dependency"])],
            packagesOriginating=[packed(**platforms)],
        )
        return made, parts

    async def built_on(self, author: User, other: Content, **changes: Any) -> tuple[Content, File]:
        """Content of `author` whose core is a file of theirs, and that uses the other's core."""
        own = blob()
        await self.upload(author, own)
        made = await self.content(
            author,
            entity=made_of(own),
            originating=[],
            packagesOriginating=[],
            using=[reference(other.sent["entity"])],
            **changes,
        )
        return made, own


class ListedTests(ListedCase):
    """GET /api/v1/content/{content}/files and …/revisions/{revision}/files."""

    async def test_answer(self):
        """files#downloads: path, use, sha256, size, mediaType, url and expires of the core entity,
        all dependencies and packages, in this order."""
        made, parts = await self.whole(await self.user())
        for path in (made.path, f"{made.path}/revisions/{made.sent['revisionId']}"):
            found = await self.read(f"{path}/files", [CONTENT_FILE])
            expected = [
                (file.path, file.use, file.digest, len(file.data)) for file in parts.values()
            ]
            shown = [(one["path"], one["use"], one["sha256"], one["size"]) for one in found]
            self.assertEqual(expected, shown)
            self.assertEqual({"application/octet-stream"}, {one["mediaType"] for one in found})
            by_path = {one["path"]: one["url"] for one in found}
            for file in parts.values():
                await self.gets(by_path[file.path], file.data)

    async def test_platform(self):
        """files#downloads: `platform`: of the packages only that one's."""
        made, parts = await self.whole(await self.user())
        for platform in ("win64", "osx64", "linux64"):
            found = await self.files(made, platform=platform)
            names = ("core", "dependency", platform)
            self.assertCountEqual(
                [parts[name].path for name in names], [one["path"] for one in found]
            )
        for path in (made.path, f"{made.path}/revisions/{made.sent['revisionId']}"):
            for value in ("win32", ""):
                response = await self.get(f"{path}/files?platform={value}")
                self.invalid_query(response, "platform")

    async def test_platform_of_each(self):
        """files#downloads: `platform` of each package's file tells those of one package apart, and
        those of the same bytes; it is null for entities."""
        author, same, other = await self.user(), blob(66, "package"), blob(67, "package")
        core = blob()
        await self.upload(author, core, same, other)
        made = await self.content(
            author,
            entity=made_of(core),
            originating=[],
            packagesOriginating=[packed(win64=same, osx64=other), packed(linux64=same, win64=same)],
        )
        expected = [
            (core.path, None),
            (same.path, "win64"),
            (other.path, "osx64"),
            (same.path, "win64"),
            (same.path, "linux64"),
        ]
        for path in (made.path, f"{made.path}/revisions/{made.sent['revisionId']}"):
            found = await self.read(f"{path}/files", [CONTENT_FILE])
            self.assertEqual(expected, [(one["path"], one["platform"]) for one in found])
        (_, one) = await self.files(made, platform="linux64")
        self.assertEqual((same.path, "linux64"), (one["path"], one["platform"]))

    async def test_only_the_services(self):
        """files#downloads: only those whose files the service has."""
        author, file = await self.user(), blob()
        studios = await self.content(author)
        self.assertEqual([], await self.files(studios))
        await self.upload(author, file)
        mixed = await self.content(author, originating=[made_of(file)])
        self.assertEqual([file.path], [one["path"] for one in await self.files(mixed)])

    async def test_screenshots_are_not_listed(self):
        """files#downloads: media is not among them."""
        author, shot = await self.user(), picture()
        made = await self.holding(author, shot)
        self.assertEqual([], await self.files(made))

    async def test_dependencies(self):
        """files#downloads: all dependencies, those of other content too."""
        base, parts = await self.whole(await self.user())
        made, own = await self.built_on(
            await self.user(), base, packagesUsing=[base.sent["packagesOriginating"][0]["id"]]
        )
        found = {one["path"]: one for one in await self.files(made)}
        names = ("core", "win64", "osx64", "linux64")
        expected = [own.path, *(parts[name].path for name in names)]
        self.assertEqual(expected, [*found])
        for file in (own, parts["core"], parts["win64"]):
            await self.gets(found[file.path]["url"], file.data)

    async def test_revisions(self):
        """files#downloads: of a revision its own, of the content those of the current one."""
        author, new = await self.user(), blob()
        old = blob()
        made = await self.holding(author, old)
        await self.upload(author, new)
        sent = await self.publish(made, entity=made_of(new))
        self.assertEqual([new.path], [one["path"] for one in await self.files(made)])
        for revision, file in ((made.sent["revisionId"], old), (sent["revisionId"], new)):
            path = f"{made.path}/revisions/{revision}/files"
            (one,) = await self.read(path, [CONTENT_FILE])
            self.assertEqual(file.path, one["path"])
            await self.gets(one["url"], file.data)
        await self.roll(made, made.sent["revisionId"])
        self.assertEqual([old.path], [one["path"] for one in await self.files(made)])

    async def test_many(self):
        """files#downloads: a list of many files is whole, with a URL for each part."""
        author, file = await self.user(), blob()
        await self.upload(author, file)
        made = await self.content(author, originating=[made_of(file) for _ in range(300)])
        found = await self.files(made)
        self.assertEqual([file.path] * 300, [one["path"] for one in found])
        self.assertEqual(1, len({one["url"] for one in found}))

    async def test_missing(self):
        """Unknown content is 404 content_not_found, what is no revision of it
        revision_not_found."""
        made, other = [await self.content(await self.someone()) for _ in range(2)]
        for path in ("files", f"revisions/{guid()}/files"):
            self.problem(await self.get(f"content/{guid()}/{path}"), 404, "content_not_found")
        for revision in (guid(), other.sent["revisionId"]):
            response = await self.get(f"{made.path}/revisions/{revision}/files")
            self.problem(response, 404, "revision_not_found")

    async def test_expires(self):
        """files#downloads: URLs expire on a full hour, one to two hours ahead, so that they are
        stable."""
        made, _ = await self.whole(await self.user())
        for _ in range(2):
            before = time.time()
            first, second = await self.files(made), await self.files(made, await self.someone())
            after = time.time()
            if int(before // 3_600) == int(after // 3_600):
                break
        for one in first:
            self.assertTrue(before + 3_599 <= one["expires"] <= after + 7_201, one)
        self.assertEqual(first, second)

    async def test_as_the_detail(self):
        """files#downloads: who sees the detail sees the list: hidden content is 404 to others."""
        made, parts = await self.whole(await self.user())
        for hide in (lambda made: self.moderate(made, "suspended"), self.withdraw):
            await hide(made)
            for user in (None, await self.someone()):
                response = await self.get(f"{made.path}/revisions/{guid()}/files", by=user)
                self.problem(response, 404, "content_not_found")
            for path in (made.path, f"{made.path}/revisions/{made.sent['revisionId']}"):
                for user in (None, await self.someone()):
                    response = await self.get(f"{path}/files", by=user)
                    self.problem(response, 404, "content_not_found")
                for user in (made.author, await self.admin()):
                    found = await self.read(f"{path}/files", [CONTENT_FILE], by=user)
                    self.assertEqual(len(parts), len(found))
            await self.moderate(made, "active")


class WithheldTests(ListedCase):
    """Where `url` is null."""

    async def withheld(self, of: Content, by: User | None, *files: File) -> None:
        """Assert which of the content's files have no URL."""
        found = await self.files(of, by)
        withheld = {one["path"] for one in found if one["url"] is None}
        self.assertEqual({file.path for file in files}, withheld)
        for one in found:
            self.assertEqual(one["url"] is None, one["expires"] is None, one)

    async def test_suspended(self):
        """files#downloads: suspended content has no more URLs, nor has what it brought in others
        that use it; taken back, they are there again."""
        core, author = blob(), await self.user()
        base = await self.holding(author, core)
        made, own = await self.built_on(await self.user(), base)
        await self.withheld(made, None)
        await self.moderate(base, "suspended")
        for user in (author, await self.admin()):
            await self.withheld(base, user, core)
        await self.withheld(made, None, core)
        await self.gets(await self.link(made, own), own.data)
        await self.moderate(base, "active")
        await self.withheld(base, None)
        await self.withheld(made, None)
        await self.gets(await self.link(made, core), core.data)

    async def test_deleted(self):
        """files#downloads: deleted content has no more URLs; for active dependents still."""
        core, author = blob(), await self.user()
        base = await self.holding(author, core)
        made, _ = await self.built_on(await self.user(), base)
        await self.withdraw(base)
        for user in (author, await self.admin()):
            await self.withheld(base, user, core)
        await self.withheld(made, None)
        await self.gets(await self.link(made, core), core.data)
        await self.restore(base)
        await self.withheld(base, None)

    async def test_deleted_dependents(self):
        """files#downloads: dependents that are not active have none."""
        core = blob()
        base = await self.holding(await self.user(), core)
        made, own = await self.built_on(await self.user(), base)
        await self.withdraw(base)
        await self.withdraw(made)
        await self.withheld(made, made.author, core, own)

    async def test_suspended_and_deleted(self):
        """files#downloads: what is both suspended and deleted is withheld from dependents too."""
        core = blob()
        base = await self.holding(await self.user(), core)
        made, _ = await self.built_on(await self.user(), base)
        await self.moderate(base, "suspended")
        await self.withdraw(base)
        await self.withheld(made, None, core)

    async def test_judged_by_who_brought_it(self):
        """files#downloads: suspension is judged by who brought the file to this content, not by its
        bytes: another content with its own claim on the same digest keeps its URL."""
        core, third = blob(), await self.user()
        base = await self.holding(await self.user(), core)
        user = await self.user()
        made, _ = await self.built_on(user, base)
        same = await self.content(
            third, entity=made_of(core), originating=[], packagesOriginating=[]
        )
        upon, _ = await self.built_on(user, same)
        await self.moderate(base, "suspended")
        await self.withheld(made, None, core)
        await self.withheld(same, None)
        await self.withheld(upon, None)
        await self.gets(await self.link(same, core), core.data)

    async def test_registered_by_another(self):
        """files#downloads: a part is brought by the content that registered it, as
        for its dependents: who names the same part among their own uses it."""
        author, other, file = await self.user(), await self.user(), blob()
        await self.upload(author, file)
        part = made_of(file)
        base = await self.content(author, originating=[part])
        same = await self.content(other, originating=[part])
        self.assertEqual(0, (await self.storage(other))["used"])
        await self.moderate(base, "suspended")
        await self.withheld(same, None, file)

    async def test_unpublished(self):
        """files#downloads: URLs are signed for claims, never for a path's text: a studio's content
        whose path names a file by mere text gives none."""
        owner, file = await self.user(), blob()
        await self.upload(owner, file)
        other = await self.user()
        for path in (f"./{file.path}", f"x/../{file.path}"):
            response = await self.creating(other, entity=made_of(file) | {"path": path})
            self.problem(response, 400)
        made = await self.content(other, entity=made_of(file) | {"path": f"x/{file.path}"})
        self.assertEqual([], await self.files(made))
