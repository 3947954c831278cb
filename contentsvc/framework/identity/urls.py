"""Which URLs the service asks: with TLS, or on this machine."""

import re
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

from contentsvc.framework.core.host_names import ascii_host

LONGEST = 512
_VISIBLE = re.compile(r"[!-~]+")
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
"""Nothing else of a URL may end up in the header field of a page."""


def is_safe(value: Any) -> bool:
    """Whether this is an https URL, or an http URL of this machine, without user and fragment."""
    parts = _parts(value)
    if parts is None or parts.username is not None or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_here(parts.hostname or ""))


def is_plain(url: str) -> bool:
    """Whether a URL that is safe is one without TLS, on this machine."""
    return urlsplit(url).scheme == "http"


def _parts(value: Any) -> SplitResult | None:
    if not isinstance(value, str) or len(value) > LONGEST or not _VISIBLE.fullmatch(value):
        return None
    try:
        parts = urlsplit(value)
        host = ascii_host(parts.hostname or "")
        return parts if _HOST.fullmatch(host) and parts.port != 0 else None
    except ValueError:
        return None


def _is_here(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
