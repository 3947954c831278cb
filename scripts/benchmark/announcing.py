"""The measurement of POST /uploads, with as many files as a call may have."""

import hashlib
import json
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from . import subjects
from .operations import API, Context
from .processes import Process, script
from .results import Announcement, Call

KEY, KEY_S3 = "uploads", "uploads-s3"
_FILES = 1000
_IMAGES = 100
"""So many of the files are screenshots, which are looked into when they have arrived."""
FIRST, AGAIN, VERIFYING, THERE = "first", "again, nothing sent", "verifying", "again, all there"

Cost = Callable[[Process], AbstractContextManager[list[float]]]


class AnnouncementError(Exception):
    """The daemon did not answer as it should; `str()` says what."""


class _File:
    """A small file of random bytes."""

    def __init__(self, *, image: bool) -> None:
        self.body = uuid4().bytes
        self.announced: dict[str, Any] = {"use": "entity"}
        if image:
            head = struct.pack(">I4sIIBBBBB", 13, b"IHDR", 640, 360, 8, 2, 0, 0, 0)
            self.body = b"\x89PNG\r\n\x1a\n" + head + self.body
            self.announced = {"use": "screenshot", "mediaType": "image/png"}
        self.announced["sha256"] = hashlib.sha256(self.body).hexdigest()
        self.announced["size"] = len(self.body)


def has_store() -> bool:
    """Whether there is a SeaweedFS, which `scripts/venv test` installs."""
    return Path(script("weed")).exists()


@contextmanager
def on_s3(folder: Path, storage: list[str]) -> Iterator[Process]:
    """A daemon whose files lie in a SeaweedFS on this machine."""
    # Only here: the tests need more than the benchmark does.
    from tests.support import stores

    store = stores.new()
    environ = {
        name if name.startswith("AWS_") else f"CONTENTSVC_{name}": value
        for name, value in store.environ.items()
    }
    daemon = subjects.daemon_on_s3(folder, storage, environ)
    try:
        yield daemon
    finally:
        daemon.stop()


def measure(daemon: Process, context: Context, writer: int, cost: Cost, into: Announcement) -> None:
    """All calls once, by this user. Raises AnnouncementError."""
    place = into.place
    files = [_File(image=number < _IMAGES) for number in range(_FILES)]
    with closing(HTTPConnection("127.0.0.1", daemon.port, timeout=120)) as connection:

        def call(name: str, *, there: bool) -> list[dict[str, Any]]:
            body = json.dumps({"files": [file.announced for file in files]})
            headers = {**context.caller(writer), "Content-Type": "application/json"}
            with cost(daemon) as spent:
                begun = time.perf_counter()
                connection.request("POST", f"{API}/uploads", body, headers)
                answer = connection.getresponse()
                received = answer.read()
                took = time.perf_counter() - begun
            if answer.status != 200:
                raise AnnouncementError(f"{place}, {name}: {answer.status} {received[:500]!r}")
            into.calls.setdefault(name, []).append(
                Call(took * 1000, spent[0] * 1000, spent[1] * 1000)
            )
            found: list[dict[str, Any]] = json.loads(received)["files"]
            if [file["upload"] is None for file in found] != [there] * _FILES:
                raise AnnouncementError(f"{place}, {name}: not all files are there: {there}")
            return found

        call(FIRST, there=False)
        uploads = call(AGAIN, there=False)
        _send(files, [each["upload"] for each in uploads])
        call(VERIFYING, there=True)
        call(THERE, there=True)


def _send(files: list[_File], uploads: list[dict[str, Any]]) -> None:
    address = urlsplit(uploads[0]["url"]).netloc
    with closing(HTTPConnection(address, timeout=60)) as connection:
        for file, upload in zip(files, uploads, strict=True):
            parts = urlsplit(upload["url"])
            target = parts._replace(scheme="", netloc="").geturl()
            connection.request("PUT", target, file.body, upload["headers"])
            answer = connection.getresponse()
            received = answer.read()
            if answer.status not in (200, 201, 204):
                raise AnnouncementError(f"PUT {parts.path}: {answer.status} {received!r}")
