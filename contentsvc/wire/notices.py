"""Notices of what is against the law (notices#notices)."""

from typing import Annotated, Final, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.accounts import Email
from contentsvc.wire.base import NOT_BLANK, Guid, Id, Record, Seconds, Wire, described
from contentsvc.wire.decisions import APPEAL_STATES

NoticeReason = Literal["illegal", "intimate", "child", "copyright", "trademark", "personal"]
NOTICE_REASONS: Final[tuple[str, ...]] = get_args(NoticeReason)
NoticeKind = Literal["content", "comment", "user", "file", "message"]
"""What a notice may be about."""
_State = Annotated[str, Meta(extra_json_schema={"enum": ["open", "upheld", "dismissed"]})]
_Kind = Annotated[str, Meta(extra_json_schema={"enum": [*get_args(NoticeKind)]})]
MOST_SUBJECTS: Final = 20
_SHOWN: Final = [[{"kind": "user", "id": "0e1f7a52-6b9c-4d3e-8a41-5c2d9b7f6e10"}]]


class NoticeTarget(Wire):
    """What a notice is about: its kind and id, of a comment its number and the `content` that it is
    on, of a message the `user` who has sent it; or a `url`, of which the path says what it is."""

    kind: NoticeKind | None = None
    id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    content: Guid | None = None
    user: Guid | None = None
    url: Annotated[str, Meta(min_length=1, max_length=2048)] | None = None


class NoticeBody(Wire):
    """What is against the law, and why. `name` and `email` are needed but for `child`, `signature`
    for `intimate` and `copyright`. `goodFaith` must be true: that all of it is, to the best of the
    sender's knowledge."""

    subjects: Annotated[
        list[NoticeTarget], Meta(min_length=1, max_length=MOST_SUBJECTS, examples=_SHOWN)
    ]
    reason: NoticeReason
    explanation: Annotated[str, Meta(min_length=1, max_length=4096), NOT_BLANK]
    good_faith: bool
    law: Annotated[str, Meta(max_length=500)] | None = None
    name: Annotated[str, Meta(min_length=1, max_length=200), NOT_BLANK] | None = None
    email: Email | None = None
    signature: Annotated[str, Meta(min_length=1, max_length=200), NOT_BLANK] | None = None


class NoticeReceipt(Record):
    """A notice that was filed. With the token its sender reads what becomes of it."""

    id: Id
    token: Annotated[str, described("a secret", examples=["notice-…"])]


class NoticeAppeal(Record):
    """The newest appeal of who has sent a notice, about one of its subjects. `reason` is why it was
    answered so; null while it is open."""

    id: Id
    state: Annotated[str, Meta(extra_json_schema={"enum": [*APPEAL_STATES]})]
    reason: str | None


class NoticeSubject(Record, omit_defaults=True):
    """A subject of a notice, and what was decided about it. `url` is the one by which it was named;
    moderators alone see it. `appealUntil` is until when the sender can appeal, where it was
    dismissed."""

    kind: _Kind
    id: str
    state: _State
    content: Id | UnsetType = UNSET
    user: Id | UnsetType = UNSET
    url: str | UnsetType = UNSET
    appeal: NoticeAppeal | UnsetType = UNSET
    appeal_until: Seconds | UnsetType = UNSET


class Notice(Record, omit_defaults=True):
    """A notice: `open` while one of its subjects is, else `upheld` if one is. `due` is when it is
    to be answered. `redress` is the operator's text of what can be done about a decision. `appeal`
    is the newest appeal of its sender, and `appealUntil` until when they can appeal, where
    something was dismissed.
    Moderators alone see what was sent; name, address and signature are null once they are
    erased."""

    id: Id
    state: _State
    created: Seconds
    due: Seconds
    subjects: list[NoticeSubject]
    redress: str
    appeal: NoticeAppeal | UnsetType = UNSET
    appeal_until: Seconds | UnsetType = UNSET
    reason: Annotated[str, Meta(extra_json_schema={"enum": [*NOTICE_REASONS]})] | UnsetType = UNSET
    explanation: str | UnsetType = UNSET
    law: str | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    email: str | UnsetType | None = UNSET
    signature: str | UnsetType | None = UNSET
