"""Blocks at the same time as other writes about the two users: extensions §4."""

from collections.abc import Coroutine
from typing import Any

from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase

ROUNDS = 6


class AmidTests(PlayersCase):
    """After the 204 of a block nothing comes through any more."""

    async def raced(self, *acts: Coroutine[Any, Any, Response]) -> None:
        """Do these at once: each goes through, or is refused by the block."""
        for response in await self.together(*acts):
            if response.status not in (201, 204):
                self.assertIn(response.json()["code"], ("blocked", "not_friends"), response)

    async def blocking(self, user: User, other: User) -> Response:
        """PUT blocked."""
        return await self.put(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)

    async def nothing(self, user: User, other: User) -> None:
        """Assert that the two are neither friends nor have asked nor follow."""
        for one in (user, other):
            self.assertEqual(([], []), (await self.friends(one), await self.requests(one)))
            self.assertEqual([], await self.listed(one, "following"))

    async def test_amid_requests(self):
        """extensions §4: amid requests and confirmations, by either."""
        for n in range(ROUNDS):
            user, other = await self.users(2)
            if n % 2:
                await self.ask(user, other)
            await self.raced(
                self.ask(other, user, expect=None),
                self.blocking(user, other),
                self.ask(user, other, expect=None),
            )
            await self.nothing(user, other)
            self.problem(await self.ask(other, user, expect=None), 403, "blocked")

    async def test_amid_follows(self):
        """extensions §4: amid followings, both ways."""
        for _ in range(ROUNDS):
            user, other = await self.users(2)
            await self.raced(
                self.follow(other, user, expect=None),
                self.blocking(user, other),
                self.follow(user, other, expect=None),
            )
            await self.nothing(user, other)

    async def test_by_both_at_once(self):
        """extensions §4: both block each other amid a request; both blocks stand."""
        for _ in range(ROUNDS):
            user, other = await self.users(2)
            await self.raced(
                self.blocking(user, other),
                self.ask(user, other, expect=None),
                self.blocking(other, user),
            )
            await self.nothing(user, other)
            await self.unblock(user, other)
            self.problem(await self.ask(user, other, expect=None), 403, "blocked")

    async def test_amid_messages(self):
        """extensions §4: each message that was 201 is there, none is that was refused; what is sent
        after the 204 is refused."""
        for _ in range(ROUNDS):
            user, other = await self.users(2)
            await self.befriend(user, other)
            got = await self.together(
                *(self.say(other, user, f"{n}") for n in range(4)),
                self.blocking(user, other),
                *(self.say(other, user, f"{n}") for n in range(4, 8)),
            )
            del got[4]
            sent = {f"{n}" for n, response in enumerate(got) if response.status == 201}
            for response in got:
                if response.status != 201:
                    self.problem(response, 403, "blocked")
            self.assertEqual(sent, set(await self.heard(user, other)))
            told = [one for one in await self.told(user) if one["kind"] == "FriendMessage"]
            self.assertEqual(sent, {one["text"] for one in told})
            self.problem(await self.say(other, user), 403, "blocked")

    async def test_amid_comments(self):
        """extensions §4: of comments at the same time each that is there was 201, and each that was
        refused is not."""
        for _ in range(ROUNDS):
            made, other = await self.content(await self.user()), await self.user()
            path = f"{made.path}/comments"
            got = await self.together(
                self.post(path, {"body": "x"}, by=other),
                self.blocking(made.author, other),
                self.post(path, {"body": "y"}, by=other),
            )
            del got[1]
            written = sum(response.status == 201 for response in got)
            for response in got:
                if response.status != 201:
                    self.problem(response, 403, "blocked")
            self.assertEqual(written, (await self.get(path)).json()["total"])
            self.assertEqual(written, len(await self.told(made.author)))
            self.problem(await self.post(path, {"body": "z"}, by=other), 403, "blocked")

    async def test_amid_invites(self):
        """extensions §4: what an invite tells is there if it was 204, and not if it was refused."""
        for _ in range(ROUNDS):
            user, other = await self.users(2)
            path = f"user/{other.id}/friend/{user.id}/party-invite"
            invited, _ = await self.together(
                self.post(path, {"party": guid()}, by=other), self.blocking(user, other)
            )
            self.assertEqual(invited.status == 204, bool(await self.told(user)))
            self.problem(await self.post(path, {"party": guid()}, by=other), 403, "blocked")
