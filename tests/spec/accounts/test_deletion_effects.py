"""What is left of who has left, for everybody else: accounts#deletion."""

from __future__ import annotations

from typing import Any

from tests.spec.accounts.base import AccountsCase
from tests.spec.challenges.test_challenges import challenge
from tests.spec.data import User, draft, guid, reference, word
from tests.spec.files.support import FilesCase, blob
from tests.spec.shapes import COMMENT, CONTENT, CONVERSATION, REVISION_ITEM


def shadow(user: User) -> str:
    """The name that is shown of who has left."""
    return f"deleted-{user.id[:8]}"


class PeopleTests(AccountsCase):
    """What is between two users."""

    async def test_friends(self):
        """Friends and requests go, on both sides."""
        user, friend, asked, asking = await self.users(4)
        await self.befriend(user, friend)
        await self.ask(user, asked)
        await self.ask(asking, user)
        await self.leave(user)
        for one in (friend, asked, asking):
            self.assertEqual([], await self.friends(one))
            self.assertEqual([], await self.requests(one))

    async def test_follows(self):
        """Follows go, on both sides."""
        user, followed, follower, both = await self.users(4)
        for one in (followed, both):
            await self.follow(user, one)
        for one in (follower, both):
            await self.follow(one, user)
        await self.leave(user)
        for one in (followed, follower, both):
            self.assertEqual([], await self.listed(one, "followers"))
            self.assertEqual([], await self.listed(one, "following"))

    async def test_messages(self):
        """Messages go on both sides, with their conversation."""
        user, other, third = await self.users(3)
        for one in (other, third):
            await self.befriend(user, one)
        await self.befriend(other, third)
        written = await self.wrote(user, other, "from who left")
        await self.wrote(other, user, "to who left")
        await self.wrote(third, other, "kept")
        await self.leave(user)
        at = self.letters(other, user)
        self.problem(await self.get(at, by=other), 404, "user_not_found")
        self.problem(await self.get(f"{at}/{written}", by=other), 404)
        self.problem(await self.say(other, user), 404, "user_not_found")
        found = await self.read(f"user/{other.id}/messages", [CONVERSATION], by=other)
        self.assertEqual(["kept"], [one["last"]["text"] for one in found])
        self.assertEqual(["kept"], await self.heard(other, third))

    async def test_blocks(self):
        """Blocks go, on both sides."""
        user, blocking = await self.users(2)
        await self.block(user, blocking)
        await self.block(blocking, user)
        await self.leave(user)
        found = (await self.get(f"user/{blocking.id}/blocked", by=blocking, expect=200)).json()
        self.assertEqual([], found)

    async def test_party_invites(self):
        """Open party invites of theirs go."""
        user, other = await self.users(2)
        path = f"user/{user.id}/friend/{other.id}/party-invite"
        await self.post(path, {"party": guid()}, by=user, expect=204)
        await self.leave(user)
        path = f"user/{other.id}/party-invites"
        self.assertEqual([], (await self.get(path, by=other, expect=200)).json())

    async def test_found_no_more(self):
        """Neither search nor a list of ids finds them, and so does nobody their content."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.leave(user)
        found = (await self.get(f"user/search?q={user.username}", expect=200)).json()
        self.assertEqual([], [one for one in found["items"] if one["id"] == user.id])
        found = (await self.get(f"user?ids={user.id},{other.id}", expect=200)).json()
        self.assertEqual([other.id], [one["id"] for one in found])
        for query in (f"ids={made.id}", f"author={user.id}", f"q={made.sent['name'][7:]}"):
            response = await self.get(f"content?{query}")
            items = response.json() if response.status == 200 else []
            self.assertEqual([], items, query)

    async def test_told(self):
        """What was told stays, with numbers and without holes, also for the socket."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        await self.wrote(user, other, "what was told")
        await self.follow(user, other)
        before = await self.notifications(other)
        state = await self.state(other)
        await self.leave(user)
        self.assertEqual(before, await self.notifications(other))
        self.assertEqual(state, await self.state(other))
        self.assertEqual({user.id}, {one["sender"] for one in before})
        socket = await self.socket(other, resume=0)
        seen = [(await self.pushed(socket))["notification"]["id"] for _ in before]
        self.assertEqual([one["id"] for one in before], seen)

    async def test_crossing(self):
        """What others write meanwhile is refused, or goes with them."""
        for _ in range(3):
            user, friend, other = await self.users(3)
            await self.befriend(user, friend)
            made, home = await self.content(user), await self.content(other)
            acts = [
                self.say(friend, user, "meanwhile"),
                self.ask(other, user, None),
                self.follow(other, user, None),
                self.post(f"{made.path}/comments", {"body": "meanwhile"}, by=friend),
                self.post(f"{home.path}/comments", {"body": "meanwhile"}, by=user),
                self.put(f"user/{user.id}/rating/{home.id}", {"value": "1"}, by=user),
                self.put(f"user/{user.id}/progress/key", {"value": {}}, by=user),
                self.leave(user, None),
                self.post("debug/notify", {"recipient": user.id, "text": "x"}, by=other),
            ]
            got = await self.together(*acts)
            self.assertEqual(204, got[7].status, repr(got[7]))
            for one in got:
                self.assertIn(one.status, (201, 204, 401, 403, 404), repr(one))
            for one in (friend, other):
                self.assertEqual([], await self.friends(one))
                self.assertEqual([], await self.requests(one))
                self.assertEqual([], await self.listed(one, "following"))
            votes = (await self.read(home.path, CONTENT))["votes"]
            self.assertEqual({"up": 0, "down": 0}, votes)
            for one in (await self.get(f"{home.path}/comments", expect=200)).json()["items"]:
                self.assertEqual((True, ""), (one["deleted"], one["body"]))


class WorksTests(AccountsCase):
    """Content, comments and votes."""

    async def as_admin(self, path: str, shape: Any) -> Any:
        """What an admin reads."""
        return await self.read(path, shape, by=await self.admin())

    async def test_comments(self):
        """Comments become tombstones, in their places, with their author's id. They are not counted
        any more, and can be replied to."""
        user, other = await self.users(2)
        made = await self.content(other)
        mine = await self.remark(made, user)
        theirs = await self.remark(made, other, mine)
        before = (await self.get(f"{made.path}/comments", expect=200)).json()
        await self.leave(user)
        after = (await self.get(f"{made.path}/comments", expect=200)).json()
        self.assertEqual(before["total"], after["total"])
        self.assertEqual([mine, theirs], [one["id"] for one in after["items"]])
        gone, reply = after["items"]
        self.shape(gone, COMMENT)
        self.assertEqual((True, "", user.id), (gone["deleted"], gone["body"], gone["authorId"]))
        self.assertEqual((False, mine), (reply["deleted"], reply["parentId"]))
        response = await self.get(f"{made.path}/comments/{mine}", expect=200)
        self.assertEqual(gone, response.json())
        self.assertEqual(1, (await self.read(made.path, CONTENT))["commentCount"])
        await self.remark(made, other, mine)

    async def test_votes(self):
        """Votes go, and the ratings with them."""
        user, other, author = await self.users(3)
        liked, disliked = await self.content(author), await self.content(author)
        for one, by, value in ((liked, user, "1"), (liked, other, "0"), (disliked, user, "0")):
            await self.rate(by, one, value)
        await self.leave(user)
        votes = [(await self.read(one.path, CONTENT))["votes"] for one in (liked, disliked)]
        self.assertEqual([{"up": 0, "down": 1}, {"up": 0, "down": 0}], votes)
        ratings = [(await self.read(one.path, CONTENT))["rating"] for one in (liked, disliked)]
        self.assertEqual([0, 0], ratings)

    async def test_votes_on_content(self):
        """Votes on the user's content go too."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.rate(other, made, "1")
        await self.leave(user)
        found = await self.as_admin(made.path, CONTENT)
        self.assertEqual({"up": 0, "down": 0}, found["votes"])

    async def test_content(self):
        """Content is deleted: others see none; admins see `deleted` and the author's place."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.remark(made, other)
        await self.leave(user)
        for by in (None, other):
            for path in (made.path, f"{made.path}/comments", f"{made.path}/revisions"):
                self.problem(await self.get(path, by=by), 404, "content_not_found")
        found = await self.as_admin(made.path, CONTENT)
        self.assertEqual(("deleted", shadow(user)), (found["status"], found["authorUsername"]))
        self.assertEqual(("", None), (found["authorAvatar"], found["authorEmblem"]))
        items = (
            await self.get(f"content?ids={made.id}&status=deleted", by=await self.admin())
        ).json()
        self.assertEqual([shadow(user)], [one["authorUsername"] for one in items])
        response = await self.post(f"{made.path}/restore", by=await self.admin())
        self.problem(response, 409, "content_purged")

    async def test_texts(self):
        """Content and its revisions lose their texts, also if it was withdrawn before, and an
        admin's search finds it by none of them."""
        user, unlike = await self.user(), word()
        made, withdrawn = [await self.content(user, name=unlike) for _ in range(2)]
        await self.delete(withdrawn.path, by=user, expect=204)
        await self.leave(user)
        for one in (made, withdrawn):
            found = await self.as_admin(one.path, CONTENT)
            texts = ("name", "description", "thumbnailUri", "screenshotUris", "tags")
            self.assertEqual(["", "", "", [""], []], [found[text] for text in texts])
            (only,) = await self.as_admin(f"{one.path}/revisions", [REVISION_ITEM])
            self.assertEqual(("", ""), (only["version"], only["description"]))
        for query, ids in (
            ({"q": unlike}, []),
            ({"ids": f"{made.id},{withdrawn.id}"}, [made.id, withdrawn.id]),
        ):
            response = await self.get(
                "content", query={**query, "status": "all"}, by=await self.admin(), expect=200
            )
            self.assertEqual(ids, [one["id"] for one in response.json()])

    async def test_name_is_nowhere(self):
        """An admin reads the name nowhere either."""
        user = await self.user()
        made = await self.content(user)
        await self.leave(user)
        for path in (made.path, f"content?ids={made.id}&status=all", f"{made.path}/comments"):
            text = (await self.get(path, by=await self.admin(), expect=200)).body.decode()
            self.assertNotIn(user.username, text)

    async def test_all_states(self):
        """Content that was suspended or withdrawn before is deleted too. It stays so, whatever
        admins do to it."""
        user = await self.user()
        suspended, withdrawn, plain = [await self.content(user) for _ in range(3)]
        await self.moderate(suspended, "suspended")
        await self.delete(withdrawn.path, by=user, expect=204)
        await self.leave(user)
        for one in (suspended, withdrawn, plain):
            found = await self.as_admin(one.path, CONTENT)
            self.assertEqual(("deleted", shadow(user)), (found["status"], found["authorUsername"]))
        await self.moderate(suspended, "active")
        await self.moderate(plain, "suspended")
        await self.comment(plain, await self.admin())
        await self.moderate(plain, "active")
        for one in (suspended, plain):
            self.problem(await self.get(one.path), 404, "content_not_found")
            self.assertEqual("deleted", (await self.as_admin(one.path, CONTENT))["status"])

    async def test_dependents(self):
        """Content of others that uses its parts stays, and they are told."""
        user, other = await self.users(2)
        made = await self.content(user)
        using = [reference(made.sent["originating"][0])]
        mine = await self.content(other, using=using)
        socket = await self.socket(other)
        await self.leave(user)
        found = await self.read(mine.path, CONTENT)
        self.assertEqual("active", found["status"])
        self.assertEqual(using[0]["entityId"], found["using"][0]["entityId"])
        heard = (await self.pushed(socket))["notification"]
        expected: dict[str, Any] = {
            "dependency": made.id,
            "status": "deleted",
            "content": mine.id,
            "contents": 1,
        }
        expected["kind"] = "DependencyStatus"
        self.assertEqual(expected, {key: heard[key] for key in expected})

    async def test_new_use(self):
        """New uses of its parts are refused as those of deleted content."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.leave(user)
        using = [reference(made.sent["originating"][0])]
        response = await self.put(f"content/{guid()}", draft(using=using), by=other)
        self.problem(response, 422, "deleted_dependency")

    async def test_ids_stay_taken(self):
        """Nobody takes over the content: its id is another's."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.leave(user)
        self.problem(await self.put(made.path, made.sent, by=other), 403, "forbidden")

    async def test_challenge(self):
        """Entries go out of sight, winners stay named, and the challenge goes on."""
        user, other = await self.users(2)
        mine, theirs = await self.content(user), await self.content(other)
        admin = await self.admin()
        response = await self.post("design-challenges", challenge(), by=admin, expect=201)
        path = (response.header("Location") or "").removeprefix("/api/v1/")
        for one in (mine, theirs):
            await self.put(f"{path}/entries/{one.id}", by=one.author, expect=204)
        await self.leave(user)
        entries = (await self.get(f"{path}/entries", expect=200)).json()
        self.assertEqual([theirs.id], [one["id"] for one in entries])
        self.assertEqual(1, (await self.get(path, expect=200)).json()["entries"])
        await self.post(f"{path}/close", {"winners": [theirs.id]}, by=admin, expect=204)
        await self.get(path, expect=200)

    async def test_reports(self):
        """Reports by them and about them stay, and can be decided."""
        user, other = await self.users(2)
        made, home = await self.content(user), await self.content(other)
        remark = await self.remark(home, user)
        await self.report(home.path, user)
        await self.report(made.path, other)
        await self.report(f"{home.path}/comments/{remark}", other)
        await self.report(f"user/{user.id}", other)
        socket = await self.socket(other)
        await self.leave(user)
        subjects: list[tuple[str, Any]] = [
            ("content", home.id),
            ("content", made.id),
            ("comment", remark),
            ("user", user.id),
        ]
        for kind, id in subjects:
            self.assertIsNotNone(await self.queued(kind, id), kind)
            (found,) = await self.reports(kind, id)
            self.assertEqual(user.id if id == home.id else other.id, found["reporter"])
            await self.judge(kind, id)
            self.assertIsNone(await self.queued(kind, id), kind)
        told = [(await self.pushed(socket))["notification"] for _ in range(3)]
        subjects = [("content", made.id), ("comment", remark), ("user", user.id)]
        self.assertEqual(
            {(kind, str(id)) for kind, id in subjects},
            {(one["subject"]["kind"], str(one["subject"]["id"])) for one in told},
        )

    async def test_many_things(self):
        """Who has much leaves as well, and wholly."""
        user, others = await self.user(), await self.users(3)
        made = [await self.content(user) for _ in range(12)]
        for one in others:
            await self.befriend(user, one)
            await self.follow(one, user)
        home = await self.content(others[0])
        remarks = [await self.comment(home, user, f"remark {n}") for n in range(15)]
        for n in range(60):
            path = f"user/{user.id}/progress/key-{n}"
            await self.put(path, {"value": {"n": n}}, by=user, expect=204)
        await self.leave(user)
        for content in made:
            self.problem(await self.get(content.path), 404, "content_not_found")
        for remark in remarks:
            self.assertTrue((await self.get(remark, expect=200)).json()["deleted"])
        for one in others:
            self.assertEqual([], await self.friends(one))
            self.assertEqual([], await self.listed(one, "following"))


class FilesTests(FilesCase):
    """The files of content."""

    async def leave(self, user: User) -> None:
        """DELETE the user."""
        body = {"password": user.password}
        await self.delete(f"user/{user.id}", body=body, by=user, expect=204)

    async def test_dependents_files(self):
        """Files of deleted content are given to active dependents still, and to
        nobody else."""
        user, other, file = await self.user(), await self.user(), blob()
        made = await self.holding(user, file)
        own = await self.content(
            other, originating=[], packagesOriginating=[], using=[reference(made.sent["entity"])]
        )
        await self.leave(user)
        self.problem(await self.get(f"{made.path}/files"), 404, "content_not_found")
        await self.gets(await self.link(own, file), file.data)

    async def test_uploads(self):
        """Uploads that were announced are no more."""
        user, file = await self.user(), blob()
        upload = await self.place(user, file)
        await self.leave(user)
        response = await self.sending(upload, file.data)
        self.assertIn(response.status, (204, 403), repr(response))
        other = await self.user()
        await self.missing(other, file)
