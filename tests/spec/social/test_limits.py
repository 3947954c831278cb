"""How many messages and friend requests a user may send: conventions#limits."""

from tests.spec.social.support import SocialCase, limited, unlimited

DAY = 86_400


class DefaultTests(SocialCase):
    """As it is without further ado."""

    async def test_friend_requests(self):
        """The 101st friend request of a day is 429, also if the others were taken back; a repeat of
        one that stands is 204."""
        user, one, two, three = await self.users(4)
        for n in range(50):
            await self.ask(user, one)
            await self.part(user, one)
            await self.ask(user, two)
            if n < 49:
                await self.part(user, two)
        for other in (three, one):
            response = await self.ask(user, other, expect=None)
            self.problem(response, 429, "too_many_requests")
            self.assertTrue(DAY - 60 < int(response.header("Retry-After") or 0) <= DAY)
        await self.ask(user, two)
        self.assertEqual([("outgoing", two.id)], await self.requests(user))


class LimitTests(SocialCase):
    """With low limits, at two processes."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await limited())

    async def test_messages(self):
        """However many messages come at once, at whatever process, the limit holds."""
        user, friend = await self.users(2)
        await self.befriend(user, friend)
        path, body = self.letters(user, friend), {"text": "x"}
        got = await self.together(*(self.apart("POST", path, user, body) for _ in range(8)))
        self.assertEqual([201] * 3 + [429] * 5, sorted(response.status for response in got))
        self.assertEqual(3, len(await self.heard(friend, user)))

    async def test_blocked(self):
        """Beyond the limit a message is refused as before where there is a block."""
        user, friend = await self.users(2)
        await self.befriend(user, friend)
        for _ in range(3):
            await self.wrote(user, friend)
        self.problem(await self.say(user, friend), 429, "too_many_requests")
        await self.block(friend, user)
        self.problem(await self.say(user, friend), 403, "blocked")

    async def test_friend_requests(self):
        """However many friend requests come at once, the limit holds."""
        user, *others = await self.users(7)
        paths = [f"user/{user.id}/friend/{other.id}" for other in others]
        got = await self.together(*(self.apart("PUT", path, user) for path in paths))
        self.assertEqual([204] * 3 + [429] * 3, sorted(response.status for response in got))
        self.assertEqual(3, len(await self.requests(user)))


class NoLimitTests(SocialCase):
    """With a limit of 0."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await unlimited())

    async def test_messages(self):
        """0 is for no limit."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        for _ in range(7):
            got = await self.together(*(self.say(user, other) for _ in range(10)))
            self.assertEqual([201] * 10, [response.status for response in got])
