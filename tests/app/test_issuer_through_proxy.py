"""An issuer that a daemon reaches through a proxy alone."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet import reactor
from twisted.internet.ssl import PrivateCertificate
from twisted.trial.unittest import TestCase
from twisted.web.server import Site

from contentsvc.client import ApiError, Client
from tests.client.test_service import guid
from tests.support.certificates import certificate
from tests.support.daemon import Daemon
from tests.support.forward_proxy import ForwardProxy
from tests.support.issuers import ID_TOKEN, Issuer

HOST = "id_1.studio--x.example"
"""A name that IDNA refuses, and that the proxy alone knows."""


class ThroughTests(TestCase):
    timeout = 120

    def setUp(self) -> None:
        folder = Path(self.enterContext(TemporaryDirectory()))
        self.trusted, key = certificate(folder, HOST)
        pem = key.read_bytes() + self.trusted.read_bytes()
        self.issuer = Issuer()
        self.addCleanup(self.issuer.stop)
        site = Site(self.issuer)
        site.noisy = False
        options = PrivateCertificate.loadPEM(pem).options()
        port: Any = reactor.listenSSL(0, site, options, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.issuer.url = f"https://{HOST}:{port.getHost().port}"
        self.proxy = ForwardProxy("ann:secret")
        self.addCleanup(self.proxy.stop)

    async def daemon(self, **environ: str) -> Daemon:
        """One that takes this issuer's tokens, in this environment."""
        variables = {"SSL_CERT_FILE": str(self.trusted), "NO_PROXY": "", **environ}
        service = Daemon("--issuers", str(self.issuer.file()), variables=variables)
        self.addCleanup(service.stop)
        await service.start()
        return service

    async def log_in(self, service: Daemon) -> None:
        """With a token of the issuer's."""
        async with Client(reactor, service.url, patience=0.0) as client:
            await client.log_in_with(self.issuer.token(guid()), ID_TOKEN)

    async def test_through(self) -> None:
        """Its keys come through the proxy, and its tokens are taken."""
        named = f"http://ann:secret@{self.proxy.address}"
        service = await self.daemon(HTTPS_PROXY=named)
        await self.log_in(service)
        asked = f"CONNECT {self.issuer.url.removeprefix('https://')} HTTP/1.1"
        self.assertEqual({*self.proxy.asked}, {asked})

    async def test_away(self) -> None:
        """Where the proxy refuses, the log says so in one line, without the password."""
        self.proxy.wanted = b"another"
        named = f"http://ann:secret@{self.proxy.address}"
        service = await self.daemon(HTTPS_PROXY=named)
        with self.assertRaises(ApiError):
            await self.log_in(service)
        log = service.log.read_text()
        self.assertIn(f"the proxy {self.proxy.address} of HTTPS_PROXY: it refuses", log)
        self.assertNotIn("secret@", log)
        self.assertNotIn("Traceback", log)

    async def test_direct(self) -> None:
        """What NO_PROXY names is reached directly: here, its name is not resolved."""
        named = f"http://ann:secret@{self.proxy.address}"
        service = await self.daemon(HTTPS_PROXY=named, NO_PROXY=HOST)
        with self.assertRaises(ApiError):
            await self.log_in(service)
        self.assertIn("DNS lookup failed", service.log.read_text())
        self.assertEqual(self.proxy.asked, [])
