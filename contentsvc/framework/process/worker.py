"""The worker's side of `contentsvc.app.workers`. A worker is an ordinary daemon except for its
port."""

import os
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from twisted.internet import stdio, unix
from twisted.internet.defer import Deferred, succeed
from twisted.internet.endpoints import AdoptedStreamServerEndpoint, serverFromString
from twisted.internet.error import ReactorNotRunning
from twisted.internet.interfaces import IAddress, IListeningPort, IReadDescriptor
from twisted.internet.protocol import Protocol, connectionDone
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory
from twisted.python.failure import Failure
from zope.interface import implementer

from contentsvc.framework.core.timers import cancel
from contentsvc.framework.core.twisted_internals import adopt
from contentsvc.framework.process.pipes import ALIVE, SERVES, Answerer, Answering

VARIABLE = "CONTENTSVC_WORKER"
"""Holds a worker's number, from 1."""
LISTENING, READY, FILES = 3, 4, 5
"""The descriptors of the listening socket, of the pipe to the parent, and of files of settings."""
HANDED = "CONTENTSVC_WORKER_FILES"
"""Is there if a worker gets these files from its parent. One of an older release has none."""
POLITE = 0.001
"""Seconds for which this worker leaves a new connection to the others."""
FULL = 1.0
"""Seconds for which a worker that can open no more files leaves all connections to the others."""
MANY = 4
"""The most connections that it accepts at a time after that: more than it can serve meanwhile."""

log = Logger()


def handed_files(environ: Mapping[str, str]) -> bytes:
    """The files of settings that the parent of this worker hands over; nothing elsewhere."""
    if HANDED not in environ:
        return b""
    with os.fdopen(FILES, "rb") as file:
        file.seek(0)
        return file.read()


class Worker:
    """The tasks that only a worker has."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        pipes: Any = stdio.StandardIO  # mypy takes it for that of Windows
        self._parent = pipes(_Parent(reactor, self._asked), stdin=0, stdout=READY, reactor=reactor)
        self._answering = Answering(self._parent.write)

    @classmethod
    def of(cls, reactor: Any, environ: Mapping[str, str]) -> "Worker | None":
        """The Worker of this process, or None if it is not a worker."""
        return cls(reactor) if VARIABLE in environ else None

    def endpoint(self, listen: str) -> Any:
        """The endpoint that this string describes, on the socket that the parent has bound.

        Raises as serverFromString does.
        """
        reactor = _Adopting(self._reactor)
        if listen.startswith("systemd:"):
            # The descriptors of systemd belong to the parent only.
            return AdoptedStreamServerEndpoint(reactor, LISTENING, reactor.family)
        return serverFromString(reactor, listen)

    def _asked(self, data: bytes) -> None:
        self._answering.asked(data)

    def answers(self, answer: Answerer) -> None:
        """Answer the parent's questions with this from now on."""
        self._answering.answer = answer

    def ready(self, port: object) -> None:
        """Say to the parent that this worker serves from now on."""
        self._parent.write(ALIVE + SERVES)


class _Parent(Protocol):
    """The pipes from and to the parent."""

    def __init__(self, reactor: Any, asked: Callable[[bytes], object]) -> None:
        self._reactor = reactor
        self._asked = asked

    def dataReceived(self, data: bytes) -> None:
        """The parent asks."""
        self._asked(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        with suppress(ReactorNotRunning):  # else the pipes end because this process ends
            self._reactor.stop()
            # Log: somebody killed the parent. All workers stop. Do: start the service again.
            log.warn("The parent process has ended: this worker stops")


class _Adopting:
    """A reactor that listens only on the socket that the parent has bound.

    So every kind of endpoint is parsed as usual, and wraps its listening socket as usual.
    """

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        with socket.socket(fileno=os.dup(LISTENING)) as probe:
            self.family = probe.family

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)

    def listenTCP(
        self, port: int, factory: Any, backlog: int = 50, interface: str = ""
    ) -> IListeningPort:
        port_ = self.adoptStreamPort(LISTENING, self.family, factory)
        os.close(LISTENING)
        return port_

    def listenSSL(
        self,
        port: int,
        factory: Any,
        contextFactory: Any,
        backlog: int = 50,
        interface: str = "",
    ) -> IListeningPort:
        return self.listenTCP(port, TLSMemoryBIOFactory(contextFactory, False, factory))

    def listenUNIX(
        self,
        address: Any,
        factory: Any,
        backlog: int = 50,
        mode: int = 0o666,
        wantPID: bool = False,
    ) -> IListeningPort:
        # adoptStreamPort would give the path another mode and the socket another backlog.
        port = unix.Port(address, factory, backlog, mode, self._reactor)
        adopt(port, socket.socket(fileno=LISTENING))
        port.startListening()
        return Shared(port, self._reactor)

    def adoptStreamPort(
        self, fileDescriptor: int, addressFamily: Any, factory: Any
    ) -> IListeningPort:
        port = self._reactor.adoptStreamPort(fileDescriptor, addressFamily, factory)
        return Shared(port, self._reactor)


@implementer(IListeningPort, IReadDescriptor)
class Shared:
    """A port that other workers serve too.

    A new connection wakes all workers, and the system wakes the same one first each time. So a
    worker that has accepted one waits until another has accepted one too: it tries a moment later,
    and takes what nobody else wanted. A worker whose connections are all in use waits each time.

    Closing it closes only this process's descriptor. Twisted's own port would remove the path of a
    Unix socket.
    """

    def __init__(self, port: Any, reactor: Any) -> None:
        self._port = port
        self._reactor = reactor
        self._had_last = False
        self._later: Any = None
        port.stopReading()
        reactor.addReader(self)

    def fileno(self) -> int:
        """The descriptor of the listening socket."""
        number: int = self._port.fileno()
        return number

    def logPrefix(self) -> str:
        """The prefix with which Twisted logs its own errors."""
        prefix: str = self._port.logPrefix()
        return prefix

    def doRead(self) -> None:
        """A client wants to connect."""
        if self._had_last or self._full():
            self._pause(POLITE)
        else:
            self._accept(1)

    def _full(self) -> bool:
        """Whether the site, behind any wrappers, has no room for one more."""
        factory = self._port.factory
        while hasattr(factory, "wrappedFactory"):
            factory = factory.wrappedFactory
        return bool(factory.full())

    def _pause(self, seconds: float) -> None:
        self._reactor.removeReader(self)
        self._later = self._reactor.callLater(seconds, self._after_others)

    def _after_others(self) -> None:
        self._reactor.addReader(self)
        self._accept(MANY)

    def _accept(self, most: int) -> None:
        try:
            # Without a free file, Twisted would accept the connection and close it.
            os.close(os.dup(self.fileno()))
        except OSError as error:
            # Log: the worker can open no more files. It leaves new connections to the others for a
            # second. Do: see docs/guides/install.md#connections-and-open-files.
            log.error("Cannot accept connections: {error}", error=error)
            self._pause(FULL)
            return
        before = self._port.sessionno
        self._port.numberAccepts = most
        self._port.doRead()
        self._had_last = self._port.sessionno > before

    def connectionLost(self, reason: Failure) -> None:
        """The reactor drops the port, because the process ends."""

    def startListening(self) -> None:
        """Does nothing: the port has listened from the start."""

    def stopListening(self) -> Deferred[None]:
        """Accept no more here."""
        cancel(self._later)
        self._reactor.removeReader(self)
        self._port.socket.close()
        return succeed(None)

    def getHost(self) -> IAddress:
        """Where clients connect to."""
        host: IAddress = self._port.getHost()
        return host
