"""Blocks between users: social#blocks."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import Content, User, guid
from tests.spec.shapes import COMMENT, FRIEND, MESSAGE, USER_INFO
from tests.spec.social.support import SocialCase


class BlockCase(SocialCase):
    """One who blocks another."""

    async def blocked(self, user: User) -> list[str]:
        """The ids of those whom the user blocks."""
        found = await self.read(f"user/{user.id}/blocked", [FRIEND], by=user)
        return [one["user"]["id"] for one in found]


class BlockTests(BlockCase):
    """PUT, DELETE and GET blocked."""

    async def test_elements(self):
        """The list has the user as …/info gives it; neither of the two is told."""
        ann, bob = await self.users(2)
        await self.block(ann, bob)
        (got,) = await self.read(f"user/{ann.id}/blocked", [FRIEND], by=ann)
        self.assertEqual(await self.read(f"user/{bob.id}/info", USER_INFO), got["user"])
        self.assertEqual(([], []), (await self.told(ann), await self.told(bob)))

    async def test_ends_everything(self):
        """After a block there is no friendship and no following between the two, and nobody is
        told; taking it back brings nothing back."""
        ann, bob, cat = await self.users(3)
        for one, other in ((ann, bob), (bob, ann)):
            await self.befriend(ann, bob)
            await self.follow(ann, bob)
            await self.follow(bob, ann)
            await self.follow(cat, bob)
            before = [await self.told(user) for user in (ann, bob)]
            await self.block(one, other)
            self.assertEqual(before, [await self.told(user) for user in (ann, bob)])
            self.assertEqual([cat.id], await self.listed(bob, "followers"))
            await self.delete(f"user/{cat.id}/following/{bob.id}", by=cat, expect=204)
            await self.nothing(ann, bob)
            await self.unblock(one, other)
            await self.nothing(ann, bob)

    async def test_ends_requests(self):
        """A block ends a request, in either direction."""
        for blocker in (0, 1):
            pair = ann, bob = await self.users(2)
            await self.ask(ann, bob)
            await self.block(pair[blocker], pair[1 - blocker])
            await self.nothing(ann, bob)
            await self.unblock(pair[blocker], pair[1 - blocker])
            await self.nothing(ann, bob)

    async def test_repeats(self):
        """A block again is 204, and one that is not there is taken back with 204, and nothing
        with it."""
        ann, bob, cat = await self.users(3)
        await self.befriend(ann, bob)
        await self.unblock(ann, bob)
        self.assertEqual([bob.id], await self.friends(ann))
        for other in (bob, cat, bob):
            await self.block(ann, other)
        self.assertEqual([cat.id, bob.id], await self.blocked(ann))
        for _ in range(2):
            await self.unblock(ann, bob)
        self.assertEqual([cat.id], await self.blocked(ann))

    async def test_taken_back(self):
        """After a block was taken back, the two can be friends and write again."""
        ann, bob = await self.users(2)
        await self.block(ann, bob)
        await self.unblock(ann, bob)
        await self.befriend(bob, ann)
        await self.wrote(bob, ann)

    async def test_each(self):
        """Each may block the other, and takes back their own block only."""
        ann, bob = await self.users(2)
        await self.block(ann, bob)
        await self.block(bob, ann)
        await self.unblock(ann, bob)
        self.assertEqual(([], [ann.id]), (await self.blocked(ann), await self.blocked(bob)))
        for one, other in ((ann, bob), (bob, ann)):
            self.problem(await self.ask(one, other, expect=None), 403, "blocked")
        await self.unblock(bob, ann)
        await self.ask(ann, bob)

    async def test_by_the_blocked(self):
        """Who is blocked cannot take it back."""
        ann, bob = await self.users(2)
        await self.block(ann, bob)
        await self.unblock(bob, ann)
        self.assertEqual([bob.id], await self.blocked(ann))
        self.problem(await self.ask(bob, ann, expect=None), 403, "blocked")

    async def test_lists_say_nothing(self):
        """Of a block the blocked one learns nothing from what they may read."""
        ann, bob = await self.users(2)
        await self.block(ann, bob)
        for path in ("blocked", "friends", "friend-requests", "messages", "party-invites"):
            got = await self.get(f"user/{bob.id}/{path}", by=bob, expect=200)
            self.assertEqual([], got.json(), path)
        self.assertEqual([], await self.heard(bob, ann))

    async def test_self(self):
        """Blocking oneself is 422; there is no such block to take back."""
        ann = await self.someone()
        for me in (ann.id, ann.id.upper()):
            path = f"user/{ann.id}/blocked/{me}"
            self.problem(await self.put(path, by=ann), 422, "cannot_block_self")
            await self.delete(path, by=ann, expect=204)

    async def test_pages(self):
        """The list comes in parts, the newest first."""
        ann, *others = await self.users(4)
        for other in others:
            await self.block(ann, other)
        pages = await self.pages(f"user/{ann.id}/blocked?limit=2", [FRIEND], by=ann)
        self.assertEqual([2, 1], [len(page) for page in pages])
        found = [one["user"]["id"] for page in pages for one in page]
        self.assertEqual([other.id for other in reversed(others)], found)


class BlockedTests(BlockCase):
    """What is refused between the two, whoever of them has blocked."""

    async def test_refused(self):
        """Friend requests, messages, follows, party invites and answers are 403 in both directions,
        after 400; nothing is made or told."""
        ann, bob = await self.users(2)
        await self.block(ann, bob)
        for user, other in ((ann, bob), (bob, ann)):
            friend, party = f"user/{user.id}/friend/{other.id}", {"party": guid()}
            for path, body, bad in (
                (f"{friend}/messages", {"text": "hello"}, {"text": ""}),
                (f"{friend}/party-invite", party, {"party": "x"}),
                (f"{friend}/party-invite/accept", party, {"party": "x"}),
                (f"{friend}/party-invite/decline", party, {"party": "x"}),
            ):
                self.problem(await self.post(path, body, by=user), 403, "blocked")
                self.problem(await self.post(path, bad, by=user), 400, "invalid_body")
            for path in (friend, f"user/{user.id}/following/{other.id}"):
                self.problem(await self.put(path, by=user), 403, "blocked")
                await self.delete(path, by=user, expect=204)
        await self.nothing(ann, bob)
        self.assertEqual(([], []), (await self.told(ann), await self.told(bob)))
        self.assertEqual([], await self.heard(ann, bob))

    async def test_goes_on(self):
        """debug/notify stays open to all; profile and content are seen, and content is rated."""
        ann, bob = await self.users(2)
        made = await self.content(ann)
        await self.block(ann, bob)
        body = {"recipient": ann.id, "text": "x"}
        await self.post("debug/notify", body, by=bob, expect=204)
        await self.get(made.path, by=bob, expect=200)
        await self.get(f"user/{ann.id}/info", by=bob, expect=200)
        await self.rate(bob, made, "1")

    async def test_what_was_there(self):
        """What was there before stays: messages, comments, votes, what was told."""
        ann, bob = await self.users(2)
        made = await self.content(ann)
        await self.befriend(ann, bob)
        await self.wrote(ann, bob, "before")
        path = await self.comment(made, bob)
        await self.rate(bob, made, "1")
        told = await self.notifications(bob)
        await self.block(ann, bob)
        (message,) = await self.read(self.letters(bob, ann), [MESSAGE], by=bob)
        self.assertEqual("before", message["text"])
        self.assertEqual("Well made", (await self.read(path, COMMENT))["body"])
        ratings = await self.get(f"user/{bob.id}/ratings", by=bob, expect=200)
        self.assertEqual({made.id: "1"}, ratings.json())
        self.assertEqual(told, await self.notifications(bob))


class CommentTests(BlockCase):
    """Comments on the other's content, and replies to the other's comments."""

    async def commented(self) -> tuple[Content, User, int]:
        """A content, somebody who has commented on it, and the number of the comment."""
        made, writer = await self.content(await self.user()), await self.user()
        return made, writer, await self.remark(made, writer)

    async def written(self, on: Content) -> tuple[Response, list[dict[str, Any]]]:
        """The comments on a content, and what its author was told."""
        comments = await self.get(f"{on.path}/comments", expect=200)
        return comments.json(), await self.notifications(on.author)

    async def refused(self, on: Content, by: User, **more: Any) -> None:
        """Assert that a comment is 403 `blocked`, and tells nobody and is not there."""
        before = await self.written(on)
        response = await self.post(f"{on.path}/comments", {"body": "x", **more}, by=by)
        self.problem(response, 403, "blocked")
        self.assertEqual(before, await self.written(on))

    async def test_comments(self):
        """Comments on the other's content are 403 `blocked`, both ways."""
        user, other = await self.users(2)
        mine, theirs = await self.content(user), await self.content(other)
        await self.block(user, other)
        await self.refused(mine, other)
        await self.refused(theirs, user)
        await self.remark(mine, user)
        await self.unblock(user, other)
        await self.remark(mine, other)

    async def test_replies(self):
        """Replies to the other's comment are 403 `blocked`, on others' content and on one's own."""
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
        """On a third user's content both comment, and reply to others."""
        made, _, comment = await self.commented()
        user, other = await self.users(2)
        await self.block(user, other)
        for one in (user, other):
            await self.remark(made, one)
            await self.remark(made, one, parent=comment)

    async def test_changed(self):
        """social#blocks: a comment or a reply from before is not changed while posting it
        would be refused, by whoever of the two; it is deleted. Beside the other it is changed."""
        made, user = await self.content(await self.user()), await self.user()
        on_theirs, elsewhere = await self.comment(made, user), await self.content(await self.user())
        beside = await self.comment(elsewhere, user)
        parent = await self.remark(elsewhere, made.author)
        reply = await self.comment(elsewhere, user, parentId=parent)
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

    async def test_before_locked(self):
        """`blocked` comes before comments_locked."""
        made, user = await self.content(await self.user()), await self.user()
        await self.block(made.author, user)
        body = {"locked": True}
        await self.put(f"{made.path}/comments-locked", body, by=made.author, expect=204)
        await self.refused(made, user)
        await self.unblock(made.author, user)
        response = await self.post(f"{made.path}/comments", {"body": "x"}, by=user)
        self.problem(response, 403, "comments_locked")

    async def test_after_400_and_404(self):
        """400 and 404 come before `blocked`."""
        made, user = await self.content(await self.user()), await self.user()
        await self.block(user, made.author)
        response = await self.post(f"{made.path}/comments", {"body": ""}, by=user)
        self.invalid(response, "/body")
        await self.moderate(made, "suspended")
        response = await self.post(f"{made.path}/comments", {"body": "x"}, by=user)
        self.problem(response, 404, "content_not_found")
