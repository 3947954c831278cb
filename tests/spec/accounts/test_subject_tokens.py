"""What a subject token must say: the last table of accounts#other-services."""

import hashlib
import hmac
import json
import time

import jwt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

from tests.spec.accounts.base import AccountsCase
from tests.spec.data import guid
from tests.support.issuers import AUDIENCE, ID_TOKEN, JWT, Issuer, SigningKey


def key_of(issuer: Issuer, algorithm: str) -> SigningKey:
    """The issuer's key for this algorithm."""
    return next(key for key in issuer.signing if key.algorithm == algorithm)


class SubjectTokenTests(AccountsCase):
    """A bad one is `invalid_request`, and `invalid_subject_token` in other operations."""

    async def bad(self, *tokens: str) -> None:
        """Assert that none of these is taken, under either type, nor links anything."""
        user = await self.someone()
        for token in tokens:
            for kind in (ID_TOKEN, JWT):
                self.refused(await self.exchange(token, kind), "invalid_request")
            response = await self.link(user, token)
            self.problem(response, 400, "invalid_subject_token")
        self.assertEqual([], await self.identities(user))

    async def good(self, *tokens: str) -> None:
        """Assert that each of these is taken."""
        for token in tokens:
            await self.exchange(token, expect=200)

    def forged(self, **changes: object) -> str:
        """Claims of any kind, signed by the issuer."""
        issuer = self.issuer()
        encode = jwt.utils.base64url_encode
        head = encode(json.dumps({"alg": "RS256", "kid": issuer.key.kid}).encode())
        body = encode(json.dumps(issuer.claims(**{"subject": guid()} | changes)).encode())
        mark = RSAAlgorithm(RSAAlgorithm.SHA256).sign(head + b"." + body, issuer.key.private)
        return b".".join([head, body, encode(mark)]).decode()

    async def test_garbage(self):
        """What is no JWT is refused."""
        good = self.issuer().token(guid())
        head, body, mark = good.split(".")
        await self.bad(
            "x",
            "a.b.c",
            "..",
            ".....",
            f"{head}.{body}",
            f"{head}.{body}.",
            f"{head}.{body}.{mark}.{mark}",
            f"{good}x",
            f" {good}",
            f"{head}.{body}.{mark[::-1]}",
            f"{mark}.{body}.{head}",
            "\U0001f511" * 20,
            guid(),
        )

    async def test_long(self):
        """What is longer than 14,336 characters is refused, whatever it is."""
        self.refused(await self.exchange("a." * 7_200), "invalid_request")
        await self.bad(self.issuer().token(guid(), more="x" * 10_900))
        response = await self.exchange("a" * 100_000)
        self.assertEqual(413, response.status)

    async def test_deep(self):
        """A header or a payload that is nested deeply is refused."""
        issuer = self.issuer()
        deep = jwt.utils.base64url_encode(b"[" * 3_000).decode()
        head, body, mark = key_of(issuer, "ES256").sign(issuer.claims(guid())).split(".")
        await self.bad(f"{deep}.{body}.{mark}", f"{head}.{deep}.{mark}")

    async def test_signature(self):
        """The signature of another key, or of other claims, is refused."""
        issuer, other = self.issuer(), self.issuer("shop")
        mine, theirs = issuer.token("a"), issuer.token("b")
        swapped = ".".join([*mine.split(".")[:2], theirs.split(".")[2]])
        foreign = [key.sign(issuer.claims("a")) for key in other.signing]
        await self.bad(swapped, *foreign)

    async def test_no_algorithm(self):
        """`alg: none` is refused, in any case."""
        issuer = self.issuer()
        claims = issuer.claims(guid())
        plain = jwt.encode(claims, None, algorithm="none", headers={"kid": issuer.key.kid})
        _, body, _ = plain.split(".")
        heads = [
            jwt.utils.base64url_encode(f'{{"alg":"{alg}","kid":"RS256-1"}}'.encode()).decode()
            for alg in ("none", "None", "NONE", "nOnE", "")
        ]
        await self.bad(plain, *(f"{head}.{body}." for head in heads))

    async def test_hmac(self):
        """HMAC with what everybody knows is refused: a public key, in its usual forms, or
        nothing."""
        issuer = self.issuer()
        rsa, ec = key_of(issuer, "RS256"), key_of(issuer, "ES256")
        encode = jwt.utils.base64url_encode
        body = encode(json.dumps(issuer.claims(guid())).encode()).decode()
        for key, forms in (
            (
                rsa,
                [
                    (Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
                    (Encoding.PEM, PublicFormat.PKCS1),
                    (Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
                ],
            ),
            (
                ec,
                [
                    (Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
                    (Encoding.X962, PublicFormat.UncompressedPoint),
                ],
            ),
        ):
            known = [key.private.public_key().public_bytes(*form) for form in forms]
            known += [json.dumps(key.jwk()).encode(), b""]
            known += [value.encode() for name, value in key.jwk().items() if name in ("n", "x")]
            head = encode(json.dumps({"alg": "HS256", "kid": key.kid}).encode()).decode()
            signed = f"{head}.{body}".encode()
            marks = [hmac.new(one, signed, hashlib.sha256).digest() for one in known]
            await self.bad(*(f"{head}.{body}.{encode(mark).decode()}" for mark in marks))

    async def test_algorithm_of_another_key(self):
        """A kid whose key is for another algorithm is refused, and an algorithm that is not
        taken."""
        issuer = self.issuer()
        rsa, ec = key_of(issuer, "RS256"), key_of(issuer, "ES256")
        claims = issuer.claims(guid())
        others = [
            jwt.encode(claims, rsa.private, algorithm=algorithm, headers={"kid": rsa.kid})
            for algorithm in ("RS384", "RS512", "PS256")
        ]
        await self.bad(rsa.sign(claims, kid=ec.kid), ec.sign(claims, kid=rsa.kid), *others)

    async def test_embedded_keys(self):
        """Keys that the token brings along, or says where to find, are not used."""
        issuer, other = self.issuer(), self.issuer("shop")
        key = other.key
        claims = issuer.claims(guid())
        headers = [
            {"jwk": key.jwk(), "kid": key.kid},
            {"jku": f"{other.url}/jwks", "kid": key.kid},
            {"x5u": f"{other.url}/jwks", "kid": key.kid},
            {"kid": f"{other.url}/jwks"},
            {"kid": "../../../dev/null"},
        ]
        asked = len(other.asked)
        await self.bad(*(key.sign(claims, **one) for one in headers))
        self.assertEqual(asked, len(other.asked))

    async def test_kid(self):
        """A kid that the issuer does not have is refused. It may be missing, where the issuer has
        one key for the algorithm."""
        issuer = self.issuer()
        claims = issuer.claims(guid())
        await self.bad(*(issuer.key.sign(claims, kid=kid) for kid in ("unknown", "", "rs256-1")))
        await self.good(issuer.key.sign(claims, kid=None))

    async def test_issuer(self):
        """`iss` is exact: no other, no slash more, none at all; nor another's key."""
        issuer, other = self.issuer(), self.issuer("shop")
        wrong = [f"{issuer.url}/", issuer.url.upper(), "https://other.example", "", None, 7]
        wrong += [issuer.url.replace("127.0.0.1", "localhost"), [issuer.url], other.url]
        await self.bad(*(self.forged(iss=one) for one in wrong))

    async def test_unknown_issuer(self):
        """An issuer that is not in the file is not asked."""
        other = Issuer()
        self.addCleanup(other.stop)
        await self.bad(other.token(guid()))
        self.assertEqual([], other.asked)

    async def test_audience(self):
        """`aud` is exact: the operator's, each of an array. Of several, `azp` is too."""
        several = [AUDIENCE, AUDIENCE]
        await self.good(
            self.forged(aud=[AUDIENCE]),
            self.forged(aud=several),
            self.forged(aud=several, azp=AUDIENCE),
        )
        await self.bad(*(self.forged(aud=several, azp=azp) for azp in ("other", "", 7, several)))
        await self.bad(
            *(
                self.forged(aud=wrong)
                for wrong in (
                    [AUDIENCE, "other"],
                    "other",
                    AUDIENCE.upper(),
                    f"{AUDIENCE} ",
                    "",
                    [],
                    7,
                    {"a": AUDIENCE},
                    None,
                )
            )
        )

    async def test_times(self):
        """`exp` is required, and held with 60 s of skew; so is `nbf`, if it is there."""
        now = int(time.time())
        good = ({"exp": now + 300}, {"exp": now - 30}, {"exp": 10**30}, {"exp": 2**63}, {"nbf": 1})
        await self.good(*(self.forged(**one) for one in (*good, {"nbf": now + 30}, {"iat": None})))
        await self.bad(
            *(self.forged(exp=one) for one in (None, "tomorrow", [], {}, -1, 0, True, now - 90)),
            *(self.forged(nbf=one) for one in ("tomorrow", [], {}, 10**12, now + 90)),
            *(self.forged(iat=one) for one in ("tomorrow", now + 90)),
        )

    async def test_huge_number(self):
        """A number that no clock has does no harm."""
        await self.good(self.forged(exp=1e300))

    async def test_subject(self):
        """`sub` is required: 1 to 255 characters, without a NUL."""
        await self.good(self.forged(sub="s" * 219 + guid()))
        wrong = (None, "", 7, [], {}, True, "a\x00b", "é", "s" * 256, "s" * 5_000)
        await self.bad(*(self.forged(sub=one) for one in wrong))
