"""What the studio tells its players (studio §4)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.base import Part
from contentsvc.wire.notifications import (
    StudioNotification,
    StudioNotificationToAudience,
    StudioNotificationToUsers,
)


class StudioNotifications:
    """Notifications of kind `Studio` to many, with the permission `notify`."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def send(self, body: StudioNotificationToUsers | StudioNotificationToAudience) -> None:
        """Notify these users, or all of an audience. Repeatable, by the id that you have made
        up."""
        await self._calls.send("POST", "/notifications", body, operation="sendStudioNotification")

    async def list(self, query: Part | None = None) -> Page[StudioNotification]:
        """List what was told, newest first."""
        return await self._calls.page("/notifications", StudioNotification, query)

    async def get(self, notification: str) -> StudioNotification:
        """Read how far one of them is."""
        return await self._calls.get(f"/notifications/{quoted(notification)}", StudioNotification)

    async def stop(self, notification: str) -> None:
        """Tell nobody else."""
        await self._calls.send("DELETE", f"/notifications/{quoted(notification)}")
