"""The proxies that the environment names: for which requests, and how they are spoken with."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet import reactor
from twisted.internet.ssl import Certificate, PrivateCertificate, trustRootFromCertificates
from twisted.trial.unittest import SynchronousTestCase, TestCase
from twisted.web.client import HTTPConnectionPool, readBody

from contentsvc.framework.core.connections import Trusting
from contentsvc.framework.core.http_client import agent_of, reason, request
from contentsvc.framework.core.http_proxy import Proxies, ProxyError
from tests.support.badstore import BadStore, answer
from tests.support.certificates import certificate
from tests.support.forward_proxy import ForwardProxy

PLAIN, SECURE = "http://proxy.example:3128", "http://secure.example:3129"


class ProxiesTests(SynchronousTestCase):
    def hosts(self, urls: list[str], **environ: str) -> list[str | None]:
        """The host of the proxy for each of these URLs."""
        proxies = Proxies(environ)
        found = [proxies.of(url) for url in urls]
        return [None if proxy is None else proxy.host for proxy in found]

    def test_schemes(self) -> None:
        """Each scheme has its variable, sockets too; names in lower case go first."""
        urls = ["http://a", "ws://a", "https://a", "wss://a"]
        both = {"HTTP_PROXY": PLAIN, "HTTPS_PROXY": SECURE}
        plain, secure = "proxy.example", "secure.example"
        self.assertEqual(self.hosts(urls, **both), [plain, plain, secure, secure])
        self.assertEqual(self.hosts(urls, HTTP_PROXY=PLAIN), [plain, plain, None, None])
        lower = self.hosts(urls, **both, http_proxy="http://lower:1")
        self.assertEqual(lower, ["lower", "lower", secure, secure])
        self.assertEqual(self.hosts(urls, HTTP_PROXY="", HTTPS_PROXY=" "), [None] * 4)

    def test_no_proxy(self) -> None:
        """NO_PROXY has names with all below them, addresses, networks, ports, or everything."""
        for word, direct, through in (
            ("studio.example", ["http://studio.example", "http://a.b.Studio.Example./x"], []),
            ("studio.example", [], ["http://mystudio.example", "http://example"]),
            (".studio.example", ["http://studio.example", "http://a.studio.example"], []),
            ("*.studio.example", ["http://a.studio.example"], ["http://b.example"]),
            ("media_store", ["http://media_store:9000"], ["http://media-store"]),
            ("10.0.0.0/8, 192.0.2.7", ["http://10.9.8.7", "http://192.0.2.7:8080"], []),
            ("10.0.0.0/8, 192.0.2.7", [], ["http://11.0.0.1", "http://192.0.2.70"]),
            ("2001:db8::/32", ["http://[2001:db8::1]"], ["http://[2001:db9::1]"]),
            ("a.example:8080", ["http://a.example:8080"], ["http://a.example"]),
            ("a.example b.example", ["http://a.example", "http://b.example"], ["http://c"]),
            ("*", ["http://a", "http://10.0.0.1"], []),
            (",, ,.", [], ["http://a"]),
        ):
            for urls, host in ((direct, None), (through, "proxy.example")):
                found = self.hosts(urls, HTTP_PROXY=PLAIN, NO_PROXY=word)
                self.assertEqual(found, [host] * len(urls), word)

    def test_this_machine(self) -> None:
        """This machine is never reached through one."""
        urls = ["http://localhost:1", "http://a.localhost", "http://127.9.9.9", "http://[::1]:8"]
        self.assertEqual(self.hosts(urls, HTTP_PROXY=PLAIN), [None] * 4)

    def test_forms(self) -> None:
        """A proxy may be named without its scheme, and by a name that IDNA refuses."""
        for text, host, port in (
            ("proxy.example:3128", "proxy.example", 3128),
            ("http://web_proxy:8080/", "web_proxy", 8080),
            ("https://proxy.example", "proxy.example", 443),
            ("http://proxy.example", "proxy.example", 80),
            ("http://[2001:db8::1]:3128", "2001:db8::1", 3128),
        ):
            proxy = Proxies({"HTTP_PROXY": text}).of("http://a")
            assert proxy is not None
            self.assertEqual((proxy.host, proxy.port), (host, port))

    def test_bad(self) -> None:
        """What is none is an error that names the variable, and has no password."""
        for text in (
            "socks5://u:secret@proxy.example:1080",
            "http://u:secret@a..b",
            "http://u:secret@",
            "http://u:secret@proxy.example:port",
        ):
            with self.assertRaises(ProxyError) as raised:
                Proxies({"HTTPS_PROXY": text}).of("https://a")
            self.assertIn("HTTPS_PROXY is not a URL like http://", str(raised.exception))
            self.assertNotIn("secret", str(raised.exception))


class ThroughCase(TestCase):
    """A server, and a proxy before it. The proxy alone knows where studio.example is."""

    timeout = 30.0
    user: str | None = None
    host = "studio_1.example"

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(TemporaryDirectory()))
        self.proxy = ForwardProxy(self.user)
        self.addCleanup(self.proxy.stop)
        shown, hidden = certificate(self.folder, self.host)
        pem = shown.read_bytes()
        own = PrivateCertificate.loadPEM(hidden.read_bytes() + pem)
        self.policy = Trusting(trustRootFromCertificates([Certificate.loadPEM(pem)]))
        self.plain = BadStore([answer(body=b"plain")])
        self.secure = BadStore([answer(body=b"secure")], own)
        self.addCleanup(self.plain.stop)
        self.addCleanup(self.secure.stop)
        self.pool = HTTPConnectionPool(reactor)
        self.addCleanup(self.pool.closeCachedConnections)

    def url(self, store: BadStore) -> str:
        """The server's URL by its name."""
        return store.url.replace("127.0.0.1", self.host)

    def agent(self, to: str = "", **options: Any) -> Any:
        """One that goes through the proxy."""
        url = to or f"http://{self.user + '@' if self.user else ''}{self.proxy.address}"
        proxies = Proxies({"HTTP_PROXY": url, "HTTPS_PROXY": url})
        return agent_of(reactor, self.pool, policy=self.policy, proxies=proxies, **options)

    async def body(self, agent: Any, store: BadStore) -> bytes:
        """The answer of a server."""
        response = await request(agent, "POST", f"{self.url(store)}/a?b=c", {}, b"data")
        found: bytes = await readBody(response)
        return found

    async def fault(self, agent: Any, store: BadStore) -> str:
        """Why there is none: a ProxyError, so nothing has been sent."""
        with self.assertRaises(ProxyError) as raised:
            await self.body(agent, store)
        return reason(raised.exception)


class ThroughTests(ThroughCase):
    async def test_plain(self) -> None:
        """A request over http has the whole URL."""
        agent = self.agent()
        for _ in range(2):
            self.assertEqual(await self.body(agent, self.plain), b"plain")
        self.assertIn(f"POST {self.url(self.plain)}/a?b=c HTTP/1.1", self.proxy.asked)
        self.assertIn(b"POST /a?b=c HTTP/1.", self.plain.asked[0])

    async def test_secure(self) -> None:
        """One over https goes through a tunnel, with the certificate of the host; the connection
        serves the next request too."""
        agent = self.agent()
        for _ in range(2):
            self.assertEqual(await self.body(agent, self.secure), b"secure")
        port = self.secure.url.rpartition(":")[2]
        self.assertEqual(self.proxy.asked, [f"CONNECT {self.host}:{port} HTTP/1.1"])
        self.assertIn(f"Host: {self.host}:{port}", self.secure.asked[0].decode().splitlines())
        self.assertNotIn(b"Proxy-", self.secure.asked[0])

    async def test_refuses(self) -> None:
        """What the proxy refuses, and what is no answer of one, is said."""
        for said, why in (
            (b"HTTP/1.1 403 Forbidden\r\n\r\n", "refuses the connection with 403 Forbidden"),
            (b"HTTP/1.0 502\r\nA: b\r\n\r\n<html>", "refuses the connection with 502"),
            (b"SSH-2.0\r\n\r\n", "its answer is not HTTP"),
            (b"HTTP/1.1 200 " + b"x" * 70_000, "its answer is not HTTP"),
        ):
            self.proxy.answer = said
            text = await self.fault(self.agent(), self.secure)
            self.assertIn(f"the proxy {self.proxy.address} of HTTPS_PROXY: ", text)
            self.assertIn(why, text)
        self.assertEqual(self.secure.asked, [])

    async def test_silent(self) -> None:
        """One that does not answer has so long."""
        self.proxy.answer = b""
        text = await self.fault(self.agent(connect=0.2), self.secure)
        self.assertIn("has not answered in 0.2 s", text)

    async def test_away(self) -> None:
        """One that is not there is named, for either scheme."""
        address = self.proxy.address
        await self.proxy.stop()
        for store, name in ((self.plain, "HTTP_PROXY"), (self.secure, "HTTPS_PROXY")):
            text = await self.fault(self.agent(f"http://{address}"), store)
            self.assertIn(f"the proxy {address} of {name}: Connection was refused", text)

    async def test_bad(self) -> None:
        """A variable that names none is an error of the request."""
        text = await self.fault(self.agent("socks5://127.0.0.1:1"), self.secure)
        self.assertIn("HTTPS_PROXY is not a URL like", text)


class LogInTests(ThroughCase):
    user = "ann:s%40cret"

    async def test_log_in(self) -> None:
        """A user and a password go to the proxy, and to nobody else."""
        self.proxy.wanted = b"Basic YW5uOnNAY3JldA=="
        agent = self.agent()
        for store, body in ((self.plain, b"plain"), (self.secure, b"secure")):
            self.assertEqual(await self.body(agent, store), body)
        self.assertNotIn(b"Proxy-Authorization", self.secure.asked[0])

    async def test_wrong(self) -> None:
        """The wrong ones are said, without the password."""
        self.proxy.wanted = b"Basic other"
        text = await self.fault(self.agent(), self.secure)
        self.assertIn("407 Proxy Authentication Required", text)
        self.assertNotIn("cret", text)
