"""JSON Web Tokens: issuing and verifying, against an injected clock (spec §5).

HS256 only. Keys carry an id (`kid`), so that they can be rotated: the first of the file
signs, all of them verify.
"""

import base64
import binascii
import hmac
import os
import secrets
import stat
import struct
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from uuid import UUID, uuid4

import jwt
from msgspec import Struct, json

ISSUER = "contentsvc"
ACCESS_LIFETIME = 15 * 60
"""Seconds."""
SOCKET_LIFETIME = 60
"""Seconds."""
_KEY_BYTES = 32
_REMEMBERED = 20_000
_LONGEST = 4096
"""Characters of a token that is looked at; ours have some 500."""
_OTHERS = stat.S_IRGRP | stat.S_IWGRP | stat.S_IROTH | stat.S_IWOTH
_ACL_GROUP_OBJ, _ACL_GROUP, _ACL_MASK, _ACL_OTHER = 0x04, 0x08, 0x10, 0x20
_ACL_READ_WRITE = 0x06


class Clock(Protocol):
    """The wall clock where it makes stamps, the reactor where it measures durations."""

    def seconds(self) -> float:
        """Seconds, of the wall clock those since 1970."""


class InvalidToken(Exception):
    """The token is malformed, forged, expired, for another audience, or revoked."""


class KeysError(Exception):
    """The secret file is missing or malformed, or not only its owner's."""


class Caller(Struct, frozen=True):
    """Who an access token speaks for; `expires` in Unix seconds."""

    user: str
    session: str
    admin: bool
    expires: int


class SocketGrant(Struct, frozen=True):
    """Whom a socket token lets in, and as which client type (spec §4.19)."""

    user: str
    session: str
    client: str


class Key(NamedTuple):
    """One secret and its id."""

    kid: str
    secret: bytes


class Keys(tuple[Key, ...]):
    """The secret file's keys: the first signs, all verify."""

    __slots__ = ()

    @classmethod
    def load(cls, path: Path) -> "Keys":
        """Read lines of `KID BASE64URL`. Raises KeysError."""
        try:
            with path.open(encoding="ascii") as file:
                # Of the file that is read, not of what has the name a moment later.
                if _others_may(file.fileno()):
                    mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
                    raise KeysError(
                        f"{path}: users other than its owner may read or write it (mode "
                        f"{mode:04o}); run chmod 600"
                    )
                lines = [line.split() for line in file.read().splitlines()]
        except OSError as error:
            raise KeysError(f"{path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
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
        """Read the file, made first with one random key (mode 0600) if it is absent."""
        key = base64.urlsafe_b64encode(secrets.token_bytes(_KEY_BYTES)).decode().rstrip("=")
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        if not path.exists():
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(f"{secrets.token_hex(4)} {key}\n")
            try:
                # Whole or not at all, and the first of several processes wins.
                os.link(draft, path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return cls.load(path)


def _others_may(descriptor: int) -> bool:
    """Whether a file's group or others may read or write it.

    With an access control list the group's bits of the mode are its mask. systemd's LoadCredential
    gives the service's user a right so, and the group none.
    """
    mode = os.fstat(descriptor).st_mode
    if not mode & _OTHERS:
        return False
    try:
        acl = os.getxattr(descriptor, "system.posix_acl_access")
    except OSError:
        return True
    entries = [(tag, rights) for tag, rights, _ in struct.iter_unpack("<HHI", acl[4:])]
    mask = dict(entries).get(_ACL_MASK, _ACL_READ_WRITE)
    return any(
        rights & _ACL_READ_WRITE & (_ACL_READ_WRITE if tag == _ACL_OTHER else mask)
        for tag, rights in entries
        if tag in {_ACL_GROUP_OBJ, _ACL_GROUP, _ACL_OTHER}
    )


class Revoked:
    """The sessions that were ended while access tokens of theirs may still be unexpired.

    Tokens expire by the wall clock, which may be set. So a session is forgotten when both clocks
    say so: by `steady`, which nobody sets, ACCESS_LIFETIME has passed, and by `wall` the last token
    that it can have has expired. One that was issued before `wall` was set back expires later.
    """

    def __init__(self, wall: Clock, steady: Clock) -> None:
        self._wall = wall
        self._steady = steady
        self.complete = True
        """False while it is not known which were ended before this process started."""
        self._latest = 0.0
        self._until: dict[str, tuple[float, float]] = {}

    def saw(self, expires: float) -> None:
        """There is a token that expires then, in Unix seconds."""
        self._latest = max(self._latest, expires)

    def add(self, session: str) -> None:
        """Refuse the session's tokens from now on."""
        wall, steady = self._wall.seconds(), self._steady.seconds()
        self.saw(wall + ACCESS_LIFETIME)
        self._until.setdefault(session, (self._latest, steady + ACCESS_LIFETIME))
        # Neither time ever falls, so insertion order is the order of expiry.
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
    """Which key a token says it was signed with. PyJWT decodes all of it to tell, and again to
    verify it, which thousands of sockets that come at once would wait for."""
    head = token.partition(".")[0]
    return json.decode(base64.urlsafe_b64decode(head + "==="), type=_Header).kid


class Tokens:
    """Issues and verifies the tokens of one service, by the wall clock.

    `steady` measures durations; without it `clock` does, which then must not be set.
    """

    def __init__(self, keys: Keys, clock: Clock, steady: Clock | None = None) -> None:
        self._keys = {key.kid: key.secret for key in keys}
        self._kid = keys[0].kid
        self._clock = clock
        self._verified: dict[str, Caller] = {}
        self.revoked = Revoked(clock, clock if steady is None else steady)

    def issue(self, user: str, session: str, *, admin: bool) -> str:
        """An access token, good for ACCESS_LIFETIME seconds."""
        role = "admin" if admin else "user"
        return self._sign("api", ACCESS_LIFETIME, sub=user, sid=session, role=role)

    def issue_socket(self, user: str, session: str, client: str) -> str:
        """A token for the session socket, good for SOCKET_LIFETIME seconds."""
        return self._sign("socket", SOCKET_LIFETIME, sub=user, sid=session, client=client)

    def _sign(self, audience: str, lifetime: int, **claims: str) -> str:
        now = int(self._clock.seconds())
        claims |= {"iss": ISSUER, "aud": audience, "jti": str(uuid4())}
        times = {"iat": now, "exp": now + lifetime}
        self.revoked.saw(times["exp"])
        return jwt.encode(
            {**claims, **times}, self._keys[self._kid], "HS256", headers={"kid": self._kid}
        )

    def pseudonym(self, text: str) -> str:
        """A GUID that stands for a text where that is not to be stored: without the key nobody
        can tell for which."""
        key = self._keys[self._kid]
        code = hmac.digest(key, b"pseudonym\0" + text.encode("utf-8", "surrogatepass"), "sha256")
        return str(UUID(bytes=code[:16]))

    def verify(self, token: str) -> Caller:
        """Whom an access token speaks for. Raises InvalidToken."""
        caller = self._verified.get(token)
        if caller is None:
            claims = self._claims(token, "api")
            caller = Caller(
                claims["sub"], claims["sid"], claims.get("role") == "admin", claims["exp"]
            )
            if len(self._verified) >= _REMEMBERED:
                del self._verified[next(iter(self._verified))]
            self._verified[token] = caller
        elif caller.expires <= self._clock.seconds():
            del self._verified[token]
            raise InvalidToken("The token has expired.")
        if caller.session in self.revoked:
            raise InvalidToken("The session of this token has ended.")
        return caller

    def verify_socket(self, token: str) -> SocketGrant:
        """Whom a socket token lets in. Raises InvalidToken; a revoked session's token is
        let through, for the socket to say so with its own close code."""
        claims = self._claims(token, "socket")
        return SocketGrant(claims["sub"], claims["sid"], str(claims.get("client")))

    def _claims(self, token: str, audience: str) -> dict[str, Any]:
        if len(token) > _LONGEST:
            raise InvalidToken("The token is not valid.")
        try:
            secret = self._keys[_kid(token)]
            claims = jwt.decode(
                token,
                secret,
                algorithms=["HS256"],
                audience=audience,
                issuer=ISSUER,
                # Time is the injected clock's, below.
                options={
                    "require": ["exp", "iat", "sub", "sid", "jti"],
                    "verify_exp": False,
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
        except Exception as error:
            # Of a stranger's text, anything: a RecursionError of the JSON decoder, for one.
            raise InvalidToken("The token is not valid.") from error
        if not isinstance(claims["exp"], int) or not isinstance(claims["sid"], str):
            raise InvalidToken("The token is not valid.")
        if claims["exp"] <= self._clock.seconds():
            raise InvalidToken("The token has expired.")
        self.revoked.saw(claims["exp"])
        return claims
