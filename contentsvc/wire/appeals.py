"""Appeals against decisions, and against the outcomes of reports (moderation#appeals)."""

from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType, field

from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Id, Part, Record, Seconds, Wire
from contentsvc.wire.decisions import APPEAL_STATES, AppealState, Explanation

AppealParty = Literal["author", "reporter", "notifier"]
"""Who appeals: the user whom a decision concerns, the reporter, or the sender of a notice."""
APPEAL_PARTIES: Final[tuple[AppealParty, ...]] = get_args(AppealParty)
_KINDS = {"enum": ["content", "comment", "user", "collection", "file", "message"]}


class AppealBody(Wire):
    """Why the decision, or the outcome, is wrong."""

    text: Explanation


class AppealAnswerBody(Wire):
    """The outcome of an appeal, and why (moderation#answers). Whoever has appealed is told both."""

    outcome: Literal["confirmed", "reversed"]
    reason: Explanation


class AppealSubject(Record, omit_defaults=True):
    """What an appeal is about. The id of a comment is its number, and `content` is the content that
    it is on. The id of a file is its sha256. `user` is the sender of a message."""

    kind: Annotated[str, Meta(extra_json_schema=_KINDS)]
    id: str
    content: Id | UnsetType = UNSET
    user: Id | UnsetType = UNSET


class AppealAnswer(Record):
    """Who has answered an appeal, with which reason, and when."""

    by: Id
    reason: str
    created: Seconds


class Appeal(Record):
    """An appeal (moderation#appeals). `from` is `author` if the user whom the `decision` concerns
    appeals. It is `reporter` or `notifier` if the user's report, or the `notice`, was dismissed;
    `decision` is null then. `user` is null for a notice, and if the user has left. `answer` is null
    while the appeal is open."""

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
    """The appeals to list. With `state`, only those in this state. With `from`, only those of this
    kind of sender."""

    state: Annotated[AppealState, Meta(description="what they have come to")] | None = None
    party: Annotated[AppealParty, Meta(description="who appeals")] | None = field(
        name="from", default=None
    )
