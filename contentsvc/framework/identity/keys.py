"""The keys of an issuer (RFC 7517): those with which its tokens may be verified here."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from jwt import PyJWK

from contentsvc.framework.identity.fetch import FetchError

ALGORITHMS = ("RS256", "ES256", "EdDSA")
"""The known algorithms: each has a kind of key of its own, so that no key serves two."""
MOST_KEYS = 100
_LEAST_RSA, _MOST_RSA = 2048, 8192
"""Bits. Shorter keys can be broken, and longer ones take milliseconds to verify with."""
_LONGEST_EXPONENT = 64
"""Bits, for the same reason."""
_KINDS = {("RSA", None): "RS256", ("EC", "P-256"): "ES256", ("OKP", "Ed25519"): "EdDSA"}
_MEMBERS = ("kty", "crv", "n", "e", "x", "y")
"""The members of public keys."""


class Key(NamedTuple):
    """A public key, and the one algorithm that it is for."""

    kid: str | None
    algorithm: str
    public: Any


class Keys(tuple[Key, ...]):
    """The keys of an issuer that can be used."""

    __slots__ = ()

    @classmethod
    def read(cls, document: Any, algorithms: Collection[str]) -> "Keys":
        """Those of a JWK Set; the others are left out. Raises FetchError."""
        members = document.get("keys") if isinstance(document, dict) else None
        if not isinstance(members, list):
            raise FetchError("the answer is no JWK Set")
        if len(members) > MOST_KEYS:
            raise FetchError(f"the answer has more than {MOST_KEYS} keys")
        return cls(_usable(members, algorithms))

    def named(self, kid: str | None, algorithm: str) -> list[Key]:
        """The keys that a token may mean. Without a `kid`, that is the only one of the algorithm
        (OpenID Connect Core §10.1)."""
        found = [key for key in self if key.algorithm == algorithm]
        if kid is None:
            return found if len(found) == 1 else []
        return [key for key in found if key.kid == kid]


def _usable(members: list[Any], algorithms: Collection[str]) -> Iterator[Key]:
    for jwk in members:
        if not isinstance(jwk, dict):
            continue
        kid, kty, crv = jwk.get("kid"), jwk.get("kty"), jwk.get("crv")
        if not all(member is None or isinstance(member, str) for member in (kid, kty, crv)):
            continue
        algorithm = _KINDS.get((kty or "", None if kty == "RSA" else crv))
        # Whoever has read a private key can sign with it.
        if algorithm not in algorithms or algorithm is None or "d" in jwk:
            continue
        operations = jwk.get("key_ops", ["verify"])
        if (
            jwk.get("use", "sig") != "sig"
            or jwk.get("alg", algorithm) != algorithm
            or not isinstance(operations, list)
            or "verify" not in operations
        ):
            continue
        try:
            public = PyJWK({name: jwk[name] for name in _MEMBERS if name in jwk}, algorithm).key
        except Exception:  # noqa: S112, a stranger's values can raise anything
            continue
        if algorithm != "RS256" or _is_strong(public):
            yield Key(kid, algorithm, public)


def _is_strong(key: Any) -> bool:
    bits = key.public_numbers().e.bit_length()
    return bool(_LEAST_RSA <= key.key_size <= _MOST_RSA and bits <= _LONGEST_EXPONENT)
