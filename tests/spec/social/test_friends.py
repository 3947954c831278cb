"""Friends and requests for friendship: social#friends."""

from tests.spec.data import guid
from tests.spec.shapes import FRIEND, FRIEND_REQUEST, USER_INFO
from tests.spec.social.support import SocialCase


class FriendTests(SocialCase):
    """PUT and DELETE friend."""

    async def test_request(self):
        """PUT asks: the other gets FriendRequest, and both see the request."""
        ann, bob = await self.users(2)
        await self.ask(ann, bob)
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))
        self.assertEqual([], await self.told(ann))
        self.assertEqual([("outgoing", bob.id)], await self.requests(ann))
        self.assertEqual([("incoming", ann.id)], await self.requests(bob))
        self.assertEqual(([], []), (await self.friends(ann), await self.friends(bob)))

    async def test_confirm(self):
        """If the other has asked, PUT makes both friends, and the other gets FriendConfirm."""
        ann, bob = await self.users(2)
        await self.befriend(ann, bob)
        self.assertEqual([("FriendConfirm", bob.id)], await self.told(ann))
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))
        self.assertEqual(([bob.id], [ann.id]), (await self.friends(ann), await self.friends(bob)))
        self.assertEqual(([], []), (await self.requests(ann), await self.requests(bob)))

    async def test_push(self):
        """Both notifications are pushed as REST gives them."""
        ann, bob = await self.users(2)
        sockets = [await self.socket(bob), await self.socket(ann)]
        await self.befriend(ann, bob)
        for socket, user in zip(sockets, (bob, ann), strict=True):
            message = await self.pushed(socket)
            self.assertEqual([message["notification"]], await self.notifications(user))
            await socket.quiet()

    async def test_repeats(self):
        """A request, and a confirmation, again is 204: nothing changes, and nobody is told."""
        ann, bob = await self.users(2)
        for _ in range(2):
            await self.ask(ann, bob)
        self.assertEqual([("outgoing", bob.id)], await self.requests(ann))
        self.assertEqual([], await self.friends(bob))
        await self.ask(bob, ann)
        path = f"user/{ann.id}/friends"
        before = await self.read(path, [FRIEND], by=ann)
        for one, other in ((bob, ann), (ann, bob)):
            await self.ask(one, other)
        self.assertEqual(before, await self.read(path, [FRIEND], by=ann))
        self.assertEqual(([], []), (await self.requests(ann), await self.requests(bob)))
        self.assertEqual([("FriendConfirm", bob.id)], await self.told(ann))
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))

    async def test_repeats_at_once(self):
        """Repeats at the same time tell once."""
        ann, bob = await self.users(2)
        await self.together(*(self.ask(ann, bob) for _ in range(6)))
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))
        await self.together(*(self.ask(bob, ann) for _ in range(6)))
        self.assertEqual([("FriendConfirm", bob.id)], await self.told(ann))
        self.assertEqual([bob.id], await self.friends(ann))

    async def test_both_at_once(self):
        """Of two who ask each other at once one asks and one confirms."""
        for _ in range(8):
            ann, bob = await self.users(2)
            await self.together(self.ask(ann, bob), self.ask(bob, ann))
            for one, other in ((ann, bob), (bob, ann)):
                self.assertEqual([other.id], await self.friends(one))
                self.assertEqual([], await self.requests(one))
            kinds = [one["kind"] for user in (ann, bob) for one in await self.notifications(user)]
            self.assertCountEqual(["FriendRequest", "FriendConfirm"], kinds)
            told = await self.told(ann), await self.told(bob)
            self.assertEqual([[bob.id], [ann.id]], [[by for _, by in each] for each in told])

    async def test_end(self):
        """DELETE ends a friendship for both, from either side, and tells nobody."""
        for ending in (0, 1):
            pair = await self.users(2)
            await self.befriend(*pair)
            await self.part(pair[ending], pair[1 - ending])
            for user in pair:
                self.assertEqual([], await self.friends(user))
                self.assertEqual(1, len(await self.told(user)))

    async def test_take_back(self):
        """DELETE takes a request back, or turns the other's down, and tells nobody; who is asked
        then is asked anew."""
        for ending in (0, 1):
            pair = ann, bob = await self.users(2)
            await self.ask(ann, bob)
            await self.part(pair[ending], pair[1 - ending])
            self.assertEqual(([], []), (await self.requests(ann), await self.requests(bob)))
            self.assertEqual(([], 1), (await self.told(ann), len(await self.told(bob))))
            await self.ask(bob, ann)
            self.assertEqual([("outgoing", ann.id)], await self.requests(bob))
            self.assertEqual(([], []), (await self.friends(ann), await self.friends(bob)))

    async def test_nothing(self):
        """DELETE is 204 also where there is nothing, and with oneself, and tells nobody."""
        ann, bob = await self.users(2)
        await self.part(ann, bob)
        await self.part(ann, ann)
        self.assertEqual(([], []), (await self.told(ann), await self.told(bob)))

    async def test_of_others(self):
        """A friendship is nobody else's."""
        ann, bob, cat = await self.users(3)
        await self.befriend(ann, bob)
        await self.part(cat, ann)
        await self.ask(cat, ann)
        self.assertEqual(([bob.id], []), (await self.friends(ann), await self.friends(cat)))

    async def test_told_once_a_day(self):
        """A request is told once in 24 hours, whatever was undone meanwhile; it is there all the
        same."""
        ann, bob = await self.users(2)
        for undo, by in ((ann, bob), (bob, ann)):
            await self.ask(ann, bob)
            await self.part(undo, by)
            await self.ask(ann, bob)
            await self.block(undo, by)
            await self.unblock(undo, by)
        await self.befriend(ann, bob)
        await self.part(bob, ann)
        await self.ask(ann, bob)
        self.assertEqual([("outgoing", bob.id)], await self.requests(ann))
        self.assertEqual([("FriendRequest", ann.id)], await self.told(bob))

    async def test_told_to_each(self):
        """The 24 hours are those of one sender and one recipient."""
        ann, bob, cat = await self.users(3)
        await self.ask(ann, bob)
        await self.part(ann, bob)
        await self.ask(bob, ann)
        await self.part(ann, bob)
        await self.ask(ann, cat)
        for user, sender in ((ann, bob), (bob, ann), (cat, ann)):
            self.assertEqual([("FriendRequest", sender.id)], await self.told(user))

    async def test_confirmed_again(self):
        """Each confirmation is told."""
        ann, bob = await self.users(2)
        for _ in range(2):
            await self.befriend(ann, bob)
            await self.part(ann, bob)
        self.assertEqual([("FriendConfirm", bob.id)] * 2, await self.told(ann))

    async def test_self(self):
        """PUT with oneself is 422 cannot_friend_self."""
        ann = await self.someone()
        for me in (ann.id, ann.id.upper()):
            response = await self.put(f"user/{ann.id}/friend/{me}", by=ann)
            self.problem(response, 422, "cannot_friend_self")

    async def test_upper_case(self):
        """Ids are the same in upper case."""
        ann, bob = await self.users(2)
        path = f"user/{ann.id.upper()}/friend/{bob.id.upper()}"
        await self.put(path, by=ann, expect=204)
        await self.put(f"user/{bob.id.upper()}/friend/{ann.id.upper()}", by=bob, expect=204)
        self.assertEqual([bob.id], await self.friends(ann))
        await self.delete(path, by=ann, expect=204)
        self.assertEqual([], await self.friends(bob))


class ListTests(SocialCase):
    """GET friends and friend-requests."""

    async def test_elements(self):
        """Both have the user as …/info gives it, and when it was."""
        ann, bob, cat = await self.users(3)
        sent = {"avatar": "a.png", "emblem": guid(), "publicProfile": {"profile": "hi"}}
        await self.put(f"user/{ann.id}", sent | {"fullProfile": {}}, by=ann, expect=204)
        info = await self.read(f"user/{ann.id}/info", USER_INFO)
        await self.ask(bob, ann)
        await self.ask(ann, bob)
        await self.ask(ann, cat)
        for user, path, shape, when in (
            (bob, "friends", FRIEND, "since"),
            (cat, "friend-requests", FRIEND_REQUEST, "created"),
        ):
            (got,) = await self.read(f"user/{user.id}/{path}", [shape], by=user)
            self.assertEqual(info, got["user"])
            (told,) = await self.notifications(user)
            self.assertLessEqual(abs(got[when] - told["created"]), 1)

    async def test_friends(self):
        """The newest friendship is first, whoever asked."""
        ann, *others = await self.users(4)
        for other in others:
            await self.ask(other, ann)
        for other in (others[1], others[0], others[2]):
            await self.ask(ann, other)
        expected = [others[2].id, others[0].id, others[1].id]
        self.assertEqual(expected, await self.friends(ann))

    async def test_requests(self):
        """Requests have their direction, the newest first; `direction` asks for one."""
        ann, *others = await self.users(5)
        expected = []
        for n, other in enumerate(others):
            await (self.ask(ann, other) if n % 2 else self.ask(other, ann))
            expected.insert(0, ("outgoing" if n % 2 else "incoming", other.id))
        self.assertEqual(expected, await self.requests(ann))
        for direction in ("incoming", "outgoing"):
            some = [each for each in expected if each[0] == direction]
            self.assertEqual(some, await self.requests(ann, direction=direction))
        response = await self.get(
            f"user/{ann.id}/friend-requests", by=ann, query={"direction": "both"}
        )
        self.invalid_query(response, "direction")

    async def test_made_again(self):
        """A request that was taken back and is made again is the newest; a repeat moves nothing."""
        ann, one, two = await self.users(3)
        for other in (one, two, one):
            await self.ask(ann, other)
        self.assertEqual([("outgoing", two.id), ("outgoing", one.id)], await self.requests(ann))
        await self.part(ann, one)
        await self.ask(ann, one)
        self.assertEqual([("outgoing", one.id), ("outgoing", two.id)], await self.requests(ann))

    async def test_pages(self):
        """`limit` gives parts linked by rel=next; together they are the list."""
        ann, *others = await self.users(6)
        for n, other in enumerate(others):
            await (self.ask(ann, other) if n % 2 else self.ask(other, ann))
        path = f"user/{ann.id}/friend-requests?limit=1"
        for more, expected in (
            ("", others[::-1]),
            ("&direction=incoming", others[4::-2]),
            ("&direction=outgoing", others[3::-2]),
        ):
            pages = await self.pages(path + more, [FRIEND_REQUEST], by=ann)
            self.assertLessEqual(max(len(page) for page in pages), 1)
            found = [one["user"]["id"] for page in pages for one in page]
            self.assertEqual([other.id for other in expected], found)
        for other in others[::2]:
            await self.ask(ann, other)
        pages = await self.pages(f"user/{ann.id}/friends?limit=2", [FRIEND], by=ann)
        self.assertEqual([2, 1], [len(page) for page in pages])
        found = [one["user"]["id"] for page in pages for one in page]
        self.assertEqual([other.id for other in others[::-2]], found)

    async def test_validator(self):
        """The lists have an ETag, which changes with them."""
        ann, bob = await self.users(2)
        path = f"user/{ann.id}/friends"
        tag = (await self.get(path, by=ann, expect=200)).header("ETag")
        headers = {"If-None-Match": tag}
        await self.get(path, by=ann, expect=304, headers=headers)
        await self.befriend(ann, bob)
        await self.get(path, by=ann, expect=200, headers=headers)
