"""Accounts: users, registration, sessions, identities, the export, and service accounts
(accounts#search, accounts#user-info, accounts#full-record, accounts#update, accounts#registration,
accounts#sessions, accounts#export, socket#session-connect, studio#service-accounts)."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from contentsvc.wire.base import (
    NOT_BLANK,
    TYPED,
    Count,
    Guid,
    Id,
    Ids,
    JsonObject,
    MediaPath,
    Page,
    PageNumber,
    PageSize,
    Record,
    Seconds,
    Text,
    Wire,
    described,
)
from contentsvc.wire.legal import AcceptedTerms, Version
from contentsvc.wire.oauth import SubjectTokenType

SHORTEST_NAME: Final = 3
LONGEST_NAME: Final = 32
"""A username has SHORTEST_NAME to LONGEST_NAME characters."""
Username = Annotated[
    str,
    Meta(
        min_length=SHORTEST_NAME,
        max_length=LONGEST_NAME,
        pattern=r"^[A-Za-z0-9_.\-]+\Z",
        description="a name made of A to Z, a to z, 0 to 9, _, . and -",
        examples=["mira"],
    ),
    TYPED,
]
Email = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=254,
        # Python's \s has these five control characters; that of the document's ECMA-262 does not.
        pattern=r"^[^@\s\x00\x1c-\x1f\x85]+@[^@\s\x00\x1c-\x1f\x85]+\Z",
        description="an e-mail address",
        examples=["mira@example.com"],
    ),
    TYPED,
]
Password = Annotated[str, Meta(min_length=8, max_length=128)]


class FullAccount(Wire):
    """The username, the address and the password with which a guest becomes a full account
    (accounts#guests)."""

    username: Username
    email: Email
    password: Password


class Registration(FullAccount):
    """A new user (accounts#registration). `terms` is the version of the terms that the user
    accepts."""

    terms: Version | None = None


class PasswordChange(Wire):
    """The present password and the new one."""

    current: Annotated[str, Meta(max_length=128)]
    new: Password


class PasswordProof(Wire):
    """The password of the account. It proves that the caller owns the account (accounts#proofs)."""

    password: Annotated[str, Meta(max_length=128)]


class SubjectProof(Struct):
    """A token of another service, and its type (RFC 8693 §2.1). It proves that the account there is
    the caller's (accounts#proofs)."""

    subject_token: str
    subject_token_type: SubjectTokenType


class TokenProof(Struct):
    """A token of another service, and its type. They prove that the caller owns an account that has
    no password (accounts#proofs)."""

    proof_token: str
    proof_token_type: SubjectTokenType


class GuestLink(SubjectProof):
    """A token of the account of another service with which a guest becomes a full account, and the
    name of the full account (accounts#guests)."""

    username: Username | None = None


class LinkByPassword(SubjectProof):
    """A token of the account to link, and the user's password (accounts#proofs)."""

    password: Annotated[str, Meta(max_length=128)]


class LinkByToken(SubjectProof):
    """A token of the account to link, and a token of an account that is already linked. The second
    token is the proof of a user who has no password (accounts#proofs)."""

    proof_token: str
    proof_token_type: SubjectTokenType


class PasswordResetRequest(Wire):
    """The address of the account whose password is lost (accounts#mail)."""

    email: Email


MailedToken = Annotated[
    str,
    Meta(
        description="a token of a link that was mailed",
        examples=["reset-Dh96UmucTT6KQVwtm39uEOZ3dEGk2iVWjdCyeUJCBuN2tF8l"],
    ),
]


class PasswordReset(Wire):
    """The token of a mailed link, and the new password (accounts#mail)."""

    token: MailedToken
    new: Password


class EmailChange(Wire):
    """The new address, and the present password (accounts#mail)."""

    email: Email
    password: Annotated[str, Meta(max_length=128)]


class EmailChangeBySubject(SubjectProof):
    """The new address of an account that has no password, and a token of another service."""

    email: Email


class EmailConfirmation(Wire):
    """The token of a mailed link (accounts#mail)."""

    token: MailedToken


class BanBody(Wire):
    """A ban (moderation#bans). Without `until` (Unix seconds, up to the year 9999) it has no
    end."""

    reason: Annotated[str, Meta(min_length=1, max_length=4096)]
    until: (
        Annotated[int, Meta(ge=0, le=253_402_300_799, description="a whole number of Unix seconds")]
        | None
    ) = None
    """At most the end of the year 9999."""


class Ban(Record):
    """A ban (moderation#bans). `until` is null if it has no end."""

    reason: str
    until: Seconds | None


class PortalCodeBody(Wire):
    """The page of the portal to open after the log-in (accounts#portal-codes)."""

    then: (
        Annotated[
            str,
            Meta(
                max_length=2048,
                pattern=r"^/(?![/\\])[^\x00-\x1f\x7f]*\Z",
                description="a path below the portal's own, with its query, from `/` on",
                examples=["/library"],
            ),
        ]
        | None
    ) = None


class PortalCode(Record):
    """A code with which a game opens the portal, and the URL that contains it
    (accounts#portal-codes). The code can be used once, until `expires`."""

    code: Annotated[str, Meta(examples=["2tQ0bNEh6cDqjP1iC3rXW7sVf9mZxuY4kLgRwUoTaBI"])]
    url: Annotated[
        str, Meta(examples=["https://game.example/log-in#portal-code=2tQ0bNEh&user=6f1a"])
    ]
    expires: Seconds


class Export(Struct, rename="camel"):
    """All data that the service stores about a user (accounts#export). Times are Unix seconds."""

    schema: Annotated[int, described("grows when a member changes its meaning, or goes", bits=32)]
    created: Seconds
    account: JsonObject
    former_names: list[JsonObject]
    identities: list[JsonObject]
    sessions: list[JsonObject]
    failed_log_ins: list[JsonObject]
    mails: list[JsonObject]
    content: list[JsonObject]
    content_names: list[JsonObject]
    names_given: list[JsonObject]
    guests: list[JsonObject]
    memberships: list[JsonObject]
    invitations: list[JsonObject]
    revisions: list[JsonObject]
    publications: list[JsonObject]
    files: list[JsonObject]
    comments: list[JsonObject]
    ratings: list[JsonObject]
    subscriptions: list[JsonObject]
    collections: list[JsonObject]
    collection_items: list[JsonObject]
    played: list[JsonObject]
    plays: list[JsonObject]
    downloads: list[JsonObject]
    friends: list[JsonObject]
    friend_requests: list[JsonObject]
    friend_asks: list[JsonObject]
    blocked: list[JsonObject]
    following: list[JsonObject]
    unfollows: list[JsonObject]
    followers: list[JsonObject]
    messages: list[JsonObject]
    party_invites: list[JsonObject]
    progress: list[JsonObject]
    deleted_progress: list[JsonObject]
    notifications: list[JsonObject]
    entries: list[JsonObject]
    rewards: list[JsonObject]
    reports: list[JsonObject]
    moderation: list[JsonObject]
    decisions: list[JsonObject]
    appeals: list[JsonObject]
    actions: list[JsonObject]


class Identity(Record):
    """An account of another service that is linked to the user (accounts#other-services). `subject`
    names it at `issuer`. `linked` is when it was linked."""

    id: Id
    issuer: Annotated[str, Meta(examples=["https://id.studio.example"])]
    subject: str
    linked: Seconds


class LogInIssuer(Record):
    """An issuer with which a page can log users in (accounts#other-services), by the code flow of
    OpenID Connect with PKCE (RFC 7636). `clientId` is the id of the page's client there. The
    endpoints are null until the issuer has answered the service. If `sendsIss` is true, the
    issuer's answer to the page has `iss` (RFC 9207)."""

    name: Annotated[str, Meta(examples=["Studio"])]
    issuer: Annotated[str, Meta(examples=["https://id.studio.example"])]
    client_id: Annotated[str, Meta(examples=["castle-web"])]
    authorization_endpoint: Annotated[
        str | None, Meta(examples=["https://id.studio.example/authorize"])
    ]
    token_endpoint: Annotated[str | None, Meta(examples=["https://id.studio.example/token"])]
    sends_iss: bool


ClientType = Literal["game", "portal"]


class ConnectBody(Wire):
    """The kind of client (socket#session-connect): the game, or the portal web site."""

    client: ClientType


class ConnectAnswer(Wire):
    """The URL of the socket, and a token for it, which is valid for 60 seconds
    (socket#session-connect)."""

    socket_url: str
    access_token: str


SessionKind = Literal["client", "portal", "portal-in-game"]
CLIENT: Final = "client"
PORTAL: Final = "portal"
IN_GAME: Final = "portal-in-game"


class Session(Record):
    """A log-in that has not ended (accounts#sessions). `current` is true for the session of this
    request. `device` is what logged in, as its User-Agent says; null if that says nothing. `kind`
    is how the session began: `client` at /oauth/token, `portal` in the portal, `portal-in-game` in
    the portal with a code from the game."""

    id: Id
    created: Seconds
    used: Seconds
    current: bool
    device: Annotated[
        str | None,
        described(
            "a browser and its system, or else a program and its version",
            examples=["Firefox, Windows", "MyGame/1.2"],
        ),
    ]
    kind: SessionKind


class Profile(Wire):
    """A profile (accounts#full-record). `profile` is missing if the user has none."""

    profile: Text | UnsetType = UNSET


class UserInfo(Record, omit_defaults=True):
    """The public part of a user (accounts#userinfo). `profile` is present only if it is public."""

    id: Id
    username: str
    avatar: str | None
    emblem: Id | None
    profile: str | None = None


Role = Annotated[
    str,
    described(
        "player, curator, moderator or admin. Later releases may have further roles",
        examples=["player"],
    ),
]
"""In answers (studio#roles)."""


class UserMe(Record, tag_field="kind", tag="user"):
    """The user of the token, with the role and its permissions (accounts#me). After a change of the
    role, the next token has the new role."""

    id: Id
    username: str
    guest: Annotated[bool, described("whether it is a guest, and no full account yet")]
    role: Role
    permissions: list[Annotated[str, described("what the role may do", examples=["moderate"])]]


class UserIds(Wire):
    """The users to read: a comma list of 1 to 100 ids (accounts#user-info)."""

    ids: Ids


class FullUser(Record):
    """The whole record of a user (accounts#full-record). `email` is empty if the account has no
    address. `emailVerified` is true if mail has reached the user there."""

    id: Id
    username: str
    email: str
    email_verified: bool
    avatar: str | None
    emblem: Id | None
    full_profile: Profile
    public_profile: Profile
    role: Role
    guest: Annotated[bool, described("whether it is a guest, and no full account yet")]
    terms: AcceptedTerms | None


class UsernameChange(Wire):
    """The new name of a user (accounts#names)."""

    username: Username


class RoleBody(Wire):
    """The new role of a user (studio#roles)."""

    role: Literal["player", "curator", "moderator", "admin"]


class UserUpdate(Wire):
    """The parts of a user that can change (accounts#update). An admin who changes another user's
    record gives the `reason`."""

    avatar: MediaPath | None
    emblem: Guid | None
    full_profile: Profile
    public_profile: Profile
    reason: Annotated[str, Meta(max_length=4096)] = ""


# Python also trims these five control characters; ECMA-262, which the document uses, does not.
_SEEN = r"[^\s\x00\x1c-\x1f\x85]"
_TRIMMED = rf"{_SEEN}[^\x00]+{_SEEN}"
"""At least three characters after trimming."""


class UserSearch(Wire):
    """A search (accounts#search). The length of `q` is counted after trimming."""

    q: Annotated[
        str,
        Meta(
            description="a text of 3 to 64 characters: a username, or a part of it, or "
            "something similar",
            extra_json_schema={"pattern": _TRIMMED, "examples": ["mira"]},
        ),
    ]
    page_size: Annotated[int, Meta(ge=10, le=200, description="a number: the most on a page")] = 48
    page: Page = 0


class UserPage(Record):
    """A page of users (accounts#search)."""

    items: list[UserInfo]
    page: PageNumber
    page_size: PageSize
    total: Annotated[Count, Meta(description="how many are on all pages")]


Scope = Literal["curate", "moderate", "events", "notify", "users.read", "progress", "plays"]
"""The scopes of contentsvc.roles (studio#service-accounts)."""
Scopes = list[Annotated[str, described("what it may do", examples=["events"])]]
"""Scopes in an answer."""


class ServiceAccountBody(Wire):
    """A service account (studio#service-accounts). From `expires` on (Unix seconds, up to the year
    9999) it gets no token. Without `expires` it has no end."""

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
    """A new secret of a service account. Only this answer shows its value."""

    id: Id
    value: Annotated[str, described("begins with csvc_", examples=[f"csvc_{'x' * 43}"])]


class ServiceAccount(Record):
    """A service account (studio#service-accounts). `lastUsed` is the start of the last UTC day on
    which it got a token; null if it has never got one."""

    id: Id
    name: str
    scopes: Scopes
    created: Seconds
    expires: Seconds | None
    last_used: Seconds | None
    secrets: list[ServiceSecret]


class ServiceMe(Record, tag_field="kind", tag="service"):
    """The service account of the token, and the token's scopes (accounts#me)."""

    id: Id
    name: str
    scopes: Scopes
