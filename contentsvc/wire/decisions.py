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
"""What can be decided."""
DecidedKind = Literal["content", "comment", "user", "file", "message"]
"""About what."""
Restricted = Literal["publish", "comment", "message", "rate", "report"]
"""Of what a restriction can shut a user out."""
AppealState = Literal["open", "confirmed", "reversed"]
"""What an appeal has come to."""
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
"""What each action may be about."""
_BASES: Final = ("terms", "illegal")
_SOURCES: Final = ("own", "report", "trusted", "order")
_AUTOMATED: Final = ("no", "detected", "decided")
Explanation = Annotated[str, Meta(min_length=1, max_length=4096)]


class GroundBody(Wire, kw_only=True):
    """Why something is decided. `basis` says whether it breaks the terms or the law, and
    `reference` which clause or which law. `source` is how it was found: by the service's own
    people, a report, a trusted flagger, an order of an authority. `automated` says whether a
    program has detected it, or decided it too."""

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
    """What is decided about: a content item, a comment, a user, a file or a message. The id of a
    comment is its number, and `content` the content that it is on; that of a file is its sha256.
    `user` is who has sent the message."""

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
    """A decision, with an id of the caller's. `until` is for `ban` and `restrict` alone, and `what`
    for `restrict`. Open reports of the subject up to the one with the id `upTo` are upheld."""

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
    """What was decided about. The id of a comment is its number, and `content` is what it is on;
    that of a file is its sha256. `user` is who has sent a message."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(get_args(DecidedKind))})]
    id: str
    content: Id | UnsetType = UNSET
    user: Id | UnsetType = UNSET


class Reversal(Record):
    """Who has reversed a decision, why, and when. `reason` is empty if none was given."""

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
"""A JSON object or null. Of Raw or None a client could not tell which is which."""
_Territory = Annotated[str, Meta(extra_json_schema={"enum": ["everywhere"]})]


class Decision(Record):
    """A decision. `user` is whom it concerns, null of a file. `until` is null if it has no end.
    `facts` are the subject as it was; null when nobody can appeal any more. `replaced` is the id of
    the decision that has taken its place. `territory` is where it holds. `appeals` are its newest
    100, the oldest first."""

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
    """A decision, as those see it whom it concerns. `appeals` are theirs. `appealUntil` is until
    when they can appeal, and `redress` what else they can do about it."""

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
"""What a list is asked for by: an id of any kind of subject."""


class DecisionsQuery(Part):
    """The decisions to list, which have all of these: those that concern a `user`, those about the
    `subject` with this id, those of an `action`, and those that stand, or do not."""

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
    """Why a decision is reversed."""

    reason: Explanation
