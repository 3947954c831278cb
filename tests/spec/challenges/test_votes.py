"""Challenges that close by themselves, by votes: challenges#closing."""

from typing import ClassVar

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.challenges.support import Challenge, ChallengeCase
from tests.spec.content.test_lifecycle import TwoDaemonsCase
from tests.spec.data import Content

SECONDS = 60


class VotesCase(ChallengeCase):
    """Waiting for the end."""

    async def winners(self, of: Challenge) -> list[str]:
        """The winners, once it has closed by itself, which takes 60 s at most."""
        deadline = reactor.seconds() + SECONDS
        while (found := await self.shown(of))["state"] != "closed":
            self.assertLess(reactor.seconds(), deadline, "it did not close")
            await deferLater(reactor, 0.2)
        return list(found["winners"])

    async def voted(self, made: Challenge, *up: int) -> list[Content]:
        """Entries with so many votes up, each of an author of its own."""
        voters = [await self.user() for _ in range(max(up))]
        entries = [await self.entry(made) for _ in up]
        for entry, votes in zip(entries, up, strict=True):
            for voter in voters[:votes]:
                await self.rate(voter, entry, "1")
        return entries


Scene = tuple[Challenge, list[Content]]


class VotesTests(VotesCase):
    """judging "votes". All challenges of these tests end together: the wait for it is one."""

    _scenes: ClassVar[dict[str, dict[str, Scene]]] = {}

    async def scene(self, called: str) -> Scene:
        """The challenge of this name and its entries, after their end."""
        if self.url not in self._scenes:
            self._scenes[self.url] = await self._ended()
        return self._scenes[self.url][called]

    async def _ended(self) -> dict[str, Scene]:
        scenes = {"none": (await self.challenge(judging="votes"), [])}
        for called, up, down in (
            ("winner", (1, 2, 0), 2),
            ("equals", (1, 1, 0), 2),
            ("hidden", (1, 2), None),
            ("nobody", (0,), 0),
            ("bound", (1, 4), 1),
        ):
            made = await self.challenge(judging="votes")
            entries = await self.voted(made, *up)
            if down is not None:
                await self.rate(entries[down].author, entries[down], "0")
            scenes[called] = made, entries
        await self.withdraw(scenes["hidden"][1][1])
        admins = await self.challenge()
        await self.enter(admins, *scenes["winner"][1])
        scenes["admins"] = admins, scenes["winner"][1]
        for made, _ in scenes.values():
            await self.end(made)
        for called, (made, _) in scenes.items():
            if called != "admins":
                await self.winners(made)
        return scenes

    async def test_winner(self):
        """challenges#closing: it closes by itself with the entry of the highest bound; one that
        admins judge does not."""
        made, (_, two, _) = await self.scene("winner")
        self.assertEqual([two.id], await self.winners(made))
        admins, _ = await self.scene("admins")
        self.assertEqual("judging", (await self.shown(admins))["state"])

    async def test_rewards(self):
        """challenges#closing: it grants and tells as an admin's closing does."""
        made, entries = await self.scene("winner")
        for entry in entries:
            won = entry is entries[1]
            (told,) = await self.told(entry.author, 1)
            kind = "ChallengeWon" if won else "ChallengeParticipated"
            expected = {"kind": kind, "challenge": made.id, "content": entry.id}
            self.assertEqual(expected, told)
            earned = (await self.get(f"user/{entry.author.id}/emblems", expect=200)).json()
            self.assertEqual(2 if won else 1, len(earned))

    async def test_equals(self):
        """challenges#closing: equals share."""
        made, (one, two, _) = await self.scene("equals")
        self.assertCountEqual([one.id, two.id], await self.winners(made))

    async def test_hidden(self):
        """challenges#closing: hidden entries cannot win, whatever their votes."""
        made, (shown, hidden) = await self.scene("hidden")
        self.assertEqual([shown.id], await self.winners(made))
        self.assertEqual([], await self.told(hidden.author))

    async def test_nobody(self):
        """challenges#closing: none wins without an up-vote; who took part is told that."""
        made, (entry,) = await self.scene("nobody")
        self.assertEqual([], await self.winners(made))
        (told,) = await self.told(entry.author, 1)
        self.assertEqual("ChallengeParticipated", told["kind"])

    async def test_no_entries(self):
        """challenges#closing: a challenge without entries closes too, without winners."""
        made, _ = await self.scene("none")
        self.assertEqual([], await self.winners(made))

    async def test_bound(self):
        """challenges#closing: the bound decides, not the share of votes: 4 of 5 beat 1 of 1."""
        made, (_, many) = await self.scene("bound")
        self.assertEqual([many.id], await self.winners(made))

    async def test_closed_is_closed(self):
        """challenges#closing: an admin who closes it then gives the same winners, or is 409."""
        made, (one, two, _) = await self.scene("winner")
        await self.close(made, two)
        self.problem(await self.closing(made, one), 409, "challenge_closed")


class TwoDaemonsVotesTests(VotesCase, TwoDaemonsCase):
    """With two daemons on one database."""

    async def test_once(self):
        """challenges#closing: whichever processes run it closes once, and each is told once."""
        made = await self.challenge(judging="votes")
        one, two = await self.voted(made, 1, 0)
        self.use(self.second)
        await self.end(made)
        self.assertEqual([one.id], await self.winners(made))
        self.use(self.first)
        self.assertEqual([one.id], (await self.shown(made))["winners"])
        for entry, kind in ((one, "ChallengeWon"), (two, "ChallengeParticipated")):
            (told,) = await self.told(entry.author, 1)
            self.assertEqual(kind, told["kind"])
