"""Reports, warnings, and the audit log (moderation#moderation)."""

from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType, field

from contentsvc.wire.accounts import Ban, Email, Identity, Role, UserInfo
from contentsvc.wire.base import (
    NOT_BLANK,
    TYPED,
    Count,
    Guid,
    Id,
    JsonObject,
    Part,
    Record,
    Seconds,
    SortedPart,
    Timestamp,
    Wire,
    described,
)
from contentsvc.wire.comments import Comment
from contentsvc.wire.decisions import SubjectId

ReportedKind = Literal["content", "comment", "user", "collection", "file", "message"]


class ReportedSubject(Record, omit_defaults=True):
    """What was reported. The id of a comment is its number; then `content` is the content that it
    is on. That of a file is its sha256. `user` is who has sent a message."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(ReportedKind))})]
    id: str
    content: Id | UnsetType = UNSET
    user: Id | UnsetType = UNSET


Act = Literal[
    "content_suspended",
    "content_restored",
    "content_featured",
    "content_unfeatured",
    "content_changed",
    "staff_tags_changed",
    "content_renamed",
    "visibility_changed",
    "revision_published",
    "revision_selected",
    "revision_requires",
    "comments_locked",
    "comments_unlocked",
    "comment_deleted",
    "comment_restored",
    "message_removed",
    "message_restored",
    "collection_deleted",
    "user_changed",
    "profile_cleared",
    "profile_restored",
    "user_banned",
    "ban_lifted",
    "user_warned",
    "warning_withdrawn",
    "user_restricted",
    "restriction_lifted",
    "user_cleared",
    "user_renamed",
    "email_changed",
    "token_issued",
    "password_set",
    "challenge_created",
    "challenge_changed",
    "challenge_closed",
    "challenge_deleted",
    "entry_removed",
    "reward_removed",
    "file_blocked",
    "file_unblocked",
    "announcement_created",
    "announcement_changed",
    "announcement_deleted",
    "notification_sent",
    "notification_stopped",
    "report_upheld",
    "report_dismissed",
    "reversal_noted",
    "appeal_confirmed",
    "appeal_reversed",
    "hold_placed",
    "hold_changed",
    "hold_erased",
    "hold_read",
    "hold_escalated",
    "role_changed",
    "service_account_created",
    "service_account_changed",
    "service_account_deleted",
    "service_secret_created",
    "service_secret_deleted",
    "webhook_created",
    "webhook_changed",
    "webhook_deleted",
    "webhook_secret_created",
]
"""What an admin can do that others cannot."""
SubjectKind = Literal[
    "content",
    "comment",
    "message",
    "user",
    "collection",
    "challenge",
    "file",
    "announcement",
    "notification",
    "service_account",
    "webhook",
]
"""To what an admin can do it."""
AdminKind = Literal["user", "service", "operator"]
"""Who did it."""
ACTS: Final[tuple[str, ...]] = get_args(Act)
SUBJECT_KINDS: Final[tuple[str, ...]] = get_args(SubjectKind)


class Subject(Record):
    """What an admin acted on. The id of a comment is its number, that of a file its sha256."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": [*SUBJECT_KINDS]})]
    id: str


class AuditLogEntry(Record, omit_defaults=True):
    """What an admin did, and could do only as an admin. `adminKind` says whether `admin` is the id
    of a user or of a service account, or the operator has used a command: then it is the nil GUID.
    `reason` is empty if none was given. `decision` is the id of the decision that it is of, null if
    there is none. `counts` is there if it was about several things: how many of each kind."""

    id: Id
    admin: Id
    admin_kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(AdminKind))})]
    action: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(Act))})]
    subject: Subject
    reason: str
    created: Seconds
    decision: Id | None
    counts: (
        Annotated[dict[str, Count], described("what it was about", examples=[{"comments": 12}])]
        | None
    ) = None


_ACT = f"({'|'.join(ACTS)})"


class ActionsQuery(Part):
    """The acts to list, which have all of these. `subject` is the id of what they were about and
    `kind` its kind, `admin` the id of who did them and `adminKind` whether that is a user, a
    service account or the operator."""

    subject: SubjectId | None = None
    admin: Guid | None = None
    action: (
        Annotated[
            str,
            Meta(
                description="a comma list of actions, or all",
                extra_json_schema={
                    "pattern": rf"^(all|{_ACT}(,{_ACT})*)\Z",
                    "examples": ["user_banned,ban_lifted"],
                },
            ),
        ]
        | None
    ) = None
    kind: Annotated[SubjectKind, Meta(description="what was acted on")] | None = None
    admin_kind: Annotated[AdminKind, Meta(description="who acted")] | None = None


ActReason = Annotated[str, Meta(min_length=1, max_length=4096)]
ReportText = Annotated[str, Meta(max_length=4096)]


class EmailReplacement(Wire):
    """The address that a user is to have, and why."""

    email: Email
    reason: ActReason


Clearable = Literal["content", "comments", "collections"]
"""What of a user can be taken away at once."""
CLEARABLE: Final[tuple[Clearable, ...]] = get_args(Clearable)
"""In the order in which it goes."""


class UserClearance(Wire):
    """What of a user is to go, and why: one or more of `content`, `comments` and `collections`."""

    what: Annotated[list[Clearable], Meta(min_length=1, max_length=3)]
    reason: ActReason


class ClearableCounts(Record):
    """How much of a user there is that can be taken away at once. Of content and comments the
    newest 1,000 are looked at, and of collections as many are counted."""

    content: Count
    comments: Count
    collections: Count


class WarningBody(Wire):
    """A warning. If one with the same `id` has come to the user before, nothing happens."""

    reason: Annotated[str, Meta(min_length=1, max_length=4096)]
    id: Guid | None = None


HoldKind = Literal["content", "user", "file"]
"""What can be held."""
HoldState = Literal["copying", "kept", "failed"]
"""copying: not all is kept yet. failed: all is kept that there was, and some of it was lost before
that."""


class HoldBody(Wire):
    """Why something is held, and until when: at most 5 years from now; a year without it."""

    reason: ActReason
    until: Timestamp | None = None


class Escalation(Record):
    """To whom what is held was given, such as an authority: when, under which reference, and who
    has noted it."""

    id: Id
    to: str
    reference: str
    at: Seconds
    note: str
    by: Id
    created: Seconds


class EscalationBody(Wire):
    """To whom what is held was given, and when. Another one with the same id replaces it."""

    to: Annotated[
        str,
        Meta(min_length=1, max_length=256, examples=["police of the capital"]),
        NOT_BLANK,
    ]
    reference: Annotated[str, Meta(max_length=256, examples=["case 26/1187"])]
    at: Annotated[int, Meta(ge=0, le=253_402_300_799, description="a moment in Unix seconds")]
    note: ReportText = ""


class HoldsQuery(Part):
    """Only what is held of this kind."""

    kind: Annotated[HoldKind, Meta(description="what is held")] | None = None


class Hold(Record):
    """Something that is held. The `id` of a file is its sha256. `by` is who has placed it, and
    `bytes` those of its files."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(HoldKind))})]
    id: str
    reason: str
    until: Seconds
    by: Id
    created: Seconds
    state: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(HoldState))})]
    bytes: Annotated[int, described("a number of bytes")]
    escalations: list[Escalation]


class HeldFile(Record):
    """A file of what is held. `url` and `expires` are null if its bytes are not kept."""

    path: str
    sha256: str
    size: Annotated[int, described("a number of bytes")]
    media_type: str
    url: str | None
    expires: Seconds | None


class HeldCopy(Record):
    """What is held: the `record` as it was, and the files."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(HoldKind))})]
    id: str
    reason: str
    until: Seconds
    by: Id
    created: Seconds
    state: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(HoldState))})]
    record: JsonObject
    files: list[HeldFile]


Reason = Literal["spam", "abuse", "sexual", "violence", "copyright", "cheating", "other"]
AnyReason = Literal[
    "spam",
    "abuse",
    "sexual",
    "violence",
    "copyright",
    "cheating",
    "other",
    "illegal",
    "intimate",
    "child",
    "trademark",
    "personal",
]
"""Those of reports and of notices."""


class ReportBody(Wire):
    """Why something is reported."""

    reason: Reason
    text: ReportText = ""


class UserReportBody(ReportBody):
    """Why a user is reported. `messages` are ids of messages that the caller has received from
    them."""

    messages: Annotated[list[Guid], Meta(max_length=20)] = []


class ReportsQuery(Part):
    """A part of the reports of a subject. `user` is who has sent it, of a message alone."""

    user: Guid | None = None


class SenderQuery(Wire):
    """Which subject it is: `user` is who has sent it, of a message alone."""

    user: Guid | None = None


class QueueQuery(SortedPart):
    """A part of the queue: only subjects of this kind, or with open reports of this reason."""

    kind: Annotated[ReportedKind, Meta(description="what is reported")] | None = None
    reason: Annotated[AnyReason, Meta(description="a reason of open reports")] | None = None
    sort: Annotated[Literal["reports", "due"], Meta(description="what comes first")] = "reports"


class QueuedSubject(Record):
    """A subject with open reports: how many there are, how many of these are notices, how many have
    each reason, when the first and the last of them were made, and when the first is `due`: to be
    answered. `upTo` is the id of the last. `author` is who has made the subject, or
    is it; null if they have left. `excerpt` and `thumbnailUri` are of what it shows now: null if it
    shows no text, or no picture."""

    subject: ReportedSubject
    reports: Count
    notices: Count
    reasons: dict[str, Count]
    first: Seconds
    last: Seconds
    due: Seconds
    up_to: Id
    author: UserInfo | None
    excerpt: Annotated[str | None, described("at most 200 characters", examples=["Castle run"])]
    thumbnail_uri: str | None


class Report(Record):
    """A report. `evidence` is the subject's text as it was then. A notice is one too: it has the id
    of that in `notice`, and no reporter."""

    id: Id
    reporter: Id | None
    notice: Id | None
    reason: str
    text: str
    evidence: JsonObject
    created: Seconds
    state: Annotated[str, Meta(extra_json_schema={"enum": ["open", "upheld", "dismissed"]})]


class ReportDecision(Wire):
    """What is decided about the open reports of a subject up to the one with the id `upTo`."""

    outcome: Literal["upheld", "dismissed"]
    up_to: Guid
    note: ReportText = ""


class UserLookup(Wire):
    """The account to find: by its address, its username, or both."""

    email: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=254,
                description="an account's whole address, whatever the case",
                examples=["mira@example.com"],
            ),
            TYPED,
        ]
        | None
    ) = None
    name: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=32,
                description="a whole username, whatever the case",
                examples=["mira"],
            ),
            TYPED,
        ]
        | None
    ) = None


class ModeratedUser(Record):
    """An account, as those see it who keep order. `email` is "" if the account has no address.
    `sessions` is how many log-ins have not ended. `identities` are the newest 200."""

    user: UserInfo
    email: str | None
    email_verified: bool
    role: Role
    guest: Annotated[bool, described("whether it is a guest, and no full account yet")]
    created: Seconds
    ban: Ban | None
    sessions: Count
    identities: list[Identity] | None


class StaffMember(Record):
    """Somebody who is no player, with the moment since which they have the role."""

    user: UserInfo
    role: Role
    since: Seconds


class IdentityLookup(Wire):
    """An account of another service."""

    issuer: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=512,
            description="an issuer: who vouches for the account, as the identity shows it",
            examples=["https://login.example.com"],
        ),
    ]
    subject: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=255,
            description="an account's name there, case and all",
            examples=["76561197960287930"],
        ),
    ]


class IdentityOwner(Record):
    """The user to whom an account of another service is linked, and since when."""

    user: UserInfo
    linked: Seconds


class UserComment(Record):
    """A comment of a user, and the content that it is on."""

    content: Id
    comment: Comment


Day = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}\Z",
        description="a day of UTC",
        examples=["2026-11-22"],
        extra_json_schema={"format": "date"},
    ),
]
Number = Annotated[int, described("how many on this day", bits=64)]


class StatisticsQuery(Wire):
    """The first and the last day. Without `to` it is today, without `from` 29 days before `to`."""

    first: Day | None = field(name="from", default=None)
    last: Day | None = field(name="to", default=None)


class DayStatistics(Record):
    """A day of UTC. `registered` are new full accounts, of guests too, and `guests` the new guests;
    `active` the users who logged in or renewed a log-in; `downloads` the files that were handed
    out, and `bytes` their bytes."""

    day: Annotated[str, described("a day of UTC", examples=["2026-11-22"])]
    registered: Number
    guests: Number
    active: Number
    deleted: Number
    published: Number
    revised: Number
    comments: Number
    messages: Number
    ratings: Number
    downloads: Number
    bytes: Number
