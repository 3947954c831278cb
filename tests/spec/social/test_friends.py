"""Friends and requests for friendship: extensions §4."""

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import FRIEND, FRIEND_REQUEST, USER_INFO


class FriendsCase(SpecCase):
    """What two users do to each other."""

    async def friend(self, user: User, other: User) -> None:
        """Let `user` PUT the friendship with `other`."""
        await self.put(f"user/{user.id}/friend/{other.id}", by=user, expect=204)

    async def unfriend(self, user: User, other: User) -> None:
        """Let `user` DELETE it."""
        await self.delete(f"user/{user.id}/friend/{other.id}", by=user, expect=204)

    async def befriend(self, user: User, other: User) -> None:
        """Make them friends."""
        await self.friend(user, other)
        await self.friend(other, user)

    async def follow(self, user: User, other: User) -> None:
        """Let `user` follow `other`."""
        await self.put(f"user/{user.id}/following/{other.id}", by=user, expect=204)

    async def block(self, user: User, other: User) -> None:
        """Let `user` block `other`."""
        await self.put(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)

    async def unblock(self, user: User, other: User) -> None:
        """Let `user` take the block back."""
        await self.delete(f"user/{user.id}/blocked/{other.id}", by=user, expect=204)

    async def friends(self, user: User) -> list[str]:
        """The ids of the user's friends."""
        found = await self.read(f"user/{user.id}/friends", [FRIEND], by=user)
        return [one["user"]["id"] for one in found]

    async def requests(self, user: User, **query: str) -> list[tuple[str, str]]:
        """The user's requests: who, and the direction."""
        path = f"user/{user.id}/friend-requests"
        found = await self.read(path, [FRIEND_REQUEST], by=user, query=query)
        return [(one["user"]["id"], one["direction"]) for one in found]

    async def told(self, user: User) -> list[tuple[str, str]]:
        """What the user was told: kinds and senders."""
        found = await self.notifications(user)
        return [(one["kind"], one["sender"]) for one in found]

    async def two(self) -> tuple[User, User]:
        """Two fresh users."""
        return await self.user(), await self.user()


class FriendTests(FriendsCase):
    """PUT and DELETE friend."""

    async def test_request(self):
        """PUT asks: the other gets FriendRequest, and both see the request."""
        ann, bob = await self.two()
        await self.friend(ann, bob)
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))
        self.assertEqual([], await self.told(ann))
        self.assertEqual([(bob.id, "outgoing")], await self.requests(ann))
        self.assertEqual([(ann.id, "incoming")], await self.requests(bob))
        self.assertEqual(([], []), (await self.friends(ann), await self.friends(bob)))

    async def test_confirm(self):
        """If the other has asked, PUT makes both friends, and the other gets FriendConfirm."""
        ann, bob = await self.two()
        await self.befriend(ann, bob)
        self.assertEqual([("FriendConfirm", bob.id)], await self.told(ann))
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))
        self.assertEqual(([bob.id], [ann.id]), (await self.friends(ann), await self.friends(bob)))
        self.assertEqual(([], []), (await self.requests(ann), await self.requests(bob)))

    async def test_repeats(self):
        """A request, and a confirmation, again is 204: nothing changes, and nobody is told."""
        ann, bob = await self.two()
        await self.friend(ann, bob)
        await self.friend(ann, bob)
        self.assertEqual([(bob.id, "outgoing")], await self.requests(ann))
        for _ in range(2):
            await self.friend(bob, ann)
        await self.friend(ann, bob)
        self.assertEqual([bob.id], await self.friends(ann))
        self.assertEqual(1, len(await self.told(ann)))
        self.assertEqual(1, len(await self.told(bob)))

    async def test_end(self):
        """DELETE ends a friendship for both, from either side, and tells nobody."""
        for ending in (0, 1):
            pair = await self.two()
            await self.befriend(*pair)
            await self.unfriend(pair[ending], pair[1 - ending])
            for user in pair:
                self.assertEqual([], await self.friends(user))
                self.assertEqual(1, len(await self.told(user)))

    async def test_take_back(self):
        """DELETE takes a request back, or turns the other's down, and tells nobody."""
        for ending in (0, 1):
            pair = ann, bob = await self.two()
            await self.friend(ann, bob)
            await self.unfriend(pair[ending], pair[1 - ending])
            self.assertEqual(([], []), (await self.requests(ann), await self.requests(bob)))
            self.assertEqual(([], 1), (await self.told(ann), len(await self.told(bob))))
            await self.friend(bob, ann)
            self.assertEqual([(ann.id, "outgoing")], await self.requests(bob))

    async def test_nothing(self):
        """DELETE is 204 also where there is nothing, and with oneself."""
        ann, bob = await self.two()
        await self.unfriend(ann, bob)
        await self.unfriend(ann, ann)

    async def test_told_once(self):
        """A request that is taken back and made again is not told again within 24 hours."""
        ann, bob = await self.two()
        for _ in range(3):
            await self.friend(ann, bob)
            await self.unfriend(ann, bob)
        await self.friend(ann, bob)
        await self.unfriend(bob, ann)
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))
        await self.friend(bob, ann)
        self.assertEqual([("FriendRequest", bob.id)], await self.told(ann))

    async def test_confirmed_again(self):
        """Each confirmation is told."""
        ann, bob = await self.two()
        for _ in range(2):
            await self.befriend(ann, bob)
            await self.unfriend(ann, bob)
        self.assertEqual([("FriendConfirm", bob.id)] * 2, await self.told(ann))

    async def test_self(self):
        """PUT with oneself is 422 cannot_friend_self."""
        ann = await self.someone()
        response = await self.put(f"user/{ann.id}/friend/{ann.id}", by=ann)
        self.problem(response, 422, "cannot_friend_self")

    async def test_upper_case(self):
        """Ids are the same in upper case."""
        ann, bob = await self.two()
        await self.put(f"user/{ann.id.upper()}/friend/{bob.id.upper()}", by=ann, expect=204)
        await self.put(f"user/{bob.id.upper()}/friend/{ann.id.upper()}", by=bob, expect=204)
        self.assertEqual([bob.id], await self.friends(ann))
        response = await self.put(f"user/{ann.id}/friend/{ann.id.upper()}", by=ann)
        self.problem(response, 422, "cannot_friend_self")


class ListTests(FriendsCase):
    """GET friends and friend-requests."""

    async def test_friends(self):
        """Friends are {user: UserInfo, since}, the newest friendship first."""
        ann, others = await self.user(), [await self.user() for _ in range(3)]
        for other in others:
            await self.friend(other, ann)
        for other in (others[1], others[0], others[2]):
            await self.friend(ann, other)
        found = await self.read(f"user/{ann.id}/friends", [FRIEND], by=ann)
        expected = [others[2].id, others[0].id, others[1].id]
        self.assertEqual(expected, [one["user"]["id"] for one in found])
        info = await self.read(f"user/{others[2].id}/info", USER_INFO)
        self.assertEqual(info, found[0]["user"])

    async def test_requests(self):
        """Requests have their direction, the newest first; `direction` asks for one."""
        ann, others = await self.user(), [await self.user() for _ in range(4)]
        expected = []
        for n, other in enumerate(others):
            await (self.friend(ann, other) if n % 2 else self.friend(other, ann))
            expected.insert(0, (other.id, "outgoing" if n % 2 else "incoming"))
        self.assertEqual(expected, await self.requests(ann))
        for direction in ("incoming", "outgoing"):
            some = [each for each in expected if each[1] == direction]
            self.assertEqual(some, await self.requests(ann, direction=direction))
        response = await self.get(
            f"user/{ann.id}/friend-requests", by=ann, query={"direction": "both"}
        )
        self.invalid_query(response, "direction")

    async def test_pages(self):
        """`limit` gives parts linked by rel=next; together they are the list."""
        ann, others = await self.user(), [await self.user() for _ in range(5)]
        for n, other in enumerate(others):
            await self.friend(other, ann)
            if n < 3:
                await self.friend(ann, other)
        path = f"user/{ann.id}/friends?limit=2"
        pages = await self.pages(path, [FRIEND], by=ann)
        self.assertEqual([2, 1], [len(page) for page in pages])
        found = [one["user"]["id"] for page in pages for one in page]
        self.assertEqual([other.id for other in others[2::-1]], found)
        path = f"user/{ann.id}/friend-requests?limit=1&direction=incoming"
        pages = await self.pages(path, [FRIEND_REQUEST], by=ann)
        found = [one["user"]["id"] for page in pages for one in page]
        self.assertEqual([others[4].id, others[3].id], found)

    async def test_validator(self):
        """The lists have an ETag, which changes with them."""
        ann, bob = await self.two()
        path = f"user/{ann.id}/friends"
        tag = (await self.get(path, by=ann, expect=200)).header("ETag")
        headers = {"If-None-Match": tag}
        await self.get(path, by=ann, expect=304, headers=headers)
        await self.befriend(ann, bob)
        await self.get(path, by=ann, expect=200, headers=headers)


class BlockTests(FriendsCase):
    """PUT, DELETE and GET blocked, and what a block refuses."""

    async def blocked(self, user: User) -> list[str]:
        """The ids of those whom the user blocks."""
        found = await self.read(f"user/{user.id}/blocked", [FRIEND], by=user)
        return [one["user"]["id"] for one in found]

    async def nothing(self, ann: User, bob: User) -> None:
        """Assert that there is no friendship, request or following between the two."""
        for user in (ann, bob):
            self.assertEqual(([], []), (await self.friends(user), await self.requests(user)))
            for way in ("following", "followers"):
                found = await self.read(f"user/{user.id}/{way}", [USER_INFO], by=user)
                self.assertEqual([], found)

    async def test_block(self):
        """After a block there is no friendship and no following, and nobody is told."""
        ann, bob = await self.two()
        await self.befriend(ann, bob)
        await self.follow(ann, bob)
        await self.follow(bob, ann)
        before = [await self.told(user) for user in (ann, bob)]
        await self.block(ann, bob)
        await self.nothing(ann, bob)
        self.assertEqual(before, [await self.told(user) for user in (ann, bob)])
        self.assertEqual(([bob.id], []), (await self.blocked(ann), await self.blocked(bob)))

    async def test_block_requests(self):
        """A block ends a request, in either direction."""
        for blocker in (0, 1):
            pair = ann, bob = await self.two()
            await self.friend(ann, bob)
            await self.block(pair[blocker], pair[1 - blocker])
            await self.nothing(ann, bob)
            await self.unblock(pair[blocker], pair[1 - blocker])
            await self.nothing(ann, bob)

    async def test_repeats(self):
        """A block again is 204, and one that is not there is taken back with 204."""
        ann, bob, cat = await self.user(), await self.user(), await self.user()
        await self.unblock(ann, bob)
        for other in (bob, cat, bob):
            await self.block(ann, other)
        self.assertEqual([cat.id, bob.id], await self.blocked(ann))
        for _ in range(2):
            await self.unblock(ann, bob)
        self.assertEqual([cat.id], await self.blocked(ann))

    async def test_each(self):
        """Each may block the other, and takes back their own block only."""
        ann, bob = await self.two()
        await self.block(ann, bob)
        await self.block(bob, ann)
        await self.unblock(ann, bob)
        self.assertEqual(([], [ann.id]), (await self.blocked(ann), await self.blocked(bob)))
        path = f"user/{ann.id}/friend/{bob.id}"
        self.problem(await self.put(path, by=ann), 403, "blocked")
        await self.unblock(bob, ann)
        await self.put(path, by=ann, expect=204)

    async def test_refused(self):
        """Friend requests, party invites and answers, and follows are 403, in both directions."""
        ann, bob = await self.two()
        await self.block(ann, bob)
        told = [await self.told(user) for user in (ann, bob)]
        for user, other in ((ann, bob), (bob, ann)):
            friend = f"user/{user.id}/friend/{other.id}"
            for method, path, body in (
                ("PUT", friend, {}),
                ("PUT", f"user/{user.id}/following/{other.id}", {}),
                ("POST", f"{friend}/party-invite", {"party": guid()}),
                ("POST", f"{friend}/party-invite/accept", {"party": guid()}),
                ("POST", f"{friend}/party-invite/decline", {"party": guid()}),
            ):
                sent = {"body": body} if body else {}
                response = await self.request(method, path, by=user, **sent)
                self.problem(response, 403, "blocked")
                if body:
                    bad = await self.request(method, path, {"party": "x"}, by=user)
                    self.problem(bad, 400, "invalid_body")
            await self.unfriend(user, other)
            await self.delete(f"user/{user.id}/following/{other.id}", by=user, expect=204)
        await self.nothing(ann, bob)
        self.assertEqual(told, [await self.told(user) for user in (ann, bob)])

    async def test_open_to_all(self):
        """debug/notify stays open to all."""
        ann, bob = await self.two()
        await self.block(ann, bob)
        body = {"recipient": ann.id, "text": "x"}
        await self.post("debug/notify", body, by=bob, expect=204)

    async def test_self(self):
        """Blocking oneself is 422; there is no such block to take back."""
        ann = await self.someone()
        path = f"user/{ann.id}/blocked/{ann.id}"
        self.problem(await self.put(path, by=ann), 422, "cannot_block_self")
        await self.delete(path, by=ann, expect=204)

    async def test_pages(self):
        """The list comes in parts, the newest first."""
        ann, others = await self.user(), [await self.user() for _ in range(3)]
        for other in others:
            await self.block(ann, other)
        pages = await self.pages(f"user/{ann.id}/blocked?limit=2", [FRIEND], by=ann)
        self.assertEqual([2, 1], [len(page) for page in pages])
        found = [one["user"]["id"] for page in pages for one in page]
        self.assertEqual([other.id for other in reversed(others)], found)


class FollowerTests(FriendsCase):
    """NewFollower."""

    async def test_told(self):
        """Who is followed gets NewFollower, once in 24 hours from the same user."""
        ann, bob, cat = await self.user(), await self.user(), await self.user()
        for _ in range(2):
            await self.follow(ann, bob)
            await self.follow(ann, bob)
            await self.delete(f"user/{ann.id}/following/{bob.id}", by=ann, expect=204)
        await self.follow(cat, bob)
        await self.follow(bob, ann)
        expected = [("NewFollower", ann.id), ("NewFollower", cat.id)]
        self.assertEqual(expected, await self.told(bob))
        self.assertEqual([("NewFollower", bob.id)], await self.told(ann))
