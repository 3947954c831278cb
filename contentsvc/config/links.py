"""Where a link of a studio's file can lead."""

import re
from urllib.parse import urlsplit

from contentsvc.framework.core.host_names import BadHost, ascii_host


def leads(url: str) -> bool:
    """Whether a link can lead there: an https URL, or a path with one / at its start."""
    if not re.fullmatch("[!-~]+", url) or "\\" in url:
        return False
    if url.startswith("/"):
        return not url.startswith("//")
    try:
        parts = urlsplit(url)
        ascii_host(parts.hostname or "")
        return parts.scheme == "https" and "@" not in parts.netloc and parts.port != 0
    except (ValueError, BadHost):
        return False
