"""The commands that are clients: a service by a name that IDNA refuses, through a proxy; and what
they say where there is none."""

from twisted.internet import reactor
from twisted.internet.error import ConnectionRefusedError
from twisted.internet.protocol import Factory, Protocol
from twisted.trial.unittest import TestCase

from contentsvc.client import Client, Unreachable
from tests.client.fakes import BOB
from tests.client.test_service import PASSWORD
from tests.command.test_publish import FolderCase
from tests.command.test_watch import Watch
from tests.support.forward_proxy import ForwardProxy

ODD = "content_1.studio--x.example"
"""A name that IDNA refuses, and that the proxy alone knows."""


class ThroughTests(FolderCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.proxy = ForwardProxy("ann:secret")
        self.addCleanup(self.proxy.stop)
        self.environ = {"HTTP_PROXY": f"http://ann:secret@{self.proxy.address}"}
        port = self.service.url.rpartition(":")[2]
        self.odd = f"http://{ODD}:{port}"

    async def test_publish_and_fetch(self) -> None:
        """Requests and files go both ways through it."""
        words = ("--url", self.odd, "--user", self.name, "--password-stdin")
        done = await self.command("publish", str(self.folder), *words, given=PASSWORD)
        self.assertEqual((done.err, done.status), ("", 0))
        done = await self.command("fetch", self.content, str(self.got), "--url", self.odd)
        self.assertEqual((done.err, done.status), ("", 0))
        got = [file.read_bytes() for file in self.got.rglob("*") if file.is_file()]
        self.assertLessEqual({*self.files.values()} - {self.files["shots/tower.png"]}, {*got})
        verbs = {line.split("/")[0] for line in self.proxy.asked}
        self.assertLessEqual({"GET http:", "POST http:", "PUT http:"}, verbs)
        hosts = {line.split("/")[2] for line in self.proxy.asked}
        self.assertEqual(hosts, {self.odd.removeprefix("http://")})

    async def test_sync(self) -> None:
        """So does a library."""
        words = ("--url", self.odd, "--user", self.name, "--password-stdin")
        done = await self.command("sync", str(self.got), *words, given=PASSWORD)
        self.assertEqual((done.err, done.status), ("", 0))
        self.assertTrue(self.proxy.asked)

    async def test_watch(self) -> None:
        """A socket goes through a tunnel."""
        user = ("--user", self.name, "--password-stdin", "--resume", "0")
        await self.notify("one")
        watch = Watch(self.odd, *user, line=PASSWORD, environ=self.environ)
        self.addCleanup(watch.kill)
        line = await watch.line()
        self.assertEqual(line["notification"]["text"], "one")
        self.assertIn(f"CONNECT {self.odd.removeprefix('http://')} HTTP/1.1", self.proxy.asked)
        watch.transport.signalProcess("INT")
        self.assertEqual((await watch.end(), watch.errors), (0, b""))

    async def test_refused(self) -> None:
        """A proxy that refuses is one line, without the password."""
        self.proxy.wanted = b"another"
        done = await self.command("fetch", BOB, str(self.got), "--url", self.odd)
        self.assertEqual((done.err.count("\n"), done.status), (1, 1))
        self.assertIn("407", done.err)
        self.assertNotIn("secret", done.err)

    async def test_no_proxy(self) -> None:
        """What NO_PROXY names is reached directly."""
        self.environ = {**self.environ, "NO_PROXY": ".studio--x.example"}
        done = await self.command("fetch", BOB, str(self.got), "--url", self.odd)
        self.assertIn("DNS lookup failed", done.err)
        self.assertEqual(self.proxy.asked, [])


class TroubleTests(FolderCase):
    environ = {"HTTP_PROXY": "", "http_proxy": ""}

    async def said(self, url: str) -> list[str]:
        """The lines of all commands that are clients."""
        given = {"given": PASSWORD}
        words = ("--user", self.name, "--password-stdin")
        done = [
            await self.command("publish", str(self.folder), "--url", url, *words, **given),
            await self.command("fetch", BOB, str(self.got), "--url", url),
            await self.command("watch", url, *words, **given),
            await self.command("sync", str(self.got), "--url", url, *words, **given),
        ]
        self.assertEqual({each.status for each in done}, {1})
        for each in done:
            self.assertRegex(each.err, r"\Acontentsvc: [^\n]*\n\Z")
        return [each.err for each in done]

    async def test_no_name(self) -> None:
        """What can be no name is refused at once, in one line."""
        for url in ("http://a..b", f"http://{'a' * 64}.example", "http://a b.example"):
            for line in await self.said(url):
                self.assertIn("is not like http://127.0.0.1:8080: ", line)
                self.assertIn("is not the name of a host", line)

    async def test_password(self) -> None:
        """A password in a URL is not repeated."""
        for line in await self.said("http://ann:secret@127.0.0.1"):
            self.assertNotIn("secret", line)


class Hello(Protocol):
    """What speaks something else."""

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.transport.write(b"SSH-2.0-secret\r\n\r\n")


class ReasonTests(TestCase):
    """What the client says of a request that got no answer."""

    async def said(self, url: str) -> Unreachable:
        """Of a health check, which is sent once."""
        client = Client(reactor, url, patience=0.0)
        self.addCleanup(client.close)
        with self.assertRaises(Unreachable) as raised:
            await client.health.check_liveness()
        return raised.exception

    async def test_not_resolved(self) -> None:
        """The name was not resolved."""
        error = await self.said("http://no_such--host.invalid")
        self.assertIn("DNS lookup failed: no results for hostname lookup: no_such", str(error))
        self.assertFalse(error.maybe_done)

    async def test_refused(self) -> None:
        """The connection was refused."""
        port = reactor.listenTCP(0, Factory(), interface="127.0.0.1")
        url = f"http://127.0.0.1:{port.getHost().port}"
        await port.stopListening()
        error = await self.said(url)
        self.assertIn(ConnectionRefusedError.__doc__.rstrip("."), str(error))
        self.assertFalse(error.maybe_done)

    async def test_not_http(self) -> None:
        """The answer is none of HTTP; what it is instead is not repeated."""
        factory = Factory.forProtocol(Hello)
        factory.noisy = False
        port = reactor.listenTCP(0, factory, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        error = await self.said(f"http://127.0.0.1:{port.getHost().port}")
        self.assertIn("the answer is not HTTP", str(error))
        self.assertNotIn("secret", str(error))
        self.assertTrue(error.maybe_done)

    def test_no_url(self) -> None:
        """A URL that can be none is an error of the program."""
        for url in ("http://a..b", "content.example", "http://ann:secret@content.example"):
            with self.assertRaises(ValueError):
                Client(reactor, url)
