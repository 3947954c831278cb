"""Throwaway certificates for servers of tests."""

import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

AUTHORITY = "authority.example"
"""The host for which the certificate of an authority is."""
DAY = datetime.timedelta(days=1)


def certificate(
    folder: Path, host: str, *, ended: bool = False, authority: tuple[Path, Path] | None = None
) -> tuple[Path, Path]:
    """The files of a certificate for this host and of its key. It has signed itself, or `authority`
    has, of which these are the files. It holds for a day, or has `ended`."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(host)
    signer: Any = key
    if authority is not None:
        signer = serialization.load_pem_private_key(authority[1].read_bytes(), None)
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name if authority is None else _name(AUTHORITY))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 2 * DAY)
        .not_valid_after(now - DAY if ended else now + DAY)
        .add_extension(x509.SubjectAlternativeName([_named(host)]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(signer, hashes.SHA256())
    )
    shown, hidden = folder / f"{host}.pem", folder / f"{host}.key"
    shown.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    hidden.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return shown, hidden


def _name(host: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"contentsvc test {host}")])


def _named(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
