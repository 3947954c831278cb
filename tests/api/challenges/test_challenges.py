"""Design challenges (challenges#design-challenges): what has been stored, the task of a closing,
and what comes of two acts at once."""

import msgspec

from contentsvc.api.accounts.users import Users
from contentsvc.api.challenges.rewards import Rewards
from contentsvc.wire.accounts import Profile, UserUpdate
from contentsvc.wire.challenges import Challenge
from tests.api.challenges.entering import ADMIN, STRANGER, EntryCase, definition
from tests.api.support import acts


class ChallengeTests(EntryCase):
    async def test_old_challenge(self) -> None:
        """Names and paths that were stored before there were rules are shown as they are, to our
        client too."""
        body = definition(name=" ")
        body.win.emblem.image = "/a\\b"
        body.win.achievement.name = ""
        made = await self.challenges.create_challenge(ADMIN, body)
        shown = await self.challenges.get_challenge(STRANGER, made.path.rpartition("/")[2])
        found = msgspec.json.decode(msgspec.json.encode(shown), type=Challenge)
        self.assertEqual((found.name, found.win.achievement.name), (" ", ""))
        self.assertEqual((found.win.emblem.name, found.win.emblem.image), (" ", "/a\\b"))

    async def test_delete_at_once(self) -> None:
        """Of several deletions at once one succeeds."""
        acts = [self.challenges.delete_challenge(ADMIN, self.challenge) for _ in range(5)]
        found = await self.statuses(*acts)
        self.assertEqual(sorted(found), ["challenge_not_found"] * 4 + ["done"])

    async def test_close(self) -> None:
        """An admin closes it with winners, which it shows from then on, in the order of entering;
        those who took part are told by a task."""
        await self.enter()
        other = await self.entered()
        await self.close(other, self.game, other)
        shown = await self.challenges.get_challenge(STRANGER, self.challenge)
        self.assertEqual((shown.state, shown.winners), ("closed", [self.game, other]))
        self.assertEqual(self.told(), [{"kind": "ChallengeClosed", "challenge": self.challenge}])
        self.assertEqual(self.tasks.woken, 1)


class WornTests(EntryCase):
    """The emblem for winning a challenge, worn by an author."""

    async def setUp(self) -> None:
        await super().setUp()
        self.users = Users(self.db, None, acts())
        shown = await self.challenges.get_challenge(STRANGER, self.challenge)
        self.emblem = str(shown.win.emblem.id)

    async def wear(self) -> None:
        """PUT user, with the emblem and an avatar."""
        body = UserUpdate(
            avatar="new.png",
            emblem=self.emblem,
            full_profile=Profile(),
            public_profile=Profile(),
        )
        await self.users.update_user(ADMIN, self.ann.user, body)

    async def test_unchanged(self) -> None:
        """An emblem that the user wears already passes, earned or not."""
        self.sql("update users set emblem = %s where id = %s", self.emblem, self.ann.user)
        await self.wear()
        info = await self.users.get_user_info(STRANGER, self.ann.user)
        self.assertEqual((info.emblem, info.avatar), (self.emblem, "new.png"))

    async def test_taken_at_once(self) -> None:
        """An emblem that is taken while it is put on is not worn afterwards."""
        await self.enter()
        await self.close(self.game)
        for _ in range(8):
            self.sql("update challenge_rewards set taken = false where user_id = %s", self.ann.user)
            taken = Rewards(self.db).revoke_rewards(ADMIN, self.ann.user, self.challenge)
            found = await self.statuses(self.wear(), taken)
            self.assertIn(found, (["done", "done"], ["emblem_not_earned", "done"]))
            info = await self.users.get_user_info(STRANGER, self.ann.user)
            self.assertIsNone(info.emblem)
