"""Real S3 stores for tests. SeaweedFS does all that the service relies on; one is shared by all
tests of a process, and each test has buckets of its own there. rclone is the bad store: it takes
wrong bytes, and answers ranges with whole files.

    store = stores.new()
    service = Daemon(environ=store.environ)
"""

import atexit
import http.client
import json
import os
import random
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.storage.s3 import S3Bucket
from contentsvc.framework.storage.sigv4 import Credentials, Endpoint, Signer
from tests.support import daemon, servers
from tests.support.daemon import Daemon, script

ACCESS_KEY, SECRET_KEY = "testkey", "testsecret"
REGION = "us-east-1"
DOMAIN = "s3_store.example"
"""The store's name where its buckets are host names: tests look it up."""
_START = 30.0
"""Seconds for a store to answer."""
_READERS = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject"]}],
}
_CORS = """
<CORSConfiguration><CORSRule>
  <AllowedOrigin>*</AllowedOrigin>
  <AllowedMethod>GET</AllowedMethod><AllowedMethod>HEAD</AllowedMethod>
  <AllowedMethod>PUT</AllowedMethod>
  <AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>
</CORSRule></CORSConfiguration>
"""


class Answered(NamedTuple):
    """An answer of a store."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Store(NamedTuple):
    """Two buckets of a store."""

    endpoint: str
    content: str
    media: str

    @property
    def environ(self) -> dict[str, str]:
        """What a Daemon takes as `environ` to keep its files here."""
        return {
            "FILES": "s3",
            "S3_ENDPOINT": self.endpoint,
            "S3_REGION": REGION,
            "S3_CONTENT_BUCKET": self.content,
            "S3_MEDIA_BUCKET": self.media,
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        }

    def bucket(self, reactor: Any, wall: Any = None, **others: Any) -> S3Bucket:
        """The bucket that the daemon would have. Stop it in the end."""
        options: dict[str, Any] = {
            "endpoint": self.endpoint,
            "region": REGION,
            "content_bucket": self.content,
            "media_bucket": self.media,
            "media_url": None,
            "credentials": Credentials(ACCESS_KEY, SECRET_KEY),
        }
        return S3Bucket(reactor, wall or WallClock(), Random(), **options | others)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answered:
        """Send a signed request for a bucket, or an object after it, as the operator would."""
        signer = Signer(Endpoint.of(self.endpoint), REGION, Credentials(ACCESS_KEY, SECRET_KEY))
        payload = sha256(body).hexdigest()
        url, sent = signer.sign(
            method, path, at=time.time(), headers=headers, query=query, payload=payload
        )
        return send(method, url, sent, body)

    def path(self, path: str) -> str:
        """Where the file with this path lies: its bucket and its key."""
        return f"{self.media if '.' in path else self.content}/{path}"


def send(
    method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> Answered:
    """Send a request as it stands, as a client without library would."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    try:
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request(method, target, body or None, dict(headers or {}))
        response = connection.getresponse()
        return Answered(response.status, dict(response.headers), response.read())
    finally:
        connection.close()


class Seaweed:
    """A SeaweedFS of its own. It keeps its address and its data from a stop to the next start."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="contentsvc-store-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._ports: list[int] = []

    @property
    def endpoint(self) -> str:
        """Its URL."""
        return f"http://127.0.0.1:{self._ports[0]}"

    @classmethod
    def of_run(cls, endpoint: str) -> "Seaweed":
        """The one that all processes of a run share."""
        found = cls()
        found._ports = [int(endpoint.rpartition(":")[2])]
        return found

    def start(self) -> None:
        """Start it, and wait until it answers."""
        for _ in range(1 if self._ports else 3):
            if self._begin(self._ports or _ports(5)):
                return
        raise AssertionError((self._folder / "log").read_text()[-4000:])

    def _begin(self, ports: list[int]) -> bool:
        s3, master, volume, filer, admin = ports
        data = self._folder / "data"
        data.mkdir(exist_ok=True)
        # Not the ports that some programs of it take in any case, and no news to its makers.
        without = ["webdav", "admin.ui", "master.telemetry"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(script("weed"), "mini", f"-dir={data}"),
                    *("-ip=127.0.0.1", "-ip.bind=127.0.0.1"),
                    *(f"-{name}=false" for name in without),
                    # Buckets are host names too.
                    f"-s3.domainName={DOMAIN}",
                    # Users can be made, for tests of what one may do.
                    "-s3.iam.readOnly=false",
                    # Each bucket takes one or more, and there are few without this.
                    "-volume.max=10000",
                    *("-s3.port.iceberg=0", "-s3.port.lance=0", f"-s3.port={s3}"),
                    *(f"-master.port={master}", f"-volume.port={volume}"),
                    *(f"-filer.port={filer}", f"-admin.port={admin}", "-bucket=content,media"),
                ],
                cwd=self._folder,
                env={
                    **os.environ,
                    "AWS_ACCESS_KEY_ID": ACCESS_KEY,
                    "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        if _answers(self._process, f"http://127.0.0.1:{s3}/media"):
            self._ports = ports
            return True
        self.stop()
        return False

    def stop(self) -> None:
        """Kill it: to end by itself takes it 4 s."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def remove(self) -> None:
        """Stop it for good."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def new(self) -> Store:
        """Two new buckets. Everybody can read that of media, and pages of other origins may use
        both."""
        word = secrets.token_hex(6)
        store = Store(self.endpoint, f"content-{word}", f"media-{word}")
        policy = json.loads(json.dumps(_READERS))
        policy["Statement"][0]["Resource"] = [f"arn:aws:s3:::{store.media}/??/*"]
        done = [
            store.ask("PUT", store.content),
            store.ask("PUT", store.media),
            store.ask("PUT", store.media, json.dumps(policy).encode(), query={"policy": ""}),
            store.ask("PUT", store.content, _CORS.encode(), query={"cors": ""}),
            store.ask("PUT", store.media, _CORS.encode(), query={"cors": ""}),
        ]
        assert all(answer.status in {200, 204} for answer in done), done
        return store


@cache
def shared() -> Seaweed:
    """The SeaweedFS of the run; without a run, that of this process, which starts when first asked
    for and ends with the process."""
    if endpoint := servers.ask("store"):
        return Seaweed.of_run(endpoint)
    seaweed = Seaweed()
    atexit.register(seaweed.remove)
    seaweed.start()
    return seaweed


def new() -> Store:
    """Two new buckets of the shared store."""
    return shared().new()


_pairs: dict[str, Store] = {}


async def served(settings: Mapping[str, str] | None = None) -> tuple[Daemon, Store]:
    """The daemon of two workers with these settings that all tests of this process share, and the
    store with its files."""
    given = settings or {}
    name = " ".join(["s3", *(f"{key}={value}" for key, value in sorted(given.items()))])
    if name not in _pairs:
        _pairs[name] = new()
    store = _pairs[name]
    environ = {**store.environ, **given}
    return await daemon.shared(name, lambda: Daemon("--workers", "2", environ=environ)), store


@cache
def rclone() -> Store:
    """The bad store of this process."""
    folder = Path(tempfile.mkdtemp(prefix="contentsvc-rclone-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in ("content", "media"):
        (folder / name).mkdir()
    for _ in range(3):
        (port,) = _ports(1)
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [
                    *(script("rclone"), "serve", "s3", "--config", "/dev/null"),
                    *("--addr", f"127.0.0.1:{port}", "--auth-key", f"{ACCESS_KEY},{SECRET_KEY}"),
                    str(folder),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        atexit.register(_end, process)
        if _answers(process, f"http://127.0.0.1:{port}/media"):
            return Store(f"http://127.0.0.1:{port}", "content", "media")
        _end(process)
    raise AssertionError((folder / "log").read_text()[-4000:])


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()


def _answers(process: "subprocess.Popen[bytes]", url: str) -> bool:
    """Wait until the store has this bucket. False if it ends or takes too long."""
    deadline = time.monotonic() + _START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            # Neither lets strangers list it. A bucket that is not there yet is 404.
            if send("GET", url).status in {400, 403}:
                return True
        except OSError:
            pass
        time.sleep(0.05)
    return False


def _ports(count: int) -> list[int]:
    """Ports that are free, and the ports 10,000 above them too: SeaweedFS takes both. They are
    below those that the kernel gives to connections, which come and go meanwhile."""
    found: list[int] = []
    for port in random.sample(range(11_000, 22_000), 1_000):
        if len(found) < count and _free(port) and _free(port + 10_000):
            found.append(port)
    return found


def _free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
