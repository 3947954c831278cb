"""The invites to parties that have no answer: extensions §4."""

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase
from tests.spec.shapes import PARTY_INVITE, USER_INFO


class PartyInviteTests(PlayersCase):
    """GET party-invites."""

    async def invite(self, sender: User, user: User, party: str) -> None:
        """POST party-invite."""
        path = f"user/{sender.id}/friend/{user.id}/party-invite"
        await self.post(path, {"party": party}, by=sender, expect=204)

    async def answer(self, user: User, sender: User, how: str, party: str) -> None:
        """Accept or decline."""
        path = f"user/{user.id}/friend/{sender.id}/party-invite/{how}"
        await self.post(path, {"party": party}, by=user, expect=204)

    async def invites(self, user: User) -> list[tuple[str, str]]:
        """The sender and the party of each."""
        found = await self.read(f"user/{user.id}/party-invites", [PARTY_INVITE], by=user)
        return [(one["sender"]["id"], one["party"]) for one in found]

    async def test_invite(self):
        """extensions §4: {sender, party, created}, with the sender as …/info gives it; only the
        invited user has it."""
        sender, user, party = *await self.users(2), guid()
        self.assertEqual([], await self.invites(user))
        await self.invite(sender, user, party.upper())
        (got,) = await self.read(f"user/{user.id}/party-invites", [PARTY_INVITE], by=user)
        self.assertEqual(await self.read(f"user/{sender.id}/info", USER_INFO), got["sender"])
        self.assertEqual(party, got["party"])
        (told,) = await self.notifications(user)
        self.assertTrue(abs(got["created"] - told["created"]) <= 1)
        self.assertEqual([], await self.invites(sender))

    async def test_newest_first(self):
        """extensions: newest first, in parts too."""
        user, *senders = await self.users(3)
        sent = [(sender.id, guid()) for sender in senders * 2]
        for (_, party), sender in zip(sent, senders * 2, strict=True):
            await self.invite(sender, user, party)
        self.assertEqual(list(reversed(sent)), await self.invites(user))
        path = f"user/{user.id}/party-invites?limit=1"
        pages = await self.pages(path, [PARTY_INVITE], by=user)
        found = [(one["sender"]["id"], one["party"]) for page in pages for one in page]
        self.assertEqual(list(reversed(sent)), found)

    async def test_answered(self):
        """extensions §4: what was accepted or declined is not listed any more."""
        sender, user = await self.users(2)
        parties = [guid() for _ in range(3)]
        for party in parties:
            await self.invite(sender, user, party)
        await self.answer(user, sender, "accept", parties[0])
        await self.answer(user, sender, "decline", parties[2].upper())
        self.assertEqual([(sender.id, parties[1])], await self.invites(user))

    async def test_answers_to_others(self):
        """extensions §4: an answer to another sender of the same party, to another party, or by
        another user answers nothing."""
        sender, second, user, other = await self.users(4)
        party = guid()
        await self.invite(sender, user, party)
        await self.answer(user, second, "accept", party)
        await self.answer(user, sender, "accept", guid())
        await self.answer(other, sender, "accept", party)
        await self.answer(sender, user, "accept", party)
        self.assertEqual([(sender.id, party)], await self.invites(user))
        await self.invite(second, user, guid())
        await self.answer(user, sender, "decline", party)
        self.assertEqual([second.id], [one for one, _ in await self.invites(user)])

    async def test_again(self):
        """extensions §4: the same invite again is listed once."""
        sender, user = await self.users(2)
        party = guid()
        await self.together(*(self.invite(sender, user, party) for _ in range(4)))
        self.assertEqual([(sender.id, party)], await self.invites(user))
