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

    async def test_limit(self):
        """extensions: `limit` is 1 to 200; each part but the last has a Link, of rel=next."""
        for path, shape, by in await self.lists():
            for limit in ("0", "201", "-1", "x", "", "1.5", "1" + "0" * 30):
                response = await self.get(path, by=by, query={"limit": limit})
                self.invalid_query(response, "limit")
            self.invalid_query(await self.get(f"{path}?limit=1&limit=1", by=by), "limit")
            got = await self.get(path, by=by, query={"limit": "1"}, expect=200)
            self.shape(got.json(), [shape])
            self.assertEqual(1, len(got.json()), path)
            self.assertRegex(got.header("Link") or "", r'^</api/v1/[^>]+>; rel="next"$')
            await self.read(f"{path}?limit=200", [shape], by=by)

    async def test_after(self):
        """extensions: `after` is what a Link had, and goes on after its last item; else 400."""
        for path, shape, by in await self.lists():
            for after in ("not a cursor", "", "-1", "9" * 40, "\0", "1,x", "1-"):
                response = await self.get(path, by=by, query={"after": after, "limit": "2"})
                self.invalid_query(response, "after")
            first = await self.get(f"{path}?limit=1", by=by, expect=200)
            link = (first.header("Link") or "").partition(">")[0].removeprefix("<")
            second = await self.read(link, [shape], by=by)
            self.assertEqual(1, len(second), path)
            self.assertNotEqual(first.json(), second)

    async def test_etag(self):
        """spec §1: each list has a weak ETag, and with it is 304; another's is not the same."""
        for path, _, by in await self.lists():
            got = await self.get(path, by=by, expect=200)
            tag = got.header("ETag") or ""
            self.assertRegex(tag, '^W/"[^"]+"$', path)
            for sent in (tag, f'"x", {tag}', "*"):
                again = await self.get(path, by=by, headers={"If-None-Match": sent}, expect=304)
                self.assertEqual(b"", again.body)
            await self.get(path, by=by, headers={"If-None-Match": 'W/"x"'}, expect=200)
            head = await self.request("HEAD", path, by=by, expect=200)
            self.assertEqual(tag, head.header("ETag"), path)

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
