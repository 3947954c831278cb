"""Decisions of moderators (moderation#decisions)."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType, field

from contentsvc.wire.base import (
    GUID_PATTERN,
    Guid,
    Id,
    Part,
    Record,
    Seconds,
    Wire,
    described,
)

_GUID = GUID_PATTERN.removeprefix("^").removesuffix(r"\Z")
DecisionAction = Literal[
    "suspend",
    "remove",
    "lock_comments",
    "clear_profile",
    "warn",
    "ban",
    "restrict",
    "block_file",
]
"""What a moderator can decide."""
DecidedKind = Literal["content", "comment", "user", "file", "message"]
"""The kinds of subjects of decisions."""
Restricted = Literal["publish", "comment", "message", "rate", "report"]
"""What a restriction can keep a user from (moderation#restrictions)."""
AppealState = Literal["open", "confirmed", "reversed"]
"""The state of an appeal (moderation#appeals)."""
APPEAL_STATES: Final[tuple[AppealState, ...]] = get_args(AppealState)
DECISION_ACTIONS: Final[tuple[DecisionAction, ...]] = get_args(DecisionAction)
DECIDED_KINDS: Final[Mapping[DecisionAction, tuple[DecidedKind, ...]]] = {
    "suspend": ("content",),
    "remove": ("comment", "message"),
    "lock_comments": ("content",),
    "clear_profile": ("user",),
    "warn": ("user",),
    "ban": ("user",),
    "restrict": ("user",),
    "block_file": ("file",),
}
"""The kinds of subjects of each action."""
_BASES: Final = ("terms", "illegal")
_SOURCES: Final = ("own", "report", "trusted", "order")
_AUTOMATED: Final = ("no", "detected", "decided")
Explanation = Annotated[str, Meta(min_length=1, max_length=4096)]


class GroundBody(Wire, kw_only=True):
    """Why something is decided (moderation#decisions). `basis` says whether it breaks the terms or
    the law, and `reference` which clause or which law. `source` is how it was found: by the
    service's own people, a report, a trusted flagger, or an order of an authority. `automated` says
    whether a program has only detected it, or has decided it too."""

    basis: Literal["terms", "illegal"]
    reference: Annotated[str, Meta(min_length=1, max_length=500)]
    explanation: Explanation
    category: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    source: Literal["own", "report", "trusted", "order"]
    notice: Guid | None = None
    automated: Literal["no", "detected", "decided"]


class Ground(Record):
    """Why something was decided: see the body of the decision. `explanation` is empty if nobody has
    given a reason. `notice` is the id of the notice by which it was found."""

    basis: Annotated[str, Meta(extra_json_schema={"enum": [*_BASES]})]
    reference: str
    explanation: str
    category: str | None
    source: Annotated[str, Meta(extra_json_schema={"enum": [*_SOURCES]})]
    notice: Id | None
    automated: Annotated[str, Meta(extra_json_schema={"enum": [*_AUTOMATED]})]


class SubjectBody(Wire):
    """The subject of a decision: a content item, a comment, a user, a file or a message. The id of
    a comment is its number, and `content` is the content that it is on. The id of a file is its
    sha256. `user` is the sender of a message."""

    kind: Annotated[DecidedKind, Meta(examples=["user"])]
    id: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=64,
            description="an id: a GUID, the number of a comment, or the sha256 of a file",
            examples=["0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"],
        ),
    ]
    content: Guid | None = None
    user: Guid | None = None


class DecisionBody(Wire):
    """A decision (moderation#decisions). The caller chooses its `id`. Only `ban` and `restrict`
    have `until`, and only `restrict` has `what`. The decision upholds the open reports of the
    subject up to the one with the id `upTo`."""

    id: Guid
    action: DecisionAction
    subject: SubjectBody
    ground: GroundBody
    until: (
        Annotated[int, Meta(ge=0, le=253_402_300_799, description="a whole number of Unix seconds")]
        | None
    ) = None
    what: Annotated[list[Restricted], Meta(min_length=1, max_length=5)] | None = None
    up_to: Guid | None = None


class DecidedSubject(Record, omit_defaults=True):
    """The subject of a decision. The id of a comment is its number, and `content` is the content
    that it is on. The id of a file is its sha256. `user` is the sender of a message."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(DecidedKind))})]
    id: str
    content: Id | UnsetType = UNSET
    user: Id | UnsetType = UNSET


class Reversal(Record):
    """Who has reversed a decision, why, and when (moderation#reversals). `reason` is empty if none
    was given."""

    by: Id
    reason: str
    created: Seconds


class UserReversal(Record):
    """Why a decision was reversed, and when."""

    reason: str
    created: Seconds


class DecisionAppeal(Record):
    """An appeal against a decision."""

    id: Id
    state: Annotated[str, Meta(extra_json_schema={"enum": [*APPEAL_STATES]})]


_Action = Annotated[str, Meta(extra_json_schema={"enum": [*DECISION_ACTIONS]})]
_What = Annotated[
    list[Annotated[str, Meta(extra_json_schema={"enum": list(get_args(Restricted))})]],
    described("of what a restriction shuts the user out; null of other decisions"),
]
_OBJECT = {"type": "object", "examples": [{"name": "Tilting Tower"}]}
_Facts = Annotated[Any, Meta(extra_json_schema={"anyOf": [_OBJECT, {"type": "null"}]})]
"""A JSON object or null. With `Raw | None`, a client could not tell which of them it is."""
_Territory = Annotated[str, Meta(extra_json_schema={"enum": ["everywhere"]})]


class Decision(Record):
    """A decision (moderation#decisions). `user` is the user whom it concerns; null for a file.
    `until` is null if it has no end. `facts` are the subject as it was; null once nobody can appeal
    any more. `replaced` is the id of the decision that has replaced it. `territory` is where it
    holds. `appeals` are its newest 100, the oldest first."""

    id: Id
    action: _Action
    subject: DecidedSubject
    user: Id | None
    what: _What | None
    ground: Ground
    by: Id
    created: Seconds
    until: Seconds | None
    facts: _Facts
    reversed: Reversal | None
    replaced_by: Id | None = field(name="replaced")
    territory: _Territory
    appeals: list[DecisionAppeal]


class UserDecision(Record):
    """A decision, as the user whom it concerns sees it. `appeals` are the user's own. The user can
    appeal until `appealUntil`. `redress` is the operator's text about what else the user can do."""

    id: Id
    action: _Action
    subject: DecidedSubject
    user: Id | None
    what: _What | None
    ground: Ground
    created: Seconds
    until: Seconds | None
    facts: _Facts
    reversed: UserReversal | None
    replaced_by: Id | None = field(name="replaced")
    territory: _Territory
    appeals: list[DecisionAppeal]
    appeal_until: Seconds
    redress: str


SubjectId = Annotated[
    str,
    Meta(
        pattern=rf"^({_GUID}|[0-9]{{1,19}}|[0-9a-fA-F]{{64}})\Z",
        description="an id: a GUID, the number of a comment, or the sha256 of a file",
        examples=["0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"],
        extra={"case": "lower"},
    ),
]
"""The id of a subject of any kind, in a query."""


class DecisionsQuery(Part):
    """The decisions to list, which match all members. `user` is whom they concern, and `subject`
    the id of what they are about. `open` says whether they still stand."""

    user: Guid | None = None
    subject: SubjectId | None = None
    action: Annotated[DecisionAction, Meta(description="what was decided")] | None = None
    open: (
        Annotated[
            bool,
            Meta(
                description="true or false: whether the decision stands, which is not reversed, "
                "replaced or over"
            ),
        ]
        | None
    ) = None


class ReversalBody(Wire):
    """Why a decision is reversed (moderation#reversals)."""

    reason: Explanation
