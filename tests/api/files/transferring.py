"""The files of a local bucket, asked for over real connections."""

import http.client
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
from twisted.internet import reactor, ssl
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol, wrapClientTLS
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from contentsvc.api.errors import translate
from contentsvc.api.files.transfers import Receiving, Transfers
from contentsvc.app.root import Root
from contentsvc.framework.http.app import Api
from contentsvc.framework.http.maintenance import Maintenance
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.storage.folder import Folder
from contentsvc.framework.storage.links import Links
from contentsvc.framework.storage.local import Local
from contentsvc.framework.storage.paths import BINARY, digest_of, path_of
from contentsvc.store.files import files, storage
from tests.framework.http.boxes import Boxes
from tests.framework.http.support import Answer, authenticate, operations, site_of
from tests.framework.storage.support import KEYS, NOON, clock_at, remembered
from tests.support.databases import StoreCase, guid


class Wire(Protocol):
    """A connection of a client."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.ended: Deferred[None] = Deferred()
        self.lost = False
        self._came: Deferred[None] | None = None

    def dataReceived(self, data: bytes) -> None:
        self.received += data
        self._ring()

    def connectionLost(self, reason: Failure) -> None:
        self.lost = True
        self._ring()
        self.ended.callback(None)

    def _ring(self) -> None:
        came, self._came = self._came, None
        if came is not None:
            came.callback(None)

    async def more(self) -> None:
        """Wait until something comes, or the end."""
        if not self.lost:
            self._came = Deferred()
            await self._came

    def send(self, data: bytes) -> None:
        """Bytes as they are."""
        self.transport.write(data)  # type: ignore[union-attr]

    def head(self, method: str, target: str, **headers: Any) -> None:
        """The head of a request; `Content_Type` stands for the header Content-Type."""
        lines = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        text = "\r\n".join([f"{method} {target} HTTP/1.1", "Host: test", *lines, "", ""])
        self.send(text.encode("latin-1"))

    async def answer(self, method: str = "GET") -> Answer:
        """The next response, whole."""
        while b"\r\n\r\n" not in self.received:
            assert not self.lost, bytes(self.received)
            await self.more()
        head, _, rest = bytes(self.received).partition(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        status = int(line.split()[1])
        if status == 100:
            self.received[:] = rest
            return Answer(100, http.client.HTTPMessage(), b"")
        headers = http.client.parse_headers(BytesIO(fields + b"\r\n\r\n"))
        bare = status in {204, 304} or method == "HEAD"
        length = 0 if bare else int(headers["Content-Length"])
        while len(self.received) < len(head) + 4 + length:
            assert not self.lost, "the answer is cut off"
            await self.more()
        rest = bytes(self.received[len(head) + 4 :])
        self.received[:] = rest[length:]
        return Answer(status, headers, rest[:length])


class TransferCase(StoreCase):
    """A site with a folder of files, and Ann, who announces them. The wall clock stands still."""

    reserve = 0
    certificate: ssl.PrivateCertificate | None = None
    """With it, connections are of TLS."""
    origins = ("*",)

    async def setUp(self) -> None:
        await super().setUp()
        self.wall: Clock = clock_at(NOON)
        self.root = Path(self.mktemp())
        self.links = Links(KEYS, self.wall)
        self.folder = Folder(self.root, reserve=self.reserve, now=self.wall.seconds)
        self.bucket = Local(reactor, self.folder, self.links, remembered(self.folder))
        await self.bucket.start()
        self.stopped = False
        self.ann = await self.user()
        self.causes: list[str] = []
        self.maintenance = Maintenance(reactor)
        await self.serve()

    async def serve(self, **limits: Any) -> None:
        """Serve from now on with these limits."""
        self.limits = limits
        reply = Reply(self.origins, self.causes.append)
        api = Api(authenticate, translate, reply)
        boxes = Boxes()
        api.mount(operations([boxes]), [boxes])
        receiving = Receiving(self.db, self.bucket, translate, lambda: None)
        transfers = Transfers(reply, receiving, self.maintenance)
        root = Root(api, None, {}, transfers)
        self.site = site_of(root, reactor, judge=root.judge, refuse=api.refuse, **limits)
        if self.certificate is None:
            port = reactor.listenTCP(0, self.site, interface="127.0.0.1")
        else:
            options = self.certificate.options()
            port = reactor.listenSSL(0, self.site, options, interface="127.0.0.1")
        self.port = port.getHost().port
        self.addCleanup(port.stopListening)

    async def serve_apart(self) -> None:
        """Serve from now on with a pool that may be stopped."""
        self.db = await self.pool()
        await self.serve(**self.limits)

    async def tearDown(self) -> None:
        for channel in list(self.site.traffic.channels):
            channel.transport.abortConnection()
        while self.site.traffic.channels or self.site.traffic.active:
            await self.turn()
        await self.stop()

    async def stop(self) -> None:
        """Stop the bucket."""
        if not self.stopped:
            self.stopped = True
            await self.bucket.stop()

    async def turn(self) -> None:
        """One turn of the reactor."""
        turned: Deferred[None] = Deferred()
        reactor.callLater(0, turned.callback, None)
        await turned

    async def connect(self) -> Wire:
        """A new connection, which is gone at the end."""
        endpoint: Any = TCP4ClientEndpoint(reactor, "127.0.0.1", self.port)
        if self.certificate is not None:
            trust = ssl.optionsForClientTLS("localhost", trustRoot=self.certificate)
            endpoint = wrapClientTLS(trust, endpoint)
        wire = await connectProtocol(endpoint, Wire())
        self.addCleanup(self.drop, wire)
        return wire

    async def drop(self, wire: Wire) -> None:
        """Be gone."""
        if not wire.lost:
            wire.transport.abortConnection()  # type: ignore[union-attr]
            await wire.ended

    async def ask(self, method: str, target: str, body: bytes = b"", **headers: Any) -> Answer:
        """The answer to one request on a connection of its own."""
        wire = await self.connect()
        if body:
            headers.setdefault("Content_Length", len(body))
        wire.head(method, target, **headers)
        wire.send(body)
        answer = await wire.answer(method)
        await self.drop(wire)
        return answer

    async def announce(
        self, data: bytes, media_type: str = BINARY, *, size: int | None = None, by: str = ""
    ) -> str:
        """The target of a PUT for these bytes, which Ann has announced."""
        path = path_of(sha256(data).hexdigest(), media_type)
        user, size = by or self.ann, len(data) if size is None else size
        async with self.db.transaction() as tx:
            await storage.lock(tx, user)
            await files.begin(tx, [path])
            await storage.announce(tx, user, [path], [size], [False], ["entity"])
        ((token,),) = self.sql(
            "select token from user_files where user_id = %s and path = %s", user, path
        )
        return self.links.upload(path, size, str(token))[0]

    async def put(self, target: str, body: bytes, **headers: Any) -> Answer:
        """The answer to an upload."""
        given = {"Content_Type": BINARY, **headers}
        return await self.ask("PUT", target, body, **given)

    async def arriving(self, data: bytes) -> Wire:
        """The connection of an upload whose last byte is still to come, the others being on their
        way to the disk."""
        wire = await self.connect()
        target = await self.announce(data)
        wire.head("PUT", target, Content_Type=BINARY, Content_Length=len(data))
        wire.send(data[:-1])
        while not self.incoming():
            await self.turn()
        return wire

    async def stored(self, data: bytes, media_type: str = BINARY) -> str:
        """The target of a GET for these bytes, which are there."""
        target = await self.announce(data, media_type)
        answer = await self.put(target, data, Content_Type=media_type)
        self.assertEqual(answer.status, 204, answer.body)
        return self.links.download(path_of(sha256(data).hexdigest(), media_type))[0]

    def problem(self, answer: Answer, status: int, code: str) -> Any:
        """Assert a problem and give its members."""
        found = msgspec.json.decode(answer.body)
        self.assertEqual((answer.status, found.get("code")), (status, code), found)
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
        return found

    def row(self, data: bytes) -> tuple[bool, bool]:
        """Whether the bytes are there, and whether Ann has sent them, by their rows."""
        digest = sha256(data).hexdigest()
        found = self.sql(
            "select f.stored, u.sent from files f join user_files u using (path)"
            " where substr(path, 4, 64) = %s and user_id = %s",
            digest,
            self.ann,
        )
        ((stored, sent),) = found
        return stored, sent

    async def nothing_left(self, data: bytes | None = None) -> None:
        """Assert that nothing is being written, and that the file is not there."""
        while self.incoming():
            await self.turn()
        if data is not None:
            left = [lying for shelf in self.folder.shelves() for lying in self.folder.on(shelf)]
            self.assertNotIn(sha256(data).hexdigest(), [digest_of(lying.path) for lying in left])
            self.assertEqual(self.row(data), (False, False))

    def incoming(self) -> list[str]:
        """The names of files that are being written."""
        return sorted(file.name for file in (self.root / "incoming").iterdir())


def fresh(size: int = 36) -> bytes:
    """Bytes that nobody has had before."""
    return (guid().encode() * (size // 36 + 1))[:size]
