"""Statistics: what happened on each day of UTC (studio §5)."""

from typing import Annotated

from msgspec import Meta, field

from contentsvc.wire.base import Record, Wire, described

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
    """A day of UTC. `active` are the users who logged in or renewed a log-in; `downloads` the files
    that were handed out, and `bytes` their bytes."""

    day: Annotated[str, described("a day of UTC", examples=["2026-11-22"])]
    registered: Number
    active: Number
    deleted: Number
    published: Number
    revised: Number
    comments: Number
    messages: Number
    ratings: Number
    downloads: Number
    bytes: Number
