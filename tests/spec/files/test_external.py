"""A service that knows nothing of files: files#files."""

from __future__ import annotations

from typing import ClassVar

from tests.spec.content.test_lifecycle import TwoDaemonsCase
from tests.spec.data import guid
from tests.spec.files.support import FilesCase, blob, emblems, made_of, packed, picture, unknown
from tests.spec.shapes import CONTENT

OPERATIONS = (
    ("POST", "uploads"),
    ("GET", f"content/{guid()}/files"),
    ("GET", f"content/{guid()}/revisions/{guid()}/files"),
    ("GET", "storage"),
    ("GET", "user/{user}/storage"),
    ("PUT", f"files/{blob().digest}/block"),
    ("DELETE", f"files/{blob().digest}/block"),
)


class ExternalTests(FilesCase):
    """With files = external."""

    settings: ClassVar[dict[str, str]] = {"FILES": "external"}

    async def test_operations(self):
        """files#files: the operations are 404 and say why, whoever asks, and are not in the
        document."""
        admin = await self.admin()
        for method, path in OPERATIONS:
            for by in (admin, None):
                response = await self.request(method, path.format(user=admin.id), by=by)
                problem = self.problem(response, 404, "files_external")
                self.assertIn("`files`", problem["detail"])
        paths = (await self.contract()).document["paths"]
        self.assertEqual(
            [],
            [path for path in paths if path.endswith(("/uploads", "/storage", "/files", "/block"))],
        )

    async def test_content_without_files(self):
        """files#files: for content that exists too."""
        made = await self.content(await self.someone())
        for path in ("files", f"revisions/{made.sent['revisionId']}/files"):
            self.problem(await self.get(f"{made.path}/{path}"), 404, "files_external")

    async def test_methods(self):
        """files#files: so is any other method there, and under /methods/v1. Elsewhere nothing is
        at a path as before."""
        user = await self.user()
        for method in ("PUT", "HEAD", "OPTIONS", "PATCH"):
            response = await self.request(method, "uploads", by=user)
            self.assertEqual(response.status, 404, method)
        mirrored = f"/methods/v1/user/{user.id}/storage"
        self.problem(await self.get(mirrored, by=user), 404, "files_external")
        for path in ("upload", "uploads/", "files", "files/x/y/block"):
            self.problem(await self.get(path, by=user), 404, "not_found")

    async def test_delete_revision(self):
        """files#files: what gives up files is 404 for the same reason."""
        author = await self.user()
        made = await self.content(author)
        path = f"{made.path}/revisions/{made.sent['revisionId']}"
        self.problem(await self.delete(path, by=author), 404, "files_external")

    async def test_paths(self):
        """files#files: nothing is checked: paths of any form are taken as before."""
        user, shot = await self.user(), unknown(".png")
        sent = {
            "entity": made_of(blob()),
            "originating": [made_of(blob())],
            "packagesOriginating": [packed(win64=blob())],
            "screenshotUris": [shot],
        }
        made = await self.content(user, **sent)
        self.assertEqual([shot], (await self.read(made.path, CONTENT))["screenshotUris"])
        await self.publish(made, entity=made_of(blob()))
        await self.roll(made, made.sent["revisionId"])
        self.assertEqual(204, (await self.dress(user, picture().path)).status)
        body = {"description": "", "screenshotUris": [picture().path]}
        await self.put(made.path, body, by=user, expect=204)
        images = unknown(".png"), unknown(".webp")
        await self.post("design-challenges", emblems(*images), by=await self.admin(), expect=201)


class DefaultTests(TwoDaemonsCase):
    """With a database and nothing said of files."""

    async def test_default(self):
        """files#files: external is the default with `database`."""
        self.problem(await self.get("storage"), 404, "files_external")
