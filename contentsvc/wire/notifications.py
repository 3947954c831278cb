"""Notifications: spec §2 Notification, §4.11, §6.

Each kind is a Struct whose tag is the kind. The service makes one with its extra fields
only; id, created and read come with the stored row.
"""

from typing import Annotated, get_args

from msgspec import UNSET, Meta, Struct, UnsetType

from contentsvc.wire.base import (
    CURSOR,
    GUID_PATTERN,
    NUMBER,
    SHOWN,
    Guid,
    Paging,
    Record,
    Seconds,
    Timestamp,
    Wire,
    tag_of,
)
from contentsvc.wire.moderation import ReportedSubject

_PLACE = f"{NUMBER}|{GUID_PATTERN}"
_UP_TO = rf"^[0-9]{{1,64}}\Z|{GUID_PATTERN}"
"""A number above the newest means all, however large it is."""
NotificationText = Annotated[str, Meta(max_length=4096)]


class Notification(Struct, tag_field="kind", rename="camel", kw_only=True, omit_defaults=True):
    """The fields that all kinds share (spec §2)."""

    id: Annotated[Guid | UnsetType, SHOWN] = UNSET
    created: Annotated[Seconds | UnsetType, SHOWN] = UNSET
    read: Annotated[bool | UnsetType, SHOWN] = UNSET


class FriendRequest(Notification, tag="FriendRequest"):
    """A user asks for friendship."""

    sender: Guid


class FriendConfirm(Notification, tag="FriendConfirm"):
    """A user has agreed to be a friend."""

    sender: Guid


class FriendMessage(Notification, tag="FriendMessage"):
    """A message of a friend. `message` is its id; those that debugging makes have none."""

    sender: Guid
    text: str
    message: Guid | UnsetType = UNSET


class NewFollower(Notification, tag="NewFollower"):
    """A user follows the user."""

    sender: Guid


class Debug(Notification, tag="Debug"):
    """A notification that debug/notify has sent."""

    text: str


class PartyInvite(Notification, tag="PartyInvite"):
    """A user invites to a party."""

    sender: Guid
    party: Guid


class PartyInviteAccept(Notification, tag="PartyInviteAccept"):
    """A user has accepted an invite to a party."""

    sender: Guid
    party: Guid


class PartyInviteDecline(Notification, tag="PartyInviteDecline"):
    """A user has declined an invite to a party."""

    sender: Guid
    party: Guid


class ContentSuspended(Notification, tag="ContentSuspended"):
    """An admin has suspended a content of the user."""

    content: Guid
    reason: str


class ContentRestored(Notification, tag="ContentRestored"):
    """An admin has restored a content of the user."""

    content: Guid
    reason: str


class CommentOnContent(Notification, tag="CommentOnContent"):
    """A user has commented on a content of the user. `comment` is the comment's number."""

    sender: Guid
    content: Guid
    comment: int


class CommentReply(Notification, tag="CommentReply"):
    """A user has replied to a comment of the user. `comment` is the number of the reply."""

    sender: Guid
    content: Guid
    comment: int


class CommentRemoved(Notification, tag="CommentRemoved"):
    """Somebody else has deleted a comment of the user."""

    content: Guid
    comment: int
    reason: str


class AccountWarning(Notification, tag="AccountWarning"):
    """An admin warns the user."""

    reason: str


class ReportResolved(Notification, tag="ReportResolved"):
    """Admins have judged what the user had reported."""

    subject: ReportedSubject
    outcome: Annotated[str, Meta(extra_json_schema={"enum": ["upheld", "dismissed"]})]


class ContentPublished(Notification, tag="ContentPublished"):
    """An author whom the user follows has published a content."""

    author: Guid
    content: Guid


class RevisionPublished(Notification, tag="RevisionPublished"):
    """An author whom the user follows has published a revision of a content."""

    author: Guid
    content: Guid
    revision: Guid


class DependencyStatus(Notification, tag="DependencyStatus"):
    """A content was suspended, restored or deleted, and content of the user depends on it.
    `status` is its status now. `contents` of the user's depend on it; `content` is the newest."""

    dependency: Guid
    status: Annotated[str, Meta(extra_json_schema={"enum": ["active", "suspended", "deleted"]})]
    content: Guid
    contents: int


class ChallengeWon(Notification, tag="ChallengeWon"):
    """A content of the user has won a design challenge."""

    challenge: Guid
    content: Guid


class ChallengeParticipated(Notification, tag="ChallengeParticipated"):
    """A design challenge has closed in which the user has taken part with this content."""

    challenge: Guid
    content: Guid


class Deleted(Notification, tag="Deleted"):
    """A notification that the user has deleted. Only the socket has it, in a replay. It is read."""


AnyNotification = (
    FriendRequest
    | FriendConfirm
    | FriendMessage
    | NewFollower
    | Debug
    | PartyInvite
    | PartyInviteAccept
    | PartyInviteDecline
    | ContentSuspended
    | ContentRestored
    | ContentPublished
    | RevisionPublished
    | DependencyStatus
    | ChallengeWon
    | ChallengeParticipated
    | CommentOnContent
    | CommentReply
    | CommentRemoved
    | AccountWarning
    | ReportResolved
    | Deleted
)
"""The union that a client decodes."""

KINDS: tuple[str, ...] = tuple(
    tag_of(kind) for kind in get_args(AnyNotification) if kind is not Deleted
)
"""The kinds that are sent."""
NOT_MUTABLE = frozenset({"ContentSuspended", "ContentRestored", "AccountWarning", "CommentRemoved"})
"""The kinds that nobody can mute (extensions §5)."""
Kind = Annotated[
    str, Meta(description="a kind of notifications", extra_json_schema={"enum": list(KINDS)})
]
"""A handler says more of what does not fit; the document has the list."""


def notification_json(id: str, created: int, read: bool, data: str) -> bytes:
    """The JSON object of a stored notification, the same in REST and on the socket.

    `data` is the stored kind: a JSON object that starts with the tag. The common fields are put
    before its members, so that it need not be decoded.
    """
    flag = "true" if read else "false"
    return f'{{"id":"{id}","created":{created},"read":{flag},{data[1:]}'.encode()


class NotificationQuery(Paging):
    """The notifications to list (spec §4.11). `after` is a sequence number or a notification's
    id."""

    after: (
        Annotated[
            str,
            CURSOR,
            Meta(
                description="a notification's id or number: the last one that you have seen",
                extra_json_schema={"pattern": _PLACE},
            ),
        ]
        | None
    ) = None
    since: (
        Timestamp
        | Annotated[
            float, Meta(description="a number of Unix seconds: only what came later is listed")
        ]
        | None
    ) = None


class ReadChange(Wire):
    """The read flag of a notification."""

    read: bool


class ReadUpTo(Wire):
    """The last notification to mark as read: its id or its number."""

    up_to: (
        Annotated[
            str,
            Meta(
                pattern=_UP_TO,
                description="a notification's id",
                extra_json_schema={"examples": ["0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"]},
            ),
        ]
        | Annotated[int, Meta(ge=0)]
    )


class DeleteUpTo(Wire):
    """The last notification to delete: its id or its number."""

    up_to: Annotated[
        str,
        CURSOR,
        Meta(description="a notification's id or number", extra_json_schema={"pattern": _UP_TO}),
    ]


class NotificationState(Record):
    """The numbers of the newest notification and of the oldest that is kept, and how many are not
    read. Without notifications these are 0, 1 and 0. `oldest` is above `newest` if none is kept."""

    newest: int
    oldest: int
    unread: int


class NotificationSettings(Wire):
    """The kinds of notifications that the user does not want."""

    muted: Annotated[list[Kind], Meta(max_length=256)]


class DebugNotify(Wire):
    """The user to notify, and the text (spec §4.18)."""

    recipient: Guid
    text: NotificationText
