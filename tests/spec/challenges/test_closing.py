"""Closing a challenge, and who is told: challenges#closing."""

from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.challenges.support import HOUR, Challenge, ChallengeCase, hence
from tests.spec.data import Content, guid
from tests.spec.notifications.support import bare
from tests.spec.shapes import CHALLENGE


class CloseTests(ChallengeCase):
    """POST /api/v1/design-challenges/{id}/close."""

    async def test_close(self):
        """challenges#closing: admins close it with its winners: 204, and GET shows both."""
        made = await self.challenge()
        one, two, _ = [await self.entry(made, await self.someone()) for _ in range(3)]
        await self.close(made, one, two)
        got = await self.shown(made)
        self.assertEqual("closed", got["state"])
        self.assertCountEqual([one.id, two.id], got["winners"])
        self.assertEqual(3, got["entries"])

    async def test_while_judging(self):
        """challenges#closing: while open or judging, one that votes judge too."""
        for changes in ({}, {"judging": "votes", "closes": hence(HOUR)}):
            made = await self.challenge(**changes)
            entry = await self.entry(made)
            if not changes:
                await self.end(made)
            await self.close(made, entry)
            self.assertEqual([entry.id], (await self.shown(made))["winners"])

    async def test_upcoming(self):
        """challenges#closing: before it opens it is 409 challenge_not_open."""
        made = await self.challenge(opens=hence(HOUR))
        unknown = Content(guid(), await self.someone(), {})
        for winners in ((), (unknown,)):
            self.problem(await self.closing(made, *winners), 409, "challenge_not_open")
        self.assertEqual("upcoming", (await self.shown(made))["state"])

    async def test_who(self):
        """challenges#closing: admins alone: others are 403, nobody is 401."""
        made, body = await self.challenge(), {"winners": []}
        path = f"{made.path}/close"
        self.problem(await self.post(path, body), 401, "unauthorized")
        self.problem(await self.post(path, body, by=await self.someone()), 403, "forbidden")
        refused = await self.post(f"design-challenges/{guid()}/close", body, by=await self.admin())
        self.problem(refused, 404, "challenge_not_found")
        self.assertEqual("open", (await self.shown(made))["state"])

    async def test_no_winners(self):
        """challenges#closing: winners may be empty."""
        made = await self.challenge()
        await self.entry(made)
        await self.close(made)
        await self.close(made)
        got = await self.shown(made)
        self.assertEqual(("closed", []), (got["state"], got["winners"]))

    async def test_again(self):
        """challenges#closing: the same set again is 204, in any order and case; another is 409
        challenge_closed, and changes nothing."""
        made = await self.challenge()
        one, two, three = [await self.entry(made, await self.someone()) for _ in range(3)]
        await self.close(made, one, two)
        await self.close(made, two, one)
        body = {"winners": [two.id.upper(), one.id, one.id]}
        path = f"{made.path}/close"
        await self.post(path, body, by=await self.admin(), expect=204)
        for others in ((one,), (one, two, three), (three,), ()):
            self.problem(await self.closing(made, *others), 409, "challenge_closed")
        self.assertCountEqual([one.id, two.id], (await self.shown(made))["winners"])

    async def test_again_with_a_hidden_winner(self):
        """challenges#closing: the same set again is 204 also when a winner has been hidden since,
        whom those see who see the content."""
        made = await self.challenge()
        entry = await self.entry(made)
        await self.close(made, entry)
        for hide in (self.moderate(entry, "suspended"), self.withdraw(entry)):
            await hide
            await self.close(made, entry)
            for user, winners in (
                (None, []),
                (await self.someone(), []),
                (entry.author, [entry.id]),
                (await self.admin(), [entry.id]),
            ):
                self.assertEqual(
                    winners, (await self.read(made.path, CHALLENGE, by=user))["winners"]
                )
        await self.moderate(entry, "active")
        await self.restore(entry)
        self.assertEqual([entry.id], (await self.shown(made))["winners"])

    async def test_unknown_entry(self):
        """challenges#closing: what is no entry is 422 unknown_entry, which lists them, and nothing
        is closed."""
        made, other = await self.challenge(), await self.challenge()
        entry = await self.entry(made)
        elsewhere = await self.entry(other)
        unknown = Content(guid(), entry.author, {})
        for winners, wrong in (
            ((elsewhere,), [elsewhere]),
            ((entry, elsewhere, unknown, elsewhere), [elsewhere, unknown]),
            ((unknown,), [unknown]),
        ):
            found = self.problem(await self.closing(made, *winners), 422, "unknown_entry")
            self.assertCountEqual([each.id for each in wrong], found["entries"])
        await self.delete(made.entry(entry), by=entry.author, expect=204)
        self.problem(await self.closing(made, entry), 422, "unknown_entry")
        got = await self.shown(made)
        self.assertEqual(("open", []), (got["state"], got["winners"]))

    async def test_hidden_cannot_win(self):
        """challenges#closing: hidden entries cannot win."""
        made = await self.challenge()
        suspended, deleted = await self.entry(made), await self.entry(made)
        await self.moderate(suspended, "suspended")
        await self.withdraw(deleted)
        for entry in (suspended, deleted):
            found = self.problem(await self.closing(made, entry), 422, "unknown_entry")
            self.assertEqual([entry.id], found["entries"])
        self.assertEqual("open", (await self.shown(made))["state"])

    async def test_bad_bodies(self):
        """challenges#closing: winners is an array of GUIDs; 400 comes before 409."""
        made, closed, admin = await self.challenge(), await self.challenge(), await self.admin()
        await self.close(closed)
        for challenge in (made, closed):
            for body in ({}, {"winners": None}, {"winners": guid()}, {"winners": ["x"]}, []):
                refused = await self.post(f"{challenge.path}/close", body, by=admin)
                self.problem(refused, 400, "invalid_body")
        self.assertEqual("open", (await self.shown(made))["state"])

    async def test_twice_at_once(self):
        """challenges#closing: closed twice at once with one set it is 204 both times; with two sets
        one is 409 challenge_closed, and the other's winners stand."""
        for _ in range(3):
            made = await self.challenge()
            one, two = [await self.entry(made, await self.someone()) for _ in range(2)]
            sets = [[one], [two], [one], [two]]
            answers = await gatherResults(
                Deferred.fromCoroutine(self.closing(made, *winners)) for winners in sets
            )
            (winner,) = (await self.shown(made))["winners"]
            for winners, answer in zip(sets, answers, strict=True):
                if winners[0].id == winner:
                    self.assertEqual(204, answer.status)
                else:
                    self.problem(answer, 409, "challenge_closed")

    async def test_while_it_is_entered(self):
        """challenges#closing: entered while it closes: 204 and an entry that is rewarded, or 409
        challenge_not_open and none."""
        for _ in range(4):
            made, author = await self.challenge(), await self.user()
            content = await self.content(author, **bare())
            closed, entered = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (self.closing(made), self.put(made.entry(content), by=author))
            )
            self.assertEqual(204, closed.status)
            if entered.status != 204:
                self.problem(entered, 409, "challenge_not_open")
            there = entered.status == 204
            self.assertEqual(there, content.id in await self.entries(made))
            earned = (await self.get(f"user/{author.id}/emblems", expect=200)).json()
            self.assertEqual([made.id] if there else [], [one["challenge"] for one in earned])

    async def test_while_it_is_left(self):
        """challenges#closing: taken out while it closes: 204 and no reward, or 409 challenge_closed
        and one; winners are entries."""
        for _ in range(4):
            made = await self.challenge()
            entry = await self.entry(made)
            closed, left = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (
                    self.closing(made, entry),
                    self.delete(made.entry(entry), by=entry.author),
                )
            )
            path = f"user/{entry.author.id}/emblems"
            earned = (await self.get(path, expect=200)).json()
            if left.status == 204:
                self.problem(closed, 422, "unknown_entry")
                self.assertEqual(("open", []), ((await self.shown(made))["state"], earned))
            else:
                self.problem(left, 409, "challenge_closed")
                self.assertEqual((204, 2), (closed.status, len(earned)))


class ToldTests(ChallengeCase):
    """ChallengeWon and ChallengeParticipated."""

    def won(self, of: Challenge, content: Content) -> dict[str, Any]:
        """What a winner is told, without what all notifications have."""
        return {"kind": "ChallengeWon", "challenge": of.id, "content": content.id}

    def took_part(self, of: Challenge, content: Content) -> dict[str, Any]:
        """What the others are told."""
        return {"kind": "ChallengeParticipated", "challenge": of.id, "content": content.id}

    async def test_told(self):
        """challenges#closing: winners are told ChallengeWon and nothing else, the authors of other
        entries ChallengeParticipated, others nothing; by push too."""
        made, stranger = await self.challenge(), await self.user()
        winner, other = await self.entry(made), await self.entry(made)
        socket = await self.socket(winner.author)
        await self.close(made, winner)
        message = (await self.pushed(socket))["notification"]
        self.assertEqual([message], await self.notifications(winner.author))
        self.assertEqual([self.won(made, winner)], await self.told(winner.author, 1))
        self.assertEqual([self.took_part(made, other)], await self.told(other.author, 1))
        self.assertEqual([], await self.told(stranger))

    async def test_newest(self):
        """challenges#closing: each is told once, with their newest entry, winners their newest
        winning one."""
        made, winner, other = await self.challenge(), await self.user(), await self.user()
        won = [await self.entry(made, winner) for _ in range(3)]
        lost = [await self.entry(made, other) for _ in range(2)]
        await self.close(made, won[0], won[1])
        self.assertEqual([self.won(made, won[1])], await self.told(winner, 1))
        self.assertEqual([self.took_part(made, lost[1])], await self.told(other, 1))

    async def test_again(self):
        """challenges#closing: closing again tells nobody again."""
        made = await self.challenge()
        entry = await self.entry(made)
        for _ in range(2):
            await self.close(made, entry)
        self.assertEqual([self.won(made, entry)], await self.told(entry.author, 1))

    async def test_hidden(self):
        """challenges#closing: the author of hidden entries alone is told nothing; of several the
        newest active one."""
        made, author = await self.challenge(), await self.user()
        hidden = await self.entry(made)
        await self.withdraw(hidden)
        shown = await self.entry(made, author)
        await self.withdraw(await self.entry(made, author))
        await self.close(made)
        self.assertEqual([self.took_part(made, shown)], await self.told(author, 1))
        self.assertEqual([], await self.told(hidden.author))

    async def test_left(self):
        """challenges#closing: who has taken their entry out is told nothing."""
        made = await self.challenge()
        entry = await self.entry(made)
        await self.delete(made.entry(entry), by=entry.author, expect=204)
        await self.close(made)
        self.assertEqual([], await self.told(entry.author))
