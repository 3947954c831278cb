"""`contentsvc publish` and `contentsvc fetch` with https."""

from __future__ import annotations

import datetime
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from twisted.internet import reactor
from twisted.internet.ssl import PrivateCertificate
from twisted.protocols.portforward import ProxyFactory

from tests.client.test_service import PASSWORD
from tests.command.test_publish import FolderCase
from tests.support import daemon


def certificate() -> bytes:
    """A key and a certificate of its own for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "contentsvc test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return private + made.public_bytes(serialization.Encoding.PEM)


class TlsTests(FolderCase):
    async def daemon(self) -> daemon.Daemon:
        """Behind a proxy that has the certificate."""
        made = certificate()
        home = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(home.cleanup)
        self.trusted = Path(home.name) / "trusted.pem"
        self.trusted.write_bytes(made)
        front = ProxyFactory("127.0.0.1", 0)
        front.noisy = False
        options = PrivateCertificate.loadPEM(made).options()
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
        self.assertEqual((done.status, "certificate" in done.err.lower()), (1, True), done)
        self.environ = {"SSL_CERT_FILE": str(self.trusted)}
        done = await self.command(*words, "--password-stdin", given=PASSWORD)
        self.assertEqual(done.status, 0, done)
        done = await self.command("fetch", self.content, str(self.got), "--url", self.secure)
        self.assertEqual(done.status, 0, done)
        found = [path.read_bytes() for path in self.got.glob("entities/*/*")]
        self.assertIn(self.files["tower.bin"], found)
