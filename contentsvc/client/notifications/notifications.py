"""Notifications: the user's log (spec §4.11), and live subscriptions to it."""

from collections.abc import Callable
from random import Random
from typing import Any

from msgspec import Raw

from contentsvc.client import reading
from contentsvc.client.accounts.sessions import Sessions
from contentsvc.client.calls import Calls, quoted
from contentsvc.client.notifications.socket import Connector
from contentsvc.client.notifications.subscription import Received, State, Subscription
from contentsvc.client.reading import Page, Seen, UnknownNotification
from contentsvc.wire.accounts import ClientType, ConnectAnswer, ConnectBody
from contentsvc.wire.notifications import (
    AnyNotification,
    DeleteUpTo,
    NotificationQuery,
    NotificationSettings,
    NotificationState,
    ReadChange,
    ReadUpTo,
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
        """List the user's notifications (spec §4.11)."""
        page = await self._calls.page(self._path, Raw, query)
        return Page([reading.notification(raw) for raw in page.items], page.after)

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
