"""Users: spec §2 UserInfo, Full user record, Profile; §4.5 to §4.8."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from contentsvc.wire.base import Guid, MediaPath, Page, Record, Text, Wire


class Profile(Wire):
    """Spec §2 Profile. `profile` is missing if the user has none."""

    profile: Text | UnsetType = UNSET


class UserInfo(Record, omit_defaults=True):
    """Spec §2 UserInfo; `profile` only if public."""

    id: str
    username: str
    avatar: str | None
    emblem: str | None
    profile: str | None = None


class FullUser(Record):
    """Spec §2, the full user record."""

    id: str
    username: str
    email: str
    avatar: str | None
    emblem: str | None
    full_profile: Profile
    public_profile: Profile


class UserUpdate(Wire):
    """Body of spec §4.8."""

    avatar: MediaPath | None
    emblem: Guid | None
    full_profile: Profile
    public_profile: Profile


class UserSearch(Wire):
    """Query of spec §4.5. `q` is counted after trimming, by the handler."""

    q: str
    page_size: Annotated[int, Meta(ge=10, le=200)] = 48
    page: Page = 0


class UserPage(Record):
    """Answer of spec §4.5."""

    items: list[UserInfo]
    page: int
    page_size: int
    total: int
