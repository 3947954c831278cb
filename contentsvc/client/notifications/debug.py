"""Debugging aids (spec §4.18)."""

from contentsvc.client.calls import Calls
from contentsvc.wire.notifications import DebugNotify


class Debug:
    """Operations that the operator can turn off."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def send_notification(self, body: DebugNotify) -> None:
        """Send a user a Debug notification (spec §4.18). The client does not repeat this, because
        each request would make another notification."""
        await self._calls.send("POST", "/debug/notify", body)
