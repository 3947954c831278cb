"""Requests to an S3 store: signed, bounded in number, time and size, and repeated where that helps.

Nothing here trusts the store. It may be slow, hang, cut off, send without end, or send elsewhere.
Redirects are not followed: another host would get what was signed for this one.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from twisted.internet.defer import CancelledError
from twisted.web.client import HTTPConnectionPool
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IResponse

from contentsvc.framework.core.concurrency import Bulkhead
from contentsvc.framework.core.http_client import (
    CONNECT,
    Reading,
    agent_of,
    at_once,
    reason,
    request,
)
from contentsvc.framework.core.timers import Backoff, Sleeps, WallClock
from contentsvc.framework.storage.bucket import BadStore, StorageUnavailable
from contentsvc.framework.storage.deadlines import within
from contentsvc.framework.storage.sigv4 import EMPTY, Signer

WHOLE = 15.0
"""Seconds for a request, from the connection to the last byte of its answer."""
TRIES = 3
"""Attempts of a request that the store does not answer, or answers with a 5xx."""
FIRST_PAUSE, LAST_PAUSE = 0.1, 1.0
"""Seconds before the next attempt; they double."""
MOST = 32
"""Requests at once. The others wait. All answers may come in one turn of the reactor, and each
costs it some 0.2 ms."""
ERROR = 16 * 1024
"""Bytes that are read of an answer that is an error."""
_IDLE = 30
"""Seconds that a connection is kept for the next request."""
_LATE = "the store cannot be reached: no whole answer"
_CODE = re.compile(rb"<Code>([A-Za-z0-9.]{1,64})</Code>")


class StoreResponse(NamedTuple):
    """An answer. `whole` is false if its body went on beyond the limit; the rest was not read."""

    status: int
    headers: Headers
    body: bytes
    whole: bool

    def header(self, name: str) -> str | None:
        """The header's value; the last one, if there are several."""
        values = self.headers.getRawHeaders(name.encode())
        return values[-1].decode("latin-1") if values else None

    @property
    def length(self) -> int | None:
        """Content-Length of an answer to HEAD; other answers say it by their body."""
        value = self.header("Content-Length") or ""
        return int(value) if re.fullmatch("[0-9]{1,18}", value) else None

    def unexpected(self, what: str) -> StorageUnavailable:
        """The error that says that this is no answer to a request as `what`: "GET of a list"."""
        found = _CODE.search(self.body)
        code = f" {found[1].decode()}" if found else ""
        text = f"the store answers a {what} with {self.status}{code}"
        # 408 and 429 are the client errors that a client cannot help; 501 does not go away.
        waits = self.status in {408, 429} or (self.status >= 500 and self.status != 501)
        return StorageUnavailable(text) if waits else BadStore(text)


class Calls:
    """Asks a store. `random` is for the pauses between attempts; `connect`, `whole` and `tries` are
    CONNECT, WHOLE and TRIES. All methods raise StorageUnavailable."""

    def __init__(
        self,
        reactor: Any,
        wall: WallClock,
        random: Random,
        signer: Signer,
        *,
        connect: float = CONNECT,
        whole: float = WHOLE,
        tries: int = TRIES,
        agent: IAgent | None = None,
    ) -> None:
        self._reactor = reactor
        self._wall = wall
        self._random = random
        self._signer = signer
        self._whole = whole
        self._tries = tries
        self._places = Bulkhead[str](MOST)
        self._sleeps = Sleeps(reactor)
        self._pool = HTTPConnectionPool(reactor)
        self._pool.maxPersistentPerHost = MOST
        self._pool.cachedConnectionTimeout = _IDLE
        self._agent = agent or agent_of(reactor, self._pool, connect)

    async def stop(self) -> None:
        """Close the idle connections, and end the pauses."""
        self._sleeps.stop()
        await self._pool.closeCachedConnections()

    async def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        limit: int = ERROR,
        tries: int | None = None,
        whole: float | None = None,
    ) -> StoreResponse:
        """Send a signed request as often as it takes to get an answer below 500, or 501.
        `limit` is the most bytes of a body that are read, `whole` the seconds that each
        attempt may take."""
        backoff = Backoff(FIRST_PAUSE, LAST_PAUSE, self._random)
        left = tries or self._tries
        payload = EMPTY if body is None else sha256(body).hexdigest()
        while True:
            left -= 1
            url, sent = self._signer.sign(
                method, path, at=self._wall.seconds(), query=query, headers=headers, payload=payload
            )
            try:
                answer = await self.send(method, url, sent, body, limit=limit, whole=whole)
                if answer.status >= 500 and answer.status != 501:
                    raise answer.unexpected(method)
                return answer
            except StorageUnavailable:
                if not left:
                    raise
            await self._sleeps.sleep(backoff.next())

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
        """Send this request once."""
        async with self._places.place(""):
            try:
                exchange = self._exchange(method, url, headers, body, limit)
                return await within(whole or self._whole, self._reactor, exchange, _LATE)
            except (CancelledError, StorageUnavailable):
                raise
            except Exception as error:
                raise StorageUnavailable(f"the store cannot be reached: {reason(error)}") from None

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, limit: int
    ) -> StoreResponse:
        response: IResponse = await at_once(request(self._agent, method, url, headers, body))
        reading = Reading(limit)
        # No body was asked for, or none can come.
        if method != "HEAD" and response.code not in {204, 304}:
            response.deliverBody(reading)
            await reading.done
        return StoreResponse(response.code, response.headers, reading.body, reading.whole)
