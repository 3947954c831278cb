"""Notifications: the user's log (notifications#list), subscriptions to it, what the studio
announces."""

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Raw

from contentsvc.client.accounts import Sessions
from contentsvc.client.calls import Calls, Family, Page, Seen, quoted
from contentsvc.client.notifications.socket import Connector
from contentsvc.client.notifications.subscription import (
    Received,
    State,
    Subscription,
    UnknownNotification,
    decoded,
)
from contentsvc.wire.accounts import ClientType, ConnectAnswer, ConnectBody
from contentsvc.wire.notifications import (
    Announcement,
    AnnouncementBody,
    AnnouncementsQuery,
    AnyNotification,
    DebugNotify,
    DeleteUpTo,
    NotificationQuery,
    NotificationSettings,
    NotificationState,
    ReadChange,
    ReadUpTo,
    StudioNotification,
    StudioNotificationsQuery,
    StudioNotificationToAudience,
    StudioNotificationToUsers,
)


class Notifications:
    """The user's notifications. The subscriptions share `connector` and `random`."""

    def __init__(
        self, reactor: Any, calls: Calls, sessions: Sessions, connector: Connector, random: Random
    ) -> None:
        self._reactor = reactor
        self._calls = calls
        self._sessions = sessions
        self._connector = connector
        self._random = random
        self._subscriptions: list[Subscription] = []

    async def list(
        self, query: NotificationQuery | None = None
    ) -> Page[AnyNotification | UnknownNotification]:
        """List the user's notifications (notifications#list)."""
        page = await self._calls.page(self._path, Raw, query)
        return Page([decoded(raw) for raw in page.items], page.after)

    async def update(self, notification: str, body: ReadChange) -> None:
        """Set the read flag of one notification."""
        await self._calls.send("PATCH", f"{self._path}/{quoted(notification)}", body)

    async def mark_read(self, body: ReadUpTo) -> None:
        """Mark one notification and all before it as read."""
        await self._calls.send(
            "POST", f"{self._path}/read", body, operation="markNotificationsRead"
        )

    async def get_state(self) -> NotificationState:
        """Read the numbers of the newest and the oldest, and how many are not read."""
        return await self._calls.get(f"{self._path}/state", NotificationState)

    async def delete(self, notification: str) -> None:
        """Delete one notification."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(notification)}")

    async def clear(self, query: DeleteUpTo) -> None:
        """Delete one notification and all before it."""
        await self._calls.send("DELETE", self._path, query=query)

    async def get_settings(self, *, seen: Seen | None = None) -> NotificationSettings:
        """Read which kinds are muted."""
        return await self._calls.get(f"{self._path}/settings", NotificationSettings, seen=seen)

    async def set_settings(self, body: NotificationSettings, *, seen: Seen | None = None) -> None:
        """Mute these kinds, and no others."""
        await self._calls.send("PUT", f"{self._path}/settings", body, seen=seen)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/notifications"

    def listen(
        self,
        on_notification: Callable[[Received], object],
        *,
        resume: int | None = None,
        resume_id: str | None = None,
        on_missed: Callable[[str, str], object] | None = None,
        on_state: Callable[[State], object] | None = None,
        on_announcements: Callable[[int], object] | None = None,
        on_library: Callable[[], object] | None = None,
        client: ClientType = "game",
    ) -> Subscription:
        """Open the session socket, and call `on_notification` with each notification.

        Without `resume`, that is each one from now on. With the `seq` of an earlier subscription as
        `resume`, it is each one after that. The `id` of that subscription, as `resume_id`, lets the
        service tell whether its log is still the same. `on_missed`, `on_state`, `on_announcements`
        and `on_library` are called as Subscription says.
        """

        async def connect() -> ConnectAnswer:
            # The subscription has its own pauses between attempts.
            return await self._sessions.connect(ConnectBody(client=client), repeat=False)

        subscription = Subscription(
            self._reactor,
            connect=connect,
            connector=self._connector,
            random=self._random,
            on_notification=on_notification,
            on_missed=on_missed,
            on_state=on_state,
            on_announcements=on_announcements,
            on_library=on_library,
            read_state=self.get_state,
            resume=resume,
            resume_id=resume_id,
        )
        self._subscriptions = [each for each in self._subscriptions if not each.over]
        self._subscriptions.append(subscription)
        subscription.start()
        return subscription

    async def stop(self) -> None:
        """Stop all subscriptions."""
        for subscription in self._subscriptions:
            await subscription.stop()


class Announcements(Family):
    """What the studio announces to everybody (studio#notifications). `list` needs no log-in."""

    async def list(self, query: AnnouncementsQuery | None = None) -> Page[Announcement]:
        """List the announcements of now, newest first; with `all`, all of them, with the permission
        `curate`."""
        return await self._calls.page("/announcements", Announcement, query)

    async def get(self, announcement: str, *, seen: Seen | None = None) -> Announcement:
        """Get an announcement of now; with the permission `curate`, any. Raises ApiError
        (`announcement_not_found`)."""
        return await self._calls.get(
            f"/announcements/{quoted(announcement)}", Announcement, seen=seen
        )

    async def put(
        self, announcement: str, body: AnnouncementBody, *, seen: Seen | None = None
    ) -> None:
        """Announce something, with the permission `curate`, under an id that you have made up; or
        replace what it announces."""
        await self._calls.send("PUT", f"/announcements/{quoted(announcement)}", body, seen=seen)

    async def delete(self, announcement: str) -> None:
        """Announce this no more."""
        await self._calls.send("DELETE", f"/announcements/{quoted(announcement)}")


class StudioNotifications(Family):
    """Notifications of kind `Studio` to many, with the permission `notify`
    (studio#notifications)."""

    async def send(self, body: StudioNotificationToUsers | StudioNotificationToAudience) -> None:
        """Notify these users, or all of an audience. Repeatable, by the id that you have made
        up."""
        await self._calls.send("POST", "/notifications", body, operation="sendStudioNotification")

    async def list(self, query: StudioNotificationsQuery | None = None) -> Page[StudioNotification]:
        """List what was told, newest first."""
        return await self._calls.page("/notifications", StudioNotification, query)

    async def get(self, notification: str) -> StudioNotification:
        """Read how far one of them is."""
        return await self._calls.get(f"/notifications/{quoted(notification)}", StudioNotification)

    async def stop(self, notification: str) -> None:
        """Tell nobody else."""
        await self._calls.send("DELETE", f"/notifications/{quoted(notification)}")


class Debug(Family):
    """Operations that the operator can turn off."""

    async def send_notification(self, body: DebugNotify) -> None:
        """Send a user a Debug notification (notifications#debug). The client does not repeat this,
        because each request would make another notification."""
        await self._calls.send("POST", "/debug/notify", body)
