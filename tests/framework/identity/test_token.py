"""What a token must say to be taken."""

import base64
import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.identity.keys import ALGORITHMS, Keys
from contentsvc.framework.identity.subject import InvalidSubjectToken, Subject
from contentsvc.framework.identity.token import ID_TOKEN, JWT, SKEW, head, verified
from tests.support.issuers import SigningKey

URL = "https://id.example"
KEYS = {name: SigningKey(name, name) for name in ALGORITHMS}
NOW = 1_800_000_000


def encoded(value: Any) -> str:
    """A part of a token."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class HeadTests(SynchronousTestCase):
    """What is read before anything is verified."""

    def refused(self, token: str, token_type: str = ID_TOKEN) -> str:
        with self.assertRaises(InvalidSubjectToken) as raised:
            head(token, token_type)
        return str(raised.exception)

    def made(self, header: Any, payload: Any = None) -> str:
        """A token of these parts."""
        payload = {"iss": URL} if payload is None else payload
        return f"{encoded(header)}.{encoded(payload)}.c2ln"

    def test_read(self) -> None:
        """Issuer, algorithm and kid are read."""
        token = self.made({"alg": "ES256", "kid": "k", "typ": "JWT", "jku": "https://x.example"})
        self.assertEqual(head(token, ID_TOKEN), (URL, "ES256", "k"))
        self.assertIsNone(head(self.made({"alg": "ES256"}), ID_TOKEN).kid)

    def test_form(self) -> None:
        """Whatever is no signed JWT is refused: encrypted ones, other characters, odd JSON."""
        good = self.made({"alg": "ES256"})
        deep = b"[" * 100_000
        for token in (
            "",
            "x",
            "..",
            good.rpartition(".")[0],
            good.rpartition(".")[0] + ".",
            f"{good}.{good}",
            f" {good}",
            f"{good}\n",
            f"{good}=",
            good.replace("e", "é", 1),
            self.made({}),
            self.made([]),
            self.made({"alg": 7}),
            self.made({"alg": None}),
            self.made({"alg": "ES256", "kid": 7}),
            self.made({"alg": "ES256", "kid": ["k"]}),
            self.made({"alg": "ES256", "typ": 7}),
            self.made({"alg": "ES256"}, {}),
            self.made({"alg": "ES256"}, {"iss": 7}),
            self.made({"alg": "ES256"}, [URL]),
            self.made({"alg": "ES256"}, b"\xff"),
            self.made({"alg": "ES256"}, deep),
            self.made(deep[:3000]),
            self.made({"alg": "ES256", "x": "y" * 4000}),
        ):
            self.assertIn("not a signed JSON Web Token", self.refused(token))

    def test_critical(self) -> None:
        """A header with `crit` is refused, whatever it names."""
        for crit in (["b64"], [], None, "exp"):
            self.assertIn("crit", self.refused(self.made({"alg": "ES256", "crit": crit})))

    def test_type(self) -> None:
        """A token for something else is not taken for one to log in with."""
        for typ in ("JWT", "jwt", "application/jwt"):
            head(self.made({"alg": "ES256", "typ": typ}), ID_TOKEN)
        for typ in ("at+jwt", "application/at+jwt"):
            token = self.made({"alg": "ES256", "typ": typ})
            head(token, JWT)
            self.assertIn("typ", self.refused(token))
        for typ in ("logout+jwt", "secevent+jwt", "dpop+jwt", ""):
            for token_type in (ID_TOKEN, JWT):
                token = self.made({"alg": "ES256", "typ": typ})
                self.assertIn("typ", self.refused(token, token_type))


class VerifiedTests(SynchronousTestCase):
    """What is read once the signature is right."""

    def claims(self, **changes: Any) -> dict[str, Any]:
        """Good ones but for these changes; None leaves one out."""
        whole = {"iss": URL, "aud": "game", "sub": "ada", "exp": NOW + 300, **changes}
        return {name: value for name, value in whole.items() if value is not None}

    def verify(self, token: str, *keys: SigningKey) -> Subject:
        read = Keys.read({"keys": [key.jwk() for key in keys]}, ALGORITHMS)
        return verified(token, head(token, ID_TOKEN), read, ("game", "portal"), NOW)

    def refused(self, **changes: Any) -> str:
        """Why these claims are refused."""
        key = KEYS["ES256"]
        with self.assertRaises(InvalidSubjectToken) as raised:
            self.verify(key.sign(self.claims(**changes)), key)
        self.assertTrue(raised.exception.counts)
        return str(raised.exception)

    def taken(self, **changes: Any) -> Subject:
        """The account that these claims prove."""
        key = KEYS["ES256"]
        return self.verify(key.sign(self.claims(**changes)), key)

    def test_algorithms(self) -> None:
        """All three algorithms work."""
        for key in KEYS.values():
            self.assertEqual(self.verify(key.sign(self.claims()), key), Subject(URL, "ada", None))

    def test_several_keys(self) -> None:
        """Of several keys one must fit."""
        key, other = KEYS["ES256"], SigningKey("ES256")
        self.verify(key.sign(self.claims()), other, key)
        with self.assertRaises(InvalidSubjectToken):
            self.verify(key.sign(self.claims()), other)

    def test_name(self) -> None:
        """The name is preferred_username, where it is text."""
        self.assertEqual(self.taken(preferred_username="Ada").name, "Ada")
        for other in (7, None, ["Ada"]):
            self.assertIsNone(self.taken(preferred_username=other, name="Ada").name)

    def test_audience(self) -> None:
        """Each audience of the token must be one of the operator's."""
        for good in ("game", "portal", ["game"]):
            self.taken(aud=good, azp="other")
        for good in (["game", "portal"], ["portal", "game"], ["game", "game"]):
            self.taken(aud=good)
        for bad in ("Game", "game ", "", [], ["game", "other"], ["", "game"], [["game"]], 7, {}):
            self.assertIn("aud", self.refused(aud=bad))

    def test_authorized_party(self) -> None:
        """Of several audiences, `azp` must be one of the operator's too, if it is there."""
        for good in ("game", "portal"):
            self.taken(aud=["game", "portal"], azp=good)
        for bad in ("other", "Game", "", 7, ["game"], {"game": 1}, False):
            self.assertIn("azp", self.refused(aud=["game", "portal"], azp=bad))

    def test_required(self) -> None:
        """exp, sub and aud are required, and exp is a number."""
        for name in ("exp", "sub", "aud"):
            self.assertIn(f"`{name}`", self.refused(**{name: None}))
        for wrong in ("soon", True, [NOW], {}):
            self.assertIn("exp", self.refused(exp=wrong))
        for wrong in (float("nan"), float("inf")):  # no JSON at all
            with self.assertRaises(InvalidSubjectToken):
                self.taken(exp=wrong)

    def test_skew(self) -> None:
        """60 s of skew, to the second."""
        self.taken(exp=NOW - SKEW + 1)
        self.assertIn("expired", self.refused(exp=NOW - SKEW))
        self.assertIn("expired", self.refused(exp=-(10**30)))
        self.taken(exp=10**30)
        for name in ("nbf", "iat"):
            self.taken(**{name: NOW + SKEW})
            self.assertIn("not valid yet", self.refused(**{name: NOW + SKEW + 1}))
            self.assertIn(name, self.refused(**{name: "now"}))
            self.taken(**{name: NOW - 10**6 + 0.5})

    def test_subject(self) -> None:
        """sub is 1 to 255 visible ASCII characters."""
        for good in ("a", "A|b c", "s" * 255, "0"):
            self.assertEqual(self.taken(sub=good).subject, good)
        for bad in ("", "s" * 256, "é", "a\0", "a\n", "\ud800", 7, ["a"], True):
            self.refused(sub=bad)

    def test_issuer(self) -> None:
        """What has been read before is what is verified."""
        key = KEYS["ES256"]
        token = key.sign(self.claims())
        read = Keys.read({"keys": [key.jwk()]}, ALGORITHMS)
        given = head(token, ID_TOKEN)._replace(issuer="https://other.example")
        with self.assertRaises(InvalidSubjectToken):
            verified(token, given, read, ("game",), NOW)
