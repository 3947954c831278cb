"""A store of files on a port of this machine, that fails as the test wants; and a service in memory
that hands out its URLs."""

from __future__ import annotations

import hashlib
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from twisted.internet import reactor
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import deferLater

from contentsvc.client.errors import ApiError
from contentsvc.framework.storage.paths import digest_of, media_type_of, path_of
from contentsvc.wire.files import (
    ContentFile,
    FilesQuery,
    Upload,
    UploadedFile,
    UploadsAnswer,
    UploadsBody,
)


class Wire(Protocol):
    """A connection, and the one request that comes on it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._data = b""
        self._begun = False
        self.body = b""

    def dataReceived(self, data: bytes) -> None:
        if self._begun:
            self._take(data)
            return
        self._data += data
        head, end, rest = self._data.partition(b"\r\n\r\n")
        if not end:
            return
        self._begun, self._data = True, b""
        first, *lines = head.decode().split("\r\n")
        self.method, target, _ = first.split()
        self.path, _, self.query = target.partition("?")
        self.headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines)}
        self._store.asked.append(self)
        self._act = self._store.acts.popleft() if self._store.acts else served
        if self._act in (early, deaf):
            self._act(self)
            return
        if self._act is hesitant:
            self.transport.write(b"HTTP/1.1 1")
        self._take(rest)

    def _take(self, data: bytes) -> None:
        self.body += data
        if self._act is not early and len(self.body) == int(self.headers.get("content-length", 0)):
            self._act(self)

    def answer(self, status: int, body: bytes = b"", *, cut: int | None = None, **headers: str):
        lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        head = "\r\n".join([*lines, "Connection: close", "", ""]).encode()
        self.transport.write(head + (body if cut is None else body[:cut]))
        self.transport.loseConnection()

    @property
    def store(self) -> Store:
        return self._store


Act = Callable[[Wire], Any]


def served(wire: Wire) -> None:
    """As a good store does."""
    path = wire.path.removeprefix("/")
    if wire.method == "PUT":
        wire.store.kept[path] = wire.body
        wire.answer(200)
    else:
        got(wire, wire.store.kept[path])


def got(wire: Wire, data: bytes, **more: Any) -> None:
    etag = f'"{hashlib.md5(data).hexdigest()}"'
    wanted = wire.headers.get("range", "")
    if wanted and wire.headers.get("if-range") == etag:
        start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        placed = f"bytes {start}-{len(data) - 1}/{len(data)}"
        wire.answer(206, data[start:], ETag=etag, Content_Range=placed, **more)
    else:
        wire.answer(200, data, ETag=etag, **more)


def cut(at: int) -> Act:
    """A download breaks off after so many bytes."""
    return lambda wire: got(wire, wire.store.kept[wire.path[1:]], cut=at)


def instead(data: bytes) -> Act:
    """Other bytes than those of the file."""
    return lambda wire: got(wire, data)


def says(status: int, body: bytes = b"", **headers: str) -> Act:
    """An answer with this status, and nothing done."""
    return lambda wire: wire.answer(status, body, **headers)


def lost(wire: Wire) -> None:
    """No answer."""
    wire.transport.abortConnection()


def early(wire: Wire) -> None:
    """A refusal as soon as the head has come. The body is never read."""
    wire.transport.pauseProducing()
    wire.answer(403, b'{"code": "file_blocked", "detail": "No."}')


def hesitant(wire: Wire) -> None:
    """100 Continue, though nobody has asked for it: a piece of it at once, the rest after the
    body."""
    wire.transport.write(b"00 Continue\r\n\r\n")
    served(wire)


def deaf(wire: Wire) -> None:
    """Nothing is read, and nothing is said."""
    wire.transport.pauseProducing()


class Store:
    """What has been kept, asked, and how to act on the requests to come."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.asked: list[Wire] = []
        self.acts: deque[Act] = deque()

    def start(self) -> None:
        factory = Factory()
        factory.noisy = False
        factory.buildProtocol = lambda address: Wire(self)  # type: ignore[method-assign]
        self.port = reactor.listenTCP(0, factory, interface="127.0.0.1")

    async def stop(self) -> None:
        for wire in self.asked:
            wire.transport.abortConnection()
        await self.port.stopListening()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port.getHost().port}"

    def keep(self, data: bytes) -> str:
        """The path of a file that is there."""
        path = path_of(hashlib.sha256(data).hexdigest())
        self.kept[path] = data
        return path


@contextmanager
def unreachable() -> Iterator[str]:
    """The URL of a port where nobody gets in: one waits already, and there is room for no other."""
    with socket.socket() as listening, socket.socket() as waiting:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        waiting.connect(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


class Service:
    """POST /uploads and GET …/files. A URL is of the store, with a number that grows."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.announced: list[UploadsBody] = []
        self.refusal: ApiError | None = None
        self.pending: set[str] = set()
        self.most_pending = 10_000
        self.scheme = "http"
        self.at = ""
        """Where uploads go, if not to the store."""
        self.listed: list[str] = []
        self.gone: set[str] = set()
        """Paths without a URL."""
        self.elsewhere: set[str] = set()
        """Paths that are listed twice, the second time without a URL."""
        self.lists = 0

    async def announce(self, body: UploadsBody) -> UploadsAnswer:
        self.announced.append(body)
        if self.refusal is not None:
            raise self.refusal
        self.pending |= {file.sha256 for file in body.files}
        self.pending -= {digest_of(path) for path in self.store.kept}
        if len(self.pending) > self.most_pending:
            self.pending -= {file.sha256 for file in body.files}
            raise ApiError(403, "quota_exceeded", "No.", {})
        answers = []
        for file in body.files:
            path = path_of(file.sha256, file.media_type or "application/octet-stream")
            headers = {"x-sum": file.sha256, "Content-Length": str(file.size)}
            at = self.at or self.store.url
            url = f"{at}/{path}?n={len(self.announced)}".replace("http", self.scheme)
            there = path in self.store.kept
            upload = None if there else Upload("PUT", url, headers, 0)
            answers.append(UploadedFile(file.sha256, path, upload))
        return UploadsAnswer(answers)

    async def list_content_files(self, content: str, query: FilesQuery) -> list[ContentFile]:
        self.lists += 1
        first = [self._file(path, path not in self.gone) for path in self.listed]
        return first + [self._file(path, False) for path in sorted(self.elsewhere)]

    def _file(self, path: str, given: bool) -> ContentFile:
        size = len(self.store.kept[path])
        url = f"{self.store.url}/{path}?n={self.lists}".replace("http", self.scheme)
        url = url if given else None
        return ContentFile(path, "entity", digest_of(path), size, media_type_of(path), url, 0)


async def until(condition: Callable[[], bool]) -> None:
    """Let the reactor turn until this holds."""
    while not condition():
        await deferLater(reactor, 0)
