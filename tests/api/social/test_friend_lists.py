"""The lists of friends, requests, blocked users and party invites: their parts and their order."""

from typing import Any

from contentsvc.api.paging import PART, encoded, key_of
from contentsvc.api.social.friends import Friends
from contentsvc.api.social.party_invites import PartyInvites
from contentsvc.wire.base import Part, SortedPart
from contentsvc.wire.social import (
    PartyBody,
    RequestsQuery,
)
from tests.api.support import INVITES, ApiCase, Caller, Notifier
from tests.support.databases import guid


class ListCase(ApiCase):
    """The parts of each list. Others are in it from the last to the first."""

    query: type[Part] = Part

    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.others: list[str] = []
        self.part = PART

    @property
    def friends(self) -> Friends:
        """With the limit of now."""
        return Friends(self.db, Notifier(), requests_per_day=0, part=self.part)

    @property
    def parties(self) -> PartyInvites:
        """With the limit of now."""
        return PartyInvites(self.db, Notifier(), part=self.part, **INVITES)

    async def add(self, other: str) -> None:
        """Put somebody into the list."""
        await self.friends.add_friend(Caller(other), other, self.ann)
        await self.friends.add_friend(Caller(self.ann), self.ann, other)

    async def ask(self, query: Any) -> Any:
        """The answer of the operation."""
        return await self.friends.list_friends(Caller(self.ann), self.ann, query)

    def items(self, listed: Any) -> list[Any]:
        """The elements of a part."""
        found: list[Any] = listed.items
        return found

    def user_of(self, item: Any) -> str:
        """The user of an element."""
        return str(item.user.id)

    async def fill(self, count: int, profile: str | None = None) -> None:
        """Put new users into the list, each with this profile."""
        for _ in range(count):
            other = await self.user()
            self.sql("update users set public_profile = %s where id = %s", profile, other)
            await self.add(other)
            self.others.insert(0, other)

    async def parts(self, limit: int) -> list[int]:
        """The lengths of the parts, which together hold each user once, in order."""
        lengths, found, after = [], [], None
        while len(lengths) < 20:
            listed = await self.ask(self.query(limit=limit, after=after))
            items = self.items(listed)
            lengths.append(len(items))
            found += [self.user_of(item) for item in items]
            after = listed.after
            if after is None:
                break
        self.assertEqual(found, self.others)
        return lengths

    async def test_bytes(self) -> None:
        """A part ends where its profiles are over the bytes of one."""
        await self.fill(2, "ä" * 10)
        await self.fill(3, "ä" * 750)
        self.part = 3000
        self.assertEqual(await self.parts(5), [2, 3])
        self.part = 1
        self.assertEqual(await self.parts(5), [1] * 5 + [0])


class BlockedTests(ListCase):
    async def add(self, other: str) -> None:
        await self.friends.block_user(Caller(self.ann), self.ann, other)

    async def ask(self, query: Any) -> Any:
        return await self.friends.list_blocked_users(Caller(self.ann), self.ann, query)


class IncomingTests(ListCase):
    query = RequestsQuery

    async def add(self, other: str) -> None:
        await self.friends.add_friend(Caller(other), other, self.ann)
        # One of the other direction, which is not asked for.
        await self.friends.add_friend(Caller(self.ann), self.ann, await self.user())

    async def ask(self, query: Any) -> Any:
        query.direction = "incoming"
        listed = await self.friends.list_friend_requests(Caller(self.ann), self.ann, query)
        self.assertEqual({item.direction for item in self.items(listed)} - {"incoming"}, set())
        return listed


class OutgoingTests(IncomingTests):
    async def add(self, other: str) -> None:
        await self.friends.add_friend(Caller(self.ann), self.ann, other)
        another = await self.user()
        await self.friends.add_friend(Caller(another), another, self.ann)

    async def ask(self, query: Any) -> Any:
        query.direction = "outgoing"
        return await self.friends.list_friend_requests(Caller(self.ann), self.ann, query)


class InviteTests(ListCase):
    query = SortedPart

    async def add(self, other: str) -> None:
        body = PartyBody(party=guid())
        await self.parties.send_party_invite(Caller(other), other, self.ann, body)

    async def ask(self, query: Any) -> Any:
        return await self.parties.list_party_invites(Caller(self.ann), self.ann, query)

    def user_of(self, item: Any) -> str:
        return str(item.sender.id)

    def age(self, seconds: float, sender: str) -> None:
        """Have a user's invite been made so much earlier."""
        self.sql(
            "update party_invites set changed = changed - make_interval(secs => %s)"
            " where sender = %s",
            *(seconds, sender),
        )

    async def test_hour(self) -> None:
        """Those of the last hour are listed."""
        await self.fill(4)
        self.age(3590, self.others[-1])
        self.age(3601, self.others[-2])
        del self.others[-2]
        self.assertEqual(await self.parts(200), [3])

    async def test_clock_set_back(self) -> None:
        """An invite from before the clock was set back is not listed."""
        await self.fill(2)
        self.age(-120, self.others.pop(0))
        self.assertEqual(await self.parts(200), [1])

    async def test_beyond_all_times(self) -> None:
        """A cursor with a moment that the database does not know is as good as one before or after
        all invites."""
        await self.fill(1)
        for moment, count in (1e300, 1), (-1e300, 0):
            after = encoded(key_of("party-invites", self.ann), (moment, 0))
            self.assertEqual(len((await self.ask(self.query(after=after))).items), count)

    async def test_one_moment(self) -> None:
        """Of invites of one moment, parts hold each once."""
        await self.fill(6)
        self.sql("update party_invites set changed = now() where recipient = %s", self.ann)
        whole = await self.ask(self.query(limit=200))
        self.assertEqual({self.user_of(item) for item in whole.items}, set(self.others))
        self.others = [self.user_of(item) for item in whole.items]
        for limit in (1, 2, 5):
            await self.parts(limit)

    async def test_again(self) -> None:
        """An invite that is made again is listed once, as the newest."""
        await self.fill(3)
        sender = self.others.pop()
        self.others.insert(0, sender)
        self.age(100, sender)
        ((party,),) = self.sql("select party from party_invites where sender = %s", sender)
        await self.parties.send_party_invite(
            Caller(sender), sender, self.ann, PartyBody(party=party)
        )
        self.assertEqual(await self.parts(2), [2, 1])
