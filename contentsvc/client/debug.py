"""Debugging aids (spec §4.18)."""

from contentsvc.client.calls import Calls
from contentsvc.wire.notifications import DebugNotify


class Debug:
    """What the operator may turn off."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def notify(self, body: DebugNotify) -> None:
        """Send anyone a Debug notification (spec §4.18). Never sent again by itself: each would be
        another notification."""
        await self._calls.send("POST", "/debug/notify", body)
