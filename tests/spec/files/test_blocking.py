"""Bytes that an admin blocks: files#blocking."""

from __future__ import annotations

from tests.spec.data import Content, guid, reference
from tests.spec.files.support import File, FilesCase, blob, made_of, picture


class BlockingTests(FilesCase):
    """PUT and DELETE /api/v1/files/{sha256}/block."""

    async def blocked_url(self, of: Content, file: File) -> None:
        """Assert that the content's list has the file without a URL."""
        (one,) = [one for one in await self.files(of) if one["path"] == file.path]
        self.assertEqual((None, None), (one["url"], one["expires"]))

    async def test_gone(self):
        """files#blocking: its bytes are gone within 15 s, at URLs given before too, and the list
        has no URL at once."""
        author, file = await self.user(), blob()
        made = await self.holding(author, file)
        url = await self.link(made, file)
        await self.gets(url, file.data)
        await self.block(file)
        await self.blocked_url(made, file)
        await self.gone(url)

    async def test_media(self):
        """files#blocking: images too, at mediaUrl."""
        file = picture()
        await self.holding(await self.user(), file)
        url = await self.media(file)
        await self.gets(url, file.data)
        await self.block(file)
        await self.gone(url)

    async def test_any_digest(self):
        """files#blocking: any digest can be blocked, known or not, again and again, and lifted as
        often."""
        file = blob()
        for change in (self.block, self.block, self.lift, self.lift, self.block, self.lift):
            await change(file)
        await self.upload(await self.user(), file)

    async def test_uploads(self):
        """files#blocking: nobody uploads blocked bytes: 403 file_blocked, which points at each
        file concerned, and registers nothing."""
        user, file, shot = await self.user(), blob(), picture()
        await self.block(file)
        await self.block(shot)
        response = await self.announcing(user, file, blob(), shot)
        self.at_files(response, 403, "file_blocked", 0, 2)
        self.assertEqual(0, (await self.storage(user))["pending"])
        self.problem(await self.announcing(await self.admin(), file), 403, "file_blocked")

    async def test_announced_before(self):
        """files#blocking: nor over a URL that was given before: what comes is gone within 15 s, as
        often as it comes, and is not there after the block has been lifted."""
        user, file = await self.user(), picture()
        upload = await self.place(user, file)
        await self.block(file)
        response = await self.sending(upload, file.data)
        if self.backend == "local":
            self.problem(response, 403, "file_blocked")
        self.problem(await self.announcing(user, file), 403, "file_blocked")
        for _ in range(2):
            await self.gone(await self.media(file))
            await self.sending(upload, file.data)
        await self.gone(await self.media(file))
        await self.lift(file)
        await self.missing(user, file)

    async def test_publishing(self):
        """files#blocking: nor publishes them: not its owner, not who relied on active content."""
        owner, other, file, shot = await self.user(), await self.user(), blob(), picture()
        await self.holding(owner, file)
        await self.holding(owner, shot)
        await self.block(file)
        await self.block(shot)
        for user in (owner, other):
            for blocked in (file, shot):
                response = await self.creating(user, **self.in_use(blocked))
                found = self.problem(response, (403, 422))
                self.assertIn(found["code"], ("file_blocked", "file_missing"))
        found = self.problem(await self.dress(owner, shot.path), (403, 422))
        self.assertIn(found["code"], ("file_blocked", "file_missing"))

    async def test_publishing_elsewhere(self):
        """files#blocking: neither in an update nor in a revision; what has been published is
        repeatable all the same."""
        author, file, shot = await self.user(), blob(), picture()
        await self.upload(author, file, shot)
        made = await self.content(author)
        bare = {"originating": [], "packagesOriginating": [], "entity": made_of(file)}
        other = await self.content(author, **bare)
        sent = await self.publish(made, entity=made_of(file))
        await self.block(file)
        await self.block(shot)
        again = sent | {"revisionId": guid(), "entity": made_of(file)}
        body = {"description": "", "screenshotUris": [shot.path]}
        for refused in (
            await self.post(f"{made.path}/revisions", again, by=author),
            await self.put(made.path, body, by=author),
        ):
            found = self.problem(refused, (403, 422))
            self.assertIn(found["code"], ("file_blocked", "file_missing"))
        await self.post(f"{made.path}/revisions", sent, by=author, expect=201)
        await self.put(other.path, other.sent, by=author, expect=204)

    async def test_what_stays(self):
        """files#own-files: what stays is checked too: blocked, it is missing
        where it was, until the block is lifted and it is uploaded again."""
        admin = await self.admin()
        images = [picture(use) for use in ("screenshot", "avatar", "emblem")]
        again = await self.worn(admin, *images)
        for image in images:
            await again()
            await self.block(image)
            await again(image)
            await self.lift(image)
            await again(image)
            await self.upload(admin, image)
        await again()

    async def test_lifted(self):
        """files#blocking: once lifted and uploaded again, they are back where they are claimed."""
        author, file = await self.user(), blob()
        made = await self.holding(author, file)
        url = await self.link(made, file)
        await self.block(file)
        await self.gone(url)
        await self.lift(file)
        await self.blocked_url(made, file)
        await self.missing(author, file)
        await self.upload(author, file)
        await self.gets(await self.link(made, file), file.data)
        await self.gets(url, file.data)

    async def test_lifted_at_once(self):
        """files#blocking: they are back if it is lifted before it has had its effect."""
        author, file = await self.user(), blob()
        made = await self.holding(author, file)
        await self.block(file)
        await self.lift(file)
        await self.upload(author, file)
        await self.gets(await self.link(made, file), file.data)

    async def test_uploaded_by_another(self):
        """files#blocking: whoever uploads them."""
        file = blob()
        made = await self.holding(await self.user(), file)
        await self.block(file)
        await self.lift(file)
        await self.upload(await self.user(), file)
        await self.gets(await self.link(made, file), file.data)

    async def test_precheck(self):
        """files#blocking: the pre-check counts what is registered but whose bytes are gone as
        needed."""
        author, file, bundle = await self.user(), blob(), blob(use="package")
        await self.upload(author, file, bundle)
        package = {"id": guid(), "win64": bundle.path}
        made = await self.content(author, entity=made_of(file), packagesOriginating=[package])
        asked = {
            "contentId": guid(),
            "operation": "create",
            "packages": [package["id"]],
            "dependencies": [
                reference(made.sent["entity"]),
                reference(made.sent["originating"][0]),
            ],
        }

        async def needed() -> tuple[int, int]:
            response = await self.post("content/upload-precheck", asked, by=author, expect=200)
            found = response.json()
            return len(found["needed"]), len(found["neededPackages"])

        self.assertEqual((0, 0), await needed())
        await self.block(file)
        self.assertEqual((1, 0), await needed())
        await self.block(bundle)
        self.assertEqual((1, 1), await needed())
        await self.lift(file)
        await self.upload(author, file)
        self.assertEqual((0, 1), await needed())

    async def test_other_bytes_stay(self):
        """files#blocking: other files of the same content keep their URLs."""
        author, file, other = await self.user(), blob(), blob()
        await self.upload(author, file, other)
        made = await self.content(author, entity=made_of(file), originating=[made_of(other)])
        await self.block(file)
        await self.gets(await self.link(made, other), other.data)


class LocalBlockingTests(FilesCase):
    """What the daemon itself sees of it."""

    async def test_while_arriving(self):
        """files#blocking: they are gone while they arrive, too."""
        user, file = await self.user(), blob(300_000)
        upload = await self.place(user, file)
        wire = await self.begun(upload, file.data[:100_000], 300_000)
        # by when the first bytes have arrived
        await self.get("/health/live", expect=200)
        await self.block(file)
        wire.send(file.data[100_000:])
        self.problem(await wire.answer(), 403, "file_blocked")
        await self.lift(file)
        await self.missing(user, file)

    async def test_answer(self):
        """What is gone is a problem like any other."""
        author, file = await self.user(), blob()
        made = await self.holding(author, file)
        url = await self.link(made, file)
        await self.block(file)
        await self.gone(url)
        self.problem(await self.fetch(url), (403, 404, 410))
