"""Users: spec §2 UserInfo, Full user record, Profile; §4.5 to §4.8."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import Guid, Id, Ids, MediaPath, Page, Record, Text, Wire


class Profile(Wire):
    """A profile (spec §2 Profile). `profile` is missing if the user has none."""

    profile: Text | UnsetType = UNSET


class UserInfo(Record, omit_defaults=True):
    """The public part of a user (spec §2 UserInfo). `profile` is present only if it is public."""

    id: Id
    username: str
    avatar: str | None
    emblem: Id | None
    profile: str | None = None


class UserIds(Wire):
    """The users to read: a comma list of 1 to 100 ids."""

    ids: Ids


class FullUser(Record):
    """The whole record of a user (spec §2). `email` is empty if the account has no address.
    `emailVerified` says that the user has got mail there."""

    id: Id
    username: str
    email: str
    email_verified: bool
    avatar: str | None
    emblem: Id | None
    full_profile: Profile
    public_profile: Profile


class UserUpdate(Wire):
    """The parts of a user that can change (spec §4.8)."""

    avatar: MediaPath | None
    emblem: Guid | None
    full_profile: Profile
    public_profile: Profile


# Python also trims the five control characters; ECMA-262, which the document has, does not.
_SEEN = r"[^\s\x00\x1c-\x1f\x85]"
_TRIMMED = rf"{_SEEN}[^\x00]+{_SEEN}"
"""At least three characters after trimming."""


class UserSearch(Wire):
    """A search (spec §4.5). The length of `q` is counted after trimming."""

    q: Annotated[
        str,
        Meta(
            description="a username, or a part of it, or something similar",
            extra_json_schema={"pattern": _TRIMMED, "examples": ["mira"]},
        ),
    ]
    page_size: Annotated[int, Meta(ge=10, le=200, description="a number: the most on a page")] = 48
    page: Page = 0


class UserPage(Record):
    """A page of users (spec §4.5)."""

    items: list[UserInfo]
    page: int
    page_size: int
    total: int
