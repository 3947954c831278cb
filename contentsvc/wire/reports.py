"""Reports of content, comments and users (extensions §7)."""

from typing import Annotated, Literal

from msgspec import Meta

from contentsvc.wire.base import (
    Guid,
    Id,
    JsonObject,
    Record,
    Seconds,
    SortedPart,
    Wire,
)
from contentsvc.wire.moderation import ReportedSubject

Kind = Literal["content", "comment", "user"]
Reason = Literal["spam", "abuse", "sexual", "violence", "copyright", "cheating", "other"]
ReportText = Annotated[str, Meta(max_length=4096)]


class ReportBody(Wire):
    """Why something is reported."""

    reason: Reason
    text: ReportText = ""


class UserReportBody(ReportBody):
    """Why a user is reported. `messages` are ids of messages that the caller has received from
    them."""

    messages: Annotated[list[Guid], Meta(max_length=20)] = []


class QueueQuery(SortedPart):
    """A part of the queue: only subjects of this kind, or with open reports of this reason."""

    kind: Annotated[Kind, Meta(description="what is reported")] | None = None
    reason: Annotated[Reason, Meta(description="a reason of open reports")] | None = None


class QueuedSubject(Record):
    """A subject with open reports: how many there are, also by reason, and when the first and the
    last of them were made. `upTo` is the id of the last."""

    subject: ReportedSubject
    reports: int
    reasons: dict[str, int]
    first: Seconds
    last: Seconds
    up_to: Id


class Report(Record):
    """A report. `evidence` is the subject's text as it was then."""

    id: Id
    reporter: Id
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
