"""Notifications of users (notifications#kinds, notifications#list), and what the studio tells them:
its notifications and announcements (studio#notifications, studio#announcements).

Each kind is a Struct whose tag is the kind. The service makes one with its extra fields
only; id, created and read come with the stored row.
"""

import re
from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from contentsvc.wire.base import (
    CURSOR,
    GUID_PATTERN,
    NOT_BLANK,
    NUMBER,
    SHOWN,
    Count,
    Guid,
    Id,
    JsonObject,
    Paging,
    Part,
    Record,
    Seconds,
    Timestamp,
    Wire,
    described,
    tag_of,
)
from contentsvc.wire.comments import CommentNumber
from contentsvc.wire.decisions import DecidedSubject
from contentsvc.wire.moderation import ReportedSubject

_TOPIC = "[a-z0-9._-]{1,64}"
_PLACE = f"{NUMBER}|{GUID_PATTERN}"
_UP_TO = rf"^[0-9]{{1,64}}\Z|{GUID_PATTERN}"
"""A number above the newest means all, however large it is."""
Unread = Annotated[int, described("how many notifications are not read")]
NotificationText = Annotated[str, Meta(max_length=4096)]


class Notification(Struct, tag_field="kind", rename="camel", kw_only=True, omit_defaults=True):
    """The fields that all kinds share (notifications#notifications)."""

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
    """A message of a friend. `message` is its id; those that debugging makes have none. If the
    message was taken away, `removed` is true and the text is empty."""

    sender: Guid
    text: str
    message: Guid | UnsetType = UNSET
    removed: bool | UnsetType = UNSET


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
    """An admin has suspended a content of the user, by a `decision`."""

    content: Guid
    reason: str
    decision: Guid | UnsetType | None = UNSET


class ContentRestored(Notification, tag="ContentRestored"):
    """An admin has restored a content of the user. `decision` is what that reverses; null if it was
    suspended without one."""

    content: Guid
    reason: str
    decision: Guid | UnsetType | None = UNSET


class CommentOnContent(Notification, tag="CommentOnContent"):
    """A user has commented on a content of the user. `comment` is the comment's number."""

    sender: Guid
    content: Guid
    comment: CommentNumber


class CommentReply(Notification, tag="CommentReply"):
    """A user has replied to a comment of the user. `comment` is the number of the reply."""

    sender: Guid
    content: Guid
    comment: CommentNumber


class CommentRemoved(Notification, tag="CommentRemoved"):
    """Somebody else has deleted a comment of the user. `decision` is that of an admin; null if it
    was the author of the content."""

    content: Guid
    comment: CommentNumber
    reason: str
    decision: Guid | UnsetType | None = UNSET


class AccountWarning(Notification, tag="AccountWarning"):
    """An admin warns the user, by a `decision`."""

    reason: str
    decision: Guid | UnsetType | None = UNSET


class DecisionTaken(Notification, tag="DecisionTaken"):
    """An admin has decided something about the user, or what the user has made, of which no other
    kind tells: see `action`."""

    decision: Guid
    action: str
    subject: DecidedSubject


class DecisionReversed(Notification, tag="DecisionReversed"):
    """A decision about the user, or what the user has made, was reversed."""

    decision: Guid
    reason: str


class AppealDecided(Notification, tag="AppealDecided"):
    """Somebody has answered an appeal of the user's: against a `decision`, or against what was
    decided of the user's report of a `subject`."""

    outcome: Annotated[str, Meta(extra_json_schema={"enum": ["confirmed", "reversed"]})]
    reason: str
    decision: Guid | UnsetType = UNSET
    subject: ReportedSubject | UnsetType = UNSET


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
    contents: Count


class SubscriptionUpdated(Notification, tag="SubscriptionUpdated"):
    """A content that the user keeps has a new revision."""

    content: Guid
    revision: Guid


class TesterInvited(Notification, tag="TesterInvited"):
    """An author lets the user test a content."""

    content: Guid
    sender: Guid


class MemberInvited(Notification, tag="MemberInvited"):
    """An author invites the user to be a member of a content, who may edit it."""

    content: Guid
    sender: Guid


class ChallengeWon(Notification, tag="ChallengeWon"):
    """A content of the user has won a design challenge."""

    challenge: Guid
    content: Guid


class ChallengeParticipated(Notification, tag="ChallengeParticipated"):
    """A design challenge has closed in which the user has taken part with this content."""

    challenge: Guid
    content: Guid


Topic = Annotated[
    str,
    Meta(
        pattern=rf"^{_TOPIC}\Z",
        description="a topic: 1 to 64 of a-z, 0-9, `.`, `_` and `-`",
        examples=["season.start"],
    ),
]


class Studio(Notification, tag="Studio"):
    """The studio tells the user something. What `data` has is the studio's choice. From `expires`
    on, clients do not show it."""

    topic: str
    data: JsonObject
    expires: Seconds | UnsetType = UNSET


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
    | SubscriptionUpdated
    | TesterInvited
    | MemberInvited
    | ChallengeWon
    | ChallengeParticipated
    | CommentOnContent
    | CommentReply
    | CommentRemoved
    | AccountWarning
    | DecisionTaken
    | DecisionReversed
    | AppealDecided
    | ReportResolved
    | Studio
    | Deleted
)
"""The union that a client decodes."""

KINDS: tuple[str, ...] = tuple(
    tag_of(kind) for kind in get_args(AnyNotification) if kind is not Deleted
)
"""The kinds that are sent."""
NOT_MUTABLE = frozenset(
    {
        *("ContentSuspended", "ContentRestored", "AccountWarning", "CommentRemoved"),
        *("DecisionTaken", "DecisionReversed", "AppealDecided"),
    }
)
"""The kinds that nobody can mute (notifications#muting)."""
OF_TOPIC = f"{tag_of(Studio)}:"
"""With a topic behind it, the name by which only that topic of the studio's is muted."""
MutedKind = Annotated[
    str,
    Meta(
        description="a kind of notifications, or `Studio:` and a topic",
        extra_json_schema={
            "pattern": rf"^({'|'.join(KINDS)}|{OF_TOPIC}{_TOPIC})\Z",
            "examples": ["NewFollower"],
        },
    ),
]
"""A handler says more of what does not fit; the document has the list."""
_muted = re.compile(rf"({'|'.join(KINDS)}|{OF_TOPIC}{_TOPIC})")


def can_be_named(kind: str) -> bool:
    """Whether this is a kind, or one topic of the studio's."""
    return _muted.fullmatch(kind) is not None


def notification_json(id: str, created: int, read: bool, data: str) -> bytes:
    """The JSON object of a stored notification, the same in REST and on the socket.

    `data` is the stored kind: a JSON object that starts with the tag. The common fields are put
    before its members, so that it need not be decoded.
    """
    flag = "true" if read else "false"
    return f'{{"id":"{id}","created":{created},"read":{flag},{data[1:]}'.encode()


class NotificationQuery(Paging):
    """The notifications to list (notifications#list). `after` is a sequence number or a
    notification's id."""

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
        | Annotated[int, Meta(ge=0), described("a notification's number")]
    )


class DeleteUpTo(Wire):
    """The last notification to delete: its id or its number."""

    up_to: Annotated[
        str,
        CURSOR,
        Meta(
            description="a notification's id or number",
            extra_json_schema={"pattern": _UP_TO, "examples": ["17"]},
        ),
    ]


class NotificationState(Record):
    """The numbers of the newest notification and of the oldest that is kept, and how many are not
    read. Without notifications these are 0, 1 and 0. `oldest` is above `newest` if none is kept."""

    newest: Annotated[int, described("the number of the newest notification")]
    oldest: Annotated[int, described("the number of the oldest that is kept")]
    unread: Unread


class NotificationSettings(Wire):
    """The kinds of notifications that the user does not want."""

    muted: Annotated[list[MutedKind], Meta(max_length=256)]


class NotificationSettingsAnswer(Record):
    """The kinds of notifications that the user does not want. A later release may have others."""

    muted: list[Annotated[str, Meta(description="a kind of notifications")]]


class DebugNotify(Wire):
    """The user to notify, and the text (notifications#debug)."""

    recipient: Guid
    text: NotificationText


Level = Literal["info", "warning"]
State = Literal["telling", "done", "stopped"]


class _StudioNotificationBody(Wire):
    id: Guid
    topic: Topic
    data: JsonObject
    expires: Timestamp | None = None


class StudioNotificationToUsers(_StudioNotificationBody, kw_only=True):
    """What the studio tells these users. `data` has at most 4 KiB."""

    to: Annotated[list[Guid], Meta(min_length=1, max_length=1000)]


class AudienceOf(Wire):
    """Who follows a user, or has entered a design challenge: exactly one of these."""

    followers_of: Guid | None = None
    entrants_of: Guid | None = None


class StudioNotificationToAudience(_StudioNotificationBody, kw_only=True):
    """What the studio tells everybody, or all of some. `data` has at most 4 KiB."""

    audience: Literal["everybody"] | AudienceOf


class StudioNotification(Record):
    """Something that the studio tells, and how many users it has been told, how many have muted it,
    and how many could not be told: they have left, or had too many on this day. `data` is as it
    came, where it is asked for."""

    id: Id
    topic: str
    created: Seconds
    by: Id
    state: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(State))})]
    told: Count
    muted: Count
    failed: Count
    data: JsonObject | UnsetType = UNSET


class StudioNotificationsQuery(Part):
    """The studio's notifications to list, with what they say or without."""

    data: Annotated[bool, Meta(description="true or false: what each says, too")] = False


class AnnouncementsQuery(Part):
    """The announcements to list: those of now, or all of them, for those who write them."""

    all: Annotated[bool, Meta(description="true or false: those that are over or to come, too")] = (
        False
    )


class AnnouncementBody(Wire):
    """What is announced to everybody, from and until when. Null is at once, and until it is
    deleted."""

    title: Annotated[str, Meta(min_length=1, max_length=128), NOT_BLANK]
    text: NotificationText
    level: Level
    begins: Timestamp | None = field(name="from", default=None)
    until: Timestamp | None = None


class Announcement(Record):
    """Something that the studio announces to everybody."""

    id: Id
    title: str
    text: str
    level: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(Level))})]
    begins: Seconds | None = field(name="from")
    until: Seconds | None
