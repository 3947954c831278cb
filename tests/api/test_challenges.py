"""Design challenges of earlier releases."""

import msgspec

from contentsvc.api.challenges import Challenges
from contentsvc.wire.challenges import (
    AchievementDefinition,
    Challenge,
    ChallengeCreate,
    EmblemDefinition,
    RewardDefinition,
)
from tests.api.support import ApiCase, Caller
from tests.support.databases import guid


class StoredTests(ApiCase):
    async def test_old_challenge(self) -> None:
        """Names and paths that were stored before there were rules are shown as they are, to our
        client too."""
        family = Challenges(self.db)
        achievement = AchievementDefinition(key="k", name="", description="")
        emblem = EmblemDefinition(name=" ", description="", image="/a\\b", color="#000000")
        prize = RewardDefinition(achievement=achievement, emblem=emblem)
        body = ChallengeCreate(
            name=" ", ordinal=1, description="", theme="", win=prize, participate=prize
        )
        made = await family.create(Caller(guid(), admin=True), body)
        shown = await family.get(Caller(guid()), made.path.rpartition("/")[2])
        found = msgspec.json.decode(msgspec.json.encode(shown), type=Challenge)
        self.assertEqual((found.name, found.win.achievement.name), (" ", ""))
        self.assertEqual((found.win.emblem.name, found.win.emblem.image), (" ", "/a\\b"))
