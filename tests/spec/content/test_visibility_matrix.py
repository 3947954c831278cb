"""Who sees what: each visibility, each operation that reads, each kind of callers
(content#visibility)."""

from __future__ import annotations

from typing import Any, ClassVar

from tests.spec.content.letting_in import EVERYBODY, LIST, ROLES, SEE, VISIBILITIES, GuestsCase
from tests.spec.data import Content, reference, word
from tests.spec.notifications.support import bare
from tests.spec.shapes import CONTENT_INFO


class _World:
    people: dict[str, Any]
    word: str
    contents: dict[str, Content]
    comments: dict[str, str]


class VisibilityMatrixTests(GuestsCase):
    """The four visibilities, and all who look."""

    _worlds: ClassVar[dict[str, _World]] = {}

    async def world(self) -> _World:
        """People and content, shared by these tests."""
        if self.url in self._worlds:
            return self._worlds[self.url]
        world = _World()
        world.people, world.word = await self.people(), word()
        world.contents, world.comments = {}, {}
        author = world.people["author"]
        for visibility in VISIBILITIES:
            sent = {"name": f"{world.word} {visibility}", "visibility": visibility}
            made = await self.content(author, **sent)
            await self.let_in(made, **{role: world.people[role] for role in ROLES})
            world.contents[visibility] = made
            world.comments[visibility] = await self.comment(made, author)
        self._worlds[self.url] = world
        return world

    async def check(self, path_of: Any) -> None:
        """Who sees a content is answered 200, and everybody else 404."""
        world = await self.world()
        for visibility, made in world.contents.items():
            path = path_of(world, visibility, made)
            for caller in EVERYBODY:
                found = await self.get(path, by=world.people[caller])
                expected = 200 if caller in SEE[visibility] else 404
                self.assertEqual(expected, found.status, f"{visibility} {caller} {found!r}")

    async def test_detail(self):
        """content#visibility: the detail."""
        await self.check(lambda world, visibility, made: made.path)

    async def test_shown(self):
        """content#visibility: the detail shows the visibility, and that it is active."""
        world = await self.world()
        for visibility, made in world.contents.items():
            found = (await self.get(made.path, by=made.author, expect=200)).json()
            self.assertEqual((visibility, "active"), (found["visibility"], found["status"]))

    async def test_revisions(self):
        """content#visibility: the list of revisions."""
        await self.check(lambda world, visibility, made: f"{made.path}/revisions")

    async def test_revision(self):
        """content#visibility: one revision."""
        await self.check(
            lambda world, visibility, made: f"{made.path}/revisions/{made.sent['revisionId']}"
        )

    async def test_files(self):
        """content#visibility: the files."""
        await self.check(lambda world, visibility, made: f"{made.path}/files")

    async def test_files_of_revision(self):
        """content#visibility: the files of a revision."""
        await self.check(
            lambda world, visibility, made: f"{made.path}/revisions/{made.sent['revisionId']}/files"
        )

    async def test_comments(self):
        """content#visibility: the comments."""
        await self.check(lambda world, visibility, made: f"{made.path}/comments")

    async def test_comment(self):
        """content#visibility: one comment."""
        await self.check(lambda world, visibility, made: world.comments[visibility])

    async def test_dependents(self):
        """content#visibility: the list of dependents."""
        await self.check(lambda world, visibility, made: f"{made.path}/dependents")

    async def test_members(self):
        """content#visibility: the list of members."""
        await self.check(lambda world, visibility, made: f"{made.path}/members")

    async def test_lists(self):
        """content#visibility: what is not public is in no list and no search, whoever asks, with
        any status."""
        world = await self.world()
        author, public = world.people["author"], [world.contents["public"].id]
        ids = ",".join(made.id for made in world.contents.values())
        for caller in EVERYBODY:
            for query in (
                {"author": author.id},
                {"q": world.word},
                {"ids": ids},
                {"author": author.id, "status": "all"},
                {"author": author.id, "sort": "updated"},
                {"author": author.id, "sort": "top"},
            ):
                found = await self.read(
                    "content", [CONTENT_INFO], by=world.people[caller], query=query
                )
                self.assertEqual(public, [item["id"] for item in found], f"{caller} {query}")

    async def test_list_of_all(self):
        """content#visibility: nor in the lists that are read in their order."""
        world = await self.world()
        theirs = {made.id: visibility for visibility, made in world.contents.items()}
        for sort in ("newest", "updated", "top", "trending"):
            found = await self.read(
                "content",
                [CONTENT_INFO],
                by=world.people["author"],
                query={"sort": sort, "limit": "200"},
            )
            shown = {theirs[item["id"]] for item in found if item["id"] in theirs}
            self.assertLessEqual(shown, {"public"}, sort)

    async def test_list_of_author(self):
        """content#visibility: in the author's list is what the caller sees, and unlisted content
        only for those who are close to it."""
        world = await self.world()
        author = world.people["author"]
        for caller in EVERYBODY:
            found = await self.read(
                f"user/{author.id}/content", [CONTENT_INFO], by=world.people[caller]
            )
            expected = [
                world.contents[visibility].id
                for visibility in reversed(VISIBILITIES)
                if caller in LIST[visibility]
            ]
            self.assertEqual(expected, [item["id"] for item in found], caller)

    async def test_in_dependents(self):
        """content#visibility: what is not public is in no list of dependents."""
        base = await self.content(await self.user(), **bare())
        using = {"using": [reference(base.sent["entity"])]}
        author = await self.user()
        made = [
            await self.content(author, visibility=visibility, **bare() | using)
            for visibility in VISIBILITIES
        ]
        for user in (author, None, await self.admin()):
            found = await self.read(f"{base.path}/dependents", [CONTENT_INFO], by=user)
            self.assertEqual([made[0].id], [item["id"] for item in found])

    async def test_writes_of_those_who_see(self):
        """content#visibility: those who see it comment, vote and report; to others it is not
        there."""
        world = await self.world()
        made = world.contents["private"]
        body = {"reason": "spam"}
        for caller, expected in (("stranger", 404), ("friend", 404), ("tester", 204)):
            user = world.people[caller]
            rated = await self.put(f"user/{user.id}/rating/{made.id}", {"value": "1"}, by=user)
            reported = await self.post(f"{made.path}/report", body, by=user)
            self.assertEqual((expected, expected), (rated.status, reported.status), caller)
            said = await self.post(f"{made.path}/comments", {"body": "x"}, by=user)
            self.assertEqual(201 if expected == 204 else 404, said.status, caller)
            votes = await self.read(f"user/{user.id}/ratings", dict, by=user)
            self.assertEqual(expected == 204, made.id in votes, caller)

    async def test_hidden(self):
        """content#visibility: testers and members do not see it while it is suspended or deleted,
        and do again later."""
        author, tester, member = [await self.user() for _ in range(3)]
        made = await self.content(author, visibility="private")
        await self.let_in(made, tester=tester, member=member)

        async def seen(status: int) -> None:
            for user in (tester, member):
                await self.get(made.path, by=user, expect=status)
                found = (await self.get(f"user/{user.id}/memberships", by=user, expect=200)).json()
                self.assertEqual(status == 200, bool(found))

        await seen(200)
        await self.moderate(made, "suspended")
        await seen(404)
        await self.get(made.path, by=author, expect=200)
        await self.moderate(made, "active")
        await seen(200)
        await self.delete(made.path, by=author, expect=204)
        await seen(404)
        await self.post(f"{made.path}/restore", by=author, expect=204)
        await seen(200)
