"""Keys and tokens, against a clock that stands still."""

import base64
import json
import multiprocessing
import os
import struct
import warnings
from pathlib import Path
from typing import Any

import jwt
from twisted.internet.task import Clock
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from contentsvc import tokens as tokens_module
from contentsvc.tokens import (
    ACCESS_LIFETIME,
    SOCKET_LIFETIME,
    Caller,
    InvalidToken,
    Key,
    Keys,
    KeysError,
    SocketGrant,
    Tokens,
)

USER = "00000000-0000-4000-8000-00000000000a"
SESSION = "00000000-0000-4000-8000-00000000005e"
NOW = 1_700_000_000
OLD, NEW = Key("old", b"o" * 32), Key("new", b"n" * 32)


def encoded(key: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


def _generate(path: Path, gate: Any) -> list[Key]:
    gate.wait()
    return list(Keys.load_or_generate(path))


def _worker(path: Path, gate: Any, results: Any) -> None:
    results.put(_generate(path, gate))


class KeysTests(SynchronousTestCase):
    """The secret file."""

    def setUp(self) -> None:
        self.path = Path(self.mktemp())

    def load(self, text: str) -> Keys:
        """The keys of a file with this text."""
        self.path.write_text(text, "utf-8")
        self.path.chmod(0o600)
        return Keys.load(self.path)

    def refused(self, text: str, why: str) -> None:
        """Assert that it is refused in one line with the file and the reason, and no secret."""
        reason = str(self.assertRaises(KeysError, self.load, text))
        self.assertIn(str(self.path), reason)
        self.assertIn(why, reason)
        self.assertEqual(len(reason.splitlines()), 1)
        self.assertNotIn("secret", reason)

    def test_order(self) -> None:
        """The keys are in the order of the lines; comments and empty lines do not count."""
        text = f"# rotated in May\n\n new {encoded(NEW.secret)}\n\told\t{encoded(OLD.secret)}  \n"
        self.assertEqual(self.load(text), (NEW, OLD))

    def test_padding(self) -> None:
        """A key may be written with padding."""
        self.assertEqual(self.load(f"old {encoded(OLD.secret)}="), (OLD,))

    def test_generated(self) -> None:
        """A missing file is made with one random key, and only its owner may read it."""
        before = os.umask(0)
        try:
            keys = Keys.load_or_generate(self.path)
        finally:
            os.umask(before)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)
        self.assertEqual((len(keys), len(keys[0].secret)), (1, 32))
        self.assertEqual(Keys.load_or_generate(self.path), keys)
        self.assertEqual([entry.name for entry in self.path.parent.iterdir()], [self.path.name])

    def test_others(self) -> None:
        """A file that its group or others may read or write is refused, found or generated."""
        self.load(f"old {encoded(OLD.secret)}")
        for mode in (0o640, 0o620, 0o604, 0o602, 0o644, 0o666, 0o777):
            self.path.chmod(mode)
            for load in (Keys.load, Keys.load_or_generate):
                reason = str(self.assertRaises(KeysError, load, self.path))
                self.assertIn(f"{self.path}: others", reason)
                self.assertIn(f"{mode:04o}", reason)
                self.assertEqual(len(reason.splitlines()), 1)
        for mode in (0o600, 0o400, 0o700, 0o711):
            self.path.chmod(mode)
            Keys.load(self.path)

    def acl(self, *entries: tuple[int, ...]) -> None:
        """Give the file an access control list of tag, rights and perhaps an id."""
        packed = b"".join(struct.pack("<HHI", *(*entry, 0xFFFFFFFF)[:3]) for entry in entries)
        try:
            os.setxattr(self.path, "system.posix_acl_access", struct.pack("<I", 2) + packed)
        except OSError as error:
            raise SkipTest(f"no access control lists: {error}") from None

    def test_granted_to_one(self) -> None:
        """A right for one user, as systemd's LoadCredential gives it, shows in the mode's bits of
        the group, which has none."""
        self.load(f"old {encoded(OLD.secret)}")
        user, one, group, another, mask, other = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
        self.acl((user, 4), (one, 4, os.getuid() + 1), (group, 0), (mask, 4), (other, 0))
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o440)
        self.assertEqual(Keys.load(self.path), (OLD,))
        for entries in (
            ((group, 4), (mask, 4), (other, 0)),
            ((group, 0), (mask, 4), (other, 2)),
            ((group, 0), (another, 4, 7), (mask, 6), (other, 0)),
        ):
            self.acl((user, 4), (one, 4, os.getuid() + 1), *entries)
            self.assertRaises(KeysError, Keys.load, self.path)

    def test_random(self) -> None:
        """No two generated keys are the same."""
        other = self.path.with_name("other")
        self.addCleanup(other.unlink)
        first, second = Keys.load_or_generate(self.path)[0], Keys.load_or_generate(other)[0]
        self.assertNotEqual(first.secret, second.secret)
        self.assertNotEqual(first.kid, second.kid)

    def test_two_at_once(self) -> None:
        """Of processes that generate at once, all have the same key."""
        fork = multiprocessing.get_context("fork")
        gate, results = fork.Barrier(4), fork.Queue()
        workers = [fork.Process(target=_worker, args=(self.path, gate, results)) for _ in range(4)]
        for worker in workers:
            worker.start()
        found = [results.get(timeout=30) for _ in workers]
        for worker in workers:
            worker.join()
        self.assertEqual(found, [found[0]] * 4)
        self.assertEqual([entry.name for entry in self.path.parent.iterdir()], [self.path.name])

    def test_missing(self) -> None:
        """A file that is not there is named."""
        self.assertIn(str(self.path), str(self.assertRaises(KeysError, Keys.load, self.path)))

    def test_short(self) -> None:
        """A key under 32 bytes is refused."""
        self.refused(f"weak {encoded(b'x' * 31)}", "shorter than 32 bytes")

    def test_malformed(self) -> None:
        """A line that is not an id and a key is refused."""
        good = f"old {encoded(OLD.secret)}\n"
        for line in ("secret", f"a b {encoded(NEW.secret)}", "new secret=!"):
            self.refused(good + line, "")

    def test_not_ascii(self) -> None:
        """So is one of other bytes than ASCII."""
        self.refused("sch\u00fcssel secret", "ascii")

    def test_twice(self) -> None:
        """Two keys of one id are refused: either would shadow the other."""
        key = encoded(OLD.secret)
        self.refused(f"old {key}\nold {encoded(NEW.secret)}", "twice")

    def test_empty(self) -> None:
        """A file without a key is refused."""
        self.refused("# nothing\n", "no key")


class TokenCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.clock.advance(NOW)
        self.tokens = Tokens(Keys([NEW, OLD]), self.clock)

    def issue(self, admin: bool = False) -> str:
        """An access token."""
        return self.tokens.issue(USER, SESSION, admin=admin)

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

    def test_caller(self) -> None:
        """A token speaks for the user, session and role it was issued to."""
        expected = Caller(USER, SESSION, False, NOW + ACCESS_LIFETIME)
        self.assertEqual(self.tokens.verify(self.issue()), expected)
        self.assertTrue(self.tokens.verify(self.issue(admin=True)).admin)

    def test_claims(self) -> None:
        """It carries the claims that docs/choices.md names, and the id of the key."""
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
        token = Tokens(Keys([OLD]), self.clock).issue(USER, SESSION, admin=False)
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
        """Whatever a library makes of a stranger's text, the token is just not valid."""

        def fail(*args: object, **more: object) -> None:
            raise RecursionError

        token = self.issue()
        self.patch(jwt, "get_unverified_header", fail)
        self.refused(token)

    def test_huge(self) -> None:
        """One that is far longer than ours is not even looked at."""
        looked: list[str] = []
        self.patch(jwt, "get_unverified_header", looked.append)
        self.refused(self.issue() + "x" * 16_384)
        self.assertEqual(looked, [])

    def test_role(self) -> None:
        """Only the role admin makes an admin."""
        for role in ("user", "Admin", None, 1):
            self.assertFalse(self.tokens.verify(self.forge(role=role)).admin)


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

    def test_revoked(self) -> None:
        """That of an ended session is let through: the socket has its own close for that."""
        self.tokens.revoked.add(SESSION)
        self.assertEqual(self.tokens.verify_socket(self.socket()).session, SESSION)

    def test_remembering_is_bounded(self) -> None:
        """However many tokens are verified, only so many are remembered."""
        self.patch(tokens_module, "_REMEMBERED", 3)
        first, *others = [self.issue() for _ in range(5)]
        for token in (first, *others, first):
            self.tokens.verify(token)
        self.assertLessEqual(len(self.tokens._verified), 3)
