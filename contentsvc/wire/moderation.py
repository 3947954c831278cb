"""Reports, warnings, clearing, holds, the audit log, accounts as moderators see them, and
statistics (moderation#reports, moderation#the-queue, moderation#warnings, moderation#clearing,
moderation#holds, moderation#actions, moderation#accounts, studio#statistics)."""

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
    """What was reported. The id of a comment is its number, and `content` is the content that it is
    on. The id of a file is its sha256. `user` is the sender of a message."""

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
"""What an admin can do that others cannot (moderation#actions)."""
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
"""The kinds of what an admin acts on."""
AdminKind = Literal["user", "service", "operator"]
"""Who acts: a user, a service account, or the operator with a command."""
ACTS: Final[tuple[str, ...]] = get_args(Act)
SUBJECT_KINDS: Final[tuple[str, ...]] = get_args(SubjectKind)


class Subject(Record):
    """What an admin acted on (moderation#actions). The id of a comment is its number, that of a
    file its sha256."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": [*SUBJECT_KINDS]})]
    id: str


class AuditLogEntry(Record, omit_defaults=True):
    """What an admin did, and could do only as an admin (moderation#actions). `adminKind` says
    whether `admin` is the id of a user or of a service account. If it is `operator`, somebody has
    used a command, and `admin` is the nil GUID. `reason` is empty if none was given. `decision` is
    the id of the decision that this belongs to; null if there is none. `counts` is there if the
    action was about several things: how many of each kind."""

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
    """The actions to list, which match all members. `subject` is the id of what they were about,
    and `kind` its kind. `admin` is the id of who acted, and `adminKind` says whether that is a
    user, a service account or the operator."""

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
    """The new address of a user, and why (moderation#accounts)."""

    email: Email
    reason: ActReason


Clearable = Literal["content", "comments", "collections"]
"""What can be removed of a user at once (moderation#clearing)."""
CLEARABLE: Final[tuple[Clearable, ...]] = get_args(Clearable)
"""In the order in which it is removed."""


class UserClearance(Wire):
    """What to remove of a user, and why: one or more of `content`, `comments` and `collections`
    (moderation#clearing)."""

    what: Annotated[list[Clearable], Meta(min_length=1, max_length=3)]
    reason: ActReason


class ClearableCounts(Record):
    """How much there is of a user that can be removed at once (moderation#clearing). Of content and
    comments only the newest 1,000 are looked at. Of collections at most 1,000 are counted."""

    content: Count
    comments: Count
    collections: Count


class WarningBody(Wire):
    """A warning (moderation#warnings). If the user has already got one with the same `id`, nothing
    happens."""

    reason: Annotated[str, Meta(min_length=1, max_length=4096)]
    id: Guid | None = None


HoldKind = Literal["content", "user", "file"]
"""What can be held (moderation#holds)."""
HoldState = Literal["copying", "kept", "failed"]
"""`copying`: the copy is not complete yet. `failed`: some files were lost before they could be
copied; all others are kept."""


class HoldBody(Wire):
    """Why something is held, and until when: at most 5 years from now (moderation#holds). Without
    `until` it is one year."""

    reason: ActReason
    until: Timestamp | None = None


class Escalation(Record):
    """A note that the copy of a hold was given to somebody, such as an authority: to whom, when,
    and under which reference. `by` is who wrote the note (moderation#holds)."""

    id: Id
    to: str
    reference: str
    at: Seconds
    note: str
    by: Id
    created: Seconds


class EscalationBody(Wire):
    """To whom the copy of a hold was given, and when. Another one with the same id replaces it."""

    to: Annotated[
        str,
        Meta(min_length=1, max_length=256, examples=["police of the capital"]),
        NOT_BLANK,
    ]
    reference: Annotated[str, Meta(max_length=256, examples=["case 26/1187"])]
    at: Annotated[int, Meta(ge=0, le=253_402_300_799, description="a moment in Unix seconds")]
    note: ReportText = ""


class HoldsQuery(Part):
    """A part of the holds. With `kind`, only those of this kind."""

    kind: Annotated[HoldKind, Meta(description="what is held")] | None = None


class Hold(Record):
    """A hold (moderation#holds). The `id` of a held file is its sha256. `by` is who placed the
    hold. `bytes` is the size of its files."""

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
    """A file of a hold. `size` is in bytes. `url` and `expires` are null if the bytes are not
    kept."""

    path: str
    sha256: str
    size: Annotated[int, described("a number of bytes")]
    media_type: str
    url: str | None
    expires: Seconds | None


class HeldCopy(Record):
    """The copy of what is held: the `record` as it was, and the files (moderation#holds)."""

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
"""The reasons of reports and of notices."""


class ReportBody(Wire):
    """Why something is reported (moderation#reports)."""

    reason: Reason
    text: ReportText = ""


class UserReportBody(ReportBody):
    """Why a user is reported. `messages` are ids of messages that the caller has received from
    them."""

    messages: Annotated[list[Guid], Meta(max_length=20)] = []


class ReportsQuery(Part):
    """A part of the reports of a subject. If that is a message, `user` is its sender."""

    user: Guid | None = None


class SenderQuery(Wire):
    """If the subject is a message, `user` is its sender."""

    user: Guid | None = None


class QueueQuery(SortedPart):
    """A part of the queue (moderation#the-queue): only subjects of this kind, or with open reports
    of this reason."""

    kind: Annotated[ReportedKind, Meta(description="what is reported")] | None = None
    reason: Annotated[AnyReason, Meta(description="a reason of open reports")] | None = None
    sort: Annotated[Literal["reports", "due"], Meta(description="what comes first")] = "reports"


class QueuedSubject(Record):
    """A subject with open reports (moderation#the-queue). `reports` is how many there are,
    `notices` how many of these are notices, and `reasons` how many have each reason. `first` and
    `last` are the times of the oldest and the newest, and `upTo` is the id of the newest. `due` is
    when the first must be answered. `author` is the user who has made the subject, or who is the
    subject; null if that user has left. `excerpt` and `thumbnailUri` are of what the subject shows
    now: null if it shows no text, or no picture."""

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
    """A report (moderation#reports). `evidence` is the subject as it was then. A notice makes a
    report too: `notice` is its id, and there is no reporter."""

    id: Id
    reporter: Id | None
    notice: Id | None
    reason: str
    text: str
    evidence: JsonObject
    created: Seconds
    state: Annotated[str, Meta(extra_json_schema={"enum": ["open", "upheld", "dismissed"]})]


class ReportDecision(Wire):
    """What is decided about the open reports of a subject up to the one with the id `upTo`
    (moderation#the-queue)."""

    outcome: Literal["upheld", "dismissed"]
    up_to: Guid
    note: ReportText = ""


class UserLookup(Wire):
    """The account to find: by its address, its username, or both (moderation#accounts)."""

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
    """An account, as moderators see it (moderation#accounts). `email` is "" if the account has no
    address. `email` and `identities` are null without the permission `users.read`. `sessions` is
    how many log-ins have not ended. `identities` are the newest 200."""

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
    """A user whose role is not player, and since when the user has this role (studio#roles)."""

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
    """The first and the last day (studio#statistics). Without `to` it is today, without `from` 29
    days before `to`."""

    first: Day | None = field(name="from", default=None)
    last: Day | None = field(name="to", default=None)


class DayStatistics(Record):
    """The numbers of a day of UTC (studio#statistics). `registered` are new full accounts, also
    those that guests have become, and `guests` are new guests. `active` are the users who logged in
    or renewed a log-in. `downloads` are the files that were downloaded, and `bytes` their bytes."""

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
