"""Blocks at the same time as other writes about the two users: social#blocks."""

from collections.abc import Coroutine
from typing import Any

from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.social.support import SocialCase, unlimited

ROUNDS, MORE = 6, 10


class AtOnceTests(SocialCase):
    """After the 204 of a block nothing comes through any more."""

    async def raced(self, *acts: Coroutine[Any, Any, Response]) -> None:
        """Do these at once: each goes through, or is refused by the block."""
        for response in await self.together(*acts):
            if response.status not in (201, 204):
                self.assertIn(response.json()["code"], ("blocked", "not_friends"), response)

    async def blocked(self, user: User, other: User) -> None:
        """Assert that there is nothing between the two, and that the other is refused."""
        await self.nothing(user, other)
        self.problem(await self.ask(other, user, expect=None), 403, "blocked")

    async def test_requests(self):
        """A block amid requests and confirmations by either leaves neither."""
        user, other = await self.users(2)
        for n in range(ROUNDS):
            if n % 2:
                await self.ask(user, other)
            await self.raced(
                self.ask(other, user, expect=None),
                self.block(user, other),
                self.ask(user, other, expect=None),
            )
            await self.blocked(user, other)
            await self.unblock(user, other)

    async def test_follows(self):
        """A block amid followings, both ways, leaves none."""
        user, other = await self.users(2)
        for _ in range(ROUNDS):
            await self.raced(
                self.follow(other, user, expect=None),
                self.block(user, other),
                self.follow(user, other, expect=None),
            )
            await self.blocked(user, other)
            await self.unblock(user, other)

    async def test_by_both(self):
        """If both block each other amid a request, both blocks stand."""
        user, other = await self.users(2)
        for _ in range(ROUNDS):
            await self.raced(
                self.block(user, other),
                self.ask(user, other, expect=None),
                self.block(other, user),
            )
            await self.nothing(user, other)
            await self.unblock(user, other)
            self.problem(await self.ask(user, other, expect=None), 403, "blocked")
            await self.unblock(other, user)

    async def test_messages(self):
        """Each message that was 201 is there, none is that was refused; what is sent after the 204
        is refused."""
        for _ in range(ROUNDS):
            user, other = await self.users(2)
            await self.befriend(user, other)
            got = await self.together(
                *(self.say(other, user, f"{n}") for n in range(4)),
                self.block(user, other),
                *(self.say(other, user, f"{n}") for n in range(4, 8)),
            )
            del got[4]
            sent = {f"{n}" for n, response in enumerate(got) if response.status == 201}
            for response in got:
                if response.status != 201:
                    self.problem(response, 403, "blocked")
            self.assertCountEqual(sent, await self.heard(user, other))
            told = await self.notifications(user)
            texts = [one["text"] for one in told if one["kind"] == "FriendMessage"]
            self.assertCountEqual(sent, texts)
            self.problem(await self.say(other, user), 403, "blocked")

    async def test_comments(self):
        """Each comment that is there was 201, and each that was refused is not."""
        made, other = await self.content(await self.user()), await self.user()
        path, written = f"{made.path}/comments", 0
        for _ in range(ROUNDS):
            got = await self.together(
                self.post(path, {"body": "x"}, by=other),
                self.block(made.author, other),
                self.post(path, {"body": "y"}, by=other),
            )
            del got[1]
            written += sum(response.status == 201 for response in got)
            for response in got:
                if response.status != 201:
                    self.problem(response, 403, "blocked")
            self.assertEqual(written, (await self.get(path, expect=200)).json()["total"])
            self.assertEqual(written, len(await self.notifications(made.author)))
            self.problem(await self.post(path, {"body": "z"}, by=other), 403, "blocked")
            await self.unblock(made.author, other)

    async def test_invites(self):
        """What an invite tells is there if it was 204, and not if it was refused."""
        user, other = await self.users(2)
        path, told = f"user/{other.id}/friend/{user.id}/party-invite", 0
        for _ in range(ROUNDS):
            invited, _ = await self.together(
                self.post(path, {"party": guid()}, by=other), self.block(user, other)
            )
            told += invited.status == 204
            self.assertEqual(told, len(await self.notifications(user)))
            self.problem(await self.post(path, {"party": guid()}, by=other), 403, "blocked")
            await self.unblock(user, other)


class TwoWorkersTests(SocialCase):
    """With two workers, each request on a connection of its own."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await unlimited())

    async def test_crossing(self):
        """What two users do at once ends well: either they are friends and follow each other, or,
        after the 204 of a block, there is nothing."""
        for n in range(MORE):
            user, other = await self.users(2)
            blocks = n % 2 == 1
            paths = [
                (user, f"user/{user.id}/friend/{other.id}"),
                (other, f"user/{other.id}/friend/{user.id}"),
                (user, f"user/{user.id}/following/{other.id}"),
                (other, f"user/{other.id}/following/{user.id}"),
            ]
            if blocks:
                paths.insert(2, (user, f"user/{user.id}/blocked/{other.id}"))
            got = await self.together(*(self.apart("PUT", path, by) for by, path in paths))
            statuses = {response.status for response in got}
            self.assertLessEqual(statuses, {204, 403} if blocks else {204})
            for one, another in ((user, other), (other, user)):
                friends = [] if blocks else [another.id]
                self.assertEqual(friends, await self.friends(one))
                self.assertEqual(friends, await self.listed(one, "following"))
                self.assertEqual([], await self.requests(one))
