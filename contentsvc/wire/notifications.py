"""Notifications: spec §2 Notification, §4.11, §6.

Each kind is a Struct whose tag is the kind. The service makes one with its extra fields
only; id, created and read come with the stored row.
"""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from contentsvc.wire.base import Guid, Paging, Timestamp, Wire

NotificationText = Annotated[str, Meta(max_length=4096)]


class Notification(Struct, tag_field="kind", rename="camel", kw_only=True, omit_defaults=True):
    """The fields that all kinds share (spec §2); `created` in Unix seconds."""

    id: Guid | UnsetType = UNSET
    created: int | UnsetType = UNSET
    read: bool | UnsetType = UNSET


class FriendRequest(Notification, tag="FriendRequest"):
    sender: Guid


class FriendConfirm(Notification, tag="FriendConfirm"):
    sender: Guid


class FriendMessage(Notification, tag="FriendMessage"):
    sender: Guid
    text: str


class Debug(Notification, tag="Debug"):
    text: str


class PartyInvite(Notification, tag="PartyInvite"):
    sender: Guid
    party: Guid


class PartyInviteAccept(Notification, tag="PartyInviteAccept"):
    sender: Guid
    party: Guid


class PartyInviteDecline(Notification, tag="PartyInviteDecline"):
    sender: Guid
    party: Guid


class ContentSuspended(Notification, tag="ContentSuspended"):
    content: Guid
    reason: str


class ContentRestored(Notification, tag="ContentRestored"):
    content: Guid
    reason: str


AnyNotification = (
    FriendRequest
    | FriendConfirm
    | FriendMessage
    | Debug
    | PartyInvite
    | PartyInviteAccept
    | PartyInviteDecline
    | ContentSuspended
    | ContentRestored
)
"""The union that a client decodes."""


def notification_json(id: str, created: int, read: bool, data: str) -> bytes:
    """The JSON object of a stored notification, the same in REST and on the socket.

    `data` is the stored kind: a JSON object that starts with the tag. The common fields are put
    before its members, so that it need not be decoded.
    """
    flag = "true" if read else "false"
    return f'{{"id":"{id}","created":{created},"read":{flag},{data[1:]}'.encode()


class NotificationQuery(Paging):
    """Query of spec §4.11. `after` is a sequence number or a notification's id."""

    since: Timestamp | Annotated[float, Meta(description="a number of Unix seconds")] | None = None


class ReadChange(Wire):
    """Body of PATCH …/notifications/{notificationId}."""

    read: bool


class ReadUpTo(Wire):
    """Body of POST …/notifications/read."""

    up_to: Guid


class DebugNotify(Wire):
    """Body of spec §4.18."""

    recipient: Guid
    text: NotificationText
