"""A worker's end of what `contentsvc.daemon.workers` says: an ordinary daemon, but for its port."""

import os
import socket
from collections.abc import Mapping
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

from contentsvc.timers import cancel

VARIABLE = "CONTENTSVC_WORKER"
"""Holds a worker's number, from 1."""
LISTENING, READY = 3, 4
"""The descriptors of the listening socket, and of the pipe to the parent."""
SERVES, ALIVE, ASK = b"\n", b".", b"?"
"""What a worker says on that pipe: that it serves, and that it is alive, whenever it is asked on
its standard input."""
POLITE = 0.001
"""Seconds for which other workers may accept what this one does not."""
FULL = 1.0
"""Seconds for which a worker that can open no more files leaves all connections to the others."""
MANY = 4
"""Connections that it accepts at most at a time after that: more than it can serve meanwhile."""

log = Logger()


class Worker:
    """What only a worker does."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        pipes: Any = stdio.StandardIO  # mypy takes it for that of Windows
        self._parent = pipes(_Parent(reactor), stdin=0, stdout=READY, reactor=reactor)

    @classmethod
    def of(cls, reactor: Any, environ: Mapping[str, str]) -> "Worker | None":
        """None if this process is no worker."""
        return cls(reactor) if VARIABLE in environ else None

    def endpoint(self, listen: str) -> Any:
        """The endpoint that this string describes, on the socket that the parent has bound.

        Raises as serverFromString does.
        """
        reactor = _Adopting(self._reactor)
        if listen.startswith("systemd:"):
            # What that refers to was the parent's only.
            return AdoptedStreamServerEndpoint(reactor, LISTENING, reactor.family)
        return serverFromString(reactor, listen)

    def ready(self, port: object) -> None:
        """Tell the parent that the port is served from now on."""
        self._parent.write(ALIVE + SERVES)


class _Parent(Protocol):
    """The pipes from and to it."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor

    def dataReceived(self, data: bytes) -> None:
        """It asks for a sign of life, perhaps for the tenth time."""
        transport: Any = self.transport
        transport.write(ALIVE)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        with suppress(ReactorNotRunning):  # then the pipes end because this process does
            self._reactor.stop()
            log.warn("The parent process has ended: this worker stops")


class _Adopting:
    """A reactor whose listening sockets are the one that the parent has bound.

    So every kind of endpoint is parsed, and wraps what it listens with, as it always does.
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
        port._preexistingSocket = socket.socket(fileno=LISTENING)
        port.startListening()
        return Shared(port, self._reactor)

    def adoptStreamPort(
        self, fileDescriptor: int, addressFamily: Any, factory: Any
    ) -> IListeningPort:
        port = self._reactor.adoptStreamPort(fileDescriptor, addressFamily, factory)
        return Shared(port, self._reactor)


@implementer(IListeningPort, IReadDescriptor)
class Shared:
    """A port that others serve too.

    All workers are woken by a connection, and the system wakes the same one first each time.
    So the one that has accepted one lets the others go first until another has: it tries a
    moment later, and takes then what nobody else wanted. One whose connections are all in use does
    so each time.

    Closing it closes nothing but this process's descriptor, where Twisted's would remove the path
    of a Unix socket.
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
        """What Twisted logs an error of its own by."""
        prefix: str = self._port.logPrefix()
        return prefix

    def doRead(self) -> None:
        """Somebody wants to connect."""
        if self._had_last or self._full():
            self._pause(POLITE)
        else:
            self._accept(1)

    def _full(self) -> bool:
        """Whether the site behind whatever wraps it has no room for one more."""
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
            # Twisted would accept it to close it.
            os.close(os.dup(self.fileno()))
        except OSError as error:
            log.error("Cannot accept connections: {error}", error=error)
            self._pause(FULL)
            return
        before = self._port.sessionno
        self._port.numberAccepts = most
        self._port.doRead()
        self._had_last = self._port.sessionno > before

    def connectionLost(self, reason: Failure) -> None:
        """The reactor lets go of it: the process ends."""

    def startListening(self) -> None:
        """It has been from the start."""

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
