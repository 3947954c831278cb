"""What the client says of certificates that are not good, over real TLS."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet import reactor
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.ssl import PrivateCertificate
from twisted.trial.unittest import TestCase
from twisted.web.resource import Resource
from twisted.web.server import Site

from contentsvc.client import Client, TlsError
from tests.support.certificates import AUTHORITY, certificate

HERE = "127.0.0.1"


class _Plain(Protocol):
    """Refuses whatever comes, as servers of HTTP do."""

    def dataReceived(self, data: bytes) -> None:
        assert self.transport is not None
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


class TrustTests(TestCase):
    """A server with a certificate, and a client."""

    timeout = 60.0

    def setUp(self) -> None:
        home = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(home.cleanup)
        self.folder = Path(home.name)

    def site(self) -> Site:
        """A server of HTTP that has nothing."""
        site = Site(Resource())
        site.noisy = False
        return site

    def serve(self, *files: Path) -> str:
        """The URL of a server with this certificate and this key."""
        pem = b"".join(file.read_bytes() for file in reversed(files))
        options = PrivateCertificate.loadPEM(pem).options()
        return f"https://{HERE}:{self.port(reactor.listenSSL(0, self.site(), options, 5, HERE))}"

    def port(self, listening: Any) -> int:
        """The number of a port that ends with the test."""
        self.addCleanup(listening.stopListening)
        return int(listening.getHost().port)

    async def fault(self, url: str) -> str:
        """What the client says of it, at once."""
        client = Client(reactor, url, patience=3600.0)
        self.addCleanup(client.close)
        with self.assertRaises(TlsError) as raised:
            await client.health.check_liveness()
        self.assertFalse(raised.exception.maybe_done)
        text = str(raised.exception)
        self.assertNotIn("\n", text)
        return text

    async def test_no_file(self) -> None:
        """Where SSL_CERT_FILE is a file that is not there: that."""
        self.patch(os, "environ", {**os.environ, "SSL_CERT_FILE": "/no/such.pem"})
        text = await self.fault(self.serve(*certificate(self.folder, HERE)))
        self.assertIn("SSL_CERT_FILE is /no/such.pem, which cannot be read", text)

    async def test_own(self) -> None:
        """One that has signed itself: how it can be trusted."""
        text = await self.fault(self.serve(*certificate(self.folder, HERE)))
        self.assertIn("the certificate of 127.0.0.1 is not trusted (it has signed itself)", text)
        self.assertIn("SSL_CERT_FILE", text)

    async def test_authority(self) -> None:
        """One that an unknown authority has signed: the same, and that works."""
        authority = certificate(self.folder, AUTHORITY)
        url = self.serve(*certificate(self.folder, HERE, authority=authority))
        text = await self.fault(url)
        self.assertIn("is not trusted (an unknown authority has signed it)", text)
        self.addCleanup(os.environ.pop, "SSL_CERT_FILE")
        os.environ["SSL_CERT_FILE"] = str(authority[0])
        client = Client(reactor, url, patience=3600.0)
        self.addCleanup(client.close)
        with self.assertRaises(Exception) as raised:
            await client.health.check_liveness()
        self.assertIn("404", str(raised.exception))

    async def test_other_host(self) -> None:
        """One for another host."""
        files = certificate(self.folder, "other.example")
        os.environ["SSL_CERT_FILE"] = str(files[0])
        self.addCleanup(os.environ.pop, "SSL_CERT_FILE")
        self.assertIn("the certificate is for another host", await self.fault(self.serve(*files)))

    async def test_ended(self) -> None:
        """One that has expired."""
        files = certificate(self.folder, HERE, ended=True)
        os.environ["SSL_CERT_FILE"] = str(files[0])
        self.addCleanup(os.environ.pop, "SSL_CERT_FILE")
        self.assertIn("127.0.0.1 has expired", await self.fault(self.serve(*files)))

    async def test_no_tls(self) -> None:
        """None at all, since the port has no TLS."""
        factory = Factory.forProtocol(_Plain)
        factory.noisy = False
        plain = self.port(reactor.listenTCP(0, factory, 5, HERE))
        self.assertIn("does not speak TLS", await self.fault(f"https://{HERE}:{plain}"))
