"""A proxy before a real daemon, which makes the faults of a script and remembers what it sees."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl

import treq
from autobahn.twisted.resource import WebSocketResource
from autobahn.twisted.websocket import (
    WebSocketClientFactory,
    WebSocketClientProtocol,
    WebSocketServerFactory,
    WebSocketServerProtocol,
)
from msgspec import DecodeError, json
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Site

from tests.conformance.script import Act, Answer, Fault, Request, matches

SOCKET = "GET /socket"
HOP = frozenset({"connection", "transfer-encoding", "content-length", "keep-alive"})


class Record:
    """A request that is being handled."""

    def __init__(self, reactor: Any, name: str, has: dict[str, str]) -> None:
        self._reactor = reactor
        self.name, self.has = name, has
        self.begun = reactor.seconds()
        self.ended: float | None = None

    def end(self) -> None:
        """Its answer is sent, or its socket gone. Only the first time counts."""
        if self.ended is None:
            self.ended = self._reactor.seconds()


class Proxy(Resource):
    """Listens on a port of its own. Each fault is used as often as it says."""

    isLeaf = True

    def __init__(self, reactor: Any, port: int) -> None:
        super().__init__()
        self.reactor = reactor
        self._daemon = port
        self._faults: list[Fault] = []
        self._met: dict[int, int] = defaultdict(int)
        self._gathered: dict[int, list[Deferred[None]]] = defaultdict(list)
        self._records: list[Record] = []
        self.sockets: list[Downstream] = []
        """Those that are open."""
        self.hellos = 0
        """How many were passed on."""
        self._handled: set[Deferred[None]] = set()
        self._site = Site(self)
        self._port: Any = reactor.listenTCP(0, self._site, interface="127.0.0.1")
        self.url = f"http://127.0.0.1:{self._port.getHost().port}"

    def expect(self, faults: list[Fault]) -> None:
        """Make these from now on."""
        self._faults = faults

    def seen(self, patterns: list[str]) -> list[Request]:
        """What has come, of these names, in the order of its coming."""
        now = self.reactor.seconds()
        return [
            Request(r.name, r.has, r.begun, now if r.ended is None else r.ended)
            for r in self._records
            if any(matches(pattern, r.name) for pattern in patterns)
        ]

    def faults(self, name: str) -> Iterator[Fault]:
        """The fault of the next thing of this name, if it has one."""
        for number, fault in enumerate(self._faults):
            if not matches(fault.on, name):
                continue
            self._met[number] += 1
            over = fault.times is not None and self._met[number] > fault.skip + fault.times
            if over:
                continue
            if self._met[number] > fault.skip:
                yield fault
            return

    async def gathered(self, fault: Fault) -> None:
        """Wait until so many requests have met the fault."""
        waiting = self._gathered[id(fault)]
        if len(waiting) + 1 < fault.gather:
            waiting.append(Deferred())
            await waiting[-1]
            return
        self._gathered.pop(id(fault))
        for each in waiting:
            each.callback(None)

    async def close(self) -> None:
        """Cut all connections, and stop to listen."""
        await self._port.stopListening()
        for socket in list(self.sockets):
            socket.abort()
        for handling in list(self._handled):
            handling.cancel()

    # Requests.

    def render(self, request: Any) -> Any:
        body = request.content.read()
        record = self._record(request, body)
        if record.name == SOCKET and request.getHeader("Upgrade"):
            return self._upgrade(request, record)
        done = request.notifyFinish()
        done.addBoth(lambda _: record.end())
        handling = Deferred.fromCoroutine(self._handle(request, record, body))
        self._handled.add(handling)
        handling.addErrback(lambda _: request.channel and request.channel.loseConnection())
        handling.addBoth(lambda _: self._handled.discard(handling))
        return NOT_DONE_YET

    def _record(self, request: Any, body: bytes) -> Record:
        path = request.path.decode()
        has = dict(parse_qsl(request.uri.partition(b"?")[2].decode()))
        kind = (request.getHeader("Content-Type") or "").partition(";")[0]
        if kind == "application/x-www-form-urlencoded":
            has |= dict(parse_qsl(body.decode()))
        elif kind == "application/json":
            try:
                members = json.decode(body)
            except DecodeError:
                members = None
            if isinstance(members, dict):
                has |= {key: str(value) for key, value in members.items()}
        scheme, _, token = (request.getHeader("Authorization") or "").partition(" ")
        if scheme.lower() == "bearer":
            has["token"] = token
        name = f"{request.method.decode()} {path}"
        if path == "/oauth/token":
            name += f" {has.get('grant_type')}"
        record = Record(self.reactor, name, has)
        self._records.append(record)
        return record

    async def _handle(self, request: Any, record: Record, body: bytes) -> None:
        fault = next(self.faults(record.name), None) or Fault(on="")
        if fault.gather:
            await self.gathered(fault)
        if fault.hold:
            await Deferred()
        if fault.drop == "before":
            request.transport.abortConnection()
            return
        if fault.answer is not None:
            self._say(request, fault.answer)
            return
        answer = await treq.request(
            request.method.decode(),
            f"http://127.0.0.1:{self._daemon}{request.uri.decode()}",
            headers={
                name: values
                for name, values in request.requestHeaders.getAllRawHeaders()
                if name.decode().lower() not in HOP
            },
            data=body or None,
            allow_redirects=False,
            unbuffered=True,
            persistent=False,
        )
        data = await answer.content()
        if fault.drop == "after":
            request.transport.abortConnection()
            return
        if fault.edit is not None:
            data = json.encode({**json.decode(data), **fault.edit})
        request.setResponseCode(answer.code)
        for name, values in answer.headers.getAllRawHeaders():
            if name.decode().lower() not in HOP:
                request.responseHeaders.setRawHeaders(name, values)
        if fault.drop == "within":
            request.setHeader("Content-Length", str(len(data) + 1))
            request.write(data[: len(data) // 2])
            request.transport.loseConnection()
            return
        request.setHeader("Content-Length", str(len(data)))
        request.write(data)
        request.finish()

    def _say(self, request: Any, answer: Answer) -> None:
        request.setResponseCode(answer.status)
        kind = "application/problem+json"
        if request.path == b"/oauth/token":
            kind = "application/json"
        request.setHeader("Content-Type", kind)
        for name, value in answer.headers.items():
            request.setHeader(name, value)
        request.write(b"" if answer.body is None else json.encode(answer.body))
        request.finish()

    def _upgrade(self, request: Any, record: Record) -> Any:
        fault = next(self.faults(record.name), None)
        if fault is not None and fault.answer is not None:
            self._say(request, fault.answer)
            record.end()
            return NOT_DONE_YET
        if fault is not None and fault.drop is not None:
            request.transport.abortConnection()
            record.end()
            return NOT_DONE_YET
        factory = WebSocketServerFactory(reactor=self.reactor)
        factory.protocol = lambda: Downstream(self, record)
        return WebSocketResource(factory).render(request)

    def upstream(self, downstream: "Downstream", query: str, token: str | None) -> None:
        """Open the daemon's own socket for one of a client."""
        factory = WebSocketClientFactory(
            f"ws://127.0.0.1:{self._daemon}/socket{query}",
            headers={"Authorization": f"Bearer {token}"} if token else {},
            reactor=self.reactor,
        )
        factory.noisy = False
        factory.protocol = lambda: Upstream(downstream)
        endpoint = TCP4ClientEndpoint(self.reactor, "127.0.0.1", self._daemon)
        connecting = endpoint.connect(factory)
        downstream.gone.addBoth(lambda _: connecting.cancel())
        connecting.addErrback(lambda _: downstream.cut())


class Downstream(WebSocketServerProtocol):  # type: ignore[misc]
    """A client's socket."""

    def __init__(self, proxy: Proxy, record: Record) -> None:
        super().__init__()
        self._proxy = proxy
        self._record = record
        self._waiting: list[bytes] = []
        self._upstream: Upstream | None = None
        self._frozen = False
        self.gone: Deferred[None] = Deferred()
        """Fires when the connection is over, or given up."""

    def onConnect(self, request: Any) -> None:
        _, mark, query = self.http_request_uri.partition("?")
        self._query = mark + query

    def onOpen(self) -> None:
        self._proxy.sockets.append(self)
        self._proxy.upstream(self, self._query, self._record.has.get("token"))

    def opened(self, upstream: "Upstream") -> None:
        """The daemon's end is there."""
        self._upstream = upstream
        for data in self._waiting:
            upstream.sendMessage(data)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        message = json.decode(payload)
        if message.get("type") == "auth":
            sent = {key: str(value) for key, value in message.items() if key != "type"}
            self._record.has |= sent
        if self._upstream is None:
            self._waiting.append(payload)
        else:
            self._upstream.sendMessage(payload)

    def onPing(self, payload: bytes) -> None:
        if self._upstream is not None:
            self._upstream.sendPing(payload)

    def onPong(self, payload: bytes) -> None:
        if self._upstream is not None:
            self._upstream.sendPong(payload)

    def connectionLost(self, reason: Any) -> None:
        super().connectionLost(reason)
        self._gone()

    def _gone(self) -> None:
        self._record.end()
        if self in self._proxy.sockets:
            self._proxy.sockets.remove(self)
        if not self.gone.called:
            self.gone.callback(None)

    # From the daemon.

    def message(self, payload: bytes) -> None:
        """A message for the client, with the fault that it has."""
        if self._frozen or self not in self._proxy.sockets:
            return
        data = json.decode(payload)
        fault = next(self._proxy.faults(f"message {data['type']}"), None) or Fault(on="")
        if fault.edit is not None:
            payload = json.encode({**data, **fault.edit})
        if not fault.lose:
            self.sendMessage(payload)
        if fault.twice:
            self.sendMessage(payload)
        self._proxy.hellos += data["type"] == "hello"
        self.act(fault.then)

    def pinged(self, payload: bytes) -> None:
        """A ping for the client."""
        if not self._frozen:
            self.sendPing(payload)

    def closed(self, code: int | None, reason: str | None) -> None:
        """The daemon's end is gone."""
        if self._frozen or self not in self._proxy.sockets:
            return
        if code is None:
            self.cut()
        else:
            self._leave(code, reason or "")

    # From the script.

    def act(self, acts: list[Act]) -> None:
        """Do these."""
        for act in acts:
            if act.say is not None:
                self.sendMessage(json.encode(act.say))
            if act.close is not None:
                self._leave(act.close, "")
            if act.cut == "within":
                self.transport.write(b"\x81\x7e\x01\x00" + b'{"type": "notification", ')
                self.cut()
            if act.cut == "clean":
                self.cut()
            if act.freeze:
                self._frozen = True
                self.transport.pauseProducing()
                self._record.end()

    def _leave(self, code: int, reason: str) -> None:
        # sendClose takes only the codes that a program may use.
        self.sendCloseFrame(code=code, reasonUtf8=reason.encode(), isReply=False)
        self._gone()

    def abort(self) -> None:
        """End the connection at once, whatever the client does."""
        self.transport.abortConnection()
        self._gone()

    def cut(self) -> None:
        """End the connection, without a close, after what was sent."""
        self.transport.loseConnection()
        self._gone()


class Upstream(WebSocketClientProtocol):  # type: ignore[misc]
    """The daemon's socket for a client."""

    def __init__(self, downstream: Downstream) -> None:
        super().__init__()
        self.downstream: Downstream | None = downstream

    def connectionMade(self) -> None:
        super().connectionMade()
        if self.downstream is not None:
            self.downstream.gone.addCallback(self._leave)

    def _leave(self, _: None) -> None:
        self.downstream = None
        self.transport.abortConnection()

    def onOpen(self) -> None:
        if self.downstream is not None:
            self.downstream.opened(self)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        if self.downstream is not None:
            self.downstream.message(payload)

    def onPing(self, payload: bytes) -> None:
        if self.downstream is not None:
            self.downstream.pinged(payload)

    def onPong(self, payload: bytes) -> None:
        if self.downstream is not None:
            self.downstream.sendPong(payload)

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        if self.downstream is not None:
            self.downstream.closed(self.remoteCloseCode, reason)
