"""AWS Signature Version 4 for S3: of a URL that somebody else shall use, and of a request.

Paths and queries come as plain text and are encoded here, as S3 has it: each byte but letters,
digits and `-._~` as %XX, in paths the slash too stays, and nothing is encoded twice. A URL that is
sent must be the URL that was signed, byte for byte.
"""

import hashlib
import hmac
import time
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, urlsplit

EMPTY: Final = hashlib.sha256(b"").hexdigest()
"""The payload's digest of a request without body."""
UNSIGNED: Final = "UNSIGNED-PAYLOAD"
_ALGORITHM = "AWS4-HMAC-SHA256"
_PORTS = {"http": 80, "https": 443}


class Credentials:
    """The keys of the store. They are never part of a text that is made of this."""

    __slots__ = ("access_key", "secret_key", "session_token")

    def __init__(self, access_key: str, secret_key: str, session_token: str | None = None) -> None:
        self.access_key = access_key
        self.secret_key = secret_key
        self.session_token = session_token

    def __repr__(self) -> str:
        return "Credentials(***)"


class Endpoint(NamedTuple):
    """Where a store answers: the scheme, the host as a Host header has it, and the path before that
    of a bucket, not encoded. With `virtual`, a bucket is a part of the host, and not of the path.
    """

    scheme: str
    host: str
    prefix: str
    virtual: bool = False

    @classmethod
    def of(cls, url: str, *, virtual: bool = False) -> "Endpoint":
        """That of a URL. Clients leave the scheme's own port out of Host, so it is not signed."""
        parts = urlsplit(url)
        name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        port = parts.port
        host = name if port in {None, _PORTS.get(parts.scheme)} else f"{name}:{port}"
        return cls(parts.scheme, host, unquote(parts.path).rstrip("/"), virtual)

    def at(self, path: str) -> tuple[str, str]:
        """The host of a path that begins with its bucket, and the encoded path there."""
        host = self.host
        if self.virtual:
            bucket, _, path = path.partition("/")
            host = f"{bucket}.{host}"
        return host, quote(f"{self.prefix}/{path}", safe="/")

    def url(self, bucket: str) -> str:
        """The URL before the paths in a bucket."""
        host, path = self.at(bucket)
        return f"{self.scheme}://{host}{path}".rstrip("/")


class _Time(NamedTuple):
    """What all signatures of one second have: their time and scope, and the key of the day."""

    second: int
    stamp: str
    scope: str
    key: bytes


class Signer:
    """Signs for one store and region. Times are Unix seconds."""

    def __init__(self, endpoint: Endpoint, region: str, credentials: Credentials) -> None:
        self._endpoint = endpoint
        self._region = region
        self._credentials = credentials
        self._last = self._time(0)

    def presign(
        self,
        method: str,
        path: str,
        *,
        at: float,
        lifetime: int,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> str:
        """A URL with which anybody may make this request, from `at` on for `lifetime` seconds,
        with exactly these headers. `path` begins with the bucket. The names in `query` are in
        lower case."""
        when = self._when(at)
        host, where = self._endpoint.at(path)
        signed = _headers(host, headers or {})
        token = self._credentials.session_token
        more = "" if token is None else f"&X-Amz-Security-Token={_encoded(token)}"
        # In the order of the names, as they are signed.
        asked = (
            f"X-Amz-Algorithm={_ALGORITHM}"
            f"&X-Amz-Credential={_encoded(f'{self._credentials.access_key}/{when.scope}')}"
            f"&X-Amz-Date={when.stamp}&X-Amz-Expires={lifetime}{more}"
            f"&X-Amz-SignedHeaders={'%3B'.join(signed)}"
        )
        if query:
            asked += f"&{_query(query)}"  # lower case comes after upper case
        signature = self._signature(method, where, asked, signed, UNSIGNED, when)
        origin = f"{self._endpoint.scheme}://{host}"
        return f"{origin}{where}?{asked}&X-Amz-Signature={signature}"

    def sign(
        self,
        method: str,
        path: str,
        *,
        at: float,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
        payload: str = EMPTY,
    ) -> tuple[str, dict[str, str]]:
        """The URL and all headers of a request at `at`. `payload` is the digest of its body, in
        hexadecimal digits, or UNSIGNED."""
        when = self._when(at)
        sent = {**(headers or {}), "x-amz-content-sha256": payload, "x-amz-date": when.stamp}
        if self._credentials.session_token is not None:
            sent["x-amz-security-token"] = self._credentials.session_token
        host, where = self._endpoint.at(path)
        signed, asked = _headers(host, sent), _query(query or {})
        signature = self._signature(method, where, asked, signed, payload, when)
        sent["Authorization"] = (
            f"{_ALGORITHM} Credential={self._credentials.access_key}/{when.scope}, "
            f"SignedHeaders={';'.join(signed)}, Signature={signature}"
        )
        url = f"{self._endpoint.scheme}://{host}{where}"
        return f"{url}?{asked}" if asked else url, sent

    def _when(self, at: float) -> _Time:
        second = int(at)
        if second != self._last.second:
            self._last = self._time(second)
        return self._last

    def _time(self, second: int) -> _Time:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(second))
        words = (stamp[:8], self._region, "s3", "aws4_request")
        key = f"AWS4{self._credentials.secret_key}".encode()
        for word in words:
            key = _hmac(key, word)
        return _Time(second, stamp, "/".join(words), key)

    def _signature(
        self,
        method: str,
        where: str,
        asked: str,
        signed: Mapping[str, str],
        payload: str,
        when: _Time,
    ) -> str:
        lines = "".join(f"{name}:{value}\n" for name, value in signed.items())
        canonical = f"{method}\n{where}\n{asked}\n{lines}\n{';'.join(signed)}\n{payload}"
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        return _hmac(when.key, f"{_ALGORITHM}\n{when.stamp}\n{when.scope}\n{digest}").hex()


def _headers(host: str, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers as they are signed, Host among them."""
    named = {name.lower(): " ".join(value.split()) for name, value in headers.items()}
    named["host"] = host
    return dict(sorted(named.items()))


def _query(parameters: Mapping[str, str]) -> str:
    pairs = sorted((_encoded(name), _encoded(value)) for name, value in parameters.items())
    return "&".join(f"{name}={value}" for name, value in pairs)


def _encoded(text: str) -> str:
    return quote(text, safe="")


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
