"""All that the service touches of Twisted which is private there.

Twisted warns a year before a public name goes, but its private names may go in any release. So each
that is used is in PRIVATE, and no other module touches one. UNDOCUMENTED has the names without an
underscore that Twisted's documentation promises to nobody; those are also used where a class of
ours extends one of Twisted's. A test fails by name when one of either is gone.
"""

import re
from collections.abc import Callable, Mapping
from operator import attrgetter
from socket import socket
from typing import Any, Final

from twisted.internet.ssl import optionsForClientTLS
from twisted.web._newclient import RequestNotSent
from twisted.web.http import HTTPChannel
from twisted.web.http_headers import Headers, InvalidHeaderName, _nameEncoder

__all__ = [
    "PRIVATE",
    "UNDOCUMENTED",
    "Channel",
    "RequestNotSent",
    "TurnWriter",
    "adopt",
    "await_no_reply",
    "raw_headers",
    "sends_mail",
    "tls_to",
    "unsent",
]

PRIVATE: Final[Mapping[str, tuple[str, ...]]] = {
    "twisted.web.http.HTTPChannel": (
        "_buffer",
        "_busyReceiving",
        "_command",
        "_dataBuffer",
        "_failChooseTransferDecoder",
        "_handlingRequest",
        "_maybeChooseTransferDecoder",
        "_networkProducer",
        "_path",
        "_receivedHeaderCount",
        "_receivedHeaderSize",
        "_respondToBadRequestAndDisconnect",
        "_send100Continue",
        "_version",
        "_waitingForTransport",
    ),
    "twisted.web.http_headers": ("_nameEncoder",),
    "twisted.web.http_headers.Headers": ("_rawHeaders",),
    "twisted.web": ("_newclient",),
    "twisted.web._newclient": ("RequestNotSent",),
    "twisted.internet._sslverify.ClientTLSOptions": ("_hostnameASCII", "_hostnameBytes"),
    "twisted.internet.abstract.FileDescriptor": ("_tempDataBuffer", "_tempDataLen"),
    "twisted.protocols.tls.TLSMemoryBIOProtocol": ("_appSendBuffer",),
    "twisted.internet.unix.Port": ("_preexistingSocket",),
    "twisted.mail.smtp.ESMTPClient": ("_expected", "_failresponse", "_from"),
}
"""The private names, by the class or module that has them."""

UNDOCUMENTED: Final[Mapping[str, tuple[str, ...]]] = {
    "twisted.web.http.HTTPChannel": (
        "allHeadersReceived",
        "checkPersistence",
        "headerReceived",
        "length",
        "line_mode",
        "maxHeaders",
        "paused",
        "persistent",
        "requestDone",
        "requestFactory",
        "requests",
        "timeOut",
        "totalHeadersSize",
    ),
    "twisted.web.server.Request": (
        "code",
        "gotLength",
        "handleContentChunk",
        "notifications",
        "queued",
        "requestReceived",
        "startedWriting",
    ),
    "twisted.internet.abstract.FileDescriptor": (
        "bufferSize",
        "connected",
        "dataBuffer",
        "disconnecting",
        "offset",
        "reactor",
        "startWriting",
    ),
    "twisted.internet.tcp.Connection": ("writeSomeData",),
    "twisted.internet.tcp.Port": ("doRead", "numberAccepts", "socket"),
    "twisted.mail.smtp.ESMTPClient": (
        "debug",
        "esmtpState_starttls",
        "heloFallback",
        "sendError",
        "smtpState_from",
        "smtpTransferFailed",
        "transformChunk",
    ),
    "twisted.protocols.policies.ProtocolWrapper": ("wrappedProtocol",),
    "twisted.runner.procmon.ProcessMonitor": ("protocols", "restart", "timeStarted"),
}
"""The others, likewise."""

raw_headers: Callable[[Headers], dict[bytes, list[bytes]]] = attrgetter("_rawHeaders")
"""The values of each header by its canonical name. `getRawHeaders` works each name out anew."""

_canonical = _nameEncoder.encode
_FRAMING = frozenset({b"Content-Length", b"Transfer-Encoding"})
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NAME = 64
"""Most bytes of a header's name. A longer name has no meaning here."""
_STRANGE = b"X-Strange"
"""Takes the place of such names."""
_DIGITS = 18
"""Enough digits for any length."""


class Channel(HTTPChannel):
    """Twisted's HTTP connection with a parser of headers of our own, and with names for the state
    that its subclass reads.

    `attrgetter` is called without a frame, so a name here costs little more than Twisted's own.
    """

    pending = property(attrgetter("_buffer"))
    """Input that has been read and not parsed yet."""
    parsing = property(attrgetter("_busyReceiving"))
    """Whether input is being parsed at present."""
    early = property(attrgetter("_dataBuffer"))
    """The pieces of input that came while a request was in work."""
    in_work = property(attrgetter("_handlingRequest"))
    """Whether a request has arrived that is not answered yet."""
    unread = property(attrgetter("_waitingForTransport"))
    """Whether the client leaves more of the answers unread than the transport's buffer holds."""
    reading = property(attrgetter("_networkProducer"))
    """The producer whose pause stops the input."""
    command = property(attrgetter("_command"))
    target = property(attrgetter("_path"))
    version = property(attrgetter("_version"))
    """The parts of the request line; there is none of them before it has come."""
    head_size = property(attrgetter("_receivedHeaderSize"))
    """Bytes of the head that is arriving."""
    head_count = property(attrgetter("_receivedHeaderCount"))
    """Its headers."""
    send_continue = HTTPChannel._send100Continue
    """Asks the client to send the body."""

    def add_input(self, data: bytes) -> None:
        """More input has come while input is being parsed."""
        self._buffer += data

    def bad_head(self, too_large: bool) -> None:
        """The head is no head of HTTP, or is larger than it may be."""
        raise NotImplementedError

    def _respondToBadRequestAndDisconnect(self) -> None:
        size, count = self._receivedHeaderSize, self._receivedHeaderCount
        self.bad_head(size > self.totalHeadersSize or count > self.maxHeaders)

    def headerReceived(self, line: bytes) -> bool:
        """Twisted's own method takes twice as long, and remembers 10,000 names of any length."""
        name, colon, value = line.partition(b":")
        value = value.strip(b" \t")
        try:
            header = _canonical(name) if len(name) <= _NAME else _STRANGE
        except InvalidHeaderName:
            colon = b""
        if (
            not colon
            or (b"\0" in value or b"\r" in value or b"\n" in value)
            or (header is _STRANGE and _TOKEN.fullmatch(name) is None)
        ):
            self._respondToBadRequestAndDisconnect()
            return False
        if header in _FRAMING and not self._maybeChooseTransferDecoder(header, value):
            return False
        self.requests[-1].requestHeaders._rawHeaders.setdefault(header, []).append(value)
        self._receivedHeaderCount += 1
        if self._receivedHeaderCount > self.maxHeaders:
            self._respondToBadRequestAndDisconnect()
            return False
        return True

    def _maybeChooseTransferDecoder(self, header: bytes, data: bytes) -> bool:
        if header == b"Transfer-Encoding":
            if data.lower() != b"chunked":
                # Twisted accepts "identity", which is not a coding any more. Others may understand
                # it differently (RFC 9112 §6.1).
                return bool(self._failChooseTransferDecoder())
        elif len(data) > _DIGITS and data.isdigit():
            # Python refuses numbers of over 4,300 digits. This one is over every limit, too.
            data = data.lstrip(b"0")[:_DIGITS] or b"0"
        return bool(super()._maybeChooseTransferDecoder(header, data))


def unsent(transport: Any) -> int:
    """The bytes that a transport, and the transports inside it, have not handed to the system."""
    size = 0
    while transport is not None:
        size += sum(map(len, getattr(transport, "_appSendBuffer", ())))  # TLS
        if hasattr(transport, "dataBuffer"):
            size += len(transport.dataBuffer) - transport.offset + transport._tempDataLen
            break
        transport = getattr(transport, "transport", None)
    return size


class TurnWriter:
    """Hands what connections of one reactor got in a turn of it to the system when the turn ends,
    one connection after the other.

    A transport that writes by itself does so in the turn after, after all that other events of that
    one bring, and asks the system twice more for that. To write each piece at once would wake its
    reader for each: where there are more processes than cores, that costs more than the write.
    """

    def __init__(self) -> None:
        self._waiting: dict[Any, None] = {}

    def write(self, transport: Any, data: bytes) -> None:
        """Write after what is to go before. The transport itself writes what is too long for its
        buffer. A lost connection is left for the reactor to find."""
        # TLS must encrypt first. It has no such method of its own, but would give that of the
        # transport below.
        if (
            not hasattr(type(transport), "writeSomeData")
            or _is_reactors(transport)
            or transport._tempDataLen + len(data) > transport.bufferSize
        ):
            transport.write(data)
            return
        if not transport._tempDataLen:
            if not self._waiting:
                transport.reactor.callLater(0, self._flush)
            self._waiting[transport] = None
        elif transport not in self._waiting:
            transport.write(data)
            return
        transport._tempDataBuffer.append(data)
        transport._tempDataLen += len(data)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for transport in waiting:
            pieces = transport._tempDataBuffer
            if not pieces or _is_reactors(transport):
                continue
            data = b"".join(pieces)
            written = transport.writeSomeData(data)
            if written != len(data):
                # The rest, or the news that the connection is lost.
                if isinstance(written, int):
                    pieces[:] = [data[written:]]
                    transport._tempDataLen -= written
                transport.startWriting()
                continue
            pieces.clear()
            transport._tempDataLen = 0


def _is_reactors(transport: Any) -> bool:
    """Whether the reactor handles a transport: it closes, is lost, or has bytes left to write."""
    return bool(transport.disconnecting or transport.dataBuffer or not transport.connected)


def adopt(port: Any, listening: socket) -> None:
    """Have a port of a Unix path, before it starts to listen, take this socket, which listens."""
    port._preexistingSocket = listening


def await_no_reply(client: Any, unasked: Callable[[int, bytes], object]) -> None:
    """Have an ESMTPClient await no reply: one that comes all the same goes to `unasked`."""
    client._expected, client._failresponse = [], unasked


def sends_mail(client: Any) -> bool:
    """Whether an ESMTPClient has begun to send a mail."""
    return client._from is not None


def tls_to(host: str, *, is_name: bool, trust: Any) -> Any:
    """Twisted's options for TLS to a host in ASCII, also where IDNA refuses its name."""
    if not is_name:
        return optionsForClientTLS(host, trustRoot=trust)
    options: Any = optionsForClientTLS("host.invalid", trustRoot=trust)
    options._hostnameBytes, options._hostnameASCII = host.encode("ascii"), host
    return options
