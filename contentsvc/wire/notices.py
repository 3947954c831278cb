"""Notices of illegal content (notices#notices)."""

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
    """A subject of a notice: its `kind` and `id`, or a `url` whose path names it. The id of a
    comment is its number, and `content` is the content that it is on. The id of a file is its
    sha256. `user` is the sender of a message."""

    kind: NoticeKind | None = None
    id: Annotated[str, Meta(min_length=1, max_length=64)] | None = None
    content: Guid | None = None
    user: Guid | None = None
    url: Annotated[str, Meta(min_length=1, max_length=2048)] | None = None


class NoticeBody(Wire):
    """A notice: what is against the law, and why (notices#notices). `name` and `email` are
    required, unless `reason` is `child`. `signature` is required if `reason` is `intimate` or
    `copyright`. `goodFaith` must be true: to the best of the sender's knowledge, the notice is
    true."""

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
    """A notice that was filed. With `token`, its sender can read the notice and appeal."""

    id: Id
    token: Annotated[str, described("a secret", examples=["notice-…"])]


class NoticeAppeal(Record):
    """The newest appeal of the sender of a notice, about one of its subjects
    (moderation#appeals-of-reporters). `reason` is that of the answer; null while the appeal is
    open."""

    id: Id
    state: Annotated[str, Meta(extra_json_schema={"enum": [*APPEAL_STATES]})]
    reason: str | None


class NoticeSubject(Record, omit_defaults=True):
    """A subject of a notice, and what was decided about it. `url` is the URL by which the sender
    named it; only moderators see it. If the subject was dismissed, the sender can appeal until
    `appealUntil`."""

    kind: _Kind
    id: str
    state: _State
    content: Id | UnsetType = UNSET
    user: Id | UnsetType = UNSET
    url: str | UnsetType = UNSET
    appeal: NoticeAppeal | UnsetType = UNSET
    appeal_until: Seconds | UnsetType = UNSET


class Notice(Record, omit_defaults=True):
    """A notice (notices#notices). `state` is `open` while one of its subjects is open, else
    `upheld` if one was upheld. `due` is when it must be answered (notices#deadlines). `redress` is
    the operator's text about what can be done against a decision. `appeal` is the sender's newest
    appeal. If a subject was dismissed, the sender can appeal until `appealUntil`. Only moderators
    see `reason` and the members after it; `name`, `email` and `signature` are null once they are
    erased (notices#retention)."""

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
