"""Files go through a proxy in both directions, whatever their size, and leave nothing there."""

from typing import Any
from urllib.parse import urlsplit

from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread
from twisted.web.http_headers import Headers

from tests.proxies import transfers
from tests.proxies.proxy import Haproxy, Nginx
from tests.proxies.test_proxies import Cases, common
from tests.proxies.transfers import Large
from tests.spec.client import Response, Wire
from tests.spec.files.support import FilesCase, blob, made_of, picture
from tests.support import postgres
from tests.support.daemon import Daemon, shared, until

LARGEST = 512 << 20
_LOCAL = ("--trusted-proxies", "127.0.0.1", "--files", "local")


def one_folder(first: Daemon, second: Daemon) -> None:
    """Let both have the same files, as daemons of one machine or on a file server have."""
    (first.data_dir / "files").mkdir(0o700, parents=True)
    second.data_dir.mkdir(0o700)
    (second.data_dir / "files").symlink_to(first.data_dir / "files")


def pair(*options: str, database: str) -> tuple[Daemon, Daemon]:
    """Two daemons with one database and one folder of files."""
    first = Daemon(*_LOCAL, *options, admin=True, database=database)
    second = Daemon(*_LOCAL, *options, admin=True, database=database, secret_file=first.secret_file)
    one_folder(first, second)
    return first, second


def answers(received: bytes) -> list[Response]:
    """The whole answers among these bytes, without those that only permit to go on."""
    found = []
    head, end, rest = received.partition(b"\r\n\r\n")
    while end:
        lines = head.decode().split("\r\n")
        headers = Headers()
        for line in lines[1:]:
            headers.addRawHeader(*line.split(": ", 1))
        status = int(lines[0].split()[1])
        size = int((headers.getRawHeaders("Content-Length") or ["0"])[0])
        if status != 100 and len(rest) >= size:
            found.append(Response("raw request", status, headers, rest[:size]))
        head, end, rest = rest[size:].partition(b"\r\n\r\n")
    return found


class FileCases(Cases):
    """Files through a proxy, and what they need."""

    def incoming(self) -> list[str]:
        """Uploads that have not ended."""
        return [each.name for each in (self.first.data_dir / "files/incoming").iterdir()]

    def there_at(self, path: str) -> bool:
        """Whether the daemons have this file."""
        return (self.first.data_dir / "files/content" / path).exists()

    async def answered(self, wire: Wire) -> Response:
        """The answer to a request whose body the client has not sent whole, without a permission
        to send it. The proxy may wait for the rest."""
        found: list[Response] = []
        await until(lambda: bool(found or found.extend(answers(wire.received))), 20, "an answer")
        await wire.vanish()
        return found[-1]


class PassingCases(FileCases):
    """Both daemons are there, for all of these tests."""

    async def daemons(self) -> tuple[Daemon, Daemon]:
        """Those that all of these tests share."""
        made: list[Daemon] = []

        def make() -> Daemon:
            if not made:
                made.extend(pair(database=common()))
            return made.pop(0)

        return await shared("files, behind a proxy", make), await shared("files, too", make)

    def kept(self) -> list[str]:
        """The proxy's temporary files, and folders of such files."""
        folders = ("body", "proxy")
        return [each.name for name in folders for each in (self.running.folder / name).rglob("*")]

    def nothing_kept(self) -> None:
        """Assert that the proxy has written nothing to its disk."""
        self.assertEqual(self.kept(), [])

    async def test_largest(self):
        """A file of 512 MiB goes up and down byte by byte, and none of it to the proxy's disk."""
        large = transfers.sparse(postgres.new_folder() / "large", LARGEST)
        announced = {"use": "entity", "sha256": large.digest, "size": large.size}
        (file,) = (await self.announcing(self.ann, announced)).json()["files"]
        put = file["upload"]
        status, body = await deferToThread(
            transfers.send, put["url"], put["headers"], large, self.nothing_kept
        )
        self.assertIn(status, (200, 201, 204), body)
        url = await self.published(large)
        got = await deferToThread(transfers.receive, url, self.nothing_kept)
        self.assertEqual(got, (200, large.size, large.digest))
        large.file.unlink()
        (self.first.data_dir / "files/content" / large.path).unlink()

    async def published(self, large: Large) -> str:
        """The URL of a file, once content has it."""
        core = made_of(blob()) | {"path": large.path}
        content = await self.content(self.ann, entity=core, originating=[], packagesOriginating=[])
        return str((await self.urls(content))[large.path])

    async def test_too_large(self):
        """The proxy refuses what is larger than a file may be, before its bytes come."""
        upload = await self.place(self.ann, blob())
        wire = await self.begun(upload, b"x" * 1000, LARGEST + 1)
        refused = self.problem(await self.answered(wire), 413, "payload_too_large")
        self.assertEqual(refused["limit"], LARGEST)

    async def test_only_files(self):
        """What only looks like the folder of files keeps the small limit."""
        for path in ("/filesystem/x", "/api/v1/files/x", "/x/files/y"):
            wire = await self.part(f"{self.url}{path}", ["Content-Length: 3000000"], b"x" * 1000)
            refused = self.problem(await self.answered(wire), 413, "payload_too_large")
            self.assertEqual(refused["limit"], 2 << 20, path)

    async def test_ranges(self):
        """Parts of a file, its head, and a file that the client has: as without a proxy."""
        file = blob(300_000)
        url = await self.link(await self.holding(self.ann, file), file)
        whole = await self.gets(url, file.data)
        tag = whole.header("ETag")
        for asked, part in (("100-199", file.data[100:200]), ("-7", file.data[-7:])):
            got = await self.fetch(url, Range=f"bytes={asked}", If_Range=tag)
            self.assertEqual((got.status, got.body), (206, part))
        self.assertEqual((await self.fetch(url, Range="bytes=300000-")).status, 416)
        other = await self.fetch(url, Range="bytes=1-2", If_Range='"another"')
        self.assertEqual((other.status, other.body), (200, file.data))
        await self.heading(url, {"Content-Length": "300000", "ETag": tag})
        same = await self.fetch(url, If_None_Match=tag)
        self.assertEqual((same.status, same.body), (304, b""))
        self.nothing_kept()

    async def heading(self, url: str, expected: dict[str, str]) -> None:
        """Assert that HEAD answers with these headers, and with nothing else."""
        at = urlsplit(url)
        wire = await Wire.open(url)
        lines = (f"HEAD {at.path}?{at.query} HTTP/1.1", f"Host: {at.netloc}", "Connection: close")
        wire.send("\r\n".join((*lines, "", "")).encode())
        await wire.ended()
        head, _, rest = wire.received.decode().partition("\r\n\r\n")
        status, *fields = head.split("\r\n")
        self.assertEqual((status, rest), ("HTTP/1.1 200 OK", ""))
        found = {name.lower(): value for name, value in (line.split(": ", 1) for line in fields)}
        self.assertEqual({name: found.get(name.lower()) for name in expected}, expected)

    async def test_media(self):
        """An image is there for everybody under the proxy's own address."""
        image = picture()
        await self.upload(self.ann, image)
        url = await self.media(image)
        self.assertTrue(url.startswith(f"{self.url}/files/media/"), url)
        got = await self.gets(url, image.data)
        self.assertEqual(got.header("Content-Type"), "image/png")

    async def expecting(self, upload: dict[str, Any], url: str) -> Wire:
        """The connection of an upload that waits for permission, with this URL."""
        head = {name.lower(): value for name, value in upload["headers"].items()}
        head |= {"content-length": "60", "expect": "100-continue"}
        return await self.part(url, [f"{name}: {value}" for name, value in head.items()], b"")

    async def test_permission(self):
        """A client that waits for permission to send gets it, and then its answer."""
        file = blob()
        upload = await self.place(self.ann, file)
        wire = await self.expecting(upload, upload["url"])
        await until(lambda: b"\r\n\r\n" in wire.received, 20, "the permission")
        self.assertTrue(wire.received.startswith(b"HTTP/1.1 100 "), wire.received)
        wire.send(file.data)
        self.assertIn((await wire.answer()).status, (200, 201, 204))
        await self.there(self.ann, file)

    async def test_no_permission(self):
        """An upload that is refused by its head gets the refusal."""
        upload = await self.place(self.ann, blob())
        wire = await self.expecting(upload, upload["url"][:-1])
        # nginx gives the permission by itself.
        self.problem(await self.answered(wire), 403)

    async def test_early_refusal(self):
        """A refusal arrives although the client still sends."""
        file = blob(4 << 20)
        upload = await self.place(self.ann, file)
        wire = await self.begun(
            upload | {"url": upload["url"][:-1]}, file.data[: 1 << 20], len(file.data)
        )
        self.problem(await self.answered(wire), 403)

    async def test_wrong_bytes(self):
        """Other bytes than the announced ones are refused, and the right ones are taken then."""
        file = blob(100_000)
        upload = await self.place(self.ann, file)
        response = await self.sending(upload, b"x" * len(file.data))
        self.assertTrue(400 <= response.status < 500, repr(response))
        await self.send(upload, file.data)
        await self.there(self.ann, file)

    async def test_broken_off(self):
        """Of an upload that its client breaks off nothing stays, and it can be sent again."""
        file = blob(4 << 20)
        upload = await self.place(self.ann, file)
        wire = await self.begun(upload, file.data[: 3 << 20], len(file.data))
        await until(lambda: len(self.incoming()) == 1, 20, "the beginning of the upload")
        await wire.vanish()
        await until(lambda: not self.incoming(), 20, "the end of the upload")
        self.assertFalse(self.there_at(file.path))
        await self.missing(self.ann, file)
        await self.upload(self.ann, file)
        self.nothing_kept()

    async def test_abandoned_download(self):
        """A client that reads no further holds up nobody."""
        file = blob(4 << 20)
        url = await self.link(await self.holding(self.ann, file), file)
        at = urlsplit(url)
        wire = await Wire.open(url)
        wire.send(f"GET {at.path}?{at.query} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
        await until(lambda: bool(wire.received), 20, "the beginning of the download")
        await wire.vanish()
        await self.gets(url, file.data)


class HastyCases(FileCases):
    """A proxy that waits for one second only, before daemons that wait for longer."""

    async def daemons(self) -> tuple[Daemon, Daemon]:
        """For this test alone."""
        database = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, database)
        made = pair(database=database)
        for daemon in made:
            self.addCleanup(daemon.stop)
        await gatherResults([Deferred.fromCoroutine(each.start()) for each in made])
        return made

    async def test_silence(self):
        """A slow upload may take longer than a time-out; one that rests for so long may not."""
        file = blob(60)
        upload = await self.place(self.ann, file)
        slow = await self.begun(upload, file.data[:10], 60)
        for at in range(10, 60, 10):
            await deferLater(reactor, 0.4)
            slow.send(file.data[at : at + 10])
        self.assertIn((await slow.answer()).status, (200, 201, 204))
        await self.there(self.ann, file)

        other = blob(2 << 20)
        resting = await self.begun(
            await self.place(self.ann, other), other.data[:1_500_000], 2 << 20
        )
        await resting.ended()
        await until(lambda: not self.incoming(), 20, "the end of the upload")
        self.assertFalse(self.there_at(other.path))

    async def test_stopped_daemon(self):
        """Uploads that a stopped daemon would get go to the other one."""
        await self.first.stop()
        for _ in range(4):
            await self.upload(self.ann, blob(100_000))

    async def test_no_daemon(self):
        """Where there is no daemon, the proxy's answer to an upload looks like the service's."""
        upload = await self.place(self.ann, blob())
        await self.first.stop()
        await self.second.stop()
        response = await self.sending(upload, b"x" * 60)
        self.problem(response, 503, "unavailable")
        self.assertEqual(response.header("Retry-After"), "1")


class HastyNginx(Nginx):
    changes = (*Nginx.changes, ("60s", "1s"))


class HastyHaproxy(Haproxy):
    changes = (*Haproxy.changes, ("(client|server|tunnel) 60s", r"\1 1s"))


class NginxFileTests(PassingCases, FilesCase):
    proxy = Nginx


class HaproxyFileTests(PassingCases, FilesCase):
    proxy = Haproxy


class NginxHastyTests(HastyCases, FilesCase):
    proxy = HastyNginx


class HaproxyHastyTests(HastyCases, FilesCase):
    proxy = HastyHaproxy
