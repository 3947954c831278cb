"""A good store with one flaw."""

from collections.abc import Awaitable, Callable, Mapping
from random import Random
from typing import Any

from twisted.internet import reactor
from twisted.web.http_headers import Headers

from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.storage.calls import ERROR, Calls, StoreResponse
from contentsvc.framework.storage.sigv4 import Signer

Send = Callable[[], Awaitable[StoreResponse]]
Flaw = Callable[["Sent", Send], Awaitable[StoreResponse]]
"""Is given each request, and what sends it. Gives the answer."""


class Sent:
    """A request. A flaw may change its headers."""

    def __init__(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> None:
        self.method = method
        self.url = url
        self.headers = dict(headers)
        self.body = body


class Flawed(Calls):
    """Calls whose answers a flaw changes."""

    flaw: Flaw | None = None

    async def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        limit: int = ERROR,
        whole: float | None = None,
    ) -> StoreResponse:
        sent = Sent(method, url, headers, body)

        async def send() -> StoreResponse:
            return await super(Flawed, self).send(
                sent.method, sent.url, sent.headers, sent.body, limit=limit, whole=whole
            )

        return await (send() if self.flaw is None else self.flaw(sent, send))


class Making:
    """Makes the calls of an S3Bucket, on the real reactor whatever its own is. Each attempt is the
    last one."""

    def __init__(self, flaw: Flaw | None = None) -> None:
        self.flaw = flaw
        self.made: Flawed

    def __call__(self, _: Any, wall: WallClock, random: Random, signer: Signer) -> Calls:
        self.made = Flawed(reactor, wall, random, signer, tries=1)
        self.made.flaw = self.flaw
        return self.made


def said(status: int, body: bytes = b"", **headers: str) -> StoreResponse:
    """An answer."""
    named = {name.replace("_", "-"): [value] for name, value in headers.items()}
    return StoreResponse(status, Headers(named), body, True)
