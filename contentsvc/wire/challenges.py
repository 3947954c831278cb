"""Design challenges: spec §2, §4.17."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import (
    Int32,
    Key,
    Line,
    MediaPath,
    Name,
    Text,
    Timestamp,
    Title,
    Wire,
)


class AchievementDefinition(Wire):
    """Spec §2 AchievementDefinition; the visibility bounds are Unix seconds."""

    key: Key
    name: Title
    description: Text
    visibility_start: Timestamp | None = None
    visibility_stop: Timestamp | None = None


class EmblemDefinition(Wire):
    """Spec §2 EmblemDefinition; `color` is #rrggbb."""

    name: Title
    description: Text
    image: MediaPath
    color: Annotated[
        str, Meta(pattern=r"^#[0-9a-fA-F]{6}\Z", description="a colour written as #rrggbb")
    ]


class RewardDefinition(Wire):
    """Spec §2 RewardDefinition."""

    achievement: AchievementDefinition
    emblem: EmblemDefinition


class ChallengeCreate(Wire):
    """Body of spec §4.17."""

    name: Name
    ordinal: Int32
    description: Text
    theme: Line
    win: RewardDefinition
    participate: RewardDefinition


class Achievement(Wire):
    """Spec §2 AchievementDefinition in an answer. It may be older than the present limits."""

    key: str
    name: str
    description: str
    visibility_start: int | None
    visibility_stop: int | None


class Emblem(Wire):
    """Spec §2 EmblemDefinition in an answer."""

    name: str
    description: str
    image: str
    color: str


class Reward(Wire):
    """Spec §2 RewardDefinition in an answer."""

    achievement: Achievement
    emblem: Emblem


class Challenge(Wire):
    """A design challenge: its id and everything that was posted."""

    name: str
    ordinal: int
    description: str
    theme: str
    win: Reward
    participate: Reward
    id: str
