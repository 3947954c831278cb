"""JSON from another service. The time, the bytes and the hosts are bounded."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec
from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.web.client import HTTPConnectionPool
from twisted.web.iweb import IAgent

from contentsvc.framework.core.host_names import ascii_host
from contentsvc.framework.core.http_client import Reading, agent_of, at_once, reason, request
from contentsvc.framework.core.http_proxy import Proxies
from contentsvc.framework.core.request_timing import waiting

WHOLE = 5.0
"""Seconds for a request, from the connection to the last byte of its answer. Requests of which one
leads to the next have them together."""
_LOOKUP_TIMEOUT = 4.0
"""Seconds for the addresses of a name, so that the error says that there was no answer."""
MOST = 256 * 1024
"""Bytes of an answer."""


class FetchError(Exception):
    """There is no such JSON. `str()` says why, and has nothing of the request."""


class Fetch:
    """Asks other services, through the `proxies`, if there are any. `agent` is for tests."""

    def __init__(
        self,
        reactor: Any,
        *,
        whole: float = WHOLE,
        agent: IAgent | None = None,
        proxies: Proxies | None = None,
    ) -> None:
        self._reactor = reactor
        self._whole = whole
        # Each request has a connection of its own: there is one in minutes.
        pool = HTTPConnectionPool(reactor, persistent=False)
        self._agent = agent or agent_of(reactor, pool, proxies=proxies, lookup=_LOOKUP_TIMEOUT)
        self._under_way: set[Deferred[Any]] = set()

    def stop(self) -> None:
        """End all requests that are under way."""
        for fetching in list(self._under_way):
            fetching.cancel()

    def end(self) -> float:
        """When requests that begin now must have ended, by the reactor's clock."""
        end: float = self._reactor.seconds() + self._whole
        return end

    async def json(
        self, url: str, headers: Mapping[str, str] | None = None, *, end: float | None = None
    ) -> Any:
        """What a GET of this URL answers, until this `end` or else its own. Raises FetchError."""
        left = max((self.end() if end is None else end) - self._reactor.seconds(), 0.0)
        fetching = Deferred.fromCoroutine(self._get(url, headers or {}))
        self._under_way.add(fetching)
        try:
            with waiting("outside", self._reactor):
                body = await fetching.addTimeout(left, self._reactor)
        except FetchError:
            raise
        except TimeoutError:
            raise FetchError(f"no whole answer in {self._whole:g} s") from None
        except CancelledError:
            raise FetchError("the service is stopping") from None
        except Exception as error:
            raise FetchError(reason(error)) from None
        finally:
            self._under_way.discard(fetching)
        try:
            return msgspec.json.decode(body)
        # What is nested too deeply raises RecursionError.
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise FetchError("the answer is not JSON") from None

    async def _get(self, url: str, headers: Mapping[str, str]) -> bytes:
        sent = {**headers, "Accept": "application/json"}
        response = await at_once(request(self._agent, "GET", url, sent))
        reading = Reading(MOST)
        response.deliverBody(reading)
        await reading.done
        if not reading.whole:
            raise FetchError(f"the answer has more than {MOST // 1024} KiB")
        if response.code != 200:
            raise FetchError(f"the answer is {response.code}")
        return reading.body


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
