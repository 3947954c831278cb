"""Notifications of users (notifications#kinds, notifications#list), and what the studio tells them:
its notifications and announcements (studio#notifications, studio#announcements).

Each kind is a Struct whose tag is the kind. The service makes one with its extra fields only; `id`,
`created` and `read` come from the stored row.
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
    """A message of a friend. `message` is its id, if it is stored. If the message was taken away,
    `removed` is true and the text is empty (social#unsending)."""

    sender: Guid
    text: str
    message: Guid | UnsetType = UNSET
    removed: bool | UnsetType = UNSET


class NewFollower(Notification, tag="NewFollower"):
    """Another user follows the user."""

    sender: Guid


class Debug(Notification, tag="Debug"):
    """A notification that debug/notify has sent (notifications#debug)."""

    text: str


class PartyInvite(Notification, tag="PartyInvite"):
    """Another user invites the user to a party."""

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
    """An admin has suspended a content of the user. `decision` is the id of the decision."""

    content: Guid
    reason: str
    decision: Guid | UnsetType | None = UNSET


class ContentRestored(Notification, tag="ContentRestored"):
    """An admin has restored a content of the user. `decision` is the id of the decision that this
    reverses; null if the content was suspended without one."""

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
    """Somebody else has deleted a comment of the user. `decision` is the id of the admin's
    decision; null if the author of the content has deleted the comment."""

    content: Guid
    comment: CommentNumber
    reason: str
    decision: Guid | UnsetType | None = UNSET


class AccountWarning(Notification, tag="AccountWarning"):
    """An admin warns the user. `decision` is the id of the decision."""

    reason: str
    decision: Guid | UnsetType | None = UNSET


class DecisionTaken(Notification, tag="DecisionTaken"):
    """An admin has taken a decision that concerns the user, and that has no kind of its own:
    `action` says which (moderation#decisions)."""

    decision: Guid
    action: str
    subject: DecidedSubject


class DecisionReversed(Notification, tag="DecisionReversed"):
    """A decision that concerned the user was reversed (moderation#reversals)."""

    decision: Guid
    reason: str


class AppealDecided(Notification, tag="AppealDecided"):
    """A moderator has answered an appeal of the user, against a `decision`, or against the outcome
    of the user's report of a `subject` (moderation#answers)."""

    outcome: Annotated[str, Meta(extra_json_schema={"enum": ["confirmed", "reversed"]})]
    reason: str
    decision: Guid | UnsetType = UNSET
    subject: ReportedSubject | UnsetType = UNSET


class ReportResolved(Notification, tag="ReportResolved"):
    """An admin has decided about what the user had reported."""

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
    """A content was suspended, restored or deleted, and content of the user depends on it
    (notifications#dependents). `status` is its status now. `contents` is how many of the user's
    contents depend on it, and `content` is the newest of them."""

    dependency: Guid
    status: Annotated[str, Meta(extra_json_schema={"enum": ["active", "suspended", "deleted"]})]
    content: Guid
    contents: Count


class SubscriptionUpdated(Notification, tag="SubscriptionUpdated"):
    """A content to which the user subscribes has a new revision (notifications#subscribers)."""

    content: Guid
    revision: Guid


class TesterInvited(Notification, tag="TesterInvited"):
    """An author invites the user to test a content (content#members)."""

    content: Guid
    sender: Guid


class MemberInvited(Notification, tag="MemberInvited"):
    """An author invites the user to become a member of a content. Members may edit it
    (content#members)."""

    content: Guid
    sender: Guid


class ChallengeWon(Notification, tag="ChallengeWon"):
    """A content of the user has won a design challenge."""

    challenge: Guid
    content: Guid


class ChallengeParticipated(Notification, tag="ChallengeParticipated"):
    """A design challenge has closed. The user has taken part in it with this content."""

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
    """A notification of the studio (studio#notifications). The studio chooses what `data` contains.
    From `expires` on, clients do not show the notification."""

    topic: str
    data: JsonObject
    expires: Seconds | UnsetType = UNSET


class Deleted(Notification, tag="Deleted"):
    """A notification that the user has deleted (notifications#deleting). Only the socket sends it,
    from the backlog. Its `read` is true."""


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
"""All kinds but Deleted."""
NOT_MUTABLE = frozenset(
    {
        *("ContentSuspended", "ContentRestored", "AccountWarning", "CommentRemoved"),
        *("DecisionTaken", "DecisionReversed", "AppealDecided"),
    }
)
"""The kinds that nobody can mute (notifications#muting)."""
OF_TOPIC = f"{tag_of(Studio)}:"
"""Before a topic, it is the name by which a user mutes only that topic of the studio
(notifications#muting)."""
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
"""The list of kinds is only in the document; the handler reports a kind that does not fit."""
_muted = re.compile(rf"({'|'.join(KINDS)}|{OF_TOPIC}{_TOPIC})")


def can_be_named(kind: str) -> bool:
    """Whether a user can name this in the list of muted kinds: a kind, or one topic of the studio
    (notifications#muting)."""
    return _muted.fullmatch(kind) is not None


def notification_json(id: str, created: int, read: bool, data: str) -> bytes:
    """The JSON object of a stored notification, the same in REST and on the socket.

    `created` is in Unix seconds. `data` is the stored kind: a JSON object that starts with the tag.
    The common fields go before its members, so that it need not be decoded.
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
    """The kinds of notifications that the user has muted (notifications#muting)."""

    muted: Annotated[list[MutedKind], Meta(max_length=256)]


class NotificationSettingsAnswer(Record):
    """The kinds of notifications that the user has muted (notifications#muting). A later release
    may have other kinds."""

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
    """A notification of the studio to the users in `to` (studio#notifications). `data` has at most
    4 KiB."""

    to: Annotated[list[Guid], Meta(min_length=1, max_length=1000)]


class AudienceOf(Wire):
    """An audience: the followers of a user, or the entrants of a design challenge. The body has
    exactly one of the two."""

    followers_of: Guid | None = None
    entrants_of: Guid | None = None


class StudioNotificationToAudience(_StudioNotificationBody, kw_only=True):
    """A notification of the studio to everybody, or to an audience (studio#notifications). `data`
    has at most 4 KiB."""

    audience: Literal["everybody"] | AudienceOf


class StudioNotification(Record):
    """A notification of the studio (studio#notifications). `told` is how many users have got it,
    `muted` how many have muted it, and `failed` how many could not get it, because they have left,
    or had too many on this day. `data` is there only if the query asks for it, as the studio sent
    it."""

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
    """A part of the studio's notifications. With `data`, each has its `data` too."""

    data: Annotated[bool, Meta(description="true or false: what each says, too")] = False


class AnnouncementsQuery(Part):
    """A part of the announcements: the current ones (studio#announcements). With `all`, callers who
    may write announcements get past and future ones too."""

    all: Annotated[bool, Meta(description="true or false: those that are over or to come, too")] = (
        False
    )


class AnnouncementBody(Wire):
    """An announcement to everybody (studio#announcements). It is current from `from` until just
    before `until`. Null is at once, and until it is deleted."""

    title: Annotated[str, Meta(min_length=1, max_length=128), NOT_BLANK]
    text: NotificationText
    level: Level
    begins: Timestamp | None = field(name="from", default=None)
    until: Timestamp | None = None


class Announcement(Record):
    """An announcement of the studio to everybody (studio#announcements). It is current from `from`
    until just before `until`. Null is at once, and until it is deleted."""

    id: Id
    title: str
    text: str
    level: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(Level))})]
    begins: Seconds | None = field(name="from")
    until: Seconds | None
