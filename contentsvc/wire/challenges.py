"""Design challenges: spec §2, §4.17."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import (
    Id,
    Int32,
    Key,
    Line,
    MediaPath,
    Name,
    Seconds,
    Text,
    Timestamp,
    Title,
    Wire,
)


class AchievementDefinition(Wire):
    """An achievement (spec §2 AchievementDefinition). The bounds of its visibility are Unix
    seconds."""

    key: Key
    name: Title
    description: Text
    visibility_start: Timestamp | None = None
    visibility_stop: Timestamp | None = None


class EmblemDefinition(Wire):
    """An emblem (spec §2 EmblemDefinition)."""

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
    """A reward (spec §2 RewardDefinition)."""

    achievement: AchievementDefinition
    emblem: EmblemDefinition


class ChallengeCreate(Wire):
    """A new design challenge (spec §4.17)."""

    name: Name
    ordinal: Int32
    description: Text
    theme: Line
    win: RewardDefinition
    participate: RewardDefinition


class Achievement(Wire):
    """An achievement, as it was stored."""

    key: str
    name: str
    description: str
    visibility_start: Seconds | None
    visibility_stop: Seconds | None


class Emblem(Wire):
    """An emblem, as it was stored."""

    name: str
    description: str
    image: str
    color: str


class Reward(Wire):
    """A reward, as it was stored."""

    achievement: Achievement
    emblem: Emblem


class Challenge(Wire):
    """A design challenge: its id, and everything that was posted."""

    name: str
    ordinal: int
    description: str
    theme: str
    win: Reward
    participate: Reward
    id: Id
