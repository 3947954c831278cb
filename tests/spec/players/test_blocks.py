"""Blocks between users: extensions §4."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import Content, User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import COMMENT, FRIEND, MESSAGE, USER_INFO


class BlockCase(PlayersCase):
    """One who blocks another."""

    async def blocked(self, user: User) -> list[str]:
        """The ids of those whom the user has blocked."""
        found = await self.read(f"user/{user.id}/blocked", [FRIEND], by=user)
        return [one["user"]["id"] for one in found]

    async def nothing(self, *users: User) -> None:
        """Assert that nothing exists between these two."""
        for user in users:
            self.assertEqual([], await self.friends(user))
            self.assertEqual([], await self.requests(user))
            self.assertEqual([], await self.listed(user, "following"))
            self.assertEqual([], await self.listed(user, "followers"))


class BlockTests(BlockCase):
    """PUT, DELETE and GET blocked."""

    async def test_block(self):
        """extensions §4: {user, since}, with the user as …/info gives it; the other sees and hears
        nothing of it."""
        user, other = await self.users(2)
        await self.block(user, other)
        (got,) = await self.read(f"user/{user.id}/blocked", [FRIEND], by=user)
        self.assertEqual(await self.read(f"user/{other.id}/info", USER_INFO), got["user"])
        self.assertEqual([], await self.blocked(other))
        self.assertEqual(([], []), (await self.told(user), await self.told(other)))

    async def test_newest_first(self):
        """extensions: newest first; a repeat changes nothing."""
        user, one, two, three = await self.users(4)
        for other in (one, two, three, one):
            await self.block(user, other)
        self.assertEqual([three.id, two.id, one.id], await self.blocked(user))

    async def test_ends_everything(self):
        """extensions §4: after its 204 there is no friendship and no following between the two."""
        user, other, third = await self.users(3)
        for one, another in ((user, other), (other, user)):
            await self.befriend(user, other)
            await self.follow(user, other)
            await self.follow(other, user)
            await self.follow(third, other)
            before = (await self.told(user), await self.told(other))
            await self.block(one, another)
            self.assertEqual(before, (await self.told(user), await self.told(other)))
            self.assertEqual([third.id], await self.listed(other, "followers"))
            await self.delete(f"user/{third.id}/following/{other.id}", by=third, expect=204)
            await self.nothing(user, other)
            await self.unblock(one, another)
            await self.nothing(user, other)

    async def test_ends_requests(self):
        """extensions §4: after its 204 there is no request, whoever had asked."""
        for asker in (0, 1):
            pair = await self.users(2)
            await self.ask(pair[asker], pair[1 - asker])
            await self.block(pair[0], pair[1])
            await self.nothing(*pair)

    async def test_self(self):
        """extensions §4: oneself is 422 cannot_block_self."""
        user = await self.someone()
        for me in (user.id, user.id.upper()):
            response = await self.put(f"user/{user.id}/blocked/{me}", by=user)
            self.problem(response, 422, "cannot_block_self")

    async def test_unblock(self):
        """extensions §4: DELETE lifts it, is 204 also where there is none, and brings nothing
        back."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        await self.unblock(user, other)
        self.assertEqual([other.id], await self.friends(user))
        await self.block(user, other)
        for _ in range(2):
            await self.unblock(user, other)
        self.assertEqual([], await self.blocked(user))
        await self.nothing(user, other)
        await self.befriend(other, user)
        await self.wrote(other, user)

    async def test_by_both(self):
        """extensions §4: each has a block of their own; one lifts theirs, the other's stays."""
        user, other = await self.users(2)
        await self.block(user, other)
        await self.block(other, user)
        await self.unblock(user, other)
        self.assertEqual(([], [user.id]), (await self.blocked(user), await self.blocked(other)))
        for one, another in ((user, other), (other, user)):
            self.problem(await self.ask(one, another, expect=None), 403, "blocked")
        await self.unblock(other, user)
        await self.ask(user, other)

    async def test_by_the_blocked(self):
        """extensions §4: who is blocked cannot lift it."""
        user, other = await self.users(2)
        await self.block(user, other)
        await self.unblock(other, user)
        self.assertEqual([other.id], await self.blocked(user))
        self.problem(await self.ask(other, user, expect=None), 403, "blocked")

    async def test_lists_say_nothing(self):
        """extensions §4: of a block the blocked one learns nothing from what they may read."""
        user, other = await self.users(2)
        await self.block(user, other)
        for path in ("blocked", "friends", "friend-requests", "messages", "party-invites"):
            got = await self.get(f"user/{other.id}/{path}", by=other, expect=200)
            self.assertEqual([], got.json(), path)
        self.assertEqual([], await self.heard(other, user))


class BlockedTests(BlockCase):
    """What is refused between the two, whoever of them has blocked."""

    async def refusals(self, one: User, two: User) -> list[Response]:
        """What `one` may not do to `two`."""
        about = f"user/{one.id}/friend/{two.id}"
        return [
            await self.ask(one, two, expect=None),
            await self.say(one, two),
            await self.follow(one, two, expect=None),
            *[
                await self.post(f"{about}/party-invite{how}", {"party": guid()}, by=one)
                for how in ("", "/accept", "/decline")
            ],
        ]

    async def test_users(self):
        """extensions §4: friend request, message, follow, party invite and answer are 403
        `blocked`, both ways; nothing is told or made."""
        user, other = await self.users(2)
        await self.block(user, other)
        for one, two in ((user, other), (other, user)):
            for response in await self.refusals(one, two):
                self.problem(response, 403, "blocked")
            self.assertEqual([], await self.told(one))
        await self.nothing(user, other)

    async def commented(self) -> tuple[Content, User, int]:
        """A content, somebody who has commented on it, and the number of the comment."""
        made, writer = await self.content(await self.user()), await self.user()
        return made, writer, await self.remark(made, writer)

    async def refused(self, on: Content, by: User, **more: Any) -> None:
        """Assert that a comment is 403 `blocked`, and tells nobody and is not there."""
        before = (await self.get(f"{on.path}/comments")).json()["total"]
        told = await self.told(on.author)
        response = await self.post(f"{on.path}/comments", {"body": "x", **more}, by=by)
        self.problem(response, 403, "blocked")
        self.assertEqual(before, (await self.get(f"{on.path}/comments")).json()["total"])
        self.assertEqual(told, await self.told(on.author))

    async def test_comments(self):
        """extensions §4: comments on the other's content are 403 `blocked`, both ways."""
        user, other = await self.users(2)
        mine, theirs = await self.content(user), await self.content(other)
        await self.block(user, other)
        await self.refused(mine, other)
        await self.refused(theirs, user)
        await self.remark(mine, user)
        await self.unblock(user, other)
        await self.remark(mine, other)

    async def test_replies(self):
        """extensions §4: replies to the other's comment are 403 `blocked`, on others' content
        and on one's own."""
        made, writer, comment = await self.commented()
        user = await self.user()
        mine = await self.content(user)
        on_mine = await self.remark(mine, writer)
        await self.block(writer, user)
        await self.refused(made, user, parentId=comment)
        await self.refused(mine, user, parentId=on_mine)
        ours = await self.remark(made, user)
        await self.refused(made, writer, parentId=ours)
        await self.remark(made, made.author, parent=comment)

    async def test_beside_the_other(self):
        """extensions §4: on a third user's content both comment, and reply to others."""
        made, _, comment = await self.commented()
        user, other = await self.users(2)
        await self.block(user, other)
        for one in (user, other):
            await self.remark(made, one)
            await self.remark(made, one, parent=comment)

    async def test_before_locked(self):
        """extensions §4: `blocked` comes before comments_locked."""
        made, user = await self.content(await self.user()), await self.user()
        await self.block(made.author, user)
        body = {"locked": True}
        await self.put(f"{made.path}/comments-locked", body, by=made.author, expect=204)
        await self.refused(made, user)
        await self.unblock(made.author, user)
        response = await self.post(f"{made.path}/comments", {"body": "x"}, by=user)
        self.problem(response, 403, "comments_locked")

    async def test_after_400_and_404(self):
        """extensions: 400 and 404 come before `blocked`."""
        made, user = await self.content(await self.user()), await self.user()
        await self.block(user, made.author)
        response = await self.post(f"{made.path}/comments", {"body": ""}, by=user)
        self.invalid(response, "/body")
        path = f"user/{user.id}/friend/{made.author.id}/party-invite"
        self.invalid(await self.post(path, {"party": "x"}, by=user), "/party")
        await self.moderate(made, "suspended")
        response = await self.post(f"{made.path}/comments", {"body": "x"}, by=user)
        self.problem(response, 404, "content_not_found")

    async def test_what_was_there(self):
        """extensions §4: what was there before stays: messages, comments, votes, what was told."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.befriend(user, other)
        await self.wrote(user, other, "before")
        path = await self.comment(made, other)
        await self.rate(other, made, "1")
        told = await self.told(other)
        await self.block(user, other)
        (message,) = await self.read(self.letters(other, user), [MESSAGE], by=other)
        self.assertEqual("before", message["text"])
        self.assertEqual("Well made", (await self.read(path, COMMENT))["body"])
        ratings = await self.get(f"user/{other.id}/ratings", by=other, expect=200)
        self.assertEqual({made.id: "1"}, ratings.json())
        self.assertEqual(told, await self.told(other))

    async def test_changed(self):
        """choices: a comment or a reply from before is not changed while posting it would be
        refused, by whoever of the two; it is deleted. Beside the other it is changed."""
        made, user = await self.content(await self.user()), await self.user()
        on_theirs, elsewhere = await self.comment(made, user), await self.content(await self.user())
        beside = await self.comment(elsewhere, user)
        parent = await self.comment(elsewhere, made.author)
        answer = {"body": "x", "parentId": int(parent.rsplit("/", 1)[1])}
        found = await self.post(f"{elsewhere.path}/comments", answer, by=user, expect=201)
        reply = found.header("Location") or ""
        for one, other in ((made.author, user), (user, made.author)):
            await self.block(one, other)
            for path in (on_theirs, reply):
                refused = await self.amend(path, {"body": "after"}, by=user)
                self.problem(refused, 403, "blocked")
                self.assertNotEqual("after", (await self.read(path, COMMENT))["body"])
            await self.amend(beside, {"body": "fine"}, by=user, expect=204)
            await self.unblock(one, other)
        await self.amend(on_theirs, {"body": "after"}, by=user, expect=204)
        await self.block(made.author, user)
        for path in (on_theirs, reply):
            await self.delete(path, by=user, expect=204)
            self.problem(await self.amend(path, {"body": "x"}, by=user), 403, "blocked")

    async def test_what_goes_on(self):
        """extensions §4: debug/notify stays open; what undoes something is 204; content is seen."""
        user, other = await self.users(2)
        made = await self.content(user)
        await self.block(user, other)
        body = {"recipient": user.id, "text": "x"}
        await self.post("debug/notify", body, by=other, expect=204)
        await self.part(other, user)
        await self.delete(f"user/{other.id}/following/{user.id}", by=other, expect=204)
        await self.get(made.path, by=other, expect=200)
        await self.get(f"user/{user.id}/info", by=other, expect=200)
        await self.rate(other, made, "1")
