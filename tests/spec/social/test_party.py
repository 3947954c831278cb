"""Party invites: social#party-invites."""

from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.shapes import PARTY_INVITE, USER_INFO
from tests.spec.social.support import SocialCase

ANSWERS = ("/accept", "/decline")


class PartyCase(SocialCase):
    """Invites, and answers to them."""

    async def party(self, user: User, other: User, how: str, party: str) -> Response:
        """POST …/friend/{friendUserId}/party-invite, …/accept or …/decline."""
        path = f"user/{user.id}/friend/{other.id}/party-invite{how}"
        return await self.post(path, {"party": party}, by=user, expect=204)


class PartyTests(PartyCase):
    """What is told."""

    async def test_told(self):
        """An invite tells the invited friend, and an answer who has invited; nobody else."""
        for how, kind in (
            ("", "PartyInvite"),
            ("/accept", "PartyInviteAccept"),
            ("/decline", "PartyInviteDecline"),
        ):
            user, friend, party = *await self.users(2), guid()
            await self.party(user, friend, how, party)
            (got,) = await self.notifications(friend)
            expected = {"kind": kind, "sender": user.id, "party": party, "read": False}
            self.assertEqual(expected, {member: got[member] for member in expected})
            self.assertEqual([], await self.notifications(user))

    async def test_oneself(self):
        """social#party-invites: users can invite themselves, and answer that; they are told of
        both."""
        user, party = await self.user(), guid()
        for how in ("", *ANSWERS):
            await self.party(user, user, how, party)
        kinds = ("PartyInvite", "PartyInviteAccept", "PartyInviteDecline")
        self.assertEqual([(kind, user.id) for kind in kinds], await self.told(user))

    async def test_repeated_answer(self):
        """social#party-invites: the same answer again tells nobody again; a different one does."""
        user, friend, party = await self.someone(), await self.user(), guid()
        for how in ("/accept", "/accept", "/decline", "/decline"):
            await self.party(user, friend, how, party)
        kinds = [kind for kind, _ in await self.told(friend)]
        self.assertEqual(["PartyInviteAccept", "PartyInviteDecline"], kinds)

    async def test_other_party(self):
        """social#party-invites: each party's answer is told."""
        user, friend, parties = await self.someone(), await self.user(), [guid(), guid()]
        for party in parties:
            await self.party(user, friend, "/accept", party)
        told = [one["party"] for one in await self.notifications(friend)]
        self.assertEqual(parties, told)

    async def test_lower_case_out(self):
        """conventions#requests: the party's GUID is taken in any case and given in lower case."""
        user, friend, party = await self.someone(), await self.user(), guid()
        await self.party(user, friend, "/accept", party.upper())
        self.assertEqual(party, (await self.notifications(friend))[0]["party"])


class ListTests(PartyCase):
    """GET party-invites (social#party-invites)."""

    async def invite(self, user: User, other: User, party: str) -> None:
        """Let `user` invite `other`."""
        await self.party(user, other, "", party)

    async def invites(self, user: User) -> list[tuple[str, str]]:
        """The senders and parties of the user's open invites."""
        path = f"user/{user.id}/party-invites"
        found = await self.read(path, [PARTY_INVITE], by=user)
        return [(one["sender"]["id"], one["party"]) for one in found]

    async def test_open(self):
        """Invites are listed once each, newest first, to the invited user only."""
        ann, bob, cat = await self.users(3)
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

    async def test_elements(self):
        """An invite has its sender as …/info gives it, the party in lower case, and its time."""
        ann, bob, party = *await self.users(2), guid()
        await self.invite(ann, bob, party.upper())
        (got,) = await self.read(f"user/{bob.id}/party-invites", [PARTY_INVITE], by=bob)
        self.assertEqual(await self.read(f"user/{ann.id}/info", USER_INFO), got["sender"])
        (told,) = await self.notifications(bob)
        self.assertEqual(party, got["party"])
        self.assertLessEqual(abs(got["created"] - told["created"]), 1)

    async def test_at_once(self):
        """The same invite several times at once is listed once."""
        ann, bob, party = *await self.users(2), guid()
        await self.together(*(self.invite(ann, bob, party) for _ in range(4)))
        self.assertEqual([(ann.id, party)], await self.invites(bob))

    async def test_answered(self):
        """An invite with an answer is not listed, until it is made again; an answer without an
        invite makes none."""
        ann, bob, party = *await self.users(2), guid()
        for how in ANSWERS:
            await self.invite(ann, bob, party)
            self.assertEqual([(ann.id, party)], await self.invites(bob))
            await self.party(bob, ann, how, party.upper())
            self.assertEqual([], await self.invites(bob))
        await self.party(bob, ann, how, guid())
        self.assertEqual([], await self.invites(bob))

    async def test_answers_to_others(self):
        """An answer to another sender of the same party, to another party, or by another user
        answers nothing."""
        ann, second, bob, other = await self.users(4)
        party = guid()
        await self.invite(ann, bob, party)
        await self.party(bob, second, "/accept", party)
        await self.party(bob, ann, "/accept", guid())
        await self.party(other, ann, "/accept", party)
        await self.party(ann, bob, "/accept", party)
        self.assertEqual([(ann.id, party)], await self.invites(bob))
        await self.invite(second, bob, guid())
        await self.party(bob, ann, "/decline", party)
        self.assertEqual([second.id], [one for one, _ in await self.invites(bob)])

    async def test_blocked(self):
        """An invite from before a block stays."""
        ann, bob, party = *await self.users(2), guid()
        await self.invite(ann, bob, party)
        await self.block(bob, ann)
        self.assertEqual([(ann.id, party)], await self.invites(bob))

    async def test_oneself(self):
        """An invite to oneself is listed as any other."""
        ann, party = await self.user(), guid()
        await self.invite(ann, ann, party)
        self.assertEqual([(ann.id, party)], await self.invites(ann))
