"""The forms and the answers of /oauth, and of /portal/session, which takes the same forms
(accounts#tokens, accounts#guests, accounts#other-services, accounts#portal-session)."""

from typing import Annotated, ClassVar, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from contentsvc.wire.base import TYPED, Id, described

SubjectTokenType = Annotated[str, Meta(examples=["urn:ietf:params:oauth:token-type:id_token"])]

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
"""The grant of RFC 8693."""
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105, a type
CLIENT_CREDENTIALS = "client_credentials"
"""The grant of service accounts."""
GUEST = "urn:contentsvc:grant:guest"
"""The grant of guests."""
PORTAL_CODE = "urn:contentsvc:grant:portal-code"
"""The grant of a code that a game has asked for (accounts#portal-codes). Only /portal/session takes
it."""
GRANTS = ("password", "refresh_token", EXCHANGE, CLIENT_CREDENTIALS, GUEST)
GUEST_SECRET: Final = r"^[A-Za-z0-9_\-]{43,128}\Z"  # noqa: S105, a pattern
LEAST_DIFFERENT: Final = 16
"""The least number of different characters in the secret of a guest (accounts#guests)."""


class TokenForm(Struct):
    """The grant (RFC 6749 §4.3.2, §4.4.2 and §6, RFC 8693 §2.1). `password` needs `username`, which
    may be the e-mail address, and `password`. `refresh_token` needs `refresh_token`. The token
    exchange needs `subject_token` and `subject_token_type`. Its `requested_token_type` can only be
    that of access tokens. It does not take `resource`, `audience` and `actor_token`.
    `client_credentials` is for service accounts, which send `client_id` and `client_secret` here,
    or as HTTP Basic in the header Authorization. The token has the scopes in `scope`; without it,
    all scopes of the account. The grant of guests needs `secret`."""

    example: ClassVar[dict[str, str]] = {
        "grant_type": "password",
        "username": "ada",
        "password": "open sesame",
    }
    """The example in the document: a log-in."""

    grant_type: Annotated[str, Meta(extra_json_schema={"enum": list(GRANTS)})]
    username: Annotated[str, Meta(max_length=254), TYPED] | None = None
    password: Annotated[str, Meta(max_length=4096)] | None = None
    refresh_token: Annotated[str, Meta(max_length=4096)] | None = None
    subject_token: str | None = None
    subject_token_type: SubjectTokenType | None = None
    requested_token_type: (
        Annotated[str, Meta(extra_json_schema={"enum": [ACCESS_TOKEN]})] | None
    ) = None
    resource: str | None = None
    audience: str | None = None
    actor_token: str | None = None
    client_id: str | None = None
    client_secret: str | None = None
    scope: (
        Annotated[str, described("scopes, with blanks between them", examples=["progress"])] | None
    ) = None
    secret: (
        Annotated[
            str,
            Meta(
                description="a secret: 43 to 128 of A-Z, a-z, 0-9, _ and -, 16 different ones",
                # The handler checks it: a service without guests answers unsupported_grant_type.
                extra_json_schema={"pattern": GUEST_SECRET},
            ),
        ]
        | None
    ) = None


class PortalForm(TokenForm):
    """The form that a page sends to /portal/session: a TokenForm (accounts#portal-session). The
    grant of a portal code also needs `code`, and in `user` the id of the user of that code."""

    code: Annotated[str, Meta(max_length=4096)] | None = None
    user: Annotated[str, Meta(max_length=4096)] | None = None


class RevokeForm(Struct):
    """The access token or the refresh token of the log-in to end (RFC 7009 §2.1)
    (accounts#tokens)."""

    token: Annotated[str, Meta(max_length=4096)]
    token_type_hint: str | None = None


class Revoked(Struct):
    """An object without members."""


class TokenAnswer(Struct):
    """Tokens, and the id of their user (RFC 6749 §5.1). In the answer to a token exchange,
    `issued_token_type` is the type of the access token (RFC 8693 §2.2.1)."""

    access_token: str
    token_type: Annotated[str, Meta(extra_json_schema={"const": "Bearer"})]
    expires_in: Annotated[int, described("seconds for which the access token is good", bits=32)]
    refresh_token: str
    userId: Id
    issued_token_type: (
        Annotated[str, Meta(extra_json_schema={"const": ACCESS_TOKEN})] | UnsetType
    ) = UNSET


class ServiceToken(Struct):
    """The access token of a service account, and its scopes, with blanks between them (RFC 6749
    §4.4.3) (studio#service-accounts)."""

    access_token: str
    token_type: Annotated[str, Meta(extra_json_schema={"const": "Bearer"})]
    expires_in: Annotated[int, described("seconds for which the access token is good", bits=32)]
    scope: str


class PortalTokens(Struct):
    """A TokenAnswer without the refresh token, which is in the cookie (accounts#portal-session)."""

    access_token: str
    token_type: str
    expires_in: int
    userId: Id
    issued_token_type: str | UnsetType = UNSET
