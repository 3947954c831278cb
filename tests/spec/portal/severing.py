"""A proxy that kills the daemon in the middle of one request."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Locator, expect
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import connectionDone
from twisted.protocols.portforward import ProxyClient, ProxyClientFactory, ProxyFactory, ProxyServer

from tests.contract.browser import HOST
from tests.portal.walk import Person, WalkCase
from tests.support import daemon

Moment = Literal["before", "after"]
MOMENTS: tuple[Moment, ...] = ("before", "after")
"""When the daemon dies: before it has the request, or before its answer has arrived."""
WITHIN = 30.0
"""Seconds in which what was begun must be done after a restart."""


async def killable() -> daemon.Daemon:
    """The daemon that tests kill and close."""
    environ = {"FILES": "local"}
    return await daemon.shared("portal-killed", lambda: daemon.Daemon(environ=environ))


class _ToService(ProxyClient):
    def dataReceived(self, data: bytes) -> None:
        if self.peer.answers_are_lost:
            self.peer.factory.sever(self.peer)
        else:
            super().dataReceived(data)


class _ToServiceFactory(ProxyClientFactory):
    protocol = _ToService


class _FromBrowser(ProxyServer):
    clientProtocolFactory = _ToServiceFactory
    answers_are_lost = False

    def dataReceived(self, data: bytes) -> None:
        armed = self.factory.armed
        # A browser sends the head of a request at once.
        if armed and re.match(armed[0], data):
            if armed[1] == "before":
                return self.factory.sever(self)
            self.answers_are_lost = True
        super().dataReceived(data)

    def connectionLost(self, reason: Any = connectionDone) -> None:
        super().connectionLost(reason)
        if self.answers_are_lost and self.factory.armed:
            raise AssertionError("the browser went away before the answer")


class Severing(ProxyFactory):
    """Forwards to the daemon until a request comes for which it is armed."""

    protocol = _FromBrowser
    noisy = False

    def __init__(self, service: daemon.Daemon) -> None:
        super().__init__("127.0.0.1", service.port)
        self.service = service
        self.armed: tuple[bytes, Moment] | None = None
        self._killed: Deferred[None] = Deferred()

    def arm(self, request: str, moment: Moment) -> None:
        """Kill the daemon at this moment of the next request that begins so."""
        self.armed, self._killed = (request.encode(), moment), Deferred()

    async def killed(self) -> None:
        """Wait until the daemon was killed."""
        await self._killed.addTimeout(WITHIN, reactor)

    def sever(self, connection: ProxyServer) -> None:
        """Kill the daemon, once; the browser gets no answer."""
        if self.armed is None:
            return
        self.armed = None
        os.kill(self.service.pid, signal.SIGKILL)
        connection.transport.abortConnection()
        self._killed.callback(None)


class SeveredCase(WalkCase):
    """Walks in which the daemon is killed. They go through `self.proxy`."""

    timeout = 300.0
    apart = True

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await killable())

    async def setUp(self) -> None:
        await super().setUp()
        assert self.daemon is not None
        self.proxy = Severing(self.daemon)
        self.port = reactor.listenTCP(0, self.proxy, interface="127.0.0.1")
        self.addCleanup(self.port.stopListening)

    @property
    def origin(self) -> str:
        """That of the proxy."""
        return f"http://{HOST}:{self.port.getHost().port}"

    async def restarted(self) -> None:
        """Start the daemon that was killed, at the same port."""
        assert self.daemon is not None
        await self.daemon.ended()
        await self.daemon.start(urlsplit(self.url).port)

    def severed(
        self,
        who: Person,
        button: Locator,
        request: str,
        moment: Moment,
        *,
        typed: dict[str, str],
        shown: Locator,
        done: Callable[[], Awaitable[bool]],
    ) -> None:
        """Press the button, kill the daemon at this moment of the request that it makes, and start
        it.

        Wait until it is `done`, and `shown` on the page, pressing the button again where an alert
        stands. What was `typed` into fields is there until then.
        """
        self.proxy.arm(request, moment)
        button.click()
        self.wait(self.proxy.killed())
        self.wait(self.restarted())
        alert, deadline = who.page.get_by_role("alert"), monotonic() + WITHIN
        while not (self.wait(done()) and shown.count()):
            if alert.count():
                for label, text in typed.items():
                    expect(who.main.get_by_label(label, exact=True).last).to_have_value(text)
                button.click()
            # Nothing tells of both the page and the service.
            who.page.wait_for_timeout(100)
            self.assertLess(monotonic(), deadline, f"{request} {moment}: not done")
        # The console has what the browser lost.
        lost = re.compile(r"ERR_|WebSocket|the server responded with a status of 40[19] ")
        who.said = [one for one in who.said if not lost.search(one)]
