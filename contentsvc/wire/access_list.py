"""Whom authors let in: testers and members of content (library §5)."""

from typing import Annotated, Literal, get_args

from msgspec import Meta

from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import Record, Seconds
from contentsvc.wire.content import ContentInfo

GuestRole = Literal["tester", "editor"]
"""A tester sees a content, and an editor, who is called a member, may change it too."""
ShownRole = Annotated[str, Meta(extra_json_schema={"enum": list(get_args(GuestRole))})]
"""In answers: a client takes what a later release may add."""


class Tester(Record):
    """A tester of a content, and since when."""

    user: UserInfo
    since: Seconds


class Member(Record):
    """A member of a content, when they were invited, and whether they have `accepted`."""

    user: UserInfo
    since: Seconds
    accepted: bool


class Membership(Record):
    """A content that a user is a tester or a member of, or is invited to be. Testers need not
    accept."""

    content: ContentInfo
    role: ShownRole
    accepted: bool
    since: Seconds
