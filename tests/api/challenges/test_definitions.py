"""Design challenges (spec §4.17, extensions §2)."""

from typing import Any

import msgspec

from contentsvc.api.challenges.definitions import Challenges
from contentsvc.wire.challenges import (
    AchievementDefinition,
    Challenge,
    ChallengeCreate,
    EmblemDefinition,
    RewardDefinition,
)
from tests.api.support import ApiCase, Caller, Tasks, no_types
from tests.support.databases import guid

PAST, FUTURE = 1_000_000_000, 4_000_000_000
ADMIN = Caller(guid(), admin=True)


def definition(name: str = "Bridges", **changes: Any) -> ChallengeCreate:
    """A definition, whose achievement and emblem have this name too."""
    achievement = AchievementDefinition(key="k", name=name, description="")
    emblem = EmblemDefinition(name=name, description="", image="e.png", color="#000000")
    prize = RewardDefinition(achievement=achievement, emblem=emblem)
    members: dict[str, Any] = {"ordinal": 1, "description": "", "theme": ""}
    members |= {"win": prize, "participate": prize}
    return ChallengeCreate(name=name, **{**members, **changes})


class ChallengeCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.family = Challenges(self.db, Tasks(), None, no_types(self.db))

    async def create(self, **changes: Any) -> str:
        """The id of a new challenge."""
        made = await self.family.create_challenge(ADMIN, definition(**changes))
        return made.path.rpartition("/")[2]

    async def shown(self, challenge: str) -> Challenge:
        """A challenge, as anybody gets it."""
        found = await self.family.get_challenge(Caller(guid()), challenge)
        return msgspec.json.decode(msgspec.json.encode(found), type=Challenge)


class StoredTests(ChallengeCase):
    async def test_old_challenge(self) -> None:
        """Names and paths that were stored before there were rules are shown as they are, to our
        client too."""
        body = definition(name=" ")
        body.win.emblem.image = "/a\\b"
        body.win.achievement.name = ""
        made = await self.family.create_challenge(ADMIN, body)
        found = await self.shown(made.path.rpartition("/")[2])
        self.assertEqual((found.name, found.win.achievement.name), (" ", ""))
        self.assertEqual((found.win.emblem.name, found.win.emblem.image), (" ", "/a\\b"))


class DefinitionTests(ChallengeCase):
    async def test_shown(self) -> None:
        """What was posted is shown, in the list too."""
        made = await self.create(opens=PAST, closes=FUTURE, types=["game"], judging="votes")
        found = await self.shown(made)
        self.assertEqual((found.opens, found.closes, found.types), (PAST, FUTURE, ["game"]))
        self.assertEqual((found.judging, found.state), ("votes", "open"))
        listed = msgspec.to_builtins(await self.family.list_challenges(Caller(guid())))
        self.assertIn(msgspec.to_builtins(found), listed)

    async def test_times(self) -> None:
        """It closes after it opens."""
        made = await self.create()
        for opens, closes in ((5, 5), (FUTURE, FUTURE - 1), (FUTURE, PAST)):
            body = definition(opens=opens, closes=closes)
            for act in (
                self.family.create_challenge(ADMIN, body),
                self.family.replace_challenge(ADMIN, made, body),
            ):
                problem = await self.refused(act)
                self.assertEqual(problem.code, "invalid_body")
                self.assertEqual(problem.members["errors"][0]["pointer"], "/closes")
        self.assertIsNone((await self.shown(made)).closes)

    async def test_at_once(self) -> None:
        """Without `opens` there is nothing that `closes` must be after: it may be in the past."""
        for made in (await self.create(closes=PAST), await self.create()):
            await self.family.replace_challenge(ADMIN, made, definition(closes=PAST))
            self.assertEqual((await self.shown(made)).state, "judging")

    async def test_replace(self) -> None:
        """A PUT replaces everything but the ids of the emblems."""
        made = await self.create(types=["game"], closes=FUTURE)
        before = await self.shown(made)
        await self.family.replace_challenge(ADMIN, made, definition("Arches"))
        after = await self.shown(made)
        self.assertEqual((after.name, after.types, after.closes), ("Arches", None, None))
        self.assertEqual(after.win.emblem.name, "Arches")
        for old, new in ((before.win, after.win), (before.participate, after.participate)):
            self.assertEqual(old.emblem.id, new.emblem.id)

    async def test_unknown(self) -> None:
        """What does not exist cannot be read, replaced or deleted."""
        for act in (
            self.family.get_challenge(ADMIN, guid()),
            self.family.replace_challenge(ADMIN, guid(), definition()),
            self.family.delete_challenge(ADMIN, guid()),
        ):
            self.assertEqual((await self.refused(act)).code, "challenge_not_found")

    async def test_delete(self) -> None:
        """A deleted one is gone."""
        made = await self.create()
        await self.family.delete_challenge(ADMIN, made)
        problem = await self.refused(self.family.get_challenge(ADMIN, made))
        self.assertEqual(problem.code, "challenge_not_found")

    async def test_delete_at_once(self) -> None:
        """Of several deletions at once one succeeds."""
        made = await self.create()
        found = await self.statuses(*(self.family.delete_challenge(ADMIN, made) for _ in range(5)))
        self.assertEqual(sorted(found), ["challenge_not_found"] * 4 + ["done"])
