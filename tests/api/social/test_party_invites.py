"""Party invites: whoever is told, is told once."""

from contentsvc.api.errors import CONSTRAINTS, UserNotFound
from contentsvc.api.social.party_invites import PartyInvites
from contentsvc.framework.db.errors import Refused
from contentsvc.wire.social import PartyBody
from tests.api.support import INVITES, ApiCase, Caller, Notifier
from tests.support.databases import guid
from tests.support.deferreds import together


class PartyTests(ApiCase):
    require_invite = False

    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        options = {**INVITES, "require_invite": self.require_invite}
        self.family = PartyInvites(self.db, self.notifier, **options)
        self.ann, self.bob = await self.user(), await self.user()
        self.party = guid()

    async def invite(self) -> None:
        """Ann invites bob."""
        body = PartyBody(party=self.party)
        await self.family.send_party_invite(Caller(self.ann), self.ann, self.bob, body)

    async def accept(self, party: str | None = None) -> None:
        """Bob accepts."""
        body = PartyBody(party=party or self.party)
        await self.family.accept_party_invite(Caller(self.bob), self.bob, self.ann, body)

    async def decline(self) -> None:
        """Bob declines."""
        body = PartyBody(party=self.party)
        await self.family.decline_party_invite(Caller(self.bob), self.bob, self.ann, body)

    async def test_told_once(self) -> None:
        """An accept that is sent again, or several times at once, tells the sender once."""
        await self.invite()
        await together(*(self.accept() for _ in range(8)))
        await self.accept(self.party.upper())
        expected = [(self.bob, "PartyInvite"), (self.ann, "PartyInviteAccept")]
        self.assertEqual(self.notifier.sent, expected)

    async def test_other_mind(self) -> None:
        """Another answer is told."""
        await self.invite()
        for act in (self.accept, self.decline, self.decline, self.accept):
            await act()
        found = [kind.removeprefix("PartyInvite") for _, kind in self.notifier.sent]
        self.assertEqual(found, ["", "Accept", "Decline", "Accept"])

    async def test_not_told(self) -> None:
        """Where the sender cannot be told, there was no answer: the retry tells."""
        await self.invite()
        self.notifier.error = KeyError("x")
        with self.assertRaises(KeyError):
            await self.accept()
        self.notifier.error = None
        await self.accept()
        self.assertEqual(self.notifier.sent[1:], [(self.ann, "PartyInviteAccept")])


class InvitedTests(PartyTests):
    """The same where an answer needs an invite."""

    require_invite = True

    async def test_not_invited(self) -> None:
        """Without an invite there is no answer, and nobody is told."""
        for act in (self.accept(), self.decline()):
            self.assertEqual((await self.refused(act)).code, "party_invite_not_found")
        self.assertEqual(self.notifier.sent, [])

    async def test_unknown_friend(self) -> None:
        """An answer to a user who does not exist is refused for that, not for the invite."""
        body = PartyBody(party=self.party)
        with self.assertRaises(Refused) as caught:
            await self.family.accept_party_invite(Caller(self.bob), self.bob, guid(), body)
        self.assertIs(CONSTRAINTS[caught.exception.constraint], UserNotFound)

    async def test_limit(self) -> None:
        """Invites and answers count together for whoever sends them; repeats and what was refused
        do not, and beyond the limit nothing changes and nobody is told."""
        options = {**INVITES, "require_invite": True, "per_hour": 2}
        self.family = PartyInvites(self.db, self.notifier, **options)
        await self.refused(self.accept())
        for _ in range(3):
            await self.invite()
        for act in (self.accept, self.accept, self.decline):
            await act()
        sent = self.notifier.sent.copy()
        problem = await self.refused(self.accept())
        self.assertEqual((problem.status, problem.code), (429, "too_many_requests"))
        self.assertTrue(3500 < int(problem.headers["Retry-After"]) <= 3600)
        await self.decline()
        self.assertEqual(self.notifier.sent, sent)
        self.assertEqual(
            self.sql("select answer from party_invites where sender = %s", self.ann),
            [("decline",)],
        )
        await self.invite()
        self.party = guid()
        self.assertEqual((await self.refused(self.invite())).code, "too_many_requests")
        self.assertEqual((await self.refused(self.accept())).code, "party_invite_not_found")


class FriendsTests(PartyTests):
    """The same where only friends may invite."""

    async def setUp(self) -> None:
        await super().setUp()
        self.family = PartyInvites(self.db, self.notifier, **{**INVITES, "invited_by": "friends"})
        self.befriend()

    def befriend(self) -> None:
        """Ann and bob are friends."""
        self.sql(
            """insert into pairs (lesser, greater, friends)
               values (least(%s::uuid, %s), greatest(%s::uuid, %s), 1)""",
            *(self.ann, self.bob, self.ann, self.bob),
        )

    async def test_strangers(self) -> None:
        """Between others no invite is told, nor an answer to none; a block comes first."""
        for blocks, code in ((None, "not_friends"), (1, "blocked")):
            self.sql("update pairs set friends = null, lesser_blocks = %s", blocks)
            for act in (self.invite, self.accept, self.decline):
                self.assertEqual((await self.refused(act())).code, code)
        self.sql("delete from pairs")
        self.assertEqual((await self.refused(self.invite())).code, "not_friends")
        self.assertEqual(self.notifier.sent, [])
        self.assertEqual(self.sql("select 1 from party_invites where sender = %s", self.ann), [])

    async def test_friends_before(self) -> None:
        """An invite from before the friendship ended is answered."""
        await self.invite()
        self.sql("update pairs set friends = null")
        await self.accept()
        self.assertEqual(self.notifier.sent[-1], (self.ann, "PartyInviteAccept"))

    async def test_oneself(self) -> None:
        """Users can invite themselves."""
        self.bob = self.ann
        for act in (self.invite, self.accept, self.decline):
            await act()
        self.assertEqual(len(self.notifier.sent), 3)
