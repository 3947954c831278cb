"""What content is called, and what it was called (content#names)."""

from typing import Any

from tests.spec.content.letting_in import GuestsCase
from tests.spec.content.test_suggestions import SuggestionCase
from tests.spec.data import Content, User, draft, guid, word
from tests.spec.shapes import CONTENT, CONTENT_INFO, CONTENT_NAME, USER_INFO


class NamesCase(GuestsCase):
    """PUT /api/v1/content/{content}/name, and GET …/names."""

    async def rename(self, content: Content, name: str, by: User | None = None) -> None:
        """Give a content another name."""
        by = by or content.author
        await self.put(f"{content.path}/name", {"name": name}, by=by, expect=204)

    async def called(self, content: Content, by: User | None = None) -> list[tuple[Any, Any]]:
        """What a content was called, and the names of who called it so."""
        by = by or content.author
        found = await self.read(f"{content.path}/names", [CONTENT_NAME], by=by)
        for one in found:
            if one["by"] is not None:
                self.shape(one["by"], USER_INFO)
        return [(one["name"], one["by"] and one["by"]["username"]) for one in found]


class RenameTests(NamesCase):
    async def test_rename(self):
        """content#names: the author gives another name; the listing stays, `updated` does not go
        back."""
        made, name = await self.content(await self.user()), word()
        before = await self.read(made.path, CONTENT)
        await self.rename(made, name)
        after = await self.read(made.path, CONTENT)
        self.assertEqual(name, after["name"])
        self.assertGreaterEqual(after["updated"], before["updated"])
        self.assertEqual(before | {"name": name, "updated": after["updated"]}, after)

    async def test_who(self):
        """content#names: author, members and admins; others who see it are 403, and who does not
        see it is 404."""
        made, member = await self.content(await self.user()), await self.user()
        await self.let_in(made, member=member)
        path, body = f"{made.path}/name", {"name": word()}
        self.problem(await self.put(path, body), 401, "unauthorized")
        moderator = await self.member("moderator")
        for user in (await self.someone(), moderator):
            self.problem(await self.put(path, body, by=user), 403, "forbidden")
        for user in (member, await self.admin(), made.author):
            await self.rename(made, word(), by=user)
        await self.show(made, "private")
        refused = await self.put(path, body, by=await self.someone())
        self.problem(refused, 404, "content_not_found")
        self.problem(await self.put(path, body, by=moderator), 403, "forbidden")

    async def test_rules(self):
        """content#names: a name is as in a create, and is judged before the content is looked
        for."""
        made = await self.content(await self.user())
        for path in (f"{made.path}/name", f"content/{guid()}/name"):
            for bad in ("", " ", "\u200b", "x" * 257, None, 7):
                self.invalid(await self.put(path, {"name": bad}, by=made.author), "/name")
        for good in ("x" * 256, "名前 \u202e", " padded "):
            await self.rename(made, good)
            self.assertEqual(good, (await self.read(made.path, CONTENT))["name"])
        unknown = await self.put(path, {"name": "x"}, by=made.author)
        self.problem(unknown, 404, "content_not_found")

    async def test_status(self):
        """content#names: suspended content can be renamed by author and admins, deleted content is
        409, also with the name that it has."""
        made, member, name = await self.content(await self.user()), await self.user(), word()
        await self.let_in(made, member=member)
        await self.moderate(made, "suspended")
        path = f"{made.path}/name"
        self.problem(await self.put(path, {"name": name}, by=member), 404, "content_not_found")
        for user in (made.author, await self.admin()):
            await self.rename(made, word(), by=user)
        await self.moderate(made, "active")
        await self.rename(made, name)
        await self.delete(made.path, by=made.author, expect=204)
        for given in (name, word()):
            refused = await self.put(path, {"name": given}, by=made.author)
            self.problem(refused, 409, "content_deleted")

    async def test_limit(self):
        """content#names: the fourth change of a content in a day is 429, whoever makes it; what
        changes nothing counts not."""
        made, member = await self.content(await self.user()), await self.user()
        await self.let_in(made, member=member)
        names = [word() for _ in range(3)]
        for name, user in zip(names, (made.author, member, made.author), strict=True):
            for _ in range(2):
                await self.rename(made, name, by=user)
        for user in (member, made.author):
            limited = await self.put(f"{made.path}/name", {"name": word()}, by=user)
            self.problem(limited, 429, "too_many_requests")
            self.assertTrue(86_000 < int(limited.header("Retry-After") or 0) <= 86_400)
        await self.rename(made, names[-1])
        self.assertEqual(names[-1], (await self.read(made.path, CONTENT))["name"])
        await self.rename(await self.content(made.author), word())

    async def test_admin(self):
        """content#names: admins are not limited, and what they do does not count."""
        admin = await self.admin()
        made = await self.content(await self.user())
        for _ in range(4):
            await self.rename(made, word(), by=admin)
        for _ in range(3):
            await self.rename(made, word())
        await self.rename(made, word(), by=admin)
        own = await self.content(admin)
        for _ in range(4):
            await self.rename(own, word())

    async def test_changes(self):
        """content#names: a rename does not count for the changes of the user."""
        author = await self.user()
        contents = [await self.content(author) for _ in range(21)]
        for content in contents:
            for _ in range(3):
                await self.rename(content, word())
        body = {"description": "other", "screenshotUris": ["a.png"]}
        await self.put(contents[0].path, body, by=author, expect=204)

    async def test_repeated_create(self):
        """content#names: a create that is sent again leaves the name as it is."""
        made, name = await self.content(await self.user()), word()
        await self.rename(made, name)
        await self.put(made.path, made.sent, by=made.author, expect=204)
        await self.put(made.path, draft(name="x") | {"revisionId": None}, by=made.author)
        self.assertEqual(name, (await self.read(made.path, CONTENT))["name"])

    async def test_action(self):
        """moderation#actions: what an admin does is noted with the new name, once; an admin's own
        content is none of it."""
        admin, name = await self.admin(), word()
        made, own = await self.content(await self.user()), await self.content(admin)
        for _ in range(2):
            await self.rename(made, name, by=admin)
        await self.rename(own, word())
        (found,) = (
            await self.get(f"moderation/actions?subject={made.id}", by=admin, expect=200)
        ).json()
        self.assertEqual(("content_renamed", name), (found["action"], found["reason"]))
        none = await self.get(f"moderation/actions?subject={own.id}", by=admin, expect=200)
        self.assertEqual([], none.json())


class EverywhereTests(NamesCase, SuggestionCase):
    async def test_search(self):
        """content#names: a search finds it by the new name alone, at once, and a misspelt search is
        mended to that."""
        old, new = word(), word()
        made = await self.content(await self.user(), name=old, tags=[], description="")
        await self.rename(made, new)
        for q, found in ((old, []), (new, [made.id]), (new[:-2], [made.id])):
            part = await self.read("content", [CONTENT_INFO], query={"q": q})
            self.assertEqual(found, [one["id"] for one in part], q)
        self.assertEqual(new, await self.mended(f"{new}x"))
        self.assertIsNone(await self.mended(f"{old}x"))

    async def test_lists(self):
        """content#names: lists, the library, collections and their validators have it at once."""
        keeper, tag = await self.user(), word()
        made = await self.content(await self.user(), tags=[tag])
        path = f"user/{keeper.id}/subscription/{made.id}"
        await self.put(path, {}, by=keeper, expect=204)
        item = f"user/{keeper.id}/collections/{keeper.id}/items/{made.id}"
        await self.put(item, {}, by=keeper, expect=204)
        lists = (
            f"content?tags={tag}",
            f"content?ids={made.id}",
            f"user/{made.author.id}/content",
            f"user/{keeper.id}/subscriptions",
            f"collections/{keeper.id}/items",
            made.path,
        )
        before = [await self.get(each, by=keeper, expect=200) for each in lists]
        socket = await self.socket(keeper)
        name = word()
        await self.rename(made, name)
        await socket.kept()
        for path, read in zip(lists, before, strict=True):
            seen = {"If-None-Match": read.header("ETag") or ""}
            after = await self.get(path, by=keeper, headers=seen, expect=200)
            self.assertIn(name, after.body.decode(), path)

    async def test_evidence(self):
        """moderation#reports: evidence keeps the name of then."""
        old, new = word(), word()
        made = await self.content(await self.user(), name=old)
        body = {"reason": "abuse"}
        await self.post(f"{made.path}/report", body, by=await self.user(), expect=204)
        await self.rename(made, new)
        moderator = await self.member("moderator")
        path = f"moderation/reports/content/{made.id}"
        found = (await self.get(path, by=moderator, expect=200)).body.decode()
        self.assertIn(old, found)


class NamesTests(NamesCase):
    async def test_first(self):
        """content#names: what was never renamed has the name of its create, since then."""
        made = await self.content(await self.user())
        (found,) = await self.read(f"{made.path}/names", [CONTENT_NAME], by=made.author)
        shown = await self.read(made.path, CONTENT)
        self.assertEqual((shown["name"], shown["created"]), (found["name"], found["since"]))
        self.assertEqual(made.author.id, found["by"]["id"])

    async def test_all(self):
        """content#names: all names, the present one first, with who gave them; those of admins are
        nobody's."""
        made, member = await self.content(await self.user()), await self.user()
        await self.let_in(made, member=member)
        names = [word() for _ in range(3)]
        for name, by in zip(names, (member, await self.admin(), None), strict=True):
            await self.rename(made, name, by=by)
        author = made.author.username
        self.assertEqual(
            [
                (names[2], author),
                (names[1], None),
                (names[0], member.username),
                (made.sent["name"], author),
            ],
            await self.called(made),
        )

    async def test_who(self):
        """content#names: the author and moderators; members and others who see it are 403, and who
        does not is 404."""
        made, member = await self.content(await self.user()), await self.user()
        await self.let_in(made, member=member)
        path = f"{made.path}/names"
        self.problem(await self.get(path), 401, "unauthorized")
        for user in (member, await self.someone(), await self.member("curator")):
            self.problem(await self.get(path, by=user), 403, "forbidden")
        await self.called(made, by=await self.member("moderator"))
        await self.moderate(made, "suspended")
        await self.called(made)
        refused = await self.get(path, by=await self.someone())
        self.problem(refused, 404, "content_not_found")

    async def test_parts(self):
        """conventions#lists: the list comes in parts, whose cursors lead on."""
        made = await self.content(await self.user())
        names = [word() for _ in range(3)]
        for name in names:
            await self.rename(made, name)
        found = await self.pages(f"{made.path}/names?limit=3", [CONTENT_NAME], by=made.author)
        self.assertEqual([3, 1], [len(part) for part in found])
        listed = [one["name"] for part in found for one in part]
        self.assertEqual([*reversed(names), made.sent["name"]], listed)

    async def test_member_left(self):
        """content#names: a name that somebody gave who has left stays, and is nobody's."""
        made, member = await self.content(await self.user()), await self.user()
        await self.let_in(made, member=member)
        name = word()
        await self.rename(made, name, by=member)
        body = {"password": member.password}
        await self.delete(f"user/{member.id}", body=body, by=member, expect=204)
        first = (made.sent["name"], made.author.username)
        self.assertEqual([(name, None), first], await self.called(made))

    async def test_author_left(self):
        """content#names: what the content of somebody was called who has left, nobody sees from
        the answer on."""
        made = await self.content(await self.user())
        await self.rename(made, word())
        author = made.author
        body = {"password": author.password}
        await self.delete(f"user/{author.id}", body=body, by=author, expect=204)
        self.assertEqual([("", None)], await self.called(made, by=await self.admin()))
