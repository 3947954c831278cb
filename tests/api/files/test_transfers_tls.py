"""Uploads and downloads over TLS."""

from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from twisted.internet import ssl

from contentsvc.framework.storage.paths import BINARY
from tests.api.files.transferring import TransferCase, fresh

MIB = 1024 * 1024


def certificate() -> ssl.PrivateCertificate:
    """One of localhost, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    found = ssl.PrivateCertificate.loadPEM(private + made.public_bytes(pem))
    assert isinstance(found, ssl.PrivateCertificate)
    return found


class TlsTests(TransferCase):
    certificate = certificate()

    async def test_there_and_back(self) -> None:
        """Files of any size come and go."""
        for size in (36, 9 * MIB + 1):
            data = fresh(size)
            answer = await self.ask("GET", await self.stored(data))
            self.assertTrue(answer.body == data)

    async def test_refused(self) -> None:
        """A refusal amid the body arrives, while the client goes on sending."""
        self.folder.reserve = 2**60
        data = fresh(9 * MIB)
        self.problem(await self.put(await self.announce(data), data), 507, "insufficient_storage")
        await self.nothing_left(data)

    async def test_cut_off(self) -> None:
        """A connection that ends amid the body leaves nothing."""
        data = fresh(3 * MIB)
        wire = await self.connect()
        wire.head("PUT", await self.announce(data), Content_Type=BINARY, Content_Length=len(data))
        wire.send(data[:-1])
        while not self.incoming():
            await self.turn()
        await self.drop(wire)
        while self.site.traffic.active:
            await self.turn()
        await self.nothing_left(data)

    async def test_slow_reader(self) -> None:
        """No more of a file is read than the client takes."""
        data = fresh(64 * MIB)
        target = await self.stored(data)
        wire = await self.connect()
        wire.head("GET", "/small")
        await wire.answer()
        # The handshake is over.
        wire.head("GET", target)
        wire.transport.pauseProducing()  # type: ignore[union-attr]
        while not self.site.slow_clients.total:
            await self.turn()
        self.assertLessEqual(self.site.slow_clients.total, 2 * MIB)
        wire.transport.resumeProducing()  # type: ignore[union-attr]
        self.assertTrue((await wire.answer()).body == data)
