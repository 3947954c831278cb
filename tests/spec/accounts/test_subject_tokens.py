"""Subject tokens that are bad: extensions §8."""

import hashlib
import hmac
import json

import jwt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import RSAAlgorithm

from tests.spec.accounts.base import ID_TOKEN, JWT, AccountsCase
from tests.spec.data import guid
from tests.support.daemon import until


class BadTokenTests(AccountsCase):
    """§8: a bad subject token is invalid_request."""

    async def bad(self, *tokens: str) -> None:
        """Assert that none of these is taken, under either type, nor links anything."""
        user = await self.someone()
        for token in tokens:
            for kind in (ID_TOKEN, JWT):
                self.refused(await self.exchange(token, kind), "invalid_request")
            response = await self.link(user, token)
            self.problem(response, 400, "invalid_subject_token")
        self.assertEqual([], await self.identities(user))

    async def test_garbage(self):
        """What is no JWT."""
        good = self.issuer().token(sub=guid())
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
        """What is very long is a refusal too."""
        got = await self.exchange(self.issuer().token(sub=guid(), more="x" * 11_000))
        self.assertIn(got.status, (200, 400))
        got = await self.exchange("a." * 6_000)
        self.refused(got, "invalid_request")
        response = await self.exchange("a" * 100_000)
        self.assertEqual(413, response.status)

    async def test_deep(self):
        """Nor does a nested one do any harm."""
        key = self.issuer().key("ES256")
        deep = jwt.utils.base64url_encode(b"[" * 3_000).decode()
        head, body, mark = self.issuer().token(by=key, sub=guid()).split(".")
        await self.bad(f"{deep}.{body}.{mark}", f"{head}.{deep}.{mark}")

    async def test_signature(self):
        """The signature of another key, or of other claims."""
        issuer, other = self.issuer(), self.issuer("shop")
        mine, theirs = issuer.token(sub="a"), issuer.token(sub="b")
        swapped = ".".join([*mine.split(".")[:2], theirs.split(".")[2]])
        foreign = [issuer.token(by=key, kid=key.kid, sub="a") for key in other.keys]
        await self.bad(swapped, *foreign)

    async def test_no_algorithm(self):
        """`alg: none`, in any case."""
        claims = self.issuer().claims(sub=guid())
        plain = jwt.encode(claims, None, algorithm="none", headers={"kid": "RS256-1"})
        _, body, _ = plain.split(".")
        heads = [
            jwt.utils.base64url_encode(f'{{"alg":"{alg}","kid":"RS256-1"}}'.encode()).decode()
            for alg in ("none", "None", "NONE", "nOnE", "")
        ]
        await self.bad(plain, *(f"{head}.{body}." for head in heads))

    async def test_hmac(self):
        """HMAC with what everybody knows: the public key, in its usual forms, or nothing."""
        issuer = self.issuer()
        key = issuer.key()
        public = key.private.public_key()
        forms = [
            public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            public.public_bytes(Encoding.PEM, PublicFormat.PKCS1),
            public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
            json.dumps(key.public()).encode(),
            key.public()["n"].encode(),
            b"",
        ]
        encode = jwt.utils.base64url_encode
        body = encode(json.dumps(issuer.claims(sub=guid())).encode()).decode()
        head = encode(json.dumps({"alg": "HS256", "kid": key.kid}).encode()).decode()
        signed = f"{head}.{body}".encode()
        marks = [encode(hmac.new(form, signed, hashlib.sha256).digest()).decode() for form in forms]
        await self.bad(*(f"{head}.{body}.{mark}" for mark in marks))

    async def test_algorithm_of_another_key(self):
        """A kid whose key is of another algorithm; an algorithm that is not taken."""
        issuer = self.issuer()
        rsa, ec = issuer.key("RS256"), issuer.key("ES256")
        claims = issuer.claims(sub=guid())
        others = [
            jwt.encode(claims, rsa.private, algorithm=algorithm, headers={"kid": rsa.kid})
            for algorithm in ("RS384", "RS512", "PS256")
        ]
        await self.bad(
            issuer.token(by=rsa, kid=ec.kid, sub="a"),
            issuer.token(by=ec, kid=rsa.kid, sub="a"),
            *others,
        )

    async def test_embedded_keys(self):
        """Keys that the token brings along, or says where to find."""
        issuer, other = self.issuer(), self.issuer("shop")
        key = other.key()
        claims = issuer.claims(sub=guid())
        headers = [
            {"jwk": key.public(), "kid": key.kid},
            {"jku": f"{other.url}/jwks", "kid": key.kid},
            {"x5u": f"{other.url}/jwks", "kid": key.kid},
            {"kid": f"{other.url}/jwks"},
            {"kid": "../../../dev/null"},
        ]
        asked = len(other.asked)
        made = [jwt.encode(claims, key.private, "RS256", headers=one) for one in headers]
        await self.bad(*made)
        self.assertEqual(asked, len(other.asked))

    async def test_issuer(self):
        """`iss` is exact: no other, no slash more, none at all; nor the other's key."""
        issuer, other = self.issuer(), self.issuer("shop")
        wrong = [f"{issuer.url}/", issuer.url.upper(), "https://other.example", "", None, 7]
        wrong += [issuer.url.replace("127.0.0.1", "localhost"), [issuer.url], other.url]
        await self.bad(
            *(self.forged(iss=one) for one in wrong),
        )

    def forged(self, **changes: object) -> str:
        """Claims of any kind, signed by the issuer."""
        issuer = self.issuer()
        key = issuer.key()
        encode = jwt.utils.base64url_encode
        head = encode(json.dumps({"alg": "RS256", "kid": key.kid}).encode())
        body = encode(json.dumps(issuer.claims(**{"sub": guid()} | changes)).encode())
        mark = RSAAlgorithm(RSAAlgorithm.SHA256).sign(head + b"." + body, key.private)
        return b".".join([head, body, encode(mark)]).decode()

    async def test_claims(self):
        """`exp` and `sub` are required, and of their types."""
        await self.bad(
            *(self.forged(exp=one) for one in (None, "tomorrow", [], {}, -1, 0, True)),
            *(self.forged(sub=one) for one in (None, "", 7, [], {}, True)),
            *(self.forged(nbf=one) for one in ("tomorrow", [], {}, 10**12)),
        )

    async def test_subject_limits(self):
        """choices: a subject of over 1,000 characters, or with a NUL, is none."""
        await self.bad(self.forged(sub="a\x00b"), self.forged(sub="x" * 5_000))

    async def test_huge_numbers(self):
        """Numbers that no clock has."""
        for exp in (10**30, 1e300, 2**63):
            got = await self.exchange(self.forged(exp=exp))
            self.assertIn(got.status, (200, 400), repr(got))

    async def test_kid(self):
        """A kid that the issuer does not have, or none where it has several keys."""
        issuer = self.issuer()
        claims = issuer.claims(sub=guid())
        await self.bad(
            issuer.token(sub=guid(), kid="unknown"),
            issuer.token(sub=guid(), kid=""),
            issuer.token(sub=guid(), kid="RS256-1".lower()),
            jwt.encode(claims, issuer.key("ES256").private, "ES256", headers={"kid": "RS256-1"}),
        )

    async def test_symmetric_key_of_issuer(self):
        """An `oct` key in the issuer's set signs nothing."""
        issuer = self.issuer("symmetric-" + guid())  # one that the service does not know
        self.refused(await self.exchange(issuer.token(sub=guid())), "invalid_request")
        await until(lambda: not issuer.asked, 1, "it is not asked")
