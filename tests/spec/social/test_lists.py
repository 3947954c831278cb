"""The lists of social#friends without `limit`."""

from typing import Any

from tests.spec.data import User, guid
from tests.spec.shapes import CONVERSATION, FRIEND, FRIEND_REQUEST, MESSAGE, PARTY_INVITE
from tests.spec.social.support import SocialCase

MANY = 51


class ListTests(SocialCase):
    async def whole(self, path: str, shape: Any, by: User) -> None:
        """Assert that the list comes as 50 and one more, which is another."""
        pages = await self.pages(path, [shape], by=by)
        self.assertEqual([50, 1], [len(page) for page in pages if page], path)
        self.assertEqual(MANY, len({repr(one) for page in pages for one in page}), path)

    async def test_fifty(self):
        """conventions#lists: without `limit` a list has 50 at most, and a Link to the others."""
        user, *others = await self.users(MANY + 1)
        at = f"user/{user.id}"
        for other in others:
            await self.ask(other, user)
            party = f"user/{other.id}/friend/{user.id}/party-invite"
            await self.post(party, {"party": guid()}, by=other, expect=204)
        await self.whole(f"{at}/friend-requests", FRIEND_REQUEST, user)
        await self.whole(f"{at}/party-invites", PARTY_INVITE, user)
        for other in others:
            await self.ask(user, other)
        await self.whole(f"{at}/friends", FRIEND, user)
        await self.together(*(self.wrote(other, user) for other in others))
        await self.whole(f"{at}/messages", CONVERSATION, user)
        for _ in range(MANY - 1):
            await self.wrote(user, others[0])
        await self.whole(self.letters(user, others[0]), MESSAGE, user)
        for other in others:
            await self.block(user, other)
        await self.whole(f"{at}/blocked", FRIEND, user)
        self.assertEqual([], await self.friends(user))
