"""Party invites (social#party-invites): a repeat is no second effect."""

from collections.abc import Awaitable

from contentsvc.store.social import party_invites
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together


class PartyTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob, self.party = await self.user(), await self.user(), guid()
        self.most = 0

    async def outcome(self, act: Awaitable[party_invites.Invited]) -> bool:
        """Whether it changed anything."""
        return (await act).changed

    async def invite(self, again: int = 60) -> bool:
        """Ann invites bob."""
        given = self.ann, self.bob, self.party, again, self.most
        return await self.outcome(party_invites.invite(self.db, *given))

    async def answer(self, answer: str, again: int = 60) -> bool:
        """Bob answers, invited or not."""
        given = self.ann, self.bob, self.party, answer, again, self.most
        return await self.outcome(party_invites.answer_any(self.db, *given))

    async def answer_invite(self, answer: str, again: int = 60) -> bool | None:
        """Bob answers an invite."""
        given = self.ann, self.bob, self.party, answer, again, self.most
        answered = await party_invites.answer_invite(self.db, *given)
        return None if answered is None else answered.changed

    async def test_answer(self) -> None:
        """An answer counts once, another one again, and the first again after that."""
        found = [await self.answer(word) for word in ("accept", "accept", "decline", "accept")]
        self.assertEqual(found, [True, False, True, True])

    async def test_answer_at_once(self) -> None:
        """Of ten at once one counts."""
        found = await together(*(self.answer("accept") for _ in range(10)))
        self.assertEqual(found.count(True), 1)

    async def test_answer_later(self) -> None:
        """The same answer counts again when it is no retry any more."""
        self.assertTrue(await self.answer("accept"))
        self.assertTrue(await self.answer("accept", again=0))

    async def test_invite(self) -> None:
        """An invite counts once, and again when it was answered or is no retry any more."""
        self.assertEqual([await self.invite(), await self.invite()], [True, False])
        await self.answer("decline")
        self.assertEqual([await self.invite(), await self.invite()], [True, False])
        self.assertTrue(await self.invite(again=0))

    async def test_without_invite(self) -> None:
        """Where an invite is needed, there is no answer without one."""
        self.assertIsNone(await self.answer_invite("accept"))
        await self.invite()
        found = [await self.answer_invite(word) for word in ("accept", "accept", "decline")]
        self.assertEqual(found, [True, False, True])

    async def test_invited_at_once(self) -> None:
        """Of ten answers at once one counts."""
        await self.invite()
        found = await together(*(self.answer_invite("accept") for _ in range(10)))
        self.assertEqual(sorted(found), [False] * 9 + [True])

    async def test_counted(self) -> None:
        """What has an effect counts for whoever sends it, at once or not; repeats do not."""
        self.most = 100
        await self.invite()
        await together(*(self.invite() for _ in range(5)))
        await together(*(self.answer("accept") for _ in range(5)))
        await self.answer_invite("decline")
        await self.answer_invite("decline")
        counted = [
            self.sql("select count(*) from rate_limits where subject = %s", user)[0][0]
            for user in (self.ann, self.bob)
        ]
        self.assertEqual(counted, [1, 2])
