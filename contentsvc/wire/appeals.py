"""Appeals against decisions, and against the outcomes of reports (moderation#appeals)."""

from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType, field

from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Id, Part, Record, Seconds, Wire
from contentsvc.wire.decisions import APPEAL_STATES, AppealState, Explanation

AppealParty = Literal["author", "reporter", "notifier"]
"""Who appeals: whom a decision concerns, who has reported, or who has sent a notice."""
APPEAL_PARTIES: Final[tuple[AppealParty, ...]] = get_args(AppealParty)
_KINDS = {"enum": ["content", "comment", "user", "collection", "file", "message"]}


class AppealBody(Wire):
    """Why the decision, or the outcome, is wrong."""

    text: Explanation


class AppealAnswerBody(Wire):
    """What an appeal comes to, and why. Who has appealed is told both."""

    outcome: Literal["confirmed", "reversed"]
    reason: Explanation


class AppealSubject(Record, omit_defaults=True):
    """What an appeal is about. The id of a comment is its number, and `content` is what it is on;
    that of a file is its sha256. Of a message, `user` has sent it."""

    kind: Annotated[str, Meta(extra_json_schema=_KINDS)]
    id: str
    content: Id | UnsetType = UNSET
    user: Id | UnsetType = UNSET


class AppealAnswer(Record):
    """Who has answered an appeal, why so, and when."""

    by: Id
    reason: str
    created: Seconds


class Appeal(Record):
    """An appeal. `from` is who appeals: whom the `decision` concerns, or somebody who has reported
    the subject, or sent the `notice` of it, which was dismissed; `decision` is null then. `user` is
    null of a notice, and if they have left. `answer` is null while it is open."""

    id: Id
    party: Annotated[str, Meta(extra_json_schema={"enum": [*APPEAL_PARTIES]})] = field(name="from")
    decision: Id | None
    subject: AppealSubject
    user: UserInfo | None
    notice: Id | None
    text: str
    created: Seconds
    state: Annotated[str, Meta(extra_json_schema={"enum": [*APPEAL_STATES]})]
    answer: AppealAnswer | None


class AppealsQuery(Part):
    """The appeals to list: those of a state, and those of one kind of people."""

    state: Annotated[AppealState, Meta(description="what they have come to")] | None = None
    party: Annotated[AppealParty, Meta(description="who appeals")] | None = field(
        name="from", default=None
    )
