"""Signature Version 4: the examples that AWS documents, and the signatures of AWS's own client."""

import base64
import time
from random import Random
from urllib.parse import parse_qs, quote, urlsplit

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as Botocore
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage.sigv4 import EMPTY, UNSIGNED, Credentials, Endpoint, Signer

ACCESS, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
AT = 1369353600
"""2013-05-24, midnight UTC."""
BODY = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
"""The digest of the documented body."""
LETTERS = "abcXYZ059 -_.~!*'()+&=,;:@$?#%/\\<>[]{}|^`\"üß漢😀é"


def signer(url: str = "https://examplebucket.s3.amazonaws.com", **others: str) -> Signer:
    """The one of the examples."""
    region = others.pop("region", "us-east-1")
    return Signer(Endpoint.of(url), region, Credentials(ACCESS, SECRET, **others))


def signature(sent: dict[str, str]) -> str:
    """That of a request's headers."""
    return sent["Authorization"].rpartition("Signature=")[2]


class ExampleTests(SynchronousTestCase):
    """The examples in AWS's documentation of S3."""

    def test_get(self) -> None:
        """GET of an object's range, signed by header."""
        url, sent = signer().sign("GET", "test.txt", at=AT, headers={"Range": "bytes=0-9"})
        self.assertEqual(url, "https://examplebucket.s3.amazonaws.com/test.txt")
        self.assertEqual(
            sent["Authorization"],
            f"AWS4-HMAC-SHA256 Credential={ACCESS}/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        )
        self.assertEqual(sent["x-amz-content-sha256"], EMPTY)
        self.assertEqual(sent["x-amz-date"], "20130524T000000Z")

    def test_put(self) -> None:
        """PUT of an object whose key has a character that must be encoded."""
        headers = {
            "Date": "Fri, 24 May 2013 00:00:00 GMT",
            "x-amz-storage-class": "REDUCED_REDUNDANCY",
        }
        url, sent = signer().sign("PUT", "test$file.text", at=AT, headers=headers, payload=BODY)
        self.assertTrue(url.endswith("/test%24file.text"))
        self.assertEqual(
            signature(sent), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        )

    def test_subresource(self) -> None:
        """GET of a subresource, whose parameter has no value."""
        _, sent = signer().sign("GET", "", at=AT, query={"lifecycle": ""})
        self.assertEqual(
            signature(sent), "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        )

    def test_list(self) -> None:
        """GET of a bucket's list."""
        _, sent = signer().sign("GET", "", at=AT, query={"prefix": "J", "max-keys": "2"})
        self.assertEqual(
            signature(sent), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        )

    def test_presigned(self) -> None:
        """GET of an object, signed by query."""
        url = signer().presign("GET", "test.txt", at=AT, lifetime=86400)
        self.assertEqual(
            url,
            "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
            "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
            "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature="
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
        )


class VirtualTests(SynchronousTestCase):
    """A bucket that is a part of the host's name."""

    def test_same(self) -> None:
        """What is signed is the same as for a URL with the bucket in its host."""
        endpoint = Endpoint.of("https://s3.amazonaws.com", virtual=True)
        virtual = Signer(endpoint, "us-east-1", Credentials(ACCESS, SECRET))
        for key in ("test.txt", "a b/ü", ""):
            self.assertEqual(
                virtual.sign("GET", f"examplebucket/{key}", at=AT, query={"a": "b"}),
                signer().sign("GET", key, at=AT, query={"a": "b"}),
            )
            self.assertEqual(
                virtual.presign("PUT", f"examplebucket/{key}", at=AT, lifetime=60),
                signer().presign("PUT", key, at=AT, lifetime=60),
            )

    def test_url(self) -> None:
        """The port and the path of the store's URL stay."""
        for url, path, virtual in (
            ("https://s3.example", "https://s3.example/b", "https://b.s3.example"),
            ("http://s3_1:9000/x", "http://s3_1:9000/x/b", "http://b.s3_1:9000/x"),
        ):
            self.assertEqual(Endpoint.of(url).url("b"), path)
            self.assertEqual(Endpoint.of(url, virtual=True).url("b"), virtual)


class BotocoreTests(SynchronousTestCase):
    """The signatures of AWS's own client, for requests of all kinds."""

    def setUp(self) -> None:
        self.random = Random(7)

    def word(self, most: int = 20) -> str:
        """A text that needs encoding."""
        return "".join(self.random.choices(LETTERS, k=self.random.randint(1, most)))

    def origin(self) -> str:
        """A store's URL with everything that one may have."""
        base = self.random.choice(
            ["https://s3.example", "http://127.0.0.1:9500", "http://[::1]:81", "https://a.b:8443"]
        )
        path = self.random.choice(["", "/s3", "/a b/ü"])
        return f"{base}{quote(path)}"

    def now(self) -> float:
        """A time from 2001 to 2033."""
        return self.random.uniform(1e9, 2e9)

    def case(self, number: int) -> tuple[str, str, dict[str, str], dict[str, str]]:
        """The base URL, the path below it, the query and the headers of a request."""
        base = self.origin()
        path = "/".join(["bucket", *(self.word() for _ in range(number % 4))])
        query = {self.word(6): self.word() for _ in range(number % 3)}
        headers = {
            "Content-Type": "image/png",
            "x-amz-checksum-sha256": base64.b64encode(self.random.randbytes(32)).decode(),
            "x-amz-meta-upload": self.random.randbytes(16).hex(),
            "Cache-Control": "public, max-age=31536000, immutable",
            "Content-Length": str(self.random.randrange(10**9)),
            "x-amz-meta-spaces": "  a   b ",
        }
        kept = self.random.sample(sorted(headers), self.random.randint(0, len(headers)))
        return base, path, query, {name: headers[name] for name in kept}

    def request(
        self, method: str, base: str, path: str, query: dict[str, str], headers: dict[str, str]
    ) -> AWSRequest:
        """It, as botocore has it before it is signed."""
        return AWSRequest(method, f"{base}/{quote(path)}", headers=headers, params=query)

    def test_headers(self) -> None:
        """By header: the same for 400 requests."""
        for number in range(400):
            base, path, query, headers = self.case(number)
            at, token = self.now(), self.random.choice([None, "token+/="])
            method = self.random.choice(["GET", "PUT", "HEAD", "DELETE"])
            request = self.request(method, base, path, query, headers)
            keys = Botocore(ACCESS, SECRET, token)
            _ByHeader(keys, "s3", "eu-west-2").add_auth_at(request, at)
            others = {} if token is None else {"session_token": token}
            url, sent = signer(base, region="eu-west-2", **others).sign(
                method, path, at=at, query=query, headers=headers
            )
            self.assertEqual(sent["Authorization"], request.headers["Authorization"])
            self.assertEqual(urlsplit(url).path, urlsplit(request.url).path)

    def test_queries(self) -> None:
        """By query: the same for 400 URLs, with all headers signed."""
        for number in range(400):
            base, path, _, headers = self.case(number)
            at, token = self.now(), self.random.choice([None, "token+/="])
            lifetime = self.random.randint(1, 604_800)
            request = self.request("PUT", base, path, {}, headers)
            keys = Botocore(ACCESS, SECRET, token)
            _ByQuery(keys, "s3", "auto", expires=lifetime).add_auth_at(request, at)
            others = {} if token is None else {"session_token": token}
            url = signer(base, region="auto", **others).presign(
                "PUT", path, at=at, lifetime=lifetime, headers=headers
            )
            self.assertEqual(_parameters(url), _parameters(request.url))


class EndpointTests(SynchronousTestCase):
    """Where a store answers."""

    def test_hosts(self) -> None:
        """The host is as clients send it: in lower case, and without the scheme's own port."""
        for url, host in (
            ("https://S3.Example", "s3.example"),
            ("https://s3.example:443/x", "s3.example"),
            ("http://s3.example:80", "s3.example"),
            ("http://s3.example:443", "s3.example:443"),
            ("http://[::1]:9500", "[::1]:9500"),
        ):
            self.assertEqual(Endpoint.of(url).host, host)

    def test_prefix(self) -> None:
        """A path before the buckets is part of what is signed."""
        url, _ = signer("http://h:1/a%20b/").sign("GET", "bucket/key", at=AT)
        self.assertEqual(url, "http://h:1/a%20b/bucket/key")


class SecretTests(SynchronousTestCase):
    """The keys."""

    def test_repr(self) -> None:
        """No text that is made of them shows them."""
        keys = Credentials(ACCESS, SECRET, "token")
        for text in (repr(keys), str(keys), f"{keys}"):
            self.assertEqual(text, "Credentials(***)")

    def test_days(self) -> None:
        """A signer that signs for one day, then another, then the first again, is right each
        time."""
        one = signer()
        times = [AT, AT + 86_400, AT]
        found = [one.presign("GET", "x", at=at, lifetime=1) for at in times]
        self.assertEqual(found, [signer().presign("GET", "x", at=at, lifetime=1) for at in times])

    def test_unsigned(self) -> None:
        """A body whose digest is not known can go unsigned."""
        _, sent = signer().sign("PUT", "x", at=AT, payload=UNSIGNED)
        self.assertEqual(sent["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")


class _Clocked:
    """botocore's signing, at a given time."""

    stamp = ""

    def add_auth_at(self, request: AWSRequest, at: float) -> None:
        self.stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(at))
        self.add_auth(request)

    def _modify_request_before_signing(self, request: AWSRequest) -> None:
        request.context["timestamp"] = self.stamp
        super()._modify_request_before_signing(request)

    def _should_sha256_sign_payload(self, request: AWSRequest) -> bool:
        return True


class _ByHeader(_Clocked, S3SigV4Auth):
    pass


class _ByQuery(_Clocked, S3SigV4QueryAuth):
    pass


def _parameters(url: str) -> tuple[str, str, dict[str, list[str]]]:
    parts = urlsplit(url)
    return parts.netloc, parts.path, parse_qs(parts.query, keep_blank_values=True)
