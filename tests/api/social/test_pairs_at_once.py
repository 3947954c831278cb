"""All writes about two users, against each other at once (social#friends)."""

from collections.abc import Sequence
from itertools import combinations_with_replacement, permutations, product
from random import Random
from typing import Any

from tests.api.social.pairing import ACTS, PairCase
from tests.support.databases import guid
from tests.support.sizes import rounds

SEED = 4
STARTS: tuple[tuple[tuple[str, int], ...], ...] = (
    (),
    (("ask", 0),),
    (("ask", 0), ("ask", 1)),
    (("ask", 0), ("end", 0), ("follow", 1), ("unfollow", 1)),
    (("ask", 0), ("ask", 1), ("follow", 0), ("follow", 1), ("invite", 0), ("message", 1)),
    (("block", 0),),
    (("block", 0), ("block", 1)),
    (("follow", 0), ("follow", 1), ("invite", 1)),
)
"""What the two have done before. The number says which of them did it."""

BLOCKS = (0.0, 0.1, 0.3, 1.0)
"""Shares of the possible blocks."""

Done = Sequence[tuple[str, int]]


class TwoTests(PairCase):
    timeout = 600.0

    async def setUp(self) -> None:
        await super().setUp()
        await self.begin(2)

    def by(self, name: str, user: int, process: int = 0) -> Any:
        """What the first or second of the two does to the other."""
        return self.act(name, self.users[user], self.users[1 - user], process)

    async def prepare(self, start: Done) -> None:
        """Only this has been done."""
        self.empty()
        for name, user in start:
            await self.by(name, user)()

    async def in_turn(self, start: Done, acts: Done) -> tuple[dict[Any, list[str]], Any]:
        """What comes of acts that are done one after the other: the outcomes of each, and the
        state."""
        await self.prepare(start)
        outcomes: dict[Any, list[str]] = {}
        for name, user in acts:
            outcomes.setdefault((name, user), []).extend(await self.statuses(self.by(name, user)()))
        return _sorted(outcomes), self.state()

    async def at_once(self, start: Done, acts: Done) -> tuple[dict[Any, list[str]], Any]:
        """What comes of them at once, each in a process of its own."""
        await self.prepare(start)
        given = [self.by(name, user, process)() for process, (name, user) in enumerate(acts)]
        outcomes: dict[Any, list[str]] = {}
        for act, outcome in zip(acts, await self.statuses(*given), strict=True):
            outcomes.setdefault(act, []).append(outcome)
        return _sorted(outcomes), self.state()

    async def test_pairs(self) -> None:
        """Any two writes at once have the outcome of one after the other, in one of the orders,
        whatever was before; and no rule is broken."""
        random = Random(SEED)
        every = [*product(ACTS, (0, 1))]
        pairs = [*combinations_with_replacement(every, 2)]
        for acts in pairs[:: rounds(5, 1, 1)]:
            start = random.choice(STARTS)
            found = await self.at_once(start, acts)
            self.check((SEED, start, acts))
            if found != await self.in_turn(start, acts):
                self.assertEqual(found, await self.in_turn(start, acts[::-1]), (SEED, start, acts))


class ManyTests(PairCase):
    timeout = 600.0
    rounds = 16

    async def setUp(self) -> None:
        await super().setUp()
        await self.begin(3)

    async def test_all(self) -> None:
        """Whatever three users do to each other at once, over two processes, is done or refused by
        name, and breaks no rule."""
        random = Random(SEED)
        expected = {"done", "blocked", "not_friends"}
        for n in range(self.rounds):
            if random.random() < 0.5:
                self.empty()
            self.party, self.message = guid(), guid()
            acts = [
                (name, user, other, process)
                for name, (user, other), process in product(
                    ACTS, permutations(self.users, 2), (0, 1)
                )
                # With all blocks in, hardly anything else happens.
                if name != "block" or random.random() < BLOCKS[n % len(BLOCKS)]
            ]
            random.shuffle(acts)
            found = await self.statuses(*(self.act(*act)() for act in acts))
            self.assertLessEqual(set(found), expected, (SEED, n))
            self.check((SEED, n))


def _sorted(outcomes: dict[Any, list[str]]) -> dict[Any, list[str]]:
    """The same act twice has its outcomes in no order."""
    return {act: sorted(each) for act, each in outcomes.items()}
