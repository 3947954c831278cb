"""Plays of content, and what they add up to (library §4)."""

from typing import Annotated

from msgspec import Meta, field

from contentsvc.wire.base import Guid, Record, Wire, described
from contentsvc.wire.statistics import Day, Number


class PlayBody(Wire):
    """A play that is over. `id` is a GUID of the client's: by it, a repeat is known. `seconds` is
    how long it took, `completed` whether the player got to the end."""

    id: Guid
    content: Guid
    revision: Guid | None = None
    seconds: Annotated[
        int, Meta(ge=0, le=86_400, description="a number of seconds: how long it was played")
    ] = 0
    completed: bool = False


class ContentStatisticsQuery(Wire):
    """The first and the last day."""

    first: Day = field(name="from")
    last: Day = field(name="to")


class ContentDay(Record):
    """What changed on a day of UTC. `players` are those who played the content for the first
    time."""

    day: Annotated[str, described("a day of UTC", examples=["2026-11-22"])]
    plays: Number
    players: Number
    completions: Number
    seconds: Number
    downloads: Number
    subscribers: Annotated[int, described("more subscribers, or fewer if negative", bits=64)]
