"""Whose a file is: files#own-files."""

from __future__ import annotations

from tests.spec.data import guid
from tests.spec.files.support import File, FilesCase, blob, made_of, packed, picture
from tests.support import pictures


class PossessionTests(FilesCase):
    """Whose a file is."""

    async def test_not_there_for_others(self):
        """files#own-files: what another has uploaded is not there for the caller until they have
        sent the bytes too, also where the store has the object already; nor does their storage
        show it."""
        owner, other, file = await self.user(), await self.user(), blob()
        await self.upload(owner, file)
        response = await self.announcing(other, file.announced | {"size": 7})
        self.assertIsNotNone(response.json()["files"][0]["upload"])
        found = await self.storage(other)
        self.assertEqual((7, 1), (found["used"], found["pending"]))
        await self.missing(other, file)
        await self.unusable(other, file)
        await self.send(await self.place(other, file), file.data)
        await self.there(other, file)
        found = await self.storage(other)
        self.assertEqual((len(file.data), 0), (found["used"], found["pending"]))
        await self.usable(other, file)

    async def test_sent_by_another_meanwhile(self):
        """files#own-files: bytes that another sends after the caller has announced them prove
        nothing of the caller."""
        owner, other, file = await self.user(), await self.user(), blob()
        await self.missing(other, file)
        await self.upload(owner, file)
        await self.missing(other, file)
        await self.unusable(other, file)

    async def test_sent_before(self):
        """files#own-files: nor does one's own upload count for another who announces later."""
        owner, other, file = await self.user(), await self.user(), blob()
        upload = await self.place(other, file)
        await self.upload(owner, file)
        await self.send(upload, file.data)
        await self.there(other, file)
        await self.there(owner, file)
        await self.missing(await self.user(), file)

    async def test_unknown_alike(self):
        """files#own-files: a digest is no proof of possession: what another has in private is
        answered as what nobody has."""
        owner, other = await self.user(), await self.user()
        private, nobodys = blob(), blob()
        await self.upload(owner, private)
        answers = [await self.creating(other, **self.in_use(f)) for f in (private, nobodys)]
        shown = []
        for file, response in zip((private, nobodys), answers, strict=True):
            found = self.problem(response, 422, "file_missing")
            del found["requestId"]
            shown.append(str(found).replace(file.path, "PATH"))
        self.assertEqual(*shown)

    async def test_active_content(self):
        """files#own-files: what active content uses is there for everybody, told null or not asked
        at all."""
        owner, file, shot = await self.user(), blob(), picture()
        await self.holding(owner, file)
        await self.holding(owner, shot)
        await self.there(await self.user(), file, shot)
        await self.usable(await self.user(), file, shot)

    async def test_hidden_content(self):
        """files#own-files: what only suspended or deleted content uses is there for its owner
        alone."""
        owner, other = await self.user(), await self.user()
        for hide in (lambda made: self.moderate(made, "suspended"), self.withdraw):
            file = blob()
            await hide(await self.holding(owner, file))
            await self.missing(other, file)
            await self.unusable(other, file)
            await self.there(owner, file)

    async def test_told_null(self):
        """files#own-files: who has been told null for it can use it, though no active content does
        by now; who has not been, cannot."""
        owner, told, other, file = *[await self.user() for _ in range(3)], blob()
        made = await self.holding(owner, file)
        await self.there(told, file)
        await self.withdraw(made)
        await self.usable(told, file)
        # by which active content uses it again
        await self.usable(other, file)

    async def test_told_null_stays(self):
        """files#own-files: and is told null again."""
        owner, told, file = await self.user(), await self.user(), blob()
        made = await self.holding(owner, file)
        await self.there(told, file)
        await self.moderate(made, "suspended")
        await self.there(told, file)
        await self.missing(await self.user(), file)

    async def test_avatar_in_use(self):
        """files#own-files: an avatar in use makes it good for nobody else."""
        owner, other, file = await self.user(), await self.user(), picture("avatar")
        await self.upload(owner, file)
        self.assertEqual(204, (await self.dress(owner, file.path)).status)
        await self.missing(other, file)
        self.at_paths(await self.dress(other, file.path), "file_missing", file.path)
        await self.unusable(other, file)

    async def test_wrong_bucket(self):
        """files#own-files: a path is good only if its bytes are there: an image's path is none in
        the content bucket, nor an entity's in the media bucket."""
        user, file, shot = await self.user(), blob(), picture()
        await self.upload(user, file, shot)
        response = await self.creating(user, screenshotUris=[file.path])
        self.at_paths(response, "file_missing", file.path)
        response = await self.creating(
            user, entity=self.in_use(file)["entity"] | {"entityId": guid(), "path": shot.path}
        )
        self.at_paths(response, "file_missing", shot.path)
        for changes in (
            {"originating": [made_of(shot)]},
            {"packagesOriginating": [packed(osx64=shot)]},
        ):
            self.at_paths(await self.creating(user, **changes), "file_missing", shot.path)

    async def test_other_extension(self):
        """files#own-files: nor is the path of an image uploaded as another type."""
        user, shot = await self.user(), picture()
        await self.upload(user, shot)
        other = File(shot.data, "screenshot", pictures.JPEG)
        await self.missing(user, other)
        await self.unusable(user, other)

    async def test_replaced_screenshot(self):
        """files#own-files: a screenshot that content no longer has is not in use by it."""
        author, old, new = await self.user(), picture(), picture()
        made = await self.holding(author, old)
        await self.upload(author, new)
        body = {"description": "", "screenshotUris": [new.path]}
        await self.put(made.path, body, by=author, expect=204)
        other = await self.user()
        await self.missing(other, old)
        await self.unusable(other, old)
        await self.there(other, new)

    async def test_other_use(self):
        """files#announcing: what lies under one path is one file: an entity uploaded can be a
        package, a screenshot an avatar."""
        user, file, shot = await self.user(), blob(), picture()
        await self.upload(user, file, shot)
        await self.there(user, File(file.data, "package"), File(shot.data, "avatar", pictures.PNG))
        self.assertEqual(204, (await self.dress(user, shot.path)).status)
