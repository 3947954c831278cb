"""Party invites: spec §4.15, §4.16 and §6."""

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import PARTY_INVITE


class PartyTests(SpecCase):
    """POST …/friend/{friendUserId}/party-invite, …/accept and …/decline."""

    async def answer(self, user: User, friend: str, how: str, party: str):
        """The response to a party call of `user` about `friend`."""
        path = f"user/{user.id}/friend/{friend}/party-invite{how}"
        return await self.post(path, {"party": party}, by=user)

    async def told(self, how: str, kind: str) -> None:
        """Assert that the call is 204 and tells the friend, nobody else."""
        user, friend, party = await self.user(), await self.user(), guid()
        self.assertEqual(204, (await self.answer(user, friend.id, how, party)).status)
        (got,) = await self.notifications(friend)
        expected = {"kind": kind, "sender": user.id, "party": party, "read": False}
        self.assertEqual(expected, {member: got[member] for member in expected})
        self.assertEqual([], await self.notifications(user))

    async def test_accept(self):
        """Spec §4.15 and §6: 204, and the sender of the invite is told: PartyInviteAccept."""
        await self.told("/accept", "PartyInviteAccept")

    async def test_decline(self):
        """Spec §4.16 and §6: 204, and the sender of the invite is told: PartyInviteDecline."""
        await self.told("/decline", "PartyInviteDecline")

    async def test_invite(self):
        """choices: POST …/party-invite is 204 and tells the invited friend: PartyInvite."""
        await self.told("", "PartyInvite")

    async def test_oneself(self):
        """choices: users can invite themselves, and answer that; they are told of both."""
        user, party = await self.user(), guid()
        for how in ("", "/accept", "/decline"):
            self.assertEqual(204, (await self.answer(user, user.id, how, party)).status)
        told = [(one["kind"], one["sender"]) for one in await self.notifications(user)]
        kinds = ("PartyInvite", "PartyInviteAccept", "PartyInviteDecline")
        self.assertEqual([(kind, user.id) for kind in kinds], told)

    async def test_repeated_answer(self):
        """choices: the same answer again tells nobody again; a different one does."""
        user, friend, party = await self.someone(), await self.user(), guid()
        for how in ("/accept", "/accept", "/decline", "/decline"):
            self.assertEqual(204, (await self.answer(user, friend.id, how, party)).status)
        kinds = [one["kind"] for one in await self.notifications(friend)]
        self.assertEqual(["PartyInviteAccept", "PartyInviteDecline"], kinds)

    async def test_other_party(self):
        """Spec §6: each party's answer is told."""
        user, friend, parties = await self.someone(), await self.user(), [guid(), guid()]
        for party in parties:
            await self.answer(user, friend.id, "/accept", party)
        told = [one["party"] for one in await self.notifications(friend)]
        self.assertEqual(parties, told)

    async def test_lower_case_out(self):
        """choices: the party's GUID is taken in any case and given in lower case."""
        user, friend, party = await self.someone(), await self.user(), guid()
        await self.answer(user, friend.id, "/accept", party.upper())
        self.assertEqual(party, (await self.notifications(friend))[0]["party"])


class ListTests(SpecCase):
    """GET party-invites (extensions §4)."""

    async def invite(self, user: User, other: User, party: str) -> None:
        """Let `user` invite `other`."""
        path = f"user/{user.id}/friend/{other.id}/party-invite"
        await self.post(path, {"party": party}, by=user, expect=204)

    async def invites(self, user: User) -> list[tuple[str, str]]:
        """The senders and parties of the user's open invites."""
        path = f"user/{user.id}/party-invites"
        found = await self.read(path, [PARTY_INVITE], by=user)
        return [(one["sender"]["id"], one["party"]) for one in found]

    async def test_open(self):
        """Invites are listed once each, newest first, to the invited user only."""
        ann, bob, cat = await self.user(), await self.user(), await self.user()
        parties = [guid(), guid()]
        await self.invite(ann, bob, parties[0])
        await self.invite(cat, bob, parties[0])
        await self.invite(ann, bob, parties[1])
        await self.invite(ann, bob, parties[1])
        expected = [(ann.id, parties[1]), (cat.id, parties[0]), (ann.id, parties[0])]
        self.assertEqual(expected, await self.invites(bob))
        self.assertEqual([], await self.invites(ann))
        path = f"user/{bob.id}/party-invites?limit=2"
        pages = await self.pages(path, [PARTY_INVITE], by=bob)
        found = [(one["sender"]["id"], one["party"]) for page in pages for one in page]
        self.assertEqual((expected, 2), (found, len(pages)))

    async def test_answered(self):
        """An invite with an answer is not listed, until it is made again; an answer without an
        invite makes none."""
        ann, bob, party = await self.user(), await self.user(), guid()
        for how in ("accept", "decline"):
            await self.invite(ann, bob, party)
            self.assertEqual([(ann.id, party)], await self.invites(bob))
            path = f"user/{bob.id}/friend/{ann.id}/party-invite/{how}"
            await self.post(path, {"party": party}, by=bob, expect=204)
            self.assertEqual([], await self.invites(bob))
        await self.post(path, {"party": guid()}, by=bob, expect=204)
        self.assertEqual([], await self.invites(bob))

    async def test_blocked(self):
        """An invite from before a block stays."""
        ann, bob, party = await self.user(), await self.user(), guid()
        await self.invite(ann, bob, party)
        await self.put(f"user/{bob.id}/blocked/{ann.id}", by=bob, expect=204)
        self.assertEqual([(ann.id, party)], await self.invites(bob))

    async def test_oneself(self):
        """Who invites oneself is not stopped by a block."""
        ann, party = await self.user(), guid()
        await self.invite(ann, ann, party)
        self.assertEqual([(ann.id, party)], await self.invites(ann))
