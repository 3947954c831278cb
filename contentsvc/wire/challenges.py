"""Design challenges: spec §2, §4.17."""

from typing import Annotated

from msgspec import Meta

from contentsvc.wire.base import Int32, Line, MediaPath, Name, Text, Timestamp, Wire


class AchievementDefinition(Wire):
    """Spec §2 AchievementDefinition; the visibility bounds are Unix seconds."""

    key: Name
    name: Line
    description: Text
    visibility_start: Timestamp | None = None
    visibility_stop: Timestamp | None = None


class EmblemDefinition(Wire):
    """Spec §2 EmblemDefinition; `color` is #rrggbb."""

    name: Line
    description: Text
    image: MediaPath
    color: Annotated[str, Meta(pattern=r"^#[0-9a-fA-F]{6}\Z")]


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


class Challenge(ChallengeCreate):
    """What GET answers: the id and all that was posted."""

    id: str
