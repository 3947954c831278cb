"""Design challenges (challenges#definition, challenges#reading, challenges#entries,
challenges#closing, challenges#rewards)."""

from typing import Annotated, Literal, get_args

from msgspec import Meta

from contentsvc.wire.base import (
    Count,
    Guid,
    Id,
    Key,
    Line,
    MediaPath,
    Name,
    Record,
    Seconds,
    SortedPart,
    Text,
    Timestamp,
    Title,
    Wire,
    described,
)
from contentsvc.wire.content import ContentType, ShownType

Ordinal = Annotated[int, described("the place in the list of challenges", bits=32)]
Judging = Literal["admins", "votes"]
ShownJudging = Annotated[str, Meta(extra_json_schema={"enum": list(get_args(Judging))})]
ShownState = Annotated[
    str, Meta(extra_json_schema={"enum": ["upcoming", "open", "judging", "closed"]})
]
"""In answers. A later release may have other words, which a client must accept."""


class AchievementDefinition(Wire):
    """An achievement (challenges#definition). The bounds of its visibility are Unix
    seconds."""

    key: Key
    name: Title
    description: Text
    visibility_start: Timestamp | None = None
    visibility_stop: Timestamp | None = None


class EmblemDefinition(Wire):
    """An emblem (challenges#definition)."""

    name: Title
    description: Text
    image: MediaPath
    color: Annotated[
        str,
        Meta(
            pattern=r"^#[0-9a-fA-F]{6}\Z",
            description="a colour written as #rrggbb",
            examples=["#ffb000"],
        ),
    ]


class RewardDefinition(Wire):
    """A reward (challenges#definition)."""

    achievement: AchievementDefinition
    emblem: EmblemDefinition


class ChallengeCreate(Wire):
    """The definition of a design challenge (challenges#definition). It is open from `opens` (null:
    at once) to `closes` (null: without end). Only content of these `types` may enter (null: all
    types). `judging` says whether admins choose the winners, or the votes do."""

    name: Name
    ordinal: Annotated[Ordinal, Meta(ge=-(2**31), le=2**31 - 1)]
    description: Text
    theme: Line
    win: RewardDefinition
    participate: RewardDefinition
    opens: Timestamp | None = None
    closes: Timestamp | None = None
    types: Annotated[list[ContentType], Meta(min_length=1, max_length=64)] | None = None
    judging: Judging = "admins"


class ChallengeClose(Wire):
    """The content that has won, in any order (challenges#closing). There may be none."""

    winners: Annotated[list[Guid], Meta(max_length=1000)]


class EntriesQuery(SortedPart):
    """A part of the entries, and their order: the last to enter first, or the best votes first
    (challenges#entries)."""

    sort: Annotated[
        Literal["newest", "top"],
        Meta(description="newest: the last to enter first; top: the best votes first"),
    ] = "newest"


class Achievement(Wire):
    """An achievement, as it was stored."""

    key: str
    name: str
    description: str
    visibility_start: Seconds | None
    visibility_stop: Seconds | None


class Emblem(Wire):
    """An emblem, as it was stored, and the id with which users wear it."""

    name: str
    description: str
    image: str
    color: str
    id: Id


class Reward(Wire):
    """A reward, as it was stored."""

    achievement: Achievement
    emblem: Emblem


class Challenge(Wire):
    """A design challenge: its definition and its state (challenges#reading). `entries` counts those
    that the caller may see. `winners` are the ids of the content that has won."""

    name: str
    ordinal: Ordinal
    description: str
    theme: str
    win: Reward
    participate: Reward
    opens: Seconds | None
    closes: Seconds | None
    types: list[ShownType] | None
    judging: ShownJudging
    id: Id
    state: ShownState
    entries: Count
    winners: list[Id]


class EarnedAchievement(Record):
    """An achievement that a user has earned, and in which challenge (challenges#rewards)."""

    key: str
    name: str
    description: str
    earned: Seconds
    challenge: Id


class EarnedEmblem(Record):
    """An emblem that a user has earned, and in which challenge (challenges#rewards). Users wear it
    by its `id`."""

    id: Id
    name: str
    description: str
    image: str
    color: str
    earned: Seconds
    challenge: Id
