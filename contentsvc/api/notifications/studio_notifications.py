"""The studio's notifications to its players (studio#notifications)."""

from typing import Any, Final

from msgspec import UNSET, Raw, Struct, UnsetType

from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import NotificationNotFound, UnknownChallenge, UnknownUser
from contentsvc.api.paging import numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.decode import Either, object_text
from contentsvc.framework.http.errors import at_pointer
from contentsvc.framework.http.reply import Accepted, Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.roles import NOTIFY
from contentsvc.store import tasks
from contentsvc.store.moderation import audit_log
from contentsvc.store.notifications import studio_notifications
from contentsvc.wire.notifications import (
    AudienceOf,
    StudioNotification,
    StudioNotificationsQuery,
    StudioNotificationToAudience,
    StudioNotificationToUsers,
)

DATA_BYTES: Final = 4 * 1024
"""Bytes of the JSON of `data`, as it came."""


class _Given(Struct):
    to: Raw | UnsetType = UNSET
    audience: Raw | UnsetType = UNSET


class StudioNotifications(Struct):
    """Notifications to many, by the studio's people and programs. A task sends them: see
    contentsvc.jobs.notifications."""

    db: Database
    queue: TaskQueue

    @route(
        "POST",
        "/notifications",
        allow=NOTIFY,
        raises=(UnknownUser, UnknownChallenge),
    )
    async def send_studio_notification(
        self, call: Call, body: Either[StudioNotificationToUsers | StudioNotificationToAudience]
    ) -> Accepted:
        """Notify users, with kind `Studio` (studio#notifications): those in `to`, or all who belong
        to the `audience` now, and still when it is their turn. The same `id` again changes nothing,
        whatever the body says."""
        said = body.decode(_Given)
        if said.to is not UNSET and said.audience is not UNSET:
            raise at_pointer("/audience", "There must be either this or `to`.")
        to_audience = said.audience is not UNSET
        form: Any = StudioNotificationToAudience if to_audience else StudioNotificationToUsers
        given: StudioNotificationToUsers | StudioNotificationToAudience = body.decode(form)
        data = object_text("data", given.data)
        if len(data.encode()) > DATA_BYTES:
            raise at_pointer("/data", f"This must have at most {DATA_BYTES} bytes.")
        audience = given.audience if isinstance(given, StudioNotificationToAudience) else None
        if isinstance(audience, AudienceOf) and (audience.followers_of is None) == (
            audience.entrants_of is None
        ):
            raise at_pointer("/audience", "This must have either `followersOf` or `entrantsOf`.")
        async with self.db.transaction() as tx:
            values = given.id, given.topic, data, given.expires, *call.actor
            if await studio_notifications.insert(tx, *values):
                await self.queue.put(tx, await _task(tx, given))
                await audit_log.record(
                    tx, *call.actor, "notification_sent", "notification", given.id, ""
                )
        return Accepted(f"/api/v1/notifications/{given.id}")

    @route("GET", "/notifications", allow=NOTIFY)
    async def list_studio_notifications(
        self, call: Call, query: StudioNotificationsQuery
    ) -> Listed[StudioNotification]:
        """List the studio's notifications, newest first, with how many users were notified."""
        rows = await studio_notifications.all(self.db, position(query), query.limit, query.data)
        return numbered(rows, query)

    @route(
        "GET",
        "/notifications/<guid:notification>",
        allow=NOTIFY,
        raises=(NotificationNotFound,),
    )
    async def get_studio_notification(self, call: Call, notification: str) -> StudioNotification:
        """Get the state of one of the studio's notifications."""
        found = await studio_notifications.get(self.db, notification)
        return required(found, NotificationNotFound)

    @route("DELETE", "/notifications/<guid:notification>", allow=NOTIFY)
    async def stop_studio_notification(self, call: Call, notification: str) -> None:
        """Stop one of the studio's notifications: users who are not notified yet will not be.
        Others keep theirs. This succeeds too if all were notified, or if there is none with this
        id."""
        async with self.db.transaction() as tx:
            if await studio_notifications.stop(tx, notification):
                await audit_log.record(
                    tx, *call.actor, "notification_stopped", "notification", notification, ""
                )


async def _task(
    tx: Db, body: StudioNotificationToUsers | StudioNotificationToAudience
) -> tasks.StudioNotification:
    """What is to be done. Raises UnknownUser, UnknownChallenge."""
    if isinstance(body, StudioNotificationToUsers):
        users = sorted(set(body.to))
        await _check_users(tx, users)
        return tasks.StudioNotification(notification=body.id, audience="users", users=users)
    match body.audience:
        case AudienceOf(followers_of=str(user)):
            await _check_users(tx, [user])
            upto = await studio_notifications.last_follow(tx, user)
            return tasks.StudioNotification(
                notification=body.id, audience="followers", of=user, upto=upto
            )
        case AudienceOf(entrants_of=str(challenge)):
            last = await studio_notifications.last_entry(tx, challenge)
            return tasks.StudioNotification(
                notification=body.id,
                audience="entrants",
                of=challenge,
                upto=required(last, UnknownChallenge),
            )
    return tasks.StudioNotification(notification=body.id, audience="everybody")


async def _check_users(tx: Db, users: list[str]) -> None:
    unknown = await studio_notifications.unknown(tx, users)
    if unknown:
        raise UnknownUser(users=unknown)
