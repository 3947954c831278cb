"""The signed URLs of files that the daemon serves itself (files#sending).

A query is written in one way only, and its signature covers all of it: a query that differs by one
character is refused.
"""

import hmac
import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote

from contentsvc.framework.core.timers import Clock
from contentsvc.framework.storage.bucket import UPLOAD_LIFETIME
from contentsvc.framework.storage.paths import is_media, media_type_of

_HOUR = 3600
_LABEL = b"contentsvc file urls"
"""The keys of these URLs are derived with it from those that sign tokens, so that neither signature
is ever one of the other kind."""
_UPLOAD = re.compile(
    r"expires=([0-9]{1,12})&size=([0-9]{1,16})&token=([0-9a-f-]{36})&kid=([!-%'-~]*)"
    r"&signature=([0-9a-f]{64})\Z"
)
_DOWNLOAD = re.compile(
    r"expires=([0-9]{1,12})(?:&name=([!-%'-~]*))?&kid=([!-%'-~]*)&signature=([0-9a-f]{64})\Z"
)


class Forged(Exception):
    """The query is not one of ours, or is not that of this path and method."""


class Expired(Exception):
    """The URL was ours, and its time is over."""


class UploadGrant(NamedTuple):
    """The right to send a file of `size` bytes, for the announcement `token`. It was given `age`
    seconds ago."""

    path: str
    size: int
    token: str
    age: int = 0

    @property
    def media_type(self) -> str:
        """The Content-Type of the request."""
        return media_type_of(self.path)


class DownloadGrant(NamedTuple):
    """The right to read a file for some more seconds, as an attachment with this name; None if the
    URL says none."""

    left: int
    name: str | None


class Links:
    """Signs URLs, and checks them, by the wall clock `clock`.

    Each of `keys` is an id and a secret. The first signs, all verify.
    """

    def __init__(self, keys: Sequence[tuple[str, bytes]], clock: Clock) -> None:
        self._keys = {
            quote(kid, safe=""): hmac.digest(secret, _LABEL, "sha256") for kid, secret in keys
        }
        self._kid = next(iter(self._keys))
        self._clock = clock

    def upload(self, path: str, size: int, token: str) -> tuple[str, int]:
        """The path and query of a PUT, and when it expires (Unix seconds)."""
        expires = int(self._clock.seconds()) + UPLOAD_LIFETIME
        return self._signed("PUT", path, f"expires={expires}&size={size}&token={token}"), expires

    def download(self, path: str, name: str | None = None) -> tuple[str, int]:
        """The path and query of a GET, and when it expires: on a full hour, one to two hours
        ahead. Within an hour, they are always the same, for one `name` of the attachment."""
        expires = (int(self._clock.seconds()) // _HOUR + 2) * _HOUR
        if is_media(path):
            return located(path), expires
        named = "" if name is None else f"&name={quote(name, safe='')}"
        return self._signed("GET", path, f"expires={expires}{named}"), expires

    def check_upload(self, path: str, query: str) -> UploadGrant:
        """What the URL of a PUT allows. Raises Forged, Expired."""
        found = _UPLOAD.match(query)
        if found is None:
            raise Forged
        expires, size, token, kid, signature = found.groups()
        left = self._check("PUT", path, query, kid, signature, int(expires))
        return UploadGrant(path, int(size), token, UPLOAD_LIFETIME - left)

    def check_download(self, path: str, query: str) -> DownloadGrant:
        """What the URL of a GET allows. Raises Forged, Expired."""
        found = _DOWNLOAD.match(query)
        if found is None:
            raise Forged
        expires, name, kid, signature = found.groups()
        left = self._check("GET", path, query, kid, signature, int(expires))
        return DownloadGrant(left, None if name is None else unquote(name))

    def _signed(self, method: str, path: str, query: str) -> str:
        query = f"{query}&kid={self._kid}"
        key = self._keys[self._kid]
        return f"{located(path)}?{query}&signature={_signature(key, method, path, query)}"

    def _check(
        self, method: str, path: str, query: str, kid: str, signature: str, expires: int
    ) -> int:
        key = self._keys.get(kid)
        if key is None:
            raise Forged
        text = query[: query.rindex("&")]
        if not hmac.compare_digest(_signature(key, method, path, text), signature):
            raise Forged
        left = expires - int(self._clock.seconds())
        if left <= 0:
            raise Expired
        return left


def located(path: str) -> str:
    """The URL path of a file, below the service's own URL."""
    return f"/files/{'media' if is_media(path) else 'content'}/{path}"


def _signature(key: bytes, method: str, path: str, query: str) -> str:
    text = f"{method}\n{path}\n{query}".encode()
    return hmac.digest(key, text, "sha256").hex()
