"""Tokens, against a clock that stands still."""

import base64
import json
import warnings
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any
from uuid import UUID

import jwt
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.roles import CURATE, EVENTS, PROGRESS, ROLES
from contentsvc.tokens import (
    ACCESS_LIFETIME,
    SOCKET_LIFETIME,
    Caller,
    InvalidToken,
    Key,
    Keys,
    SocketGrant,
    Tokens,
)

USER = "00000000-0000-4000-8000-00000000000a"
SERVICE = "00000000-0000-4000-8000-00000000000c"
SESSION = "00000000-0000-4000-8000-00000000005e"
ASKING = "00000000-0000-4000-8000-0000000000a5"
NOW = 1_700_000_000
OLD, NEW = Key("old", b"o" * 32), Key("new", b"n" * 32)


def encoded(key: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


class TokenCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.clock.advance(NOW)
        self.tokens = Tokens(Keys([NEW, OLD]), self.clock)

    def issue(self, admin: bool = False) -> str:
        """An access token."""
        return self.tokens.issue(USER, SESSION, "admin" if admin else "player")

    def forge(
        self,
        key: bytes = NEW.secret,
        algorithm: str = "HS256",
        header: dict[str, Any] | None = None,
        **changes: Any,
    ) -> str:
        """An access token with other claims (None leaves one out), key or header."""
        claims = jwt.decode(self.issue(), options={"verify_signature": False}) | changes
        kept = {name: value for name, value in claims.items() if value is not None}
        headers = {"kid": "new"} if header is None else header
        return jwt.encode(kept, key, algorithm, headers=headers)

    def refused(self, token: str) -> None:
        """Assert that it opens neither the API nor the socket, and that the reason keeps it."""
        for verify in (self.tokens.verify, self.tokens.verify_socket):
            reason = str(self.assertRaises(InvalidToken, verify, token))
            self.assertFalse(len(token) > 9 and token in reason)


class AccessTests(TokenCase):
    """Access tokens."""

    def test_byte_order_mark(self) -> None:
        """The file of keys may begin with a byte order mark."""
        path = Path(self.mktemp())
        Keys.load_or_generate(path)
        keys = Keys.load(path)
        path.write_bytes(BOM_UTF8 + path.read_bytes())
        self.assertEqual(Keys.load(path), keys)

    def test_caller(self) -> None:
        """A token speaks for the user, session and role it was issued to."""
        expected = Caller(USER, SESSION, "player", NOW + ACCESS_LIFETIME)
        self.assertEqual(self.tokens.verify(self.issue()), expected)
        self.assertEqual(self.tokens.verify(self.issue(admin=True)).permissions, ROLES["admin"])

    def test_claims(self) -> None:
        """It carries the claims that accounts#tokens names, and the id of the key."""
        token = self.issue(admin=True)
        claims = jwt.decode(token, options={"verify_signature": False})
        self.assertEqual(set(claims), {"iss", "sub", "sid", "jti", "iat", "exp", "aud", "role"})
        found = [claims[name] for name in ("iss", "sub", "sid", "aud", "role", "iat", "exp")]
        times = [NOW, NOW + 900]
        self.assertEqual(found, ["contentsvc", USER, SESSION, "api", "admin", *times])
        header = jwt.get_unverified_header(token)
        self.assertEqual(header, {"alg": "HS256", "typ": "JWT", "kid": "new"})

    def test_unique(self) -> None:
        """No two tokens are the same, even of one moment."""
        self.assertNotEqual(self.issue(), self.issue())

    def test_expires(self) -> None:
        """It is good for a quarter of an hour of the injected clock."""
        token = self.issue()
        self.clock.advance(ACCESS_LIFETIME - 1)
        self.tokens.verify(token)
        self.clock.advance(1)
        self.refused(token)

    def test_expires_remembered(self) -> None:
        """One that was verified before expires just so, and stays expired."""
        token = self.issue()
        self.tokens.verify(token)
        self.clock.advance(ACCESS_LIFETIME)
        self.refused(token)
        self.refused(token)

    def test_rotation(self) -> None:
        """Tokens of an older key are good for as long as it is in the file."""
        token = Tokens(Keys([OLD]), self.clock).issue(USER, SESSION)
        self.assertEqual(self.tokens.verify(token).user, USER)
        after = Tokens(Keys([NEW]), self.clock)
        self.assertRaises(InvalidToken, after.verify, token)

    def test_another_service(self) -> None:
        """A token signed with another secret under a known id is refused."""
        self.refused(self.forge(b"x" * 32))

    def test_key_of_other_id(self) -> None:
        """A known secret under the id of another is refused."""
        self.refused(self.forge(OLD.secret))

    def test_key_ids(self) -> None:
        """An unknown id, none, or one that is no text is refused."""
        self.refused(self.forge(header={"kid": "other"}))
        self.refused(self.forge(header={}))
        claims = self.issue().split(".")[1]
        for kid in (1, None, ["new"], {"new": 1}, True):
            header = {"alg": "HS256", "typ": "JWT", "kid": kid}
            signed = f"{encoded(json.dumps(header).encode())}.{claims}"
            algorithm = jwt.get_algorithm_by_name("HS256")
            signature = algorithm.sign(signed.encode(), algorithm.prepare_key(NEW.secret))
            self.refused(f"{signed}.{encoded(signature)}")

    def test_algorithms(self) -> None:
        """Any other algorithm than HS256 is refused, none above all."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the key is too short for these
            for name in ("HS384", "HS512"):
                self.refused(self.forge(NEW.secret, name))
        claims = self.issue().split(".")[1]
        for name in ("none", "None", "NONE", "RS256", "ES256"):
            header = encoded(json.dumps({"alg": name, "typ": "JWT", "kid": "new"}).encode())
            for signature in ("", encoded(b"x" * 32), self.issue().split(".")[2]):
                self.refused(f"{header}.{claims}.{signature}")

    def test_altered(self) -> None:
        """Other claims under the signature of some are refused."""
        header, _, signature = self.issue().split(".")
        claims = self.issue(admin=True).split(".")[1]
        self.refused(f"{header}.{claims}.{signature}")

    def test_audience(self) -> None:
        """A token for another audience, or none, is refused."""
        for audience in ("other", None, "", ["other"]):
            self.refused(self.forge(aud=audience))

    def test_issuer(self) -> None:
        """So is one of another issuer, or none."""
        for issuer in ("other", None, ""):
            self.refused(self.forge(iss=issuer))

    def test_claims_missing(self) -> None:
        """So is one without a claim that is needed."""
        for claim in ("sub", "sid", "exp", "iat", "jti"):
            self.refused(self.forge(**{claim: None}))

    def test_claims_of_other_types(self) -> None:
        """So is one whose claims are of other types."""
        for claim, value in (("sub", 1), ("sid", 1), ("sid", ["x"]), ("exp", "soon"), ("exp", [])):
            self.refused(self.forge(**{claim: value}))

    def test_not_a_token(self) -> None:
        """So is anything else, without any other exception."""
        for junk in ("", ".", "..", "a.b.c", "a" * 10_000, "\xff", "\u00e4.b.c", "\udcff", "\0"):
            self.refused(junk)

    def test_deep(self) -> None:
        """So is one whose header or claims are nested deeply, signed or not."""
        deep = encoded(b"[" * 2000)
        header, claims, signature = self.issue().split(".")
        nested = encoded(b'{"kid":"new","alg":"HS256","x":' + b"[" * 2000 + b"]" * 2000 + b"}")
        for token in (f"{deep}.{claims}.{signature}", f"{header}.{deep}.{signature}", nested):
            self.refused(token)
            self.refused(f"{token}.{claims}.{signature}")
        signed = f"{header}.{deep}"
        algorithm = jwt.get_algorithm_by_name("HS256")
        made = algorithm.sign(signed.encode(), algorithm.prepare_key(NEW.secret))
        self.refused(f"{signed}.{encoded(made)}")

    def test_any_exception(self) -> None:
        """A token is not valid if a library fails on it in any way."""

        def fail(*args: object, **more: object) -> None:
            raise RecursionError

        token = self.issue()
        self.patch(jwt, "decode", fail)
        self.refused(token)

    def test_huge(self) -> None:
        """One that is far longer than ours is refused, even if its signature is right."""
        self.tokens.verify(self.forge(more="x" * 1000))
        self.refused(self.forge(more="x" * 4096))

    def test_role(self) -> None:
        """A role that is none has no permissions."""
        for role in ("user", "Admin", None, 1):
            caller = self.tokens.verify(self.forge(role=role))
            self.assertEqual(("player", frozenset()), (caller.role, caller.permissions))


class ServiceTests(TokenCase):
    """Access tokens of service accounts."""

    def service(self, expires: int | None = None) -> tuple[str, int]:
        """One with two scopes, and the seconds for which it is good."""
        return self.tokens.issue_service(SERVICE, SESSION, ["curate", "progress"], expires)

    def test_caller(self) -> None:
        """It is of the service, has the permissions of its scopes, and ranks as a moderator."""
        caller = self.tokens.verify(self.service()[0])
        self.assertEqual((SERVICE, True, "moderator"), (caller.user, caller.service, caller.role))
        self.assertEqual({CURATE, PROGRESS}, caller.permissions)
        self.assertFalse(self.tokens.verify(self.issue()).service)

    def test_never_a_users(self) -> None:
        """A role in it is worth nothing; nor are scopes in a user's token, or other audiences."""
        caller = self.tokens.verify(self.forge(aud="service", role="admin", scope="events x"))
        self.assertEqual((True, {EVENTS}), (caller.service, caller.permissions))
        caller = self.tokens.verify(self.forge(scope="events"))
        self.assertEqual((False, frozenset()), (caller.service, caller.permissions))
        for audience in (["service"], ["api", "service"], ["api"], "Service"):
            self.refused(self.forge(aud=audience))
        self.assertRaises(InvalidToken, self.tokens.verify_socket, self.service()[0])

    def test_expires(self) -> None:
        """It lives as long as any, but not longer than its account."""
        self.assertEqual(ACCESS_LIFETIME, self.service()[1])
        self.assertEqual(ACCESS_LIFETIME, self.service(NOW + ACCESS_LIFETIME + 1)[1])
        token, lifetime = self.service(NOW + 30)
        self.assertEqual(30, lifetime)
        self.clock.advance(29)
        self.tokens.verify(token)
        self.clock.advance(1)
        self.refused(token)

    def test_ends(self) -> None:
        """One ends alone, or with all others of what gave it."""
        one, other = self.service()[0], self.service()[0]
        self.tokens.revoked.add(self.tokens.verify(one).session)
        self.refused(one)
        self.tokens.verify(other)
        self.tokens.revoked.add(SESSION)
        self.refused(other)


class InGameTests(TokenCase):
    """Tokens of sessions that began with a portal code."""

    def in_game(self, left: int = 3600) -> str:
        """One."""
        return self.tokens.issue_in_game(USER, SESSION, ASKING, left)

    def test_permissions(self) -> None:
        """They have none, whatever role one would name, and say what began them."""
        caller = self.tokens.verify(self.in_game())
        self.assertEqual((caller.asked_by, caller.in_game), (ASKING, True))
        self.assertFalse(self.tokens.verify(self.issue()).in_game)
        named = self.tokens.verify(self.forge(role="admin", asked_by=ASKING))
        for each in (caller, named):
            self.assertEqual(each.permissions, frozenset())

    def test_earlier_release(self) -> None:
        """To a release that does not know them they are a player's."""
        found = jwt.decode(self.in_game(), options={"verify_signature": False})
        self.assertEqual((found["role"], found["aud"]), ("user", "api"))

    def test_short(self) -> None:
        """They are good no longer than their session."""
        token = self.in_game(left=100)
        self.clock.advance(99)
        self.tokens.verify(token)
        self.clock.advance(1)
        self.refused(token)

    def test_revoked(self) -> None:
        """They end with their session, and with the one that has asked."""
        for session in (SESSION, ASKING):
            tokens = Tokens(Keys([NEW]), self.clock)
            tokens.verify(self.in_game())
            tokens.revoked.add(session)
            self.assertRaises(InvalidToken, tokens.verify, self.in_game())


class SocketTests(TokenCase):
    """Tokens for the socket."""

    def socket(self) -> str:
        """One."""
        return self.tokens.issue_socket(USER, SESSION, "portal")

    def test_grant(self) -> None:
        """It lets the user of a session in, as one client type."""
        grant = self.tokens.verify_socket(self.socket())
        self.assertEqual(grant, SocketGrant(USER, SESSION, "portal"))

    def test_expires(self) -> None:
        """It is good for a minute."""
        token = self.socket()
        self.clock.advance(SOCKET_LIFETIME - 1)
        self.tokens.verify_socket(token)
        self.clock.advance(1)
        self.refused(token)

    def test_not_for_the_api(self) -> None:
        """It does not open the API, nor an access token the socket."""
        self.assertRaises(InvalidToken, self.tokens.verify, self.socket())
        self.assertRaises(InvalidToken, self.tokens.verify_socket, self.issue())

    def test_asked_by(self) -> None:
        """It names the session with whose portal code its own began."""
        token = self.tokens.issue_socket(USER, SESSION, "portal", ASKING)
        expected = SocketGrant(USER, SESSION, "portal", ASKING)
        self.assertEqual(self.tokens.verify_socket(token), expected)

    def test_revoked(self) -> None:
        """That of an ended session is let through: the socket has its own close for that."""
        self.tokens.revoked.add(SESSION)
        self.assertEqual(self.tokens.verify_socket(self.socket()).session, SESSION)

    def test_remembering_is_bounded(self) -> None:
        """However many tokens are verified, only so many are remembered."""
        decoded: list[str] = []
        decode = jwt.decode
        counted = lambda token, *args, **more: decoded.append(token) or decode(token, *args, **more)  # noqa: E731
        self.patch(jwt, "decode", counted)
        tokens = Tokens(Keys([NEW]), self.clock, remembered=3)
        first, *others = [self.issue() for _ in range(5)]
        for token in (first, *others, *others[-3:], first):
            tokens.verify(token)
        self.assertEqual(decoded, [first, *others, first])


class PseudonymTests(TokenCase):
    """The pseudonyms of texts in the database."""

    def test_pseudonym(self) -> None:
        """It is a GUID, the same for the same text and key, and another for any other."""
        found = self.tokens.pseudonym("a")
        self.assertEqual(str(UUID(found)), found)
        self.assertEqual(Tokens(Keys([NEW]), self.clock).pseudonym("a"), found)
        others = [self.tokens.pseudonym("b"), Tokens(Keys([OLD]), self.clock).pseudonym("a")]
        self.assertNotIn(found, [*others, self.tokens.pseudonym("\udcff")])
