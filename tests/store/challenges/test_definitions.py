"""Design challenges (challenges#definition)."""

from typing import Any

from msgspec import Raw

from contentsvc.store.challenges import definitions
from contentsvc.wire.challenges import ChallengeCreate
from tests.support.databases import StoreCase

REWARD = '{"emblem":{"name":"Tower"},"achievement":{"key":"ä"}}'
PAST, FUTURE = 1_000_000_000, 4_000_000_000
NOBODY = (None, False)


def definition(**changes: Any) -> ChallengeCreate:
    """A definition."""
    reward: Any = Raw(REWARD)
    given = {"name": "Bridges", "ordinal": 1, "description": "", "theme": "spans"}
    return ChallengeCreate(**{**given, "win": reward, "participate": reward, **changes})


class ChallengeCase(StoreCase):
    async def create(self, **changes: Any) -> str:
        """The id of a new one."""
        return await definitions.create(self.db, definition(**changes))

    async def row(self, challenge: str) -> definitions.ChallengeRow:
        """The challenge, as anybody sees it."""
        row = await definitions.get(self.db, challenge, *NOBODY)
        return row or self.fail("no such challenge")


class ReadTests(ChallengeCase):
    async def test_order(self) -> None:
        """They are listed by ordinal, those of one ordinal by id."""
        made = [(n, await self.create(ordinal=n)) for n in (3, -(2**31), 3, 2**31 - 1, 0)]
        found = [(row.ordinal, row.id) for row in await definitions.all(self.db, *NOBODY)]
        self.assertEqual([each for each in found if each in made], sorted(made))

    async def test_release_before(self) -> None:
        """One that a daemon of the release before has made is open, and its emblems have ids."""
        ((made,),) = self.sql(
            """insert into challenges (name, ordinal, description, theme, win, participate)
               values ('Old', 1, '', '', %s, %s) returning id""",
            REWARD,
            REWARD,
        )
        row = await self.row(made)
        self.assertEqual((row.state, row.judging, row.types), ("open", "admins", None))
        self.assertRegex(row.participate_emblem, "^[0-9a-f-]{36}$")

    async def test_extremes(self) -> None:
        """The largest times are given back as they came."""
        row = await self.row(await self.create(opens=-(2**53), closes=2**53))
        self.assertEqual((row.opens, row.closes, row.state), (-(2**53), 2**53, "open"))
