"""Party invites: whoever is told, is told once."""

from contentsvc.api.errors import CONSTRAINTS, UserNotFound
from contentsvc.api.social import Social
from contentsvc.db.errors import Refused
from contentsvc.wire.social import PartyBody
from tests.api.support import ApiCase, Caller, Notifier
from tests.support.databases import guid, together


class PartyTests(ApiCase):
    require_invite = False

    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.family = Social(
            self.db, self.notifier, require_invite=self.require_invite, follows_per_day=300
        )
        self.ann, self.bob = await self.user(), await self.user()
        self.party = guid()

    async def invite(self) -> None:
        """Ann invites bob."""
        body = PartyBody(party=self.party)
        await self.family.invite(Caller(self.ann), self.ann, self.bob, body)

    async def accept(self, party: str | None = None) -> None:
        """Bob accepts."""
        body = PartyBody(party=party or self.party)
        await self.family.accept(Caller(self.bob), self.bob, self.ann, body)

    async def decline(self) -> None:
        """Bob declines."""
        body = PartyBody(party=self.party)
        await self.family.decline(Caller(self.bob), self.bob, self.ann, body)

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
            await self.family.accept(Caller(self.bob), self.bob, guid(), body)
        self.assertIs(CONSTRAINTS[caught.exception.constraint], UserNotFound)
