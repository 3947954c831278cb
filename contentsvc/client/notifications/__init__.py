"""Notifications: the user's log, subscriptions to it, and announcements of the studio
(notifications#notifications)."""

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
        """List the user's notifications, in the order of their numbers (notifications#list). Kinds
        that this version does not know are UnknownNotification."""
        page = await self._calls.page(self._path, Raw, query)
        return Page([decoded(raw) for raw in page.items], page.after)

    async def update(self, notification: str, body: ReadChange) -> None:
        """Set the read flag of one notification (notifications#read-flags)."""
        await self._calls.send("PATCH", f"{self._path}/{quoted(notification)}", body)

    async def mark_read(self, body: ReadUpTo) -> None:
        """Mark one notification and all before it as read."""
        await self._calls.send(
            "POST", f"{self._path}/read", body, operation="markNotificationsRead"
        )

    async def get_state(self) -> NotificationState:
        """Get the numbers of the newest and the oldest notification, and how many are unread."""
        return await self._calls.get(f"{self._path}/state", NotificationState)

    async def delete(self, notification: str) -> None:
        """Delete one notification (notifications#deleting)."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(notification)}")

    async def clear(self, query: DeleteUpTo) -> None:
        """Delete one notification and all before it."""
        await self._calls.send("DELETE", self._path, query=query)

    async def get_settings(self, *, seen: Seen | None = None) -> NotificationSettings:
        """Get the muted kinds (notifications#muting)."""
        return await self._calls.get(f"{self._path}/settings", NotificationSettings, seen=seen)

    async def set_settings(self, body: NotificationSettings, *, seen: Seen | None = None) -> None:
        """Mute exactly these kinds: all others are no longer muted. Raises ApiError
        (`not_mutable`)."""
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
        """Open the session socket (socket#the-session-socket), and call `on_notification` with each
        notification.

        Without `resume`, the subscription begins with the next notification. To go on after an
        earlier subscription, pass its `seq` as `resume` and its `id` as `resume_id`: the service
        compares the two to tell whether its log is still the same. Subscription says when it calls
        `on_missed`, `on_state`, `on_announcements` and `on_library`.
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
    """Announcements of the studio to everybody (studio#announcements). `list` and `get` need no
    log-in."""

    async def list(self, query: AnnouncementsQuery | None = None) -> Page[Announcement]:
        """List the current announcements, newest first. With `all`, for callers with the permission
        `curate`, past and future ones too."""
        return await self._calls.page("/announcements", Announcement, query)

    async def get(self, announcement: str, *, seen: Seen | None = None) -> Announcement:
        """Get a current announcement; with the permission `curate`, any. Raises ApiError
        (`announcement_not_found`)."""
        return await self._calls.get(
            f"/announcements/{quoted(announcement)}", Announcement, seen=seen
        )

    async def put(
        self, announcement: str, body: AnnouncementBody, *, seen: Seen | None = None
    ) -> None:
        """Make an announcement, whose id is a GUID of your choice, or replace it. Needs the
        permission `curate`."""
        await self._calls.send("PUT", f"/announcements/{quoted(announcement)}", body, seen=seen)

    async def delete(self, announcement: str) -> None:
        """Delete an announcement. Needs the permission `curate`."""
        await self._calls.send("DELETE", f"/announcements/{quoted(announcement)}")


class StudioNotifications(Family):
    """Notifications of kind `Studio` to many users (studio#notifications). All operations need the
    permission `notify`."""

    async def send(self, body: StudioNotificationToUsers | StudioNotificationToAudience) -> None:
        """Notify the users in `to`, or an audience. Repeatable: the id in `body` is a GUID of your
        choice, and the same id again notifies nobody. Raises ApiError (`unknown_user`,
        `unknown_challenge`)."""
        await self._calls.send("POST", "/notifications", body, operation="sendStudioNotification")

    async def list(self, query: StudioNotificationsQuery | None = None) -> Page[StudioNotification]:
        """List what was sent, newest first."""
        return await self._calls.page("/notifications", StudioNotification, query)

    async def get(self, notification: str) -> StudioNotification:
        """Get the state of one: how many users were notified so far."""
        return await self._calls.get(f"/notifications/{quoted(notification)}", StudioNotification)

    async def stop(self, notification: str) -> None:
        """Stop one: users who are not notified yet will not be."""
        await self._calls.send("DELETE", f"/notifications/{quoted(notification)}")


class Debug(Family):
    """Operations that the operator can turn off."""

    async def send_notification(self, body: DebugNotify) -> None:
        """Send a user a Debug notification (notifications#debug). The client does not repeat this,
        because each request would make another notification."""
        await self._calls.send("POST", "/debug/notify", body)
