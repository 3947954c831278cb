"""What all lists of extensions §4 and §7 have in common."""

from typing import Any

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import (
    ACTION,
    CONVERSATION,
    FRIEND,
    FRIEND_REQUEST,
    MESSAGE,
    PARTY_INVITE,
    QUEUED,
    REPORT,
)

MANY = 53


class ListTests(PlayersCase):
    """limit, after, Link; ETag; the default of 50."""

    async def lists(self) -> list[tuple[str, Any, User]]:
        """The path of each list with two items at least, their shape, and who reads it."""
        user, one, two, admin = *await self.users(3), await self.admin()
        me = f"user/{user.id}"
        for other in (one, two):
            await self.befriend(other, user)
            await self.wrote(user, other)
            await self.wrote(other, user)
            party = f"user/{other.id}/friend/{user.id}/party-invite"
            await self.post(party, {"party": guid()}, by=other, expect=204)
            await self.report(me, other)
            await self.report(f"user/{other.id}", user)
            warning = {"reason": "x"}
            await self.post(f"{me}/warning", warning, by=admin, expect=204)
        for other in await self.users(2):
            await self.ask(other, user)
        for other in await self.users(2):
            await self.block(user, other)
        return [
            (f"{me}/friends", FRIEND, user),
            (f"{me}/friend-requests", FRIEND_REQUEST, user),
            (f"{me}/blocked", FRIEND, user),
            (f"{me}/party-invites", PARTY_INVITE, user),
            (f"{me}/messages", CONVERSATION, user),
            (self.letters(user, one), MESSAGE, user),
            ("moderation/reports", QUEUED, admin),
            (f"moderation/reports/user/{user.id}", REPORT, admin),
            ("moderation/actions", ACTION, admin),
        ]

    async def test_etag_of_state(self):
        """spec §1: state and settings have one too, which changes with them."""
        user = await self.user()
        tags = set()
        for _ in range(2):
            for what in ("state", "settings"):
                path = f"user/{user.id}/notifications/{what}"
                tag = (await self.get(path, by=user, expect=200)).header("ETag") or ""
                await self.get(path, by=user, headers={"If-None-Match": tag}, expect=304)
                tags.add((what, tag))
            await self.notify(user)
            await self.mute(user, "NewFollower")
        self.assertEqual(4, len(tags))

    async def test_fifty(self):
        """extensions: without `limit` a list has 50 at most, and a Link to the others."""
        user, friend = await self.users(2)
        others = await self.users(MANY)
        await self.befriend(user, friend)
        for other in others:
            await self.ask(other, user)
            party = f"user/{other.id}/friend/{user.id}/party-invite"
            await self.post(party, {"party": guid()}, by=other, expect=204)
            await self.wrote(user, friend)
        await self.whole(f"user/{user.id}/friend-requests", FRIEND_REQUEST, user, MANY)
        await self.whole(f"user/{user.id}/party-invites", PARTY_INVITE, user, MANY)
        await self.whole(self.letters(user, friend), MESSAGE, user, MANY)
        for other in others:
            await self.ask(user, other)
        await self.whole(f"user/{user.id}/friends", FRIEND, user, MANY + 1)
        await self.together(*(self.wrote(other, user) for other in others))
        await self.whole(f"user/{user.id}/messages", CONVERSATION, user, MANY + 1)
        for other in others:
            await self.block(user, other)
        await self.whole(f"user/{user.id}/blocked", FRIEND, user, MANY)
        self.assertEqual([friend.id], await self.friends(user))

    async def whole(self, path: str, shape: Any, by: User, count: int) -> None:
        """Assert that the list comes as 50 and the rest, together with no item twice."""
        pages = await self.pages(path, [shape], by=by)
        self.assertEqual([50, count - 50], [len(page) for page in pages if page], path)
        self.assertEqual(count, len({repr(one) for page in pages for one in page}), path)
