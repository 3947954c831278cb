"""`contentsvc publish` and `contentsvc fetch` with https."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from twisted.internet import reactor
from twisted.internet.ssl import PrivateCertificate
from twisted.protocols.portforward import ProxyFactory

from tests.client.test_service import PASSWORD
from tests.command.test_publish import FolderCase
from tests.support import daemon
from tests.support.certificates import certificate


class TlsTests(FolderCase):
    async def daemon(self) -> daemon.Daemon:
        """Behind a proxy that has the certificate."""
        home = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(home.cleanup)
        self.trusted, key = certificate(Path(home.name), "127.0.0.1")
        front = ProxyFactory("127.0.0.1", 0)
        front.noisy = False
        options = PrivateCertificate.loadPEM(key.read_bytes() + self.trusted.read_bytes()).options()
        port = reactor.listenSSL(0, front, options, interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.secure = f"https://127.0.0.1:{port.getHost().port}"
        service = daemon.Daemon("--public-url", self.secure)
        await service.start()
        self.addCleanup(service.stop)
        front.port = service.port
        return service

    async def test_loop(self) -> None:
        """Files go and come with TLS, and the certificate is checked."""
        words = ("publish", str(self.folder), "--url", self.secure, "--user", self.name)
        done = await self.command(*words, "--password-stdin", given=PASSWORD)
        self.assertEqual((done.status, done.err.count("\n")), (1, 1), done)
        self.assertIn("127.0.0.1 is not trusted (it has signed itself): to trust it", done.err)
        self.assertIn("SSL_CERT_FILE", done.err)
        self.environ = {"SSL_CERT_FILE": str(self.trusted)}
        done = await self.command(*words, "--password-stdin", given=PASSWORD)
        self.assertEqual(done.status, 0, done)
        done = await self.command("fetch", self.content, str(self.got), "--url", self.secure)
        self.assertEqual(done.status, 0, done)
        found = [path.read_bytes() for path in self.got.glob("entities/*/*")]
        self.assertIn(self.files["tower.bin"], found)
