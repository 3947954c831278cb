"""Legal holds: moderation#holds."""

from __future__ import annotations

import time
from typing import Any, ClassVar

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.client import DEADLINE
from tests.spec.data import User, guid
from tests.spec.files.on_s3 import OnS3
from tests.spec.files.support import File, FilesCase, blob, picture
from tests.spec.shapes import HOLD
from tests.support.deferreds import together

YEAR = 365 * 86_400


class HoldsCase(FilesCase):
    """What admins hold."""

    async def hold(
        self,
        kind: str,
        id: str,
        *,
        by: User | None = None,
        reason: str = "court order",
        expect: int | None = 204,
        **more: Any,
    ) -> Any:
        """An admin holds something."""
        body = {"reason": reason, **more}
        path = f"moderation/holds/{kind}/{id}"
        return await self.put(path, body, by=by or await self.admin(), expect=expect)

    async def held(self, kind: str, id: str) -> dict[str, Any]:
        """What is shown of a hold."""
        path = f"moderation/holds/{kind}/{id}"
        return dict(await self.read(path, HOLD, by=await self.admin()))

    async def kept(self, kind: str, id: str, state: str = "kept") -> dict[str, Any]:
        """The same, once it is copied."""
        deadline = reactor.seconds() + 2 * DEADLINE
        while (found := await self.held(kind, id))["state"] == "copying":
            if reactor.seconds() > deadline:
                self.fail(f"still copying: {found}")
            await deferLater(reactor, 0.05)
        self.assertEqual(state, found["state"])
        return found

    async def erase(self, kind: str, id: str) -> None:
        """An admin erases it."""
        path = f"moderation/holds/{kind}/{id}"
        await self.delete(path, by=await self.admin(), expect=204)

    async def copy(self, kind: str, id: str) -> dict[str, Any]:
        """The copy."""
        path = f"moderation/holds/{kind}/{id}/copy"
        return dict((await self.get(path, by=await self.admin(), expect=200)).json())

    async def has(self, kind: str, id: str, *files: File) -> None:
        """Assert that the bytes of these files are in the copy, and no others."""
        found = {one["path"]: one for one in (await self.copy(kind, id))["files"]}
        self.assertEqual({file.path for file in files}, set(found))
        for file in files:
            one = found[file.path]
            self.assertEqual((file.digest, len(file.data)), (one["sha256"], one["size"]))
            await self.gets(one["url"], file.data)

    async def leave(self, user: User) -> None:
        """A user deletes the account, and tries again while the service asks for that."""
        deadline, body = reactor.seconds() + DEADLINE, {"password": user.password}
        while (answer := await self.delete(f"user/{user.id}", body=body, by=user)).status == 503:
            self.assertLess(reactor.seconds(), deadline)
            await deferLater(reactor, 0.1)
        self.assertEqual(204, answer.status)

    async def acts(self, id: str) -> list[tuple[str, str]]:
        """What admins did about it, oldest first, and why."""
        found = await self.get(f"moderation/actions?subject={id}", by=await self.admin())
        held = [one for one in found.json() if one["action"].startswith("hold_")]
        return [(one["action"], one["reason"]) for one in reversed(held)]


class HoldsTests(HoldsCase):
    """PUT, GET and DELETE of holds, and their copies."""

    async def test_content(self):
        """Content is held with its detail, names, revisions, comments and the bytes of its
        files."""
        file = blob()
        made = await self.holding(await self.user(), file)
        comment = {"body": "as it was"}
        await self.post(f"{made.path}/comments", comment, by=await self.user(), expect=201)
        await self.hold("content", made.id)
        found = await self.kept("content", made.id)
        self.assertEqual(len(file.data), found["bytes"])
        copy = await self.copy("content", made.id)
        record = copy["record"]
        self.assertEqual((made.id, "content"), (copy["id"], copy["kind"]))
        self.assertEqual(made.id, record["content"]["id"])
        self.assertEqual(made.author.id, record["content"]["authorId"])
        self.assertEqual(["as it was"], [one["body"] for one in record["comments"]])
        self.assertEqual(1, len(record["revisions"]))
        self.assertEqual([], record["guests"])
        await self.has("content", made.id, file)

    async def test_as_it_was(self):
        """It stays as it was: what changes later is not in it."""
        made = await self.content(await self.user())
        await self.hold("content", made.id)
        await self.kept("content", made.id)
        before = (await self.copy("content", made.id))["record"]
        body = {"description": "all new", "screenshotUris": made.sent["screenshotUris"]}
        await self.put(made.path, body, by=made.author, expect=204)
        self.assertEqual(before, (await self.copy("content", made.id))["record"])

    async def test_user(self):
        """A user is held with all that the export has, and the bytes of all files."""
        user, file, sent, avatar = await self.user(), blob(), blob(), picture("avatar")
        await self.holding(user, file)
        await self.upload(user, sent, avatar)
        await self.dress(user, avatar.path)
        await self.hold("user", user.id)
        await self.kept("user", user.id)
        record = (await self.copy("user", user.id))["record"]
        export = (await self.get(f"user/{user.id}/export", by=user, expect=200)).json()
        self.assertEqual(list(export), list(record))
        changing = {"created", "sessions", "notifications"}
        for member in set(export) - changing:
            self.assertEqual(export[member], record[member], member)
        paths = {one["path"] for one in (await self.copy("user", user.id))["files"]}
        self.assertLessEqual({file.path, sent.path, avatar.path}, paths)

    async def test_file(self):
        """A file is held with who has sent it and what uses it."""
        file = blob()
        made = await self.holding(await self.user(), file)
        await self.hold("file", file.digest)
        await self.kept("file", file.digest)
        record = (await self.copy("file", file.digest))["record"]
        self.assertEqual(file.digest, record["file"]["sha256"])
        self.assertEqual([made.author.id], [one["user"] for one in record["users"]])
        self.assertEqual([{"id": made.id}], record["content"])
        await self.has("file", file.digest, file)

    async def test_shown(self):
        """A hold says why, until when and by whom: for a year if nothing is said. The newest is
        first in the list, which a kind narrows."""
        made, admin, now = await self.content(await self.user()), await self.admin(), time.time()
        await self.hold("content", made.id, by=admin)
        found = await self.kept("content", made.id)
        self.assertEqual(("content", made.id), (found["kind"], found["id"]))
        self.assertEqual((admin.id, "court order"), (found["by"], found["reason"]))
        self.assertLess(abs(now + YEAR - found["until"]), 60)
        for query, there in (("", True), ("?kind=content", True), ("?kind=file", False)):
            listed = await self.read(f"moderation/holds{query}", [HOLD], by=admin)
            self.assertEqual(there, found in listed)

    async def test_until(self):
        """The end is a moment of the next five years; all else is 400."""
        made, now = await self.content(await self.user()), int(time.time())
        for until in (now - 1, now + 5 * 366 * 86_400 + 86_400, "soon"):
            answer = await self.hold("content", made.id, until=until, expect=None)
            problem = self.problem(answer, 400, "invalid_body")
            self.assertEqual("/until", problem["errors"][0]["pointer"])
        self.problem(await self.hold("content", made.id, reason="", expect=None), 400)
        await self.hold("content", made.id, until=now + 5 * YEAR)
        self.assertEqual(now + 5 * YEAR, (await self.held("content", made.id))["until"])

    async def test_unknown(self):
        """What does not exist cannot be held: 404, which says what is missing."""
        for kind, id, code in (
            ("content", guid(), "content_not_found"),
            ("content", "7", "content_not_found"),
            ("user", guid(), "user_not_found"),
            ("file", blob().digest, "file_not_found"),
            ("file", guid(), "file_not_found"),
            ("comment", "7", "hold_not_found"),
        ):
            self.problem(await self.hold(kind, id, expect=None), 404, code)
        made, by = await self.content(await self.user()), await self.admin()
        for path in ("", "/copy"):
            answer = await self.get(f"moderation/holds/content/{made.id}{path}", by=by)
            self.problem(answer, 404, "hold_not_found")
        await self.erase("content", made.id)

    async def test_only_admins(self):
        """Moderators, the author and strangers see and do none of it."""
        made = await self.content(await self.user())
        await self.hold("content", made.id)
        path = f"moderation/holds/content/{made.id}"
        for by in (await self.member("moderator"), made.author, None):
            status = 401 if by is None else 403
            for each in (path, f"{path}/copy", "moderation/holds"):
                await self.get(each, by=by, expect=status)
            await self.put(path, {"reason": "mine"}, by=by, expect=status)
            await self.delete(path, by=by, expect=status)
            await self.put(f"{path}/escalations/{guid()}", {}, by=by, expect=status)

    async def test_again(self):
        """A second one replaces the reason and the end and leaves the copy; a repeat is no action.
        It is so when what is held is gone too."""
        made = await self.content(await self.user())
        await self.hold("content", made.id)
        await self.kept("content", made.id)
        before = await self.copy("content", made.id)
        await self.hold("content", made.id)
        await self.leave(made.author)
        until = int(time.time()) + 1000
        for _ in range(2):
            await self.hold("content", made.id, reason="appeal", until=until)
        found = await self.held("content", made.id)
        self.assertEqual(
            ("appeal", until, "kept"), tuple(found[x] for x in ("reason", "until", "state"))
        )
        self.assertEqual(before["record"], (await self.copy("content", made.id))["record"])
        acts = [act for act in await self.acts(made.id) if act[0] != "hold_read"]
        self.assertEqual([("hold_placed", "court order"), ("hold_changed", "appeal")], acts)

    async def test_two_admins(self):
        """Of two admins at once one places it, and the other changes it: there is one copy."""
        made, admins = (
            await self.holding(await self.user(), blob()),
            [await self.admin() for _ in "12"],
        )
        await together(
            *[
                self.hold("content", made.id, by=by, reason=reason)
                for by, reason in zip(admins, ("one", "two"), strict=True)
            ]
        )
        found = await self.kept("content", made.id)
        self.assertEqual(
            ["hold_placed", "hold_changed"], [act for act, _ in await self.acts(made.id)]
        )
        self.assertEqual((await self.acts(made.id))[-1][1], found["reason"])
        self.assertEqual(1, len((await self.copy("content", made.id))["record"]["revisions"]))

    async def test_read(self):
        """Each reading of the copy is an action; a look at the hold, or at the headers, is not."""
        made, admin = await self.content(await self.user()), await self.admin()
        await self.hold("content", made.id)
        await self.kept("content", made.id)
        for _ in range(2):
            await self.copy("content", made.id)
        path = f"moderation/holds/content/{made.id}/copy"
        await self.request("HEAD", path, by=admin, expect=200)
        await self.get(path, by=admin, headers={"If-None-Match": "*"}, expect=304)
        acts = [act for act, _ in await self.acts(made.id)]
        self.assertEqual(["hold_placed", "hold_read", "hold_read"], acts)

    async def test_erased(self):
        """Erased, it is gone, and its bytes are; a new one is another."""
        file = blob()
        made = await self.holding(await self.user(), file)
        await self.hold("content", made.id)
        await self.kept("content", made.id)
        await self.erase("content", made.id)
        await self.erase("content", made.id)
        answer = await self.get(f"moderation/holds/content/{made.id}", by=await self.admin())
        self.problem(answer, 404, "hold_not_found")
        self.assertEqual(
            ["hold_placed", "hold_erased"], [act for act, _ in await self.acts(made.id)]
        )
        await self.hold("content", made.id)
        await self.kept("content", made.id)
        await self.has("content", made.id, file)

    async def test_deleted_account(self):
        """It outlasts the deletion of the account, also at once after the answer."""
        user, file, shot = await self.user(), blob(), picture()
        made, shown = await self.holding(user, file), await self.holding(user, shot)
        await self.hold("user", user.id)
        await self.leave(user)
        await self.kept("user", user.id)
        record = (await self.copy("user", user.id))["record"]
        self.assertEqual(user.username, record["account"]["username"])
        self.assertEqual({made.id, shown.id}, {one["id"] for one in record["content"]})
        files = {one["path"]: one["url"] for one in (await self.copy("user", user.id))["files"]}
        await self.gets(files[file.path], file.data)
        await self.gets(files[shot.path], shot.data)
        self.problem(await self.hold("user", guid(), expect=None), 404, "user_not_found")

    async def test_withdrawn(self):
        """What its author has withdrawn can be held, and restored."""
        file = blob()
        made = await self.holding(await self.user(), file)
        await self.delete(made.path, by=made.author, expect=204)
        await self.hold("content", made.id)
        await self.kept("content", made.id)
        self.assertEqual(
            "deleted", (await self.copy("content", made.id))["record"]["content"]["status"]
        )
        await self.has("content", made.id, file)

    async def test_no_url(self):
        """Nobody but who reads the copy has a URL of what is held alone: not by its path, nor by a
        URL of the file."""
        file, shot = blob(), picture()
        made = await self.holding(await self.user(), file)
        await self.holding(made.author, shot)
        url, public = await self.link(made, file), await self.media(shot)
        for each in (file, shot):
            await self.hold("file", each.digest)
            await self.kept("file", each.digest)
            await self.block(each)
        await self.gone(url)
        await self.gone(public)
        for each, known in ((file, url), (shot, public)):
            (one,) = (await self.copy("file", each.digest))["files"]
            await self.gets(one["url"], each.data)
            place = f"held/{each.path[:67]}"
            for guess in (
                known.replace(each.path, place),
                one["url"].partition("?")[0],
                one["url"].replace(place, each.path),
                public.replace(shot.path, place),
            ):
                self.assertIn((await self.fetch(guess)).status, {403, 404}, guess)

    async def test_escalations(self):
        """To whom it was given stands with the hold; again replaces; it goes with the hold."""
        made, admin = await self.content(await self.user()), await self.admin()
        path, id = f"moderation/holds/content/{made.id}", guid()
        body = {"to": "police", "reference": "26/1", "at": 1_790_000_000}
        answer = await self.put(f"{path}/escalations/{id}", body, by=admin)
        self.problem(answer, 404, "hold_not_found")
        await self.hold("content", made.id)
        for changes in ({}, {}, {"note": "by courier"}):
            await self.put(f"{path}/escalations/{id}", body | changes, by=admin, expect=204)
        (one,) = (await self.held("content", made.id))["escalations"]
        expected = {**body, "note": "by courier", "id": id, "by": admin.id}
        self.assertEqual(expected, {name: one[name] for name in expected})
        self.assertEqual(
            [("hold_placed", "court order"), *[("hold_escalated", "police")] * 2],
            await self.acts(made.id),
        )
        await self.erase("content", made.id)
        await self.hold("content", made.id)
        self.assertEqual([], (await self.held("content", made.id))["escalations"])

    async def test_escalation_limits(self):
        """What is too long, or lacks something, is 400."""
        made, admin = await self.content(await self.user()), await self.admin()
        await self.hold("content", made.id)
        path = f"moderation/holds/content/{made.id}/escalations/{guid()}"
        body = {"to": "police", "reference": "", "at": 0}
        await self.put(path, body, by=admin, expect=204)
        for changes in (
            {"to": ""},
            {"to": "x" * 257},
            {"reference": "x" * 257},
            {"at": -1},
            {"note": "x" * 4097},
        ):
            self.problem(await self.put(path, body | changes, by=admin), 400, "invalid_body")


class PreserveTests(HoldsCase):
    """A block that preserves: files#blocking."""

    async def preserve(self, file: File, by: User | None = None) -> None:
        """Block a file, and hold what is there."""
        body = {"reason": "a crime", "preserve": True}
        path = f"files/{file.digest}/block"
        await self.put(path, body, by=by or await self.admin(), expect=204)

    async def test_preserved(self):
        """Its bytes are gone in the time of a block, and held, for a year, by who has blocked it:
        a moderator too, who sees nothing of it."""
        file, moderator = blob(), await self.member("moderator")
        made = await self.holding(await self.user(), file)
        url = await self.link(made, file)
        await self.preserve(file, moderator)
        await self.gone(url)
        found = await self.kept("file", file.digest)
        self.assertEqual((moderator.id, "a crime"), (found["by"], found["reason"]))
        self.assertLess(abs(time.time() + YEAR - found["until"]), 60)
        await self.has("file", file.digest, file)
        await self.get(f"moderation/holds/file/{file.digest}", by=moderator, expect=403)

    async def test_image(self):
        """So is an image, which everybody could read."""
        shot = picture()
        await self.holding(await self.user(), shot)
        await self.preserve(shot)
        await self.gone(await self.media(shot))
        await self.kept("file", shot.digest)
        await self.has("file", shot.digest, shot)

    async def test_unknown(self):
        """Of what is not there nothing is held; it is blocked."""
        file = blob()
        await self.preserve(file)
        answer = await self.get(f"moderation/holds/file/{file.digest}", by=await self.admin())
        self.problem(answer, 404, "hold_not_found")
        self.problem(await self.announcing(await self.user(), file), 403, "file_blocked")

    async def test_held(self):
        """What is held already stays held as it was, and is moved too."""
        file = blob()
        made = await self.holding(await self.user(), file)
        url, until = await self.link(made, file), int(time.time()) + 4 * YEAR
        await self.hold("file", file.digest, until=until)
        await self.preserve(file)
        await self.gone(url)
        found = await self.kept("file", file.digest)
        self.assertEqual(("court order", until), (found["reason"], found["until"]))
        await self.has("file", file.digest, file)

    async def test_while_copying(self):
        """A block without it waits for what is held and not yet kept."""
        file = blob()
        made = await self.holding(await self.user(), file)
        url = await self.link(made, file)
        await self.hold("content", made.id)
        await self.block(file)
        await self.gone(url)
        await self.kept("content", made.id)
        await self.has("content", made.id, file)

    async def test_lifted(self):
        """The hold outlasts the end of the block."""
        file = blob()
        made = await self.holding(await self.user(), file)
        await self.preserve(file)
        await self.kept("file", file.digest)
        await self.lift(file)
        await self.has("file", file.digest, file)
        await self.upload(made.author, file)
        await self.gets(await self.link(made, file), file.data)


class HoldsOnS3Tests(OnS3, HoldsTests):
    """The same on an S3 store."""


class PreserveOnS3Tests(OnS3, PreserveTests):
    """The same on an S3 store."""


class ExternalTests(HoldsCase):
    """With files = external."""

    settings: ClassVar[dict[str, str]] = {"FILES": "external"}

    async def test_record(self):
        """Content and users are held without bytes."""
        made = await self.content(await self.user())
        for kind, id in (("content", made.id), ("user", made.author.id)):
            await self.hold(kind, id)
            self.assertEqual(0, (await self.kept(kind, id))["bytes"])
            self.assertEqual([], (await self.copy(kind, id))["files"])

    async def test_file(self):
        """Files are not."""
        self.problem(await self.hold("file", "0" * 64, expect=None), 404, "files_external")
