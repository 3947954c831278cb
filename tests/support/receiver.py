"""A program that takes webhooks: it keeps what it gets, and answers as a test says. With a
certificate it speaks TLS."""

import json
from typing import Any, NamedTuple

from twisted.internet import reactor
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.ssl import PrivateCertificate
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

HANG = 0
"""The status of an answer that does not come."""


class Got(NamedTuple):
    """A request."""

    headers: dict[str, str]
    body: bytes
    path: str

    @property
    def id(self) -> str:
        """Its `webhook-id`."""
        return self.headers["webhook-id"]

    @property
    def numbers(self) -> list[int]:
        """The numbers of its events."""
        return [event["number"] for event in json.loads(self.body)["events"]]

    @property
    def kinds(self) -> list[str]:
        """Their kinds."""
        return [event["kind"] for event in json.loads(self.body)["events"]]


class _Site(Site):  # type: ignore[misc]
    """A site that knows its connections."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource)
        self.connections: set[Any] = set()

    def buildProtocol(self, addr: Any) -> Any:
        """One more."""
        made = super().buildProtocol(addr)
        connect, lose = made.makeConnection, made.connectionLost
        opened: list[Any] = []

        def connected(transport: Any) -> None:
            opened.append(transport)
            self.connections.update(opened)
            connect(transport)

        def lost(reason: Any) -> None:
            self.connections.difference_update(opened)
            lose(reason)

        made.makeConnection, made.connectionLost = connected, lost
        return made


class Receiver(Resource):
    """`answers` are the statuses of the first requests, in their order; then it is `status`."""

    isLeaf = True

    def __init__(self, certificate: PrivateCertificate | None = None) -> None:
        super().__init__()
        self.answers: list[int] = []
        self.status = 204
        self.location: str | None = None
        self.retry_after: str | None = None
        self.got: list[Got] = []
        self.at_once = 0
        self.most_at_once = 0
        self._waiters: list[tuple[int, Deferred[None]]] = []
        self._site = _Site(self)
        self._port: Any = (
            reactor.listenTCP(0, self._site, interface="127.0.0.1")
            if certificate is None
            else reactor.listenSSL(0, self._site, certificate.options(), interface="127.0.0.1")
        )

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._port.getHost().port)

    @property
    def url(self) -> str:
        """Its URL."""
        return f"http://127.0.0.1:{self.port}/hook"

    async def stop(self) -> None:
        """Close everything."""
        await maybeDeferred(self._port.stopListening)
        for connection in list(self._site.connections):
            connection.abortConnection()

    async def requests(self, count: int) -> list[Got]:
        """Wait until so many have come; all that have."""
        if len(self.got) < count:
            waiter: Deferred[None] = Deferred()
            self._waiters.append((count, waiter))
            await waiter
        return self.got

    def render(self, request: Request) -> Any:
        """Keep it, and answer."""
        raw = request.requestHeaders.getAllRawHeaders()
        headers = {name.decode().lower(): values[0].decode() for name, values in raw}
        self.got.append(Got(headers, request.content.read(), request.uri.decode()))
        self.at_once += 1
        self.most_at_once = max(self.at_once, self.most_at_once)
        request.notifyFinish().addBoth(self._over)
        for count, waiter in list(self._waiters):
            if len(self.got) >= count:
                self._waiters.remove((count, waiter))
                waiter.callback(None)
        status = self.answers.pop(0) if self.answers else self.status
        if status == HANG:
            return NOT_DONE_YET
        request.setResponseCode(status)
        if self.location is not None:
            request.setHeader(b"Location", self.location.encode())
        if self.retry_after is not None:
            request.setHeader(b"Retry-After", self.retry_after.encode())
        return b"" if status == 204 else b"secret words of the receiver"

    def _over(self, _: object) -> None:
        self.at_once -= 1
