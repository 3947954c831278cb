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
"""What happens of which a back end may hear."""
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
"""Seconds for which a reader may wait."""

EventNumber = Annotated[int, described("the number of an event: each is above the one before")]
_AFTER: Final = Meta(ge=0, le=2**63 - 1, description="a number: that of the last event read")


class EventSubject(Record, omit_defaults=True):
    """What an event is about. The id of a comment is its number, and `content` is what it is on;
    that of a file is its sha256. That of a message is its sender's, who is in the data."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(EventSubjectKind))})]
    id: str
    content: Id | UnsetType = UNSET


class EventData(Record, omit_defaults=True, kw_only=True):
    """What an event says beside its subject. Which members it has follows from its kind. A later
    release may have others."""

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
    """Something that has happened, at `created`. `actor` is the id of the user or the service that
    did it; null where nobody did, or nobody is to be named."""

    number: EventNumber
    kind: Annotated[str, Meta(extra_json_schema={"examples": ["CommentPosted"]})]
    created: Seconds
    actor: Id | None
    subject: EventSubject
    data: EventData


class EventQuery(Wire):
    """The events to read: those after the number `after`, 0 for the oldest that is kept. Without
    it, none: `next` says where to begin. With `wait`, the answer comes when there are some."""

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
    """Events in the order of their numbers. `next` is the `after` of the next call. Nothing appears
    at or below it later."""

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
    """Where events are sent, of which kinds (null for all, those of later releases too), and
    whether they are sent now."""

    url: WebhookUrl
    kinds: WebhookKinds | None
    enabled: bool


class Webhook(Record):
    """A webhook, and how far it is: `delivered` is the number of the last event that it has got, or
    of the newest one that was there before it; `newest` that of the newest event of all."""

    replaced: ClassVar = ("id", "url", "kinds", "enabled")
    """What an If-Match knows it by (see framework.http.reply): the rest changes all the time."""

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
    """What signs the requests. Nothing shows it again."""

    secret: Annotated[str, Meta(extra_json_schema={"examples": ["whsec_bm90IGEgcmVhbCBzZWNyZXQ="]})]


class WebhookTest(Record):
    """What came of a test: the status of the answer, or why there was none, and how long it
    took."""

    status: Annotated[int, described("the status of the answer")] | None
    error: Annotated[str, described("why it does not count as delivered")] | None
    milliseconds: Annotated[int, described("how long it took")]


class WebhookDelivery(Record):
    """The body of a request to a webhook."""

    webhook: Id
    events: list[Event]
