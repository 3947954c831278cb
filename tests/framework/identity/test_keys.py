"""Which keys of a JWK Set are used."""

from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.identity.fetch import FetchError
from contentsvc.framework.identity.keys import ALGORITHMS, MOST_KEYS, Keys
from tests.support.issuers import SigningKey

EC = SigningKey("ec")
RSA = SigningKey("rsa", "RS256")
ED = SigningKey("ed", "EdDSA")


def read(*jwks: Any, algorithms: tuple[str, ...] = ALGORITHMS) -> list[tuple[str | None, str]]:
    """The ids and algorithms of the keys that are used."""
    return [key[:2] for key in Keys.read({"keys": list(jwks)}, algorithms)]


def rsa_jwk(bits: int, exponent: int = 65537) -> Any:
    """An RSA key of this size."""
    key = rsa.generate_private_key(exponent, bits).public_key()
    return {**RSAAlgorithm.to_jwk(key, as_dict=True), "kid": "other"}


class KeysTests(SynchronousTestCase):
    def test_kinds(self) -> None:
        """RSA, EC P-256 and Ed25519 keys are used, each for its one algorithm."""
        found = read(EC.jwk(), RSA.jwk(), ED.jwk())
        self.assertEqual(found, [("ec", "ES256"), ("rsa", "RS256"), ("ed", "EdDSA")])

    def test_hints(self) -> None:
        """Without `use`, `key_ops` and `alg` a key may be used too."""
        bare = EC.jwk(use=None, alg=None)
        self.assertEqual(read(bare, {**bare, "key_ops": ["verify"]}), [("ec", "ES256")] * 2)

    def test_pinned(self) -> None:
        """Keys of an algorithm that is not allowed are left out."""
        self.assertEqual(read(EC.jwk(), RSA.jwk(), algorithms=("RS256",)), [("rsa", "RS256")])

    def test_left_out(self) -> None:
        """Symmetric, private, weak and odd keys, and those that are for something else."""
        curve = ec.generate_private_key(ec.SECP384R1()).public_key()
        ed = ed448.Ed448PrivateKey.generate().public_key()
        numbers = rsa_jwk(2048)
        for jwk in (
            {"kty": "oct", "k": "c2VjcmV0", "kid": "ec", "alg": "HS256"},
            {"kty": "oct", "k": "c2VjcmV0", "kid": "ec", "alg": "ES256"},
            {**EC.jwk(), "kty": "oct", "k": "c2VjcmV0"},
            ECAlgorithm.to_jwk(EC.private, as_dict=True),
            RSAAlgorithm.to_jwk(RSA.private, as_dict=True),
            rsa_jwk(1024),
            {**numbers, "e": "AQ"},
            {**numbers, "e": "_" * 40 + "w"},
            {**numbers, "n": "_" * 2731 + "w"},
            ECAlgorithm.to_jwk(curve, as_dict=True),
            OKPAlgorithm.to_jwk(ed, as_dict=True),
            EC.jwk(use="enc"),
            EC.jwk(use=7),
            EC.jwk(key_ops=["sign"]),
            EC.jwk(key_ops="verify"),
            EC.jwk(key_ops=[]),
            EC.jwk(alg="ES384"),
            EC.jwk(alg="HS256"),
            RSA.jwk(alg="RS512"),
            RSA.jwk(alg="PS256"),
            EC.jwk(kid=7),
            EC.jwk(kty=["EC"]),
            EC.jwk(crv={}),
            EC.jwk(x="AA"),
            EC.jwk(x=7),
            EC.jwk(y=None),
            RSA.jwk(n=None),
            {},
            [],
            "text",
            None,
        ):
            self.assertEqual(read(jwk, ED.jwk()), [("ed", "EdDSA")], jwk)

    def test_same_kid(self) -> None:
        """Keys with one kid are told apart by their algorithm; of one algorithm both are tried."""
        second = SigningKey("ec")
        keys = Keys.read({"keys": [EC.jwk(), RSA.jwk(kid="ec"), second.jwk()]}, ALGORITHMS)
        self.assertEqual(len(keys.named("ec", "RS256")), 1)
        self.assertEqual(len(keys.named("ec", "ES256")), 2)

    def test_without_kid(self) -> None:
        """A token without kid means the only key of its algorithm."""
        keys = Keys.read({"keys": [EC.jwk(), RSA.jwk(), RSA.jwk(kid="more")]}, ALGORITHMS)
        self.assertEqual([key.kid for key in keys.named(None, "ES256")], ["ec"])
        self.assertEqual(keys.named(None, "RS256"), [])
        self.assertEqual(keys.named(None, "EdDSA"), [])

    def test_key_without_kid(self) -> None:
        """A key without kid is not that of a token with one."""
        keys = Keys.read({"keys": [EC.jwk(kid=None)]}, ALGORITHMS)
        self.assertEqual(keys.named("ec", "ES256"), [])
        self.assertEqual(len(keys.named(None, "ES256")), 1)

    def test_no_set(self) -> None:
        """What is no JWK Set, or a huge one, is refused."""
        for document in (None, [], {}, {"keys": None}, {"keys": {}}):
            self.assertRaises(FetchError, Keys.read, document, ALGORITHMS)
        self.assertRaises(FetchError, read, *[{}] * (MOST_KEYS + 1))
        self.assertEqual(read(*[{}] * MOST_KEYS), [])
