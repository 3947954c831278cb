"""The signature of a request to a webhook: symmetric signatures of the Standard Webhooks
specification. The service signs, and the receiver verifies."""

import hmac
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

PREFIX: Final = "whsec_"
"""With this a secret begins; the rest is base64."""
BYTES: Final = 32
"""Bytes of a secret that the service makes."""
TOLERANCE: Final = 300.0
"""Seconds by which the clocks of both sides may differ."""
ID: Final = "webhook-id"
TIMESTAMP: Final = "webhook-timestamp"
SIGNATURE: Final = "webhook-signature"
"""The headers."""
_VERSION: Final = "v1,"


def secret_of(key: bytes) -> str:
    """The text of a secret."""
    return PREFIX + b64encode(key).decode()


def sign(secrets: Iterable[str], id: str, timestamp: int, body: bytes) -> str:
    """The value of the header: a signature with each of these secrets. Raises ValueError: one is
    none."""
    return " ".join(_VERSION + _signature(secret, id, str(timestamp), body) for secret in secrets)


def fault(
    secrets: Iterable[str], id: str, timestamp: str, signature: str, body: bytes, *, now: float
) -> str | None:
    """Why a request is not to be trusted; None if it is signed with one of these secrets, at most
    TOLERANCE seconds from `now`. Raises ValueError: a secret is none."""
    given = [each.removeprefix(_VERSION) for each in signature.split() if each.startswith(_VERSION)]
    right = [_signature(secret, id, timestamp, body) for secret in secrets]
    if not timestamp.isascii() or not timestamp.isdigit() or len(timestamp) > 18:
        return "the timestamp is no time"
    # All are compared, so that the time it takes says nothing.
    matches = [hmac.compare_digest(a.encode(), b.encode()) for a in given for b in right]
    if not any(matches):
        return "no signature matches"
    if abs(now - int(timestamp)) > TOLERANCE:
        return "the timestamp is too far from now"
    return None


def _signature(secret: str, id: str, timestamp: str, body: bytes) -> str:
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except (Error, ValueError):
        raise ValueError("this is no secret of a webhook") from None
    signed = f"{id}.{timestamp}.".encode() + body
    return b64encode(hmac.digest(key, signed, sha256)).decode()
