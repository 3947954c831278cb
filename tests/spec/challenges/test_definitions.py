"""What a challenge is, and how that changes: challenges#definition."""

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.challenges.support import HOUR, ChallengeCase, hence
from tests.spec.challenges.test_challenges import challenge
from tests.spec.shapes import CHALLENGE


class DefinitionTests(ChallengeCase):
    """POST and GET of what challenges#definition adds."""

    async def test_defaults(self):
        """challenges#definition: without the new members a challenge is open at once and for ever,
        for all types, judged by admins."""
        made = await self.challenge()
        got = await self.shown(made)
        expected = {
            "opens": None,
            "closes": None,
            "types": None,
            "judging": "admins",
            "state": "open",
            "entries": 0,
            "winners": [],
        }
        self.assertEqual(expected, {member: got[member] for member in expected})

    async def test_as_posted(self):
        """challenges#definition: GET, of one and of all, shows opens, closes, types and judging,
        and the rest as posted."""
        sent = {
            "opens": hence(-HOUR),
            "closes": hence(HOUR),
            "types": ["scene_box", "game"],
            "judging": "votes",
        }
        made = await self.challenge(**sent)
        got = await self.shown(made)
        self.assertCountEqual(sent.pop("types"), got["types"])
        self.assertEqual(sent, {member: got[member] for member in sent})
        for member in ("name", "ordinal", "description", "theme"):
            self.assertEqual(made.sent[member], got[member])
        for kind in ("win", "participate"):
            self.assertEqual(made.sent[kind]["achievement"], got[kind]["achievement"])
        (listed,) = [
            one for one in await self.read("design-challenges", [CHALLENGE]) if one["id"] == made.id
        ]
        self.assertEqual(got, listed)

    async def test_emblem_ids(self):
        """challenges#definition: each emblem has an id of its own, beside what was posted."""
        ids = set()
        for made in (await self.challenge(), await self.challenge()):
            got = await self.shown(made)
            for kind in ("win", "participate"):
                emblem = got[kind]["emblem"]
                ids.add(emblem.pop("id"))
                self.assertEqual(made.sent[kind]["emblem"], emblem)
        self.assertEqual(4, len(ids))

    async def test_nulls(self):
        """challenges#definition: null is at once and never."""
        got = await self.shown(await self.challenge(opens=None, closes=None))
        self.assertEqual((None, None, "open"), (got["opens"], got["closes"], got["state"]))

    async def test_states(self):
        """challenges#definition: the state is computed from the clock: upcoming, open, judging."""
        for opens, closes, state in (
            (hence(HOUR), None, "upcoming"),
            (hence(HOUR), hence(2 * HOUR), "upcoming"),
            (hence(-HOUR), None, "open"),
            (hence(-HOUR), hence(HOUR), "open"),
            (None, hence(HOUR), "open"),
            (None, hence(-HOUR), "judging"),
            (hence(-2 * HOUR), hence(-HOUR), "judging"),
        ):
            made = await self.challenge(opens=opens, closes=closes)
            self.assertEqual(state, (await self.shown(made))["state"], (opens, closes))
            await self.delete(made.path, by=await self.admin(), expect=204)

    async def test_closes_after_opens(self):
        """challenges#definition: closes that is not after opens is 400, in POST and PUT."""
        made, at = await self.challenge(), hence(HOUR)
        for opens, closes in ((5, 5), (at, at), (at, at - 1), (at, hence(-HOUR))):
            times = {"opens": opens, "closes": closes}
            refused = await self.post(
                "design-challenges", challenge(**times), by=await self.admin()
            )
            self.invalid(refused, "/closes")
            self.invalid(await self.redefine(made, 400, **times), "/closes")
        self.assertIsNone((await self.shown(made))["closes"])


class RedefineTests(ChallengeCase):
    """PUT /api/v1/design-challenges/{id}."""

    async def test_replaces(self):
        """challenges#definition: PUT replaces the whole definition; the emblem ids stay."""
        made = await self.challenge(types=["game"], judging="votes", closes=hence(HOUR))
        before = await self.shown(made)
        new = challenge(name="Bridges", ordinal=8, theme="steel")
        await self.put(made.path, new, by=await self.admin(), expect=204)
        got = await self.shown(made)
        for kind in ("win", "participate"):
            emblem = new[kind]["emblem"] | {"id": before[kind]["emblem"]["id"]}
            self.assertEqual({**new[kind], "emblem": emblem}, got[kind])
        expected = {"name": "Bridges", "ordinal": 8, "theme": "steel", "types": None}
        expected |= {"judging": "admins", "opens": None, "closes": None, "state": "open"}
        self.assertEqual(expected, {member: got[member] for member in expected})

    async def test_as_it_was_read(self):
        """conventions#requests: what GET gives can be sent back: the members that are not posted
        are ignored."""
        made = await self.challenge(types=["game"])
        got = await self.shown(made)
        await self.put(made.path, got | {"theme": "new"}, by=await self.admin(), expect=204)
        self.assertEqual(got | {"theme": "new"}, await self.shown(made))

    async def test_who(self):
        """challenges#definition: PUT and DELETE are for admins; others are 403, nobody is 401."""
        made, other = await self.challenge(), await self.someone()
        self.problem(await self.put(made.path, made.sent), 401, "unauthorized")
        self.problem(await self.put(made.path, made.sent, by=other), 403, "forbidden")
        self.problem(await self.delete(made.path), 401, "unauthorized")
        self.problem(await self.delete(made.path, by=other), 403, "forbidden")

    async def test_entries_stay(self):
        """challenges#definition: entries stay when the definition changes, and so does what may
        enter."""
        made = await self.challenge()
        entry = await self.entry(made)
        await self.redefine(made, types=["asset"])
        self.assertEqual([entry.id], await self.entries(made))
        self.assertEqual(1, (await self.shown(made))["entries"])

    async def test_times_move(self):
        """challenges#definition: with its times the state changes, there and back."""
        made = await self.challenge()
        for times, state in (
            ({"closes": hence(-1)}, "judging"),
            ({"opens": hence(HOUR)}, "upcoming"),
            ({}, "open"),
        ):
            await self.redefine(made, **times)
            self.assertEqual(state, (await self.shown(made))["state"])

    async def test_closed(self):
        """challenges#definition: a closed one is 409 challenge_closed, but 400 comes before
        that."""
        made = await self.challenge()
        await self.close(made)
        before = await self.shown(made)
        self.problem(await self.redefine(made, 409, name="x"), 409, "challenge_closed")
        self.invalid(await self.redefine(made, 400, name=""), "/name")
        self.assertEqual(before, await self.shown(made))

    async def test_while_it_closes(self):
        """challenges#definition: a PUT while it closes is 204 or 409; it is closed then, and what
        PUT changed is there if it was 204."""
        for _ in range(4):
            made = await self.challenge()
            entry = await self.entry(made, await self.someone())
            answers = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (
                    self.closing(made, entry),
                    self.put(made.path, made.sent | {"theme": "new"}, by=await self.admin()),
                )
            )
            self.assertEqual(204, answers[0].status)
            got = await self.shown(made)
            self.assertEqual(("closed", [entry.id]), (got["state"], got["winners"]))
            if answers[1].status != 204:
                self.problem(answers[1], 409, "challenge_closed")
            expected = "new" if answers[1].status == 204 else made.sent["theme"]
            self.assertEqual(expected, got["theme"])


class RemoveTests(ChallengeCase):
    """DELETE /api/v1/design-challenges/{id}."""

    async def test_delete(self):
        """challenges#definition: one without entries is removed."""
        made, admin = await self.challenge(), await self.admin()
        await self.delete(made.path, by=admin, expect=204)
        for refused in (
            await self.get(made.path),
            await self.get(f"{made.path}/entries"),
            await self.delete(made.path, by=admin),
        ):
            self.problem(refused, 404, "challenge_not_found")
        ids = [one["id"] for one in await self.read("design-challenges", [CHALLENGE])]
        self.assertNotIn(made.id, ids)

    async def test_with_entries(self):
        """challenges#definition: one with entries, hidden ones included, is 409
        challenge_has_entries."""
        made, admin = await self.challenge(), await self.admin()
        entry = await self.entry(made)
        self.problem(await self.delete(made.path, by=admin), 409, "challenge_has_entries")
        await self.withdraw(entry)
        self.assertEqual([], await self.entries(made))
        self.problem(await self.delete(made.path, by=admin), 409, "challenge_has_entries")
        await self.restore(entry)
        await self.delete(made.entry(entry), by=entry.author, expect=204)
        await self.delete(made.path, by=admin, expect=204)

    async def test_while_it_is_entered(self):
        """challenges#definition: removing it while it is entered: one of the two succeeds."""
        for _ in range(4):
            made, admin = await self.challenge(), await self.admin()
            content = await self.content(await self.someone())
            removed, entered = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (
                    self.delete(made.path, by=admin),
                    self.put(made.entry(content), by=content.author),
                )
            )
            if removed.status == 204:
                self.problem(entered, 404, "challenge_not_found")
            else:
                self.problem(removed, 409, "challenge_has_entries")
                self.assertEqual(204, entered.status)
                self.assertEqual([content.id], await self.entries(made))
