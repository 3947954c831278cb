"""Paths of the service's form in what users write: files#own-files."""

from __future__ import annotations

from typing import Any, ClassVar

from tests.spec.data import User, entity, guid, package, reference
from tests.spec.files.support import (
    File,
    FilesCase,
    blob,
    emblems,
    made_of,
    packed,
    picture,
    unknown,
)
from tests.spec.notifications.support import revision
from tests.spec.shapes import CHALLENGE, CONTENT, PRECHECK, USER_INFO


class ChecksTests(FilesCase):
    """422 file_missing where a path is used."""

    async def test_create(self):
        """files#own-files: in PUT content every path of the service's form must be good, whether
        registered or not: 422 file_missing names all that are not, and nothing is made."""
        user = await self.someone()
        entities = [blob() for _ in range(3)]
        shots, files = [unknown(".png"), unknown(".webp")], [blob(use="package") for _ in "123"]
        good, fine = blob(), picture()
        await self.upload(user, good, fine)
        bundle = packed(win64=files[0], osx64=files[1], linux64=files[2])
        sent = {
            "entity": made_of(entities[0]),
            "originating": [made_of(good), *map(made_of, entities[1:])],
            "packagesOriginating": [bundle, packed(win64=good), package()],
            "screenshotUris": [shots[0], fine.path, "shots/studio.png", shots[1], shots[0]],
        }
        response = await self.creating(user, **sent)
        missing = [one.path for one in (*entities, *files)] + shots
        self.at_paths(response, "file_missing", *missing)
        asked = [reference(one) for one in (sent["entity"], *sent["originating"])]
        body = {
            "contentId": guid(),
            "operation": "create",
            "dependencies": asked,
            "packages": [bundle["id"]],
        }
        found = (await self.post("content/upload-precheck", body, by=user, expect=200)).json()
        self.assertCountEqual(asked, found["needed"])
        self.assertEqual([bundle["id"]], found["neededPackages"])

    async def test_says_what_to_do(self):
        """files#own-files: file_missing says to call /uploads."""
        response = await self.creating(await self.someone(), screenshotUris=[unknown(".png")])
        self.assertIn("/uploads", self.problem(response, 422, "file_missing")["detail"])

    async def test_announced(self):
        """files#own-files: announced alone is not enough."""
        user, file, shot = await self.someone(), blob(), picture()
        await self.missing(user, file, shot)
        await self.unusable(user, file, shot)

    async def test_update(self):
        """files#own-files: so it is in an update: 422, and the old screenshots stay."""
        author, shots = await self.user(), [picture(), picture()]
        made = await self.holding(author, shots[0])
        body = {"description": "new", "screenshotUris": [shots[0].path, shots[1].path]}
        response = await self.put(made.path, body, by=author)
        self.at_paths(response, "file_missing", shots[1].path)
        found = await self.read(made.path, CONTENT)
        self.assertEqual([shots[0].path], found["screenshotUris"])
        self.assertEqual(made.sent["description"], found["description"])
        await self.upload(author, shots[1])
        await self.put(made.path, body, by=author, expect=204)
        found = await self.read(made.path, CONTENT)
        self.assertEqual([shot.path for shot in shots], found["screenshotUris"])

    async def test_revision(self):
        """files#own-files: and in POST revisions."""
        author, file, bundle = await self.user(), blob(), blob(use="package")
        made = await self.content(author)
        parts = {"entity": made_of(file), "packagesOriginating": [packed(osx64=bundle)]}
        sent = {
            "revisionId": guid(),
            "revisionDescription": "",
            "version": "2",
            "originating": [],
            "using": [],
            **parts,
        }
        path = f"{made.path}/revisions"
        response = await self.post(path, sent, by=author)
        self.at_paths(response, "file_missing", file.path, bundle.path)
        self.assertEqual(1, len((await self.get(path, expect=200)).json()))
        await self.upload(author, file, bundle)
        await self.post(path, sent, by=author, expect=201)
        await self.post(path, sent, by=author, expect=201)

    async def test_avatar(self):
        """files#own-files: and in PUT user."""
        user, file = await self.user(), picture("avatar")
        self.at_paths(await self.dress(user, file.path), "file_missing", file.path)
        path = f"user/{user.id}/info"
        self.assertIsNone((await self.read(path, USER_INFO))["avatar"])
        await self.upload(user, file)
        for _ in range(2):
            self.assertEqual(204, (await self.dress(user, file.path)).status)
        self.assertEqual(file.path, (await self.read(path, USER_INFO))["avatar"])
        self.assertEqual(204, (await self.dress(user, None)).status)

    async def test_avatar_of_screenshot(self):
        """files#own-files: a screenshot of active content is good for anybody, as an avatar too."""
        file, user = picture(), await self.user()
        await self.holding(await self.user(), file)
        self.assertEqual(204, (await self.dress(user, file.path)).status)

    async def test_challenge(self):
        """files#own-files: and in challenges, made and changed."""
        admin, win, participate = await self.admin(), picture("emblem"), picture("emblem")
        sent = emblems(win.path, participate.path)
        response = await self.post("design-challenges", sent, by=admin)
        self.at_paths(response, "file_missing", win.path, participate.path)
        await self.upload(admin, win, participate)
        response = await self.post("design-challenges", sent, by=admin, expect=201)
        path = response.header("Location") or ""
        other = picture("emblem")
        response = await self.put(path, emblems(win.path, other.path), by=admin)
        self.at_paths(response, "file_missing", other.path)
        found = await self.read(path, CHALLENGE)
        self.assertEqual(participate.path, found["participate"]["emblem"]["image"])
        await self.upload(admin, other)
        await self.put(path, emblems(win.path, other.path), by=admin, expect=204)

    async def test_emblem_in_use(self):
        """files#own-files: an emblem's image in use makes it good for nobody else."""
        admin, file, user = await self.admin(), picture("emblem"), await self.user()
        await self.upload(admin, file)
        sent = emblems(file.path, file.path)
        await self.post("design-challenges", sent, by=admin, expect=201)
        await self.missing(user, file)
        self.at_paths(await self.dress(user, file.path), "file_missing", file.path)

    async def test_studio_paths(self):
        """files#own-files: any other path is the studio's own, and taken as before, also one that
        only resembles the service's."""
        digest = "ab" + "0123456789abcdef" * 4
        for path in (
            f"cd/{digest[:64]}",
            f"ab/{digest[:64].upper()}",
            f"AB/{digest[:64]}",
            f"ab/{digest[:63]}",
            f"ab/{digest[:65]}",
            f"ab/{digest[:63]}g",
            f"ab/{digest[:64]}.gif",
            f"ab/{digest[:64]}.PNG",
            f"ab/{digest[:64]}.png.png",
            f"x/ab/{digest[:64]}",
            f"ab/{digest[:64]}/x",
            digest[:64],
            f"abab/{digest[:64]}",
        ):
            user = await self.someone()
            changes = {"entity": made_of(blob()) | {"path": path}, "screenshotUris": [path]}
            response = await self.creating(user, **changes)
            self.assertEqual(204, response.status, (path, response))
        self.assertEqual(204, (await self.dress(await self.user(), "avatars/me.png")).status)

    async def test_using(self):
        """files#own-files: what is only used needs no path, and no possession."""
        file, other = blob(), await self.user()
        made = await self.holding(await self.user(), file)
        using = [reference(made.sent["entity"])]
        response = await self.creating(other, using=using)
        self.assertEqual(204, response.status, repr(response))
        self.assertEqual(0, (await self.storage(other))["used"])

    async def test_refusals_first(self):
        """files#own-files: 422 comes after 400 and 404, after 403 of the
        permission, and after all other 409 and 422."""
        made, missing = await self.content(await self.user()), [unknown(".png")]
        other = await self.someone()
        body = {"description": "", "screenshotUris": missing}
        self.problem(await self.put(made.path, body, by=other), 403, "forbidden")
        self.problem(await self.creating(other, screenshotUris=missing, name=" "), 400)
        nobody = User(guid(), "", "", "", (await self.admin()).token, "")
        self.problem(await self.dress(nobody, missing[0]), 404, "user_not_found")
        lost = {"entity": made_of(blob()), "using": [reference(entity())]}
        self.problem(await self.creating(other, **lost), 422, "unknown_reference")
        admin, sent = await self.admin(), emblems(missing[0], missing[0])
        response = await self.put(f"design-challenges/{guid()}", sent, by=admin)
        self.problem(response, 404, "challenge_not_found")
        studios = emblems("a.png", "b.png")
        response = await self.post("design-challenges", studios, by=admin, expect=201)
        path = response.header("Location") or ""
        await self.post(f"{path}/close", {"winners": []}, by=admin, expect=204)
        self.problem(await self.put(path, sent, by=admin), 409, "challenge_closed")

    async def test_hidden_own_content(self):
        """files#own-files: what a content has already it may keep while its bytes
        are there, whoever writes it and whatever has become of the content."""
        author, shot = await self.user(), picture()
        made = await self.holding(author, shot)
        await self.moderate(made, "suspended")
        body = {"description": "", "screenshotUris": [shot.path]}
        for user in (author, await self.admin()):
            await self.put(made.path, body, by=user, expect=204)

    async def test_what_stays(self):
        """files#own-files: what stays is checked too: a screenshot, an avatar or
        an emblem's image whose bytes are gone is missing until they come again."""
        self.own_daemon()
        admin = await self.admin()
        images = [picture(use) for use in ("screenshot", "avatar", "emblem")]
        again = await self.worn(admin, *images)
        await again()
        for image in images:
            self.lose(image)
        # The first look does not count for an image whose smaller ones are noted at this moment.
        for _ in range(2):
            await self.missing(admin, *images)
        await again(*images)
        await self.upload(admin, *images)
        await again()

    async def test_avatar_by_an_admin(self):
        """files#own-files: it is the caller who must have sent the bytes, but not
        those of an avatar that stays."""
        user, admin = await self.user(), await self.admin()
        worn, sent, admins = [picture("avatar") for _ in range(3)]
        await self.upload(user, worn, sent)
        await self.upload(admin, admins)
        self.assertEqual(204, (await self.dress(user, worn.path)).status)
        self.assertEqual(204, (await self.dress(user, worn.path, admin)).status)
        self.at_paths(await self.dress(user, sent.path, admin), "file_missing", sent.path)
        self.assertEqual(204, (await self.dress(user, admins.path, admin)).status)
        used = sum(len(file.data) for file in (worn, sent, admins))
        self.assertEqual(used, (await self.storage(user))["used"])

    async def test_revision_by_an_admin(self):
        """files#own-files: the caller counts for a revision too: an admin publishes what they have
        sent, and it is the author's content that brings it."""
        author, admin, theirs, own = await self.user(), await self.admin(), blob(), blob(40)
        made = await self.content(author)
        await self.upload(author, theirs)
        await self.upload(admin, own)
        path = f"{made.path}/revisions"
        sent = revision(entity=made_of(theirs))
        self.at_paths(await self.post(path, sent, by=admin), "file_missing", theirs.path)
        await self.post(path, revision(entity=made_of(own)), by=admin, expect=201)
        self.assertEqual(100, (await self.storage(author))["used"])

    async def test_identical_originating(self):
        """files#own-files: to name another's entity as it is registered is no possession of its
        bytes."""
        file, other = blob(), await self.user()
        made = await self.holding(await self.user(), blob())
        await self.upload(made.author, file)
        part = made_of(file)
        await self.publish(made, entity=made_of(blob()) | {"path": "studio"}, originating=[part])
        await self.moderate(made, "suspended")
        response = await self.creating(other, originating=[part])
        self.assertIn(
            self.problem(response, (403, 409, 422))["code"],
            ("file_missing", "suspended_dependency", "entity_conflict"),
        )

    async def test_challenge_by_another(self):
        """files#own-files: another admin changes a challenge without having its
        images."""
        self.own_daemon()
        admin, other, file = await self.admin(), await self._new_admin(), picture("emblem")
        await self.upload(admin, file)
        sent = emblems(file.path, file.path)
        response = await self.post("design-challenges", sent, by=admin, expect=201)
        path = response.header("Location") or ""
        await self.put(path, sent | {"name": "Other"}, by=other, expect=204)
        response = await self.post("design-challenges", sent, by=other)
        self.at_paths(response, "file_missing", file.path)

    async def test_entity_of_any_bytes(self):
        """files#own-files: nothing is asked of the bytes of an entity or a package."""
        user = await self.someone()
        for file in (blob(), File(picture().data), File(b"GIF89a" + blob(9).data, "package")):
            await self.upload(user, file)
            await self.usable(user, file)

    async def precheck(self, by: User, *entities: dict[str, str]) -> dict[str, Any]:
        """The answer of a pre-check of new content made of these."""
        body = {
            "contentId": guid(),
            "operation": "create",
            "dependencies": [reference(one) for one in entities],
            "packages": [],
        }
        response = await self.post("content/upload-precheck", body, by=by, expect=200)
        self.shape(response.json(), PRECHECK)
        return dict(response.json())

    async def test_precheck(self):
        """files#own-files: the pre-check does not ask for what is registered and has its bytes."""
        author, file = await self.user(), blob()
        made = await self.holding(author, file)
        for user in (author, await self.someone()):
            self.assertEqual([], (await self.precheck(user, made.sent["entity"]))["needed"])


class RequiredTests(FilesCase):
    """With require_files."""

    settings: ClassVar[dict[str, str]] = {"REQUIRE_FILES": "on"}

    async def test_studio_paths(self):
        """files#own-files: with `require_files` any other path is 422 too."""
        user, file, shot = await self.user(), blob(), picture()
        await self.upload(user, file, shot)
        good = {"entity": made_of(file), "screenshotUris": [shot.path]}
        self.assertEqual(204, (await self.creating(user, **good)).status)
        entity = made_of(blob()) | {"path": "entities/studio"}
        bundle = package()
        for changes, paths in (
            ({"entity": entity}, [entity["path"]]),
            ({"originating": [entity]}, [entity["path"]]),
            ({"screenshotUris": [shot.path, "a.png", "b.png"]}, ["a.png", "b.png"]),
            (
                {"packagesOriginating": [bundle]},
                [bundle[one] for one in ("win64", "osx64", "linux64")],
            ),
        ):
            response = await self.creating(user, **good | {"entity": made_of(file)} | changes)
            self.at_paths(response, "file_missing", *paths)

    async def test_users_and_challenges(self):
        """files#own-files: for avatars and emblem images too; none at all stays allowed."""
        user, admin, file = await self.user(), await self.admin(), picture("avatar")
        self.at_paths(await self.dress(user, "a.png"), "file_missing", "a.png")
        await self.upload(user, file)
        for avatar in (file.path, None):
            self.assertEqual(204, (await self.dress(user, avatar)).status)
        response = await self.post("design-challenges", emblems("a.png", "b.png"), by=admin)
        self.at_paths(response, "file_missing", "a.png", "b.png")
