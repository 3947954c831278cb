"""Achievements and emblems: shown, worn and taken away (extensions §2)."""

from typing import Any

from msgspec.structs import replace

from contentsvc.api.accounts.users import Users
from contentsvc.api.challenges.rewards import Rewards
from contentsvc.wire.accounts import Profile, UserUpdate
from contentsvc.wire.base import Part
from contentsvc.wire.challenges import ChallengeCreate
from tests.api.challenges.test_definitions import ADMIN, FUTURE, PAST, definition
from tests.api.challenges.test_entries import STRANGER, EntryCase
from tests.api.support import Caller
from tests.support.databases import guid

ALL = Part()


def named(win: str, participate: str, start: int | None, stop: int | None) -> ChallengeCreate:
    """A definition whose achievements have these keys; that for winning has these bounds."""
    body = definition()
    bounds = {"visibility_start": start, "visibility_stop": stop}
    return replace(
        body,
        win=replace(body.win, achievement=replace(body.win.achievement, key=win, **bounds)),
        participate=replace(
            body.participate, achievement=replace(body.participate.achievement, key=participate)
        ),
    )


class RewardCase(EntryCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.rewards = Rewards(self.db)
        self.users = Users(self.db, None)

    async def won(self, *, wins: bool = True, **bounds: Any) -> None:
        """The challenge is closed; ann has won, unless she only took part."""
        bounds = {"start": None, "stop": None, **bounds}
        body = named("won", "joined", **bounds)
        await self.challenges.replace_challenge(ADMIN, self.challenge, body)
        await self.enter()
        await self.close(*[self.game] if wins else [])

    async def emblem(self, reward: str = "win") -> str:
        """The id of the challenge's emblem."""
        shown = await self.challenges.get_challenge(STRANGER, self.challenge)
        return str(getattr(shown, reward).emblem.id)

    async def keys(self, by: Caller = STRANGER) -> list[str]:
        """The keys of ann's achievements that this caller gets."""
        found = await self.rewards.list_achievements(by, self.ann.user, ALL)
        return [achievement.key for achievement in found.items]

    async def wear(
        self, emblem: str | None, user: str | None = None, by: Caller = ADMIN, **changes: Any
    ) -> None:
        """PUT user, with this emblem."""
        members = {"avatar": None, "full_profile": Profile(), "public_profile": Profile()}
        body = UserUpdate(**{**members, "emblem": emblem, **changes})
        await self.users.update_user(by, user or self.ann.user, body)

    async def worn(self, user: str | None = None) -> str | None:
        return (await self.users.get_user_info(STRANGER, user or self.ann.user)).emblem


class ShownTests(RewardCase):
    async def test_winner(self) -> None:
        """A winner has the achievements and emblems of winning and of taking part, the former
        first."""
        await self.won()
        achievements = (await self.rewards.list_achievements(STRANGER, self.ann.user, ALL)).items
        self.assertEqual([each.key for each in achievements], ["won", "joined"])
        emblems = (await self.rewards.list_emblems(STRANGER, self.ann.user, ALL)).items
        ids = [await self.emblem("win"), await self.emblem("participate")]
        self.assertEqual([each.id for each in emblems], ids)
        ((closed,),) = self.sql("select unix(closed) from challenges where id = %s", self.challenge)
        for each in (*achievements, *emblems):
            self.assertEqual((each.name, each.description), ("Bridges", ""))
            self.assertEqual((each.earned, each.challenge), (closed, self.challenge))
        self.assertEqual((emblems[0].image, emblems[0].color), ("e.png", "#000000"))

    async def test_participant(self) -> None:
        """Who has only taken part has the rewards of that."""
        await self.won(wins=False)
        self.assertEqual(await self.keys(), ["joined"])
        (emblem,) = (await self.rewards.list_emblems(STRANGER, self.ann.user, ALL)).items
        self.assertEqual(emblem.id, await self.emblem("participate"))

    async def test_parts(self) -> None:
        """The newest comes first, and the lists come in parts."""
        await self.won()
        first, self.challenge = self.challenge, await self.create()
        await self.won()
        for read in (self.rewards.list_achievements, self.rewards.list_emblems):
            found, after = [], None
            while True:
                part = await read(STRANGER, self.ann.user, Part(limit=1, after=after))
                found += [each.challenge for each in part.items]
                after = part.after
                if after is None:
                    break
            self.assertEqual(found, [self.challenge] * 2 + [first] * 2)

    async def test_bounds(self) -> None:
        """Others see an achievement while its visibility lasts; the user always does."""
        for start, stop, visible in (
            (None, None, True),
            (PAST, FUTURE, True),
            (PAST, None, True),
            (None, FUTURE, True),
            (FUTURE, None, False),
            (None, PAST, False),
            (PAST, PAST + 1, False),
        ):
            self.challenge = await self.create()
            await self.won(start=start, stop=stop)
            for caller, seen in ((STRANGER, visible), (ADMIN, visible), (self.ann, True)):
                expected = ["won", "joined"] if seen else ["joined"]
                self.assertEqual(await self.keys(caller), expected, (start, stop))
            await self.rewards.revoke_rewards(ADMIN, self.ann.user, self.challenge)

    async def test_none(self) -> None:
        """A user without rewards has empty lists; one who does not exist is not found."""
        for read in (self.rewards.list_achievements, self.rewards.list_emblems):
            self.assertEqual((await read(STRANGER, self.ann.user, ALL)).items, [])
            problem = await self.refused(read(STRANGER, guid(), ALL))
            self.assertEqual(problem.code, "user_not_found")


class WornTests(RewardCase):
    async def test_earned(self) -> None:
        """Who has earned an emblem wears it, whoever sends the request."""
        await self.won()
        for reward, by in (("win", self.ann), ("participate", ADMIN)):
            emblem = await self.emblem(reward)
            await self.wear(emblem, by=by)
            self.assertEqual(await self.worn(), emblem)

    async def test_not_earned(self) -> None:
        """Who has not does not, whoever sends the request; nothing changes."""
        await self.won(wins=False)
        other = await self.user()
        for user, reward in (
            (self.ann.user, "win"),
            (other, "win"),
            (other, "participate"),
        ):
            for by in (Caller(user), ADMIN):
                act = self.wear(await self.emblem(reward), user, by, avatar="new.png")
                problem = await self.refused(act)
                self.assertEqual((problem.status, problem.code), (422, "emblem_not_earned"))
                self.assertIsNone((await self.users.get_user_info(STRANGER, user)).avatar)

    async def test_not_yet(self) -> None:
        """The emblem of a challenge that is not closed is nobody's."""
        await self.enter()
        problem = await self.refused(self.wear(await self.emblem()))
        self.assertEqual(problem.code, "emblem_not_earned")

    async def test_others(self) -> None:
        """Any other GUID, and none, can be worn as before."""
        for emblem in (guid(), None):
            await self.wear(emblem)
            self.assertEqual(await self.worn(), emblem)

    async def test_unchanged(self) -> None:
        """An emblem that the user wears already passes, earned or not."""
        emblem = await self.emblem()
        self.sql("update users set emblem = %s where id = %s", emblem, self.ann.user)
        await self.wear(emblem, avatar="new.png")
        info = await self.users.get_user_info(STRANGER, self.ann.user)
        self.assertEqual((info.emblem, info.avatar), (emblem, "new.png"))

    async def test_unknown_user(self) -> None:
        """A user who does not exist is not found, with whatever emblem."""
        for emblem in (None, guid(), await self.emblem()):
            problem = await self.refused(self.wear(emblem, guid()))
            self.assertEqual(problem.code, "user_not_found")


class TakenTests(RewardCase):
    async def take(self, user: str | None = None, challenge: str | None = None) -> None:
        await self.rewards.revoke_rewards(ADMIN, user or self.ann.user, challenge or self.challenge)

    async def test_all(self) -> None:
        """Both achievements and emblems are taken, those of other challenges stay. A repeat
        changes nothing, and closing again grants nothing."""
        await self.won()
        first, self.challenge = self.challenge, await self.create()
        await self.won()
        await self.take()
        await self.take()
        await self.close(self.game)
        achievements = (await self.rewards.list_achievements(self.ann, self.ann.user, ALL)).items
        emblems = (await self.rewards.list_emblems(self.ann, self.ann.user, ALL)).items
        for found in (achievements, emblems):
            self.assertEqual([each.challenge for each in found], [first, first])

    async def test_worn(self) -> None:
        """An emblem that is worn is taken too, and cannot be worn again; one of another challenge
        stays."""
        await self.won()
        for reward in ("win", "participate"):
            emblem = await self.emblem(reward)
            self.sql("update users set emblem = %s where id = %s", emblem, self.ann.user)
            await self.take()
            self.assertIsNone(await self.worn())
            self.assertEqual((await self.refused(self.wear(emblem))).code, "emblem_not_earned")
        other = guid()
        await self.wear(other)
        await self.take()
        self.assertEqual(await self.worn(), other)

    async def test_none(self) -> None:
        """Where there is nothing to take it succeeds; a user who does not exist is not found."""
        await self.take()
        await self.take(challenge=guid())
        problem = await self.refused(self.take(guid()))
        self.assertEqual(problem.code, "user_not_found")

    async def test_others_keep(self) -> None:
        """The others keep theirs."""
        ben = Caller(await self.user())
        await self.entered(ben)
        await self.won()
        await self.take(ben.user)
        self.assertEqual(await self.keys(), ["won", "joined"])

    async def test_at_once(self) -> None:
        """An emblem that is taken while it is put on is not worn afterwards."""
        await self.won()
        emblem = await self.emblem()
        for _ in range(8):
            self.sql("update challenge_rewards set taken = false where user_id = %s", self.ann.user)
            found = await self.statuses(self.wear(emblem), self.take())
            self.assertIn(found, (["done", "done"], ["emblem_not_earned", "done"]))
            self.assertIsNone(await self.worn())
