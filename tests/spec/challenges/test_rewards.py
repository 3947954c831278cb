"""What a challenge gives: achievements and emblems (challenges#rewards)."""

from typing import Any

from tests.spec.challenges.support import HOUR, Challenge, ChallengeCase, hence
from tests.spec.challenges.test_challenges import reward
from tests.spec.data import User, guid
from tests.spec.shapes import ACHIEVEMENT, EMBLEM, USER


class RewardCase(ChallengeCase):
    """What users have earned."""

    async def achievements(self, of: User, by: User | None = None) -> list[tuple[str, str]]:
        """The challenges and keys of the user's achievements."""
        path = f"user/{of.id}/achievements"
        found = await self.read(path, [ACHIEVEMENT], by=by)
        return [(one["challenge"], one["key"]) for one in found]

    async def emblems(self, of: User) -> list[str]:
        """The ids of the user's emblems."""
        return [one["id"] for one in await self.read(f"user/{of.id}/emblems", [EMBLEM])]

    async def ids(self, of: Challenge) -> tuple[str, str]:
        """The ids of the emblems for winning and for taking part."""
        got = await self.shown(of)
        return got["win"]["emblem"]["id"], got["participate"]["emblem"]["id"]

    def keys(self, of: Challenge) -> tuple[tuple[str, str], tuple[str, str]]:
        """The challenge and key of the achievements for winning and for taking part."""
        win, part = (of.sent[kind]["achievement"]["key"] for kind in ("win", "participate"))
        return (of.id, win), (of.id, part)

    async def won(self) -> tuple[Challenge, User, User]:
        """A closed challenge, its winner and another who took part."""
        made = await self.challenge()
        winner, other = await self.entry(made), await self.entry(made)
        await self.close(made, winner)
        return made, winner.author, other.author

    async def wear(self, user: User, emblem: str | None, by: User | None = None):
        """The response to PUT user with this emblem."""
        body = {"avatar": None, "emblem": emblem, "fullProfile": {}, "publicProfile": {}}
        return await self.put(f"user/{user.id}", body, by=by or user)


class GrantTests(RewardCase):
    """What closing grants."""

    async def test_grants(self):
        """challenges#rewards: the author of every active entry gets participate's achievement and
        emblem, winners win's as well; nobody else gets any."""
        made, winner, other = await self.won()
        (win, part), (win_id, part_id) = self.keys(made), await self.ids(made)
        self.assertEqual([win, part], await self.achievements(winner))
        self.assertEqual([win_id, part_id], await self.emblems(winner))
        self.assertEqual([part], await self.achievements(other))
        self.assertEqual([part_id], await self.emblems(other))
        self.assertEqual(([], []), (await self.achievements(await self.user()), []))

    async def test_elements(self):
        """challenges#rewards: an achievement is {key, name, description, earned, challenge}, an
        emblem {id, name, description, image, color, earned, challenge}, as defined."""
        before = hence(-5)
        made, _, other = await self.won()
        (got,) = await self.read(f"user/{other.id}/achievements", [ACHIEVEMENT])
        self.assertTrue(before <= got.pop("earned") <= hence(5))
        defined = made.sent["participate"]["achievement"]
        expected = {member: defined[member] for member in ("key", "name", "description")}
        self.assertEqual(expected | {"challenge": made.id}, got)
        (got,) = await self.read(f"user/{other.id}/emblems", [EMBLEM])
        self.assertTrue(before <= got.pop("earned") <= hence(5))
        expected = made.sent["participate"]["emblem"] | {"challenge": made.id}
        self.assertEqual(expected | {"id": (await self.ids(made))[1]}, got)

    async def test_once(self):
        """challenges#rewards: once for each user, challenge and kind, however many entries they
        have and however often it is closed."""
        made, author = await self.challenge(), await self.user()
        entries = [await self.entry(made, author) for _ in range(3)]
        for _ in range(2):
            await self.close(made, *entries[:2])
        self.assertCountEqual(self.keys(made), await self.achievements(author))
        self.assertCountEqual(await self.ids(made), await self.emblems(author))

    async def test_hidden(self):
        """challenges#rewards: hidden entries give nothing, also when they are back."""
        made = await self.challenge()
        suspended, deleted = await self.entry(made), await self.entry(made)
        await self.moderate(suspended, "suspended")
        await self.withdraw(deleted)
        await self.close(made)
        await self.moderate(suspended, "active")
        await self.restore(deleted)
        await self.close(made)
        for entry in (suspended, deleted):
            self.assertEqual([], await self.achievements(entry.author))
            self.assertEqual([], await self.emblems(entry.author))

    async def test_not_before(self):
        """challenges#rewards: entering alone gives nothing, nor does the end of the time."""
        made = await self.challenge()
        entry = await self.entry(made)
        await self.end(made)
        self.assertEqual([], await self.achievements(entry.author, entry.author))
        self.assertEqual([], await self.emblems(entry.author))

    async def test_kept(self):
        """challenges#rewards: what is earned stays when the content is withdrawn."""
        made = await self.challenge()
        entry = await self.entry(made)
        await self.close(made, entry)
        await self.withdraw(entry)
        self.assertCountEqual(self.keys(made), await self.achievements(entry.author))


class ListTests(RewardCase):
    """GET achievements and emblems."""

    async def test_bounds(self):
        """challenges#rewards: others see achievements whose visibility bounds include now; the user
        sees all of theirs."""
        user, keys = await self.user(), {}
        for name, start, stop in (
            ("shown", hence(-HOUR), hence(HOUR)),
            ("begun", hence(-HOUR), None),
            ("not over", None, hence(HOUR)),
            ("later", hence(HOUR), None),
            ("over", None, hence(-HOUR)),
            ("long over", hence(-2 * HOUR), hence(-HOUR)),
        ):
            bounds = {"visibilityStart": start, "visibilityStop": stop}
            made = await self.challenge(participate=reward(**bounds))
            await self.entry(made, user)
            await self.close(made)
            keys[name] = self.keys(made)[1]
        seen = [keys["not over"], keys["begun"], keys["shown"]]
        for viewer in (None, await self.someone(), await self.admin()):
            self.assertEqual(seen, await self.achievements(user, viewer))
        every = list(keys.values())[::-1]
        self.assertEqual(every, await self.achievements(user, user), "newest first")
        self.assertEqual(len(every), len(await self.emblems(user)), "emblems have no bounds")

    async def test_pages(self):
        """Extensions: both are lists: newest first, with limit and after; also below
        /methods/v1."""
        user, made = await self.user(), []
        for _ in range(2):
            made.append(await self.challenge())
            entry = await self.entry(made[-1], user)
            await self.close(made[-1], entry)
        for path, shape in (("achievements", ACHIEVEMENT), ("emblems", EMBLEM)):
            at = f"/methods/v1/user/{user.id}/{path}"
            whole = await self.read(at, [shape])
            self.assertEqual(
                [made[1].id] * 2 + [made[0].id] * 2, [one["challenge"] for one in whole]
            )
            pages = await self.pages(f"{at}?limit=3", [shape])
            self.assertEqual([3, 1], [len(page) for page in pages if page])
            self.assertEqual(whole, [one for page in pages for one in page])
            for limit in ("0", "201"):
                self.invalid_query(await self.get(at, query={"limit": limit}), "limit")
            self.invalid_query(await self.get(at, query={"after": "x"}), "after")


class RemoveTests(RewardCase):
    """DELETE /api/v1/user/{user}/rewards/{challenge}."""

    async def test_remove(self):
        """challenges#rewards: admins take away both achievements and emblems of it, and a worn one;
        204 also where there is none; other rewards stay."""
        made, winner, other = await self.won()
        kept = await self.challenge()
        await self.entry(kept, winner)
        await self.close(kept)
        self.assertEqual(204, (await self.wear(winner, (await self.ids(made))[0])).status)
        path = f"user/{winner.id}/rewards/{made.id}"
        for _ in range(2):
            await self.delete(path, by=await self.admin(), expect=204)
        self.assertEqual([self.keys(kept)[1]], await self.achievements(winner, winner))
        self.assertEqual([(await self.ids(kept))[1]], await self.emblems(winner))
        info = await self.get(f"user/{winner.id}/info", expect=200)
        self.assertIsNone(info.json()["emblem"])
        self.assertEqual([self.keys(made)[1]], await self.achievements(other))

    async def test_worn(self):
        """challenges#rewards: who wears an emblem of it, of a win or of taking part, wears none
        then, and cannot put it on again."""
        made, *users = await self.won()
        for user, emblem in zip(users, await self.ids(made), strict=True):
            self.assertEqual(204, (await self.wear(user, emblem)).status)
            path = f"user/{user.id}/rewards/{made.id}"
            await self.delete(path, by=await self.admin(), expect=204)
            info = await self.get(f"user/{user.id}/info", expect=200)
            self.assertIsNone(info.json()["emblem"])
            self.problem(await self.wear(user, emblem), 422, "emblem_not_earned")

    async def test_other_emblem(self):
        """challenges#rewards: a worn emblem that is not of it stays."""
        made, winner, _ = await self.won()
        worn = guid()
        await self.wear(winner, worn)
        await self.delete(f"user/{winner.id}/rewards/{made.id}", by=await self.admin(), expect=204)
        info = await self.get(f"user/{winner.id}/info", expect=200)
        self.assertEqual(worn, info.json()["emblem"])

    async def test_closing_again(self):
        """challenges#rewards: closing again grants nothing again."""
        made = await self.challenge()
        entry = await self.entry(made)
        await self.close(made, entry)
        path = f"user/{entry.author.id}/rewards/{made.id}"
        await self.delete(path, by=await self.admin(), expect=204)
        await self.close(made, entry)
        self.assertEqual([], await self.achievements(entry.author, entry.author))
        self.assertEqual([], await self.emblems(entry.author))


class WearTests(RewardCase):
    """PUT user with an emblem that the service made."""

    async def emblem(self, of: User) -> Any:
        """The emblem that the user wears."""
        return (await self.read(f"user/{of.id}", USER, by=of))["emblem"]

    async def test_earned(self):
        """challenges#rewards: who has earned an emblem wears it, in whatever case it is sent."""
        made, winner, other = await self.won()
        win, part = await self.ids(made)
        for user, emblem in ((winner, win), (winner, part.upper()), (other, part)):
            self.assertEqual(204, (await self.wear(user, emblem)).status)
            self.assertEqual(emblem.lower(), await self.emblem(user))

    async def test_not_earned(self):
        """challenges#rewards: 422 emblem_not_earned, in whatever case, and nothing changes."""
        made, _, other = await self.won()
        win, part = await self.ids(made)
        stranger, worn = await self.user(), guid()
        await self.wear(stranger, worn)
        for user, emblem in (
            (other, win),
            (other, win.upper()),
            (stranger, part),
            (stranger, win.title()),
        ):
            self.problem(await self.wear(user, emblem), 422, "emblem_not_earned")
        self.assertEqual((None, worn), (await self.emblem(other), await self.emblem(stranger)))
        body = {"avatar": "new.png", "emblem": win, "fullProfile": {}, "publicProfile": {}}
        for by in (stranger, await self.admin()):
            refused = await self.put(f"user/{stranger.id}", body, by=by)
            self.problem(refused, 422, "emblem_not_earned")
        found = await self.read(f"user/{stranger.id}", USER, by=stranger)
        self.assertEqual((None, worn), (found["avatar"], found["emblem"]))

    async def test_before_closing(self):
        """challenges#rewards: emblems of a challenge that is open are earned by nobody yet."""
        made = await self.challenge()
        entry = await self.entry(made)
        for emblem in await self.ids(made):
            self.problem(await self.wear(entry.author, emblem), 422, "emblem_not_earned")

    async def test_by_an_admin(self):
        """challenges#rewards: whoever sends it: it is the user who must have earned it."""
        made, winner, other = await self.won()
        (win, _), admin = await self.ids(made), await self.admin()
        self.problem(await self.wear(other, win, admin), 422, "emblem_not_earned")
        self.assertEqual(204, (await self.wear(winner, win, admin)).status)
        self.assertEqual(win, await self.emblem(winner))

    async def test_others_pass(self):
        """challenges#rewards: an unchanged emblem, any other GUID and null pass, as before."""
        made, winner, _ = await self.won()
        win, _ = await self.ids(made)
        for emblem in (guid(), win, win, guid(), None):
            self.assertEqual(204, (await self.wear(winner, emblem)).status)
            self.assertEqual(emblem, await self.emblem(winner))

    async def test_order_of_judgement(self):
        """Extensions: 422 comes after 400, after 403 and after 404."""
        made, _, other = await self.won()
        win, _ = await self.ids(made)
        body = {"avatar": "/a.png", "emblem": win, "fullProfile": {}, "publicProfile": {}}
        self.invalid(await self.put(f"user/{other.id}", body, by=other), "/avatar")
        refused = await self.wear(other, win, await self.someone())
        self.problem(refused, 403, "forbidden")
        unknown = await self.put(f"user/{guid()}", body | {"avatar": None}, by=await self.admin())
        self.problem(unknown, 404, "user_not_found")
