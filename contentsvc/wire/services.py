"""Service accounts: programs of the studio (studio §2)."""

from typing import Annotated, Literal

from msgspec import Meta

from contentsvc.wire.base import NOT_BLANK, Id, Record, Seconds, Wire, described

Scope = Literal["curate", "moderate", "events", "notify", "users.read", "progress", "plays"]
"""Those of contentsvc.roles."""
Scopes = list[Annotated[str, described("what it may do", examples=["events"])]]
"""In answers."""


class ServiceAccountBody(Wire):
    """What a service account is. From `expires` (Unix seconds, up to the year 9999) on it gets no
    token; without, it has no end."""

    name: Annotated[str, Meta(min_length=1, max_length=64, examples=["game-server"]), NOT_BLANK]
    scopes: Annotated[list[Scope], Meta(min_length=1, max_length=64, examples=[["progress"]])]
    expires: (
        Annotated[int, Meta(ge=0, le=253_402_300_799, description="a whole number of Unix seconds")]
        | None
    ) = None


class ServiceSecret(Record):
    """A secret of a service account, without its value."""

    id: Id
    created: Seconds


class NewServiceSecret(Record):
    """A new secret of a service account. Its value is shown this once."""

    id: Id
    value: Annotated[str, described("begins with csvc_", examples=[f"csvc_{'x' * 43}"])]


class ServiceAccount(Record):
    """A service account. `lastUsed` is the start of the last day, of UTC, on which it got a token;
    null if it has got none."""

    id: Id
    name: str
    scopes: Scopes
    created: Seconds
    expires: Seconds | None
    last_used: Seconds | None
    secrets: list[ServiceSecret]


class ServiceMe(Record, tag_field="kind", tag="service"):
    """The service account of the token, and the token's scopes."""

    id: Id
    name: str
    scopes: Scopes
