"""A module that no run finds by itself: its first test ends amid the work that sends bodies."""

from itertools import repeat

from twisted.internet.task import coiterate
from twisted.trial.unittest import TestCase


class WorkTests(TestCase):
    """Two tests, of which the second needs the work of the first to be gone."""

    def test_a_cut(self) -> None:
        """Trial fails it for what it leaves behind."""
        coiterate(repeat(None))

    async def test_b_after(self) -> None:
        """Work that has begun ends."""
        await coiterate(iter([None]))

    test_b_after.timeout = 5.0  # type: ignore[attr-defined]
