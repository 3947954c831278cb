"""Events for the studio's back end (studio#events)."""

from typing import Annotated, ClassVar, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import Id, Record, Seconds, Wire, described
from contentsvc.wire.files import ByteCount

EventKind = Literal[
    "UserRegistered",
    "GuestBecameUser",
    "UserDeleted",
    "UserBanned",
    "BanLifted",
    "RoleChanged",
    "UserRenamed",
    "ContentPublished",
    "RevisionPublished",
    "ContentChanged",
    "ContentStatus",
    "ContentVisibility",
    "CommentPosted",
    "CommentRemoved",
    "FileStored",
    "ReportOpened",
    "ReportResolved",
    "DecisionTaken",
    "DecisionReversed",
    "AppealOpened",
    "NoticeFiled",
    "ChallengeEntered",
    "ChallengeClosed",
    "WebhookDisabled",
]
"""The kinds of events."""
EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)
EventSubjectKind = Literal[
    "user",
    "content",
    "comment",
    "collection",
    "file",
    "message",
    "challenge",
    "webhook",
    "notice",
    "appeal",
]
MOST_WAIT: Final = 30
"""The most seconds for which a reader may wait."""

EventNumber = Annotated[int, described("the number of an event: each is above the one before")]
_AFTER: Final = Meta(ge=0, le=2**63 - 1, description="a number: that of the last event read")


class EventSubject(Record, omit_defaults=True):
    """What an event is about. The id of a comment is its number, and `content` is the content that
    it is on. The id of a file is its sha256. The id of a message is unique only together with its
    sender, who is `sender` in the data."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(EventSubjectKind))})]
    id: str
    content: Id | UnsetType = UNSET


class EventData(Record, omit_defaults=True, kw_only=True):
    """The details of an event. Its kind says which members they have. A later release may have
    other members."""

    author: Annotated[Id, described("of the content that was published")] | UnsetType = UNSET
    revision: Annotated[Id, described("the revision that was published")] | UnsetType = UNSET
    type: Annotated[str, described("the content's type")] | UnsetType = UNSET
    status: Annotated[str, described("what the content shows since")] | UnsetType = UNSET
    visibility: Annotated[str, described("who sees the content since")] | UnsetType = UNSET
    until: Annotated[Seconds, described("the end of the ban")] | UnsetType | None = UNSET
    role: Annotated[str, described("the new role")] | UnsetType = UNSET
    guest: Annotated[bool, described("whether a guest was made")] | UnsetType = UNSET
    size: Annotated[ByteCount, described("bytes of the file")] | UnsetType = UNSET
    use: Annotated[str, described("what the file was announced for")] | UnsetType = UNSET
    reason: Annotated[str, described("the reason of the report: a word")] | UnsetType = UNSET
    outcome: Annotated[str, described("what was decided about reports")] | UnsetType = UNSET
    action: Annotated[str, described("what was decided about the subject")] | UnsetType = UNSET
    sender: Annotated[Id, described("who has sent the message")] | UnsetType = UNSET
    entry: Annotated[Id, described("the content that was entered")] | UnsetType = UNSET
    winners: Annotated[list[Id], described("the entries that have won")] | UnsetType = UNSET


class Event(Record):
    """Something that happened at `created`. `actor` is the id of the user or the service account
    that did it; null if nobody did, or nobody is to be named."""

    number: EventNumber
    kind: Annotated[str, Meta(extra_json_schema={"examples": ["CommentPosted"]})]
    created: Seconds
    actor: Id | None
    subject: EventSubject
    data: EventData


class EventQuery(Wire):
    """The events to read (studio#events): those after the number `after`; 0 begins with the oldest
    that is stored. Without `after` there are none, and `next` says where to begin. `wait` is in
    seconds: if there are no events, the answer waits so long for the first."""

    after: Annotated[int, _AFTER] | None = None
    kinds: (
        Annotated[
            str,
            Meta(
                description="a comma list of kinds",
                extra_json_schema={"examples": ["ContentPublished,RevisionPublished"]},
            ),
        ]
        | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="a number: the most items")] = 200
    wait: Annotated[
        int, Meta(ge=0, le=MOST_WAIT, description="a number: seconds to wait for the first")
    ] = 0


class EventPage(Record):
    """Events in the order of their numbers. `next` is the `after` of the next call. No event with
    this or a lower number appears later."""

    items: list[Event]
    next: EventNumber


LONGEST: Final = 2048

WebhookUrl = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=LONGEST,
        pattern=r"^[!-~]+\Z",
        description="an absolute URL of ASCII characters",
        examples=["https://hooks.studio.example/contentsvc"],
    ),
]
WebhookKinds = Annotated[list[EventKind], Meta(min_length=1, max_length=64)]


class WebhookBody(Wire):
    """The URL that events are sent to, their kinds (null: all kinds, also those of later releases),
    and whether they are sent now (studio#webhooks)."""

    url: WebhookUrl
    kinds: WebhookKinds | None
    enabled: bool


class Webhook(Record):
    """A webhook, and how far its delivery is (studio#webhooks). `delivered` is the number of the
    last event that it has got, or at first of the newest event before the webhook was made.
    `newest` is the number of the newest event of all kinds."""

    replaced: ClassVar = ("id", "url", "kinds", "enabled")
    """The members that an If-Match compares (see framework.http.preconditions), because the others
    change all the time."""

    id: Id
    url: str
    kinds: list[str] | None
    enabled: bool
    delivered: EventNumber
    newest: EventNumber
    failing_since: (
        Annotated[Seconds, described("since when it gets nothing, in Unix seconds")] | None
    )
    last_error: Annotated[str, described("why it got nothing the last time")] | None


class WebhookSecret(Record):
    """The secret that signs the requests to a webhook. Only this answer shows it."""

    secret: Annotated[str, Meta(extra_json_schema={"examples": ["whsec_bm90IGEgcmVhbCBzZWNyZXQ="]})]


class WebhookTest(Record):
    """The result of a test: the status of the receiver's answer, why it does not count as
    delivered, and how long it took."""

    status: Annotated[int, described("the status of the answer")] | None
    error: Annotated[str, described("why it does not count as delivered")] | None
    milliseconds: Annotated[int, described("how long it took")]


class WebhookDelivery(Record):
    """The body of a request to a webhook (studio#webhooks)."""

    webhook: Id
    events: list[Event]
