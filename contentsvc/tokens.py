"""JSON Web Tokens: issuing and verifying them, with an injected clock (accounts#tokens).

Only HS256 is used. Each key has an id (`kid`), so that keys can be rotated: the first key of the
file signs, all keys verify.
"""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import jwt
from msgspec import Struct, json

from contentsvc.framework.core.secret_files import PrivateError, read_private
from contentsvc.framework.core.timers import Clock
from contentsvc.roles import MODERATOR, PLAYER, ROLES, Permission, of_scopes, role_of

ISSUER = "contentsvc"
ACCESS_LIFETIME = 15 * 60
"""Seconds."""
SOCKET_LIFETIME = 60
"""Seconds."""
_USER, _SERVICE, _SOCKET = "api", "service", "socket"
"""The audiences of tokens: what somebody may do with them. Releases before service accounts refuse
a service's."""
_GUEST = "guest"
"""The kind of account that a token names; it names no other."""
_KEY_BYTES = 32
_APPEAL_CODE = 22
"""Bytes. With two ids before it the text needs no padding."""
_MAIL_ID, _MAIL_CODE, _MAIL_TEXT = 16, 20, 48
"""Bytes of a mailed token, and the characters that base64 makes of them, without padding."""
RESET, EMAIL = "reset", "email"
"""The words with which tokens of mailed links begin: to set a password, to confirm an address."""
NOTICE = "notice"
"""The same of what reads a notice, for who has sent it (notices#notices)."""
APPEAL = "appeal"
"""The same of what reads a decision, and appeals against it, for a user whom it concerns
(moderation#appeals)."""
SECRET_PREFIX = "csvc_"  # noqa: S105, no secret itself
"""What all secrets of service accounts begin with: a scanner that looks for leaks finds them by
it."""
_SECRET_BYTES = 32
REMEMBERED = 20_000
_LONGEST = 4096
"""The longest token that is read, in characters. Ours have some 500."""


class InvalidToken(Exception):
    """The token is malformed, forged, expired, for another audience, or revoked."""


class KeysError(Exception):
    """The secret file is missing or malformed, or users other than its owner may read or write
    it."""


class Caller(Struct, frozen=True):
    """The user of an access token, with its role, or the service account. `expires` is in Unix
    seconds.

    A `guest` was one when the token was issued: it may have become a full account since.

    A service's session is the token itself, whose end is nobody else's; the `grant` is what gave
    it, a secret until that or the account changes. It ranks as a moderator, whatever its scopes.

    `asked_by` is the session with whose portal code this one began (accounts#portal-codes). With
    that one it ends, and it has no permissions, whatever the role.
    """

    user: str
    session: str
    role: str
    expires: int
    grant: str | None = None
    scopes: frozenset[Permission] = frozenset()
    guest: bool = False
    asked_by: str | None = None

    @property
    def service(self) -> bool:
        """Whether it is a service account."""
        return self.grant is not None

    @property
    def in_game(self) -> bool:
        """Whether the session began with a portal code."""
        return self.asked_by is not None

    @property
    def permissions(self) -> frozenset[Permission]:
        """Those of the role, or of the scopes."""
        if self.in_game:
            return frozenset()
        return ROLES[self.role] if self.grant is None else self.scopes


class SocketGrant(Struct, frozen=True):
    """The user of a socket token, and the client type (socket#session-connect). `asked_by` is as
    that of a Caller."""

    user: str
    session: str
    client: str
    asked_by: str | None = None


class Key(NamedTuple):
    """One secret and its id."""

    kid: str
    secret: bytes


class Keys(tuple[Key, ...]):
    """The keys of the secret file. The first signs; all verify."""

    __slots__ = ()

    @classmethod
    def load(cls, path: Path) -> "Keys":
        """Read lines of `KID BASE64URL`. Raises KeysError."""
        try:
            lines = [line.split() for line in read_private(path).splitlines()]
        except PrivateError as error:
            raise KeysError(f"{path}: {error}") from error
        keys = []
        for words in lines:
            if not words or words[0].startswith("#"):
                continue
            try:
                kid, text = words
                secret = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            except (ValueError, binascii.Error):
                raise KeysError(f"{path}: each line must be a key id and a base64url key") from None
            if len(secret) < _KEY_BYTES:
                raise KeysError(f"{path}: key {kid} is shorter than {_KEY_BYTES} bytes")
            keys.append(Key(kid, secret))
        if not keys:
            raise KeysError(f"{path}: the file has no key")
        if len({key.kid for key in keys}) < len(keys):
            raise KeysError(f"{path}: two keys have the same id")
        return cls(keys)

    @classmethod
    def load_or_generate(cls, path: Path) -> "Keys":
        """Read the file. If it is missing, make it first, with one random key and mode 0600."""
        key = base64.urlsafe_b64encode(secrets.token_bytes(_KEY_BYTES)).decode().rstrip("=")
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        if not path.exists():
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(f"{secrets.token_hex(4)} {key}\n")
            try:
                # The file appears whole or not at all. If several processes make it, the first
                # wins.
                os.link(draft, path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return cls.load(path)


class Revoked:
    """The ended sessions that may still have unexpired access tokens.

    Tokens expire by the wall clock, which may be set. So a session is forgotten only when both
    clocks agree. By `steady`, which nobody sets, ACCESS_LIFETIME has passed. By `wall`, the last
    token that the session can have has expired: a token that was issued before `wall` was set back
    expires later.
    """

    def __init__(self, wall: Clock, steady: Clock) -> None:
        self._wall = wall
        self._steady = steady
        self.complete = True
        """False until it is known which sessions ended before this process started."""
        self._latest = 0.0
        self._until: dict[str, tuple[float, float]] = {}

    def saw(self, expires: float) -> None:
        """Note that there is a token that expires at this time, in Unix seconds."""
        self._latest = max(self._latest, expires)

    def add(self, session: str) -> None:
        """Refuse the session's tokens from now on."""
        wall, steady = self._wall.seconds(), self._steady.seconds()
        self.saw(wall + ACCESS_LIFETIME)
        self._until.setdefault(session, (self._latest, steady + ACCESS_LIFETIME))
        # Neither time ever decreases, so insertion order is the order of expiry.
        while self._until:
            oldest, (expired, over) = next(iter(self._until.items()))
            if expired > wall or over > steady:
                break
            del self._until[oldest]

    def __contains__(self, session: object) -> bool:
        return session in self._until

    def __len__(self) -> int:
        return len(self._until)


class _Header(Struct):
    kid: str


def _kid(token: str) -> str:
    """The id of the key with which a token claims to be signed. PyJWT would decode the whole token
    for this, and again to verify it. Thousands of sockets that come at once would wait for that."""
    head = token.partition(".")[0]
    return json.decode(base64.urlsafe_b64decode(head + "==="), type=_Header).kid


def new_secret() -> str:
    """A secret of a service account."""
    return SECRET_PREFIX + secrets.token_urlsafe(_SECRET_BYTES)


def secret_hash(secret: str) -> str:
    """SHA-256 in hex: secrets are random, so nothing slower is needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class Tokens:
    """Issues and verifies the tokens of one service, by the wall clock.

    `steady` measures durations. Without it, `clock` does; nobody may set it then.
    """

    def __init__(
        self,
        keys: Keys,
        clock: Clock,
        steady: Clock | None = None,
        remembered: int = REMEMBERED,
    ) -> None:
        self._keys = {key.kid: key.secret for key in keys}
        self._kid = keys[0].kid
        self._clock = clock
        self._remembered = remembered
        self._verified: dict[str, Caller] = {}
        self.revoked = Revoked(clock, clock if steady is None else steady)

    def issue(self, user: str, session: str, role: str = PLAYER, *, guest: bool = False) -> str:
        """An access token, valid for ACCESS_LIFETIME seconds."""
        # Older releases know a player by this word.
        claims = {"role": "user" if role == PLAYER else role}
        if guest:
            claims["account"] = _GUEST
        return self._sign(_USER, ACCESS_LIFETIME, sub=user, sid=session, **claims)

    def issue_in_game(
        self, user: str, session: str, asked_by: str, left: int, *, guest: bool = False
    ) -> str:
        """An access token of a session that began with a portal code and goes on for `left`
        seconds. Older releases do not know the last claim: the role is a player's."""
        lifetime = min(ACCESS_LIFETIME, left)
        claims = {"role": "user", "asked_by": asked_by}
        if guest:
            claims["account"] = _GUEST
        return self._sign(_USER, lifetime, sub=user, sid=session, **claims)

    def issue_service(
        self, account: str, grant: str, scopes: Iterable[str], expires: int | None
    ) -> tuple[str, int]:
        """An access token of a service account, and the seconds for which it is good: at most
        ACCESS_LIFETIME, and not beyond the account's end in Unix seconds."""
        lifetime = ACCESS_LIFETIME
        if expires is not None:
            lifetime = min(lifetime, expires - int(self._clock.seconds()))
        text = " ".join(scopes)
        return self._sign(_SERVICE, lifetime, sub=account, sid=grant, scope=text), lifetime

    def issue_socket(
        self, user: str, session: str, client: str, asked_by: str | None = None
    ) -> str:
        """A token for the session socket, valid for SOCKET_LIFETIME seconds."""
        claims = {"sub": user, "sid": session, "client": client}
        if asked_by is not None:
            claims["asked_by"] = asked_by
        return self._sign(_SOCKET, SOCKET_LIFETIME, **claims)

    def _sign(self, audience: str, lifetime: int, **claims: str) -> str:
        now = int(self._clock.seconds())
        claims |= {"iss": ISSUER, "aud": audience, "jti": str(uuid4())}
        times = {"iat": now, "exp": now + lifetime}
        self.revoked.saw(times["exp"])
        return jwt.encode(
            {**claims, **times}, self._keys[self._kid], "HS256", headers={"kid": self._kid}
        )

    def pseudonym(self, text: str) -> str:
        """A GUID that stands for a text that must not be stored. Without the key, nobody can say
        which text."""
        key = self._keys[self._kid]
        code = hmac.digest(key, b"pseudonym\0" + text.encode("utf-8", "surrogatepass"), "sha256")
        return str(UUID(bytes=code[:16]))

    def verify(self, token: str) -> Caller:
        """The user or the service of an access token. Raises InvalidToken."""
        caller = self._verified.get(token)
        if caller is None:
            caller = _caller(self._claims(token, _USER, _SERVICE))
            if len(self._verified) >= self._remembered:
                del self._verified[next(iter(self._verified))]
            self._verified[token] = caller
        elif caller.expires <= self._clock.seconds():
            del self._verified[token]
            raise InvalidToken("The token has expired.")
        ended = self.revoked
        if caller.session in ended or caller.grant in ended or caller.asked_by in ended:
            raise InvalidToken("The session of this token has ended.")
        return caller

    def verify_socket(self, token: str) -> SocketGrant:
        """The user of a socket token. Raises InvalidToken, but not for a revoked session: the
        socket itself reports that with its own close code."""
        claims = self._claims(token, _SOCKET)
        asked_by = claims.get("asked_by")
        return SocketGrant(claims["sub"], claims["sid"], str(claims.get("client")), asked_by)

    def _claims(self, token: str, *audiences: str) -> dict[str, Any]:
        if len(token) > _LONGEST:
            raise InvalidToken("The token is not valid.")
        try:
            secret = self._keys[_kid(token)]
            claims = jwt.decode(
                token,
                secret,
                algorithms=["HS256"],
                audience=audiences,
                issuer=ISSUER,
                # The injected clock decides about time, below.
                options={
                    "require": ["exp", "iat", "sub", "sid", "jti"],
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except Exception as error:
            # A stranger's text can raise anything, for example a RecursionError of the JSON
            # decoder.
            raise InvalidToken("The token is not valid.") from error
        texts = (claims["sid"], claims["jti"])
        # A list of audiences would be of nobody in particular.
        if claims["aud"] not in audiences or not isinstance(claims["exp"], int):
            raise InvalidToken("The token is not valid.")
        if not all(isinstance(text, str) for text in texts):
            raise InvalidToken("The token is not valid.")
        if claims["exp"] <= self._clock.seconds():
            raise InvalidToken("The token has expired.")
        self.revoked.saw(claims["exp"])
        return claims


def _caller(claims: dict[str, Any]) -> Caller:
    """Of a service only if the token was signed for one: its audience says so."""
    user, session, expires = claims["sub"], claims["sid"], claims["exp"]
    if claims["aud"] == _SERVICE:
        scopes = of_scopes(claims.get("scope"))
        return Caller(user, claims["jti"], MODERATOR, expires, session, scopes)
    role, asked_by = role_of(claims.get("role")), claims.get("asked_by")
    guest = claims.get("account") == _GUEST
    return Caller(user, session, role, expires, guest=guest, asked_by=asked_by)


class MailTokens:
    """The tokens of links in mails: the word that says what a link is for, and the id of the mail
    with a code that only the keys can make. So a mail that is sent again has the same token, and
    the database has none."""

    def __init__(self, keys: Keys) -> None:
        self._keys = [key.secret for key in keys]

    def make(self, word: str, id: str) -> str:
        """The token of the mail with this id, a GUID. It can stand in a URL as it is."""
        raw = UUID(id).bytes
        text = base64.urlsafe_b64encode(raw + self._code(self._keys[0], word, raw)).decode()
        return f"{word}-{text}"

    def read(self, word: str, token: str) -> str | None:
        """The id of the mail that has this token. None if the token is not ours, or not for
        this."""
        start, _, text = token.partition("-")
        try:
            raw = base64.b64decode(text.encode("ascii"), altchars=b"-_", validate=True)
        except (UnicodeEncodeError, binascii.Error):
            return None
        # Otherwise padding may follow.
        if start != word or len(text) != _MAIL_TEXT:
            return None
        id, code = raw[:_MAIL_ID], raw[_MAIL_ID:]
        if not any(hmac.compare_digest(self._code(key, word, id), code) for key in self._keys):
            return None
        return str(UUID(bytes=id))

    def appeal(self, decision: str, user: str) -> str:
        """The token with which a user reads a decision, and appeals against it. Its text has both
        GUIDs, so that a page that has only the token knows them."""
        return _appeal(self._keys[0], decision, user)

    def opens(self, token: str, decision: str, user: str) -> bool:
        """Whether this token is that of a user's decision."""
        given = token.encode("utf-8", "surrogatepass")
        ours = [_appeal(key, decision, user).encode() for key in self._keys]
        return any(hmac.compare_digest(one, given) for one in ours)

    def _code(self, key: bytes, word: str, id: bytes) -> bytes:
        return hmac.digest(key, b"mail\0" + word.encode() + b"\0" + id, "sha256")[:_MAIL_CODE]


def _appeal(key: bytes, decision: str, user: str) -> str:
    raw = UUID(decision).bytes + UUID(user).bytes
    code = hmac.digest(key, b"mail\0" + APPEAL.encode() + b"\0" + raw, "sha256")[:_APPEAL_CODE]
    return f"{APPEAL}-{base64.urlsafe_b64encode(raw + code).decode()}"
