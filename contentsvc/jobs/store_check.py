"""The look at the file store that goes on for as long as a process runs. Its failure is what an
operator reads in the log and in `contentsvc status`."""

from collections.abc import Awaitable, Callable

EVERY = 10.0
"""Seconds between two looks at a store that works."""
AGAIN = 2.0
"""Most seconds, but for chance, until a store that does not work is tried again. A try takes at
most 6 s, so that there is one every 10 s."""


class StoreCheck:
    """`reach` fails if the store does not work."""

    def __init__(self, reach: Callable[[], Awaitable[None]]) -> None:
        self._reach = reach

    async def run(self) -> float:
        """Look once."""
        await self._reach()
        return EVERY
