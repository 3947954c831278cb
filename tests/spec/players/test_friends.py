"""Friends: extensions §4."""

from typing import Any

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import FRIEND, USER_INFO


def asked(sender: User) -> dict[str, Any]:
    """What is told of a request."""
    return {"kind": "FriendRequest", "sender": sender.id}


def confirmed(sender: User) -> dict[str, Any]:
    """What is told of a confirmation."""
    return {"kind": "FriendConfirm", "sender": sender.id}


class FriendTests(PlayersCase):
    """PUT and DELETE friend, GET friends."""

    async def test_ask(self):
        """extensions §4: PUT friend is 204 and tells the other FriendRequest {sender}; neither has
        a friend by it."""
        user, other = await self.users(2)
        await self.ask(user, other)
        self.assertEqual([asked(user)], await self.told(other))
        self.assertEqual([], await self.told(user))
        self.assertEqual(([], []), (await self.friends(user), await self.friends(other)))

    async def test_confirm(self):
        """extensions §4: if the other has asked, both are friends, and the other is told
        FriendConfirm {sender}."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        self.assertEqual([confirmed(other)], await self.told(user))
        self.assertEqual([asked(user)], await self.told(other))
        self.assertEqual([other.id], await self.friends(user))
        self.assertEqual([user.id], await self.friends(other))
        self.assertEqual(([], []), (await self.requests(user), await self.requests(other)))

    async def test_push(self):
        """extensions §4: both notifications are pushed as REST gives them."""
        user, other = await self.users(2)
        sockets = [await self.socket(other), await self.socket(user)]
        await self.befriend(user, other)
        for socket, one in zip(sockets, (other, user), strict=True):
            message = await self.pushed(socket)
            self.assertEqual([message["notification"]], await self.notifications(one))
            await socket.quiet()

    async def test_ask_again(self):
        """extensions §4: a repeat of a request is 204, makes no second one and tells nobody."""
        user, other = await self.users(2)
        for _ in range(3):
            await self.ask(user, other)
        self.assertEqual([asked(user)], await self.told(other))
        self.assertEqual([("incoming", user.id)], await self.requests(other))
        self.assertEqual([], await self.friends(other))

    async def test_confirm_again(self):
        """extensions §4: among friends PUT by either is 204, and changes and tells nothing."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        before = (await self.get(f"user/{user.id}/friends", by=user, expect=200)).json()
        for one, another in ((other, user), (user, other)):
            await self.ask(one, another)
        after = (await self.get(f"user/{user.id}/friends", by=user, expect=200)).json()
        self.assertEqual(before, after)
        self.assertEqual([confirmed(other)], await self.told(user))
        self.assertEqual([asked(user)], await self.told(other))
        self.assertEqual(([], []), (await self.requests(user), await self.requests(other)))

    async def test_self(self):
        """extensions §4: oneself is 422 cannot_friend_self, in upper case too."""
        user = await self.someone()
        for me in (user.id, user.id.upper()):
            response = await self.put(f"user/{user.id}/friend/{me}", by=user)
            self.problem(response, 422, "cannot_friend_self")

    async def test_end(self):
        """extensions §4: DELETE by either ends a friendship, for both, and tells nobody."""
        for by_other in (False, True):
            user, other = await self.users(2)
            await self.befriend(user, other)
            for _ in range(2):
                await (self.part(other, user) if by_other else self.part(user, other))
            self.assertEqual(([], []), (await self.friends(user), await self.friends(other)))
            self.assertEqual([confirmed(other)], await self.told(user))
            self.assertEqual([asked(user)], await self.told(other))
            response = await self.say(user, other)
            self.problem(response, 403, "not_friends")

    async def test_nothing_to_end(self):
        """extensions §4: DELETE is 204 also where there is nothing, and tells nobody."""
        user, other = await self.users(2)
        await self.part(user, other)
        self.assertEqual([], await self.told(other))

    async def test_take_back(self):
        """extensions §4: DELETE by who has asked takes the request back; the other, who asks then,
        makes a new one."""
        user, other = await self.users(2)
        await self.ask(user, other)
        await self.part(user, other)
        self.assertEqual(([], []), (await self.requests(user), await self.requests(other)))
        await self.ask(other, user)
        self.assertEqual(([], []), (await self.friends(user), await self.friends(other)))
        self.assertEqual([asked(other)], await self.told(user))

    async def test_turn_down(self):
        """extensions §4: DELETE by who was asked turns the request down, and tells nobody."""
        user, other = await self.users(2)
        await self.ask(user, other)
        await self.part(other, user)
        self.assertEqual(([], []), (await self.requests(user), await self.requests(other)))
        self.assertEqual([], await self.told(user))
        await self.ask(other, user)
        self.assertEqual([("outgoing", user.id)], await self.requests(other))
        self.assertEqual([], await self.friends(user))

    async def test_crossing(self):
        """extensions §4: of two who ask each other at once one asks and one confirms."""
        for _ in range(8):
            user, other = await self.users(2)
            await self.together(self.ask(user, other), self.ask(other, user))
            self.assertEqual([other.id], await self.friends(user))
            self.assertEqual([user.id], await self.friends(other))
            self.assertEqual(([], []), (await self.requests(user), await self.requests(other)))
            told = (await self.told(user), await self.told(other))
            self.assertIn(
                told,
                [([confirmed(other)], [asked(user)]), ([asked(other)], [confirmed(user)])],
            )

    async def test_many_repeats_at_once(self):
        """extensions §4: repeats at the same time tell once."""
        user, other = await self.users(2)
        await self.together(*(self.ask(user, other) for _ in range(6)))
        self.assertEqual([asked(user)], await self.told(other))
        await self.together(*(self.ask(other, user) for _ in range(6)))
        self.assertEqual([confirmed(other)], await self.told(user))
        self.assertEqual([other.id], await self.friends(user))

    async def test_told_once_a_day(self):
        """extensions §4: FriendRequest is told once per sender and recipient in 24 hours, whatever
        was undone meanwhile; the request is there all the same."""
        user, other = await self.users(2)
        for undo, by in ((user, other), (other, user)):
            await self.ask(user, other)
            await self.part(undo, by)
            await self.ask(user, other)
            await self.block(undo, by)
            await self.unblock(undo, by)
        await self.befriend(user, other)
        await self.part(other, user)
        await self.ask(user, other)
        self.assertEqual([("outgoing", other.id)], await self.requests(user))
        self.assertEqual([asked(user)], await self.told(other))

    async def test_told_to_each(self):
        """extensions §4: the 24 hours are those of one sender and one recipient."""
        user, other, third = await self.users(3)
        await self.ask(user, other)
        await self.part(user, other)
        await self.ask(other, user)
        await self.part(user, other)
        await self.ask(user, third)
        self.assertEqual([asked(other)], await self.told(user))
        self.assertEqual([asked(user)], await self.told(other))
        self.assertEqual([asked(user)], await self.told(third))

    async def test_confirmed_again(self):
        """extensions §4: a friendship that is made anew is told FriendConfirm anew."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        await self.part(user, other)
        await self.befriend(user, other)
        self.assertEqual([confirmed(other)] * 2, await self.told(user))

    async def test_elements(self):
        """extensions §4: friends are {user, since}, with the user as …/info gives it."""
        user, other = await self.users(2)
        sent = {"avatar": "a.png", "emblem": guid(), "publicProfile": {"profile": "hi"}}
        await self.put(f"user/{other.id}", sent | {"fullProfile": {}}, by=other, expect=204)
        await self.befriend(user, other)
        (got,) = await self.read(f"user/{user.id}/friends", [FRIEND], by=user)
        self.assertEqual(await self.read(f"user/{other.id}/info", USER_INFO), got["user"])
        (told,) = await self.notifications(user)
        self.assertTrue(abs(got["since"] - told["created"]) <= 1)

    async def test_newest_first(self):
        """extensions §4: the newest friend first, whoever asked whom."""
        user, first, second, third = await self.users(4)
        for one in (third, second, first):
            await self.ask(one, user)
        await self.ask(user, first)
        await self.ask(user, second)
        await self.ask(user, third)
        self.assertEqual([third.id, second.id, first.id], await self.friends(user))

    async def test_case_of_ids(self):
        """choices: GUIDs may be in upper case: the pair is the same."""
        user, other = await self.users(2)
        path = f"user/{user.id.upper()}/friend/{other.id.upper()}"
        await self.put(path, by=user, expect=204)
        await self.ask(other, user)
        self.assertEqual([other.id], await self.friends(user))
        self.assertEqual([asked(user)], await self.told(other))
        await self.delete(path, by=user, expect=204)
        self.assertEqual([], await self.friends(other))

    async def test_of_others(self):
        """extensions §4: a friendship is nobody else's."""
        user, other, third = await self.users(3)
        await self.befriend(user, other)
        await self.part(third, user)
        await self.ask(third, user)
        self.assertEqual([other.id], await self.friends(user))
        self.assertEqual([], await self.friends(third))
