"""The documents of etc/s3 do what docs/guides/storage.md says, on a real store."""

import json
import re
import secrets
from typing import Any

from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.session import get_session
from twisted.internet import reactor
from twisted.trial.unittest import TestCase

from contentsvc.framework.storage.paths import path_of
from contentsvc.framework.storage.sigv4 import Credentials
from tests.support import stores
from tests.support.daemon import ROOT
from tests.support.stores import Store

FOLDER = ROOT / "etc/s3"
STORAGE = (ROOT / "docs/guides/storage.md").read_text()
PORTAL = "https://portal.example"


def client(kind: str, store: Store, access: str, secret: str) -> Any:
    """A botocore client of the store, which tries nothing twice."""
    return get_session().create_client(
        kind,
        region_name=stores.REGION,
        endpoint_url=store.endpoint,
        aws_access_key_id=access,
        aws_secret_access_key=secret,
        config=Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"}),
    )


class DocumentCase(TestCase):
    """Two buckets that an operator has just created."""

    def setUp(self) -> None:
        word = secrets.token_hex(6)
        self.store = Store(stores.shared().endpoint, f"content-{word}", f"media-{word}")
        self.admin = client("s3", self.store, stores.ACCESS_KEY, stores.SECRET_KEY)
        for name in (self.store.content, self.store.media):
            self.admin.create_bucket(Bucket=name)

    def document(self, name: str) -> Any:
        """A document, with the names of these buckets."""
        text = (FOLDER / name).read_text()
        text = text.replace("example-content", self.store.content)
        return json.loads(text.replace("example-media", self.store.media))

    def put(self, bucket: str, key: str) -> None:
        """Have an object there."""
        self.admin.put_object(Bucket=bucket, Key=key, Body=b"bytes")

    def refused(self, act: Any, **arguments: Any) -> None:
        """Assert that the store does not let this caller do it."""
        error = self.assertRaises(ClientError, act, **arguments)
        self.assertEqual(error.response["ResponseMetadata"]["HTTPStatusCode"], 403, str(error))


class MediaPolicyTests(DocumentCase):
    def setUp(self) -> None:
        super().setUp()
        policy = json.dumps(self.document("media.policy.json"))
        self.admin.put_bucket_policy(Bucket=self.store.media, Policy=policy)

    def test_read(self) -> None:
        """Everybody reads the objects of the media bucket."""
        self.put(self.store.media, "ab/abc.png")
        got = stores.send("GET", f"{self.store.endpoint}/{self.store.media}/ab/abc.png")
        self.assertEqual((got.status, got.body), (200, b"bytes"))

    def test_nothing_else(self) -> None:
        """Nobody lists or writes them, or reads unverified uploads or the content bucket, without a
        signature."""
        self.put(self.store.content, "ab/abc")
        self.put(self.store.media, "incoming/token/ab/abc.png")
        media = f"{self.store.endpoint}/{self.store.media}"
        for method, url in (
            ("GET", f"{media}/incoming/token/ab/abc.png"),
            ("GET", f"{media}?list-type=2"),
            ("PUT", f"{media}/ab/other.png"),
            ("DELETE", f"{media}/ab/abc.png"),
            ("GET", f"{self.store.endpoint}/{self.store.content}/ab/abc"),
        ):
            self.assertEqual(stores.send(method, url).status, 403, f"{method} {url}")


class ServicePolicyTests(DocumentCase):
    def setUp(self) -> None:
        super().setUp()
        name = f"user-{secrets.token_hex(6)}"
        users = client("iam", self.store, stores.ACCESS_KEY, stores.SECRET_KEY)
        users.create_user(UserName=name)
        policy = json.dumps(self.document("service.policy.json"))
        users.put_user_policy(UserName=name, PolicyName="files", PolicyDocument=policy)
        key = users.create_access_key(UserName=name)["AccessKey"]
        keys = key["AccessKeyId"], key["SecretAccessKey"]
        self.credentials, self.own = Credentials(*keys), client("s3", self.store, *keys)

    async def test_enough(self) -> None:
        """The service does all that it does with these rights alone."""
        bucket = self.store.bucket(reactor, credentials=self.credentials)
        self.addCleanup(bucket.stop)
        await bucket.prove()
        for name, path in (
            (self.store.content, path_of("ab" * 32)),
            (self.store.media, path_of("ab" * 32, "image/png")),
        ):
            self.own.put_object(Bucket=name, Key=path, Body=b"bytes")
            self.assertEqual(list(await bucket.stat([path])), [path])
            self.assertEqual(await bucket.read(path, 2), b"by")
            await bucket.delete([path])
            self.assertEqual(await bucket.stat([path]), {})
            self.own.put_object(Bucket=name, Key=bucket.staging_key(path, "token"), Body=b"bytes")
            await bucket.copy({path: "token"})
            self.assertEqual(list(await bucket.stat([path])), [path])
            await bucket.delete([path])
        for _ in range(2):
            await bucket.delete_broken_uploads()
        self.assertEqual([each async for each in bucket.list()], [])

    def test_no_more(self) -> None:
        """Its keys change neither buckets nor rights."""
        bucket = self.store.media
        self.refused(self.own.delete_bucket, Bucket=bucket)
        self.refused(self.own.create_bucket, Bucket=f"other-{secrets.token_hex(6)}")
        self.refused(self.own.put_bucket_policy, Bucket=bucket, Policy="{}")
        cors = self.document("cors.json")
        self.refused(self.own.put_bucket_cors, Bucket=bucket, CORSConfiguration=cors)


class CorsTests(DocumentCase):
    def setUp(self) -> None:
        super().setUp()
        for name in (self.store.content, self.store.media):
            self.admin.put_bucket_cors(Bucket=name, CORSConfiguration=self.document("cors.json"))

    def preflight(self, url: str, origin: str, method: str, names: str) -> dict[str, str]:
        """The headers of the answer to a browser that asks first."""
        asked = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": names}
        answer = stores.send("OPTIONS", url, {"Origin": origin, **asked})
        return {name.lower(): value for name, value in answer.headers.items()}

    def test_upload(self) -> None:
        """A page of the portal may send the headers of an upload, to either bucket; a page of
        another origin may not."""
        bucket = self.store.bucket(reactor)
        self.addCleanup(bucket.stop)
        for media_type in ("application/octet-stream", "image/png"):
            upload = bucket.sign_upload("", path_of("ab" * 32, media_type), 5, "a-token")
            # Tracing adds its headers to each request of a page.
            tracing = "baggage", "traceparent", "tracestate"
            names = ",".join(sorted((*tracing, *(name.lower() for name in upload.headers))))
            allowed = self.preflight(upload.url, PORTAL, "PUT", names)
            self.assertEqual(allowed["access-control-allow-origin"], PORTAL)
            self.assertIn("PUT", allowed["access-control-allow-methods"])
            given = re.findall(r"[\w-]+", allowed["access-control-allow-headers"].lower())
            self.assertEqual(set(names.split(",")) - set(given) - {"content-length"}, set())
            other = self.preflight(upload.url, "https://other.example", "PUT", names)
            self.assertNotIn("PUT", other.get("access-control-allow-methods", ""))

    def test_download(self) -> None:
        """A page of any origin may ask for parts of a file, and sees how long it is."""
        self.put(self.store.content, "ab/abc")
        bucket = self.store.bucket(reactor)
        self.addCleanup(bucket.stop)
        url = bucket.sign_download("", path_of("ab" * 32)).url
        allowed = self.preflight(url, "https://game.example", "GET", "range,traceparent")
        self.assertIn("GET", allowed["access-control-allow-methods"])
        self.assertIn("traceparent", allowed["access-control-allow-headers"].lower())
        self.put(self.store.content, path_of("ab" * 32))
        got = stores.send("GET", url, {"Origin": "https://game.example"})
        self.assertEqual(got.status, 200)
        shown = got.headers["Access-Control-Expose-Headers"].lower()
        self.assertIn("etag", shown)
        self.assertIn("content-range", shown)


class LifecycleTests(DocumentCase):
    def test_rules(self) -> None:
        """The store takes the rules, and none of them deletes or moves an object."""
        rules = self.document("lifecycle.json")
        bucket = self.store.content
        self.admin.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration=rules)
        kept = self.admin.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
        for rule in kept:
            acts = set(rule) - {"ID", "Status", "Filter", "Prefix"}
            self.assertEqual(acts, {"AbortIncompleteMultipartUpload"})


class PageTests(TestCase):
    def test_named(self) -> None:
        """docs/guides/storage.md uses each document, and no other."""
        named = re.findall(r"file://etc/s3/([\w.]+)", STORAGE)
        self.assertEqual(set(named), {file.name for file in FOLDER.iterdir()})
