"""Registration and the OAuth endpoints' forms."""

from typing import Annotated

from msgspec import Meta, Struct

from contentsvc.wire.base import Wire

Username = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=32,
        pattern=r"^[A-Za-z0-9_.\-]+\Z",
        description="a name made of A to Z, a to z, 0 to 9, _, . and -",
    ),
]
Email = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=254,
        pattern=r"^[^@\s\x00]+@[^@\s\x00]+\Z",
        description="an e-mail address",
    ),
]
Password = Annotated[str, Meta(min_length=8, max_length=128)]


class Registration(Wire):
    """Body of POST /user."""

    username: Username
    email: Email
    password: Password


class PasswordChange(Wire):
    """Body of PUT /user/{userId}/password."""

    current: Annotated[str, Meta(max_length=128)]
    new: Password


class BanBody(Wire):
    """Body of PUT /user/{userId}/ban; without `until`, the ban has no end."""

    reason: Annotated[str, Meta(min_length=1, max_length=4096)]
    until: (
        Annotated[int, Meta(ge=0, le=253_402_300_799, description="a whole number of Unix seconds")]
        | None
    ) = None
    """At most the end of the year 9999."""


class TokenForm(Struct):
    """Form of POST /oauth/token (RFC 6749 §4.3.2 and §6). The grant decides which members are
    needed."""

    grant_type: str
    username: Annotated[str, Meta(max_length=254)] | None = None
    password: Annotated[str, Meta(max_length=4096)] | None = None
    refresh_token: Annotated[str, Meta(max_length=4096)] | None = None


class RevokeForm(Struct):
    """Form of POST /oauth/revoke, RFC 7009 §2.1."""

    token: Annotated[str, Meta(max_length=4096)]
    token_type_hint: str | None = None


class Revoked(Struct):
    """Answer of POST /oauth/revoke: an object without members."""


class TokenAnswer(Struct):
    """Answer of POST /oauth/token, RFC 6749 §5.1, with the id of the tokens' user."""

    access_token: str
    token_type: str
    expires_in: int
    """Seconds."""
    refresh_token: str
    userId: str
