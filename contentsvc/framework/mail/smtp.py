"""The mail server, by SMTP (RFC 5321): Twisted's client, with bounds on what a server may do.

Where the server has SMTPUTF8 (RFC 6531), mails go to addresses beyond ASCII too.

A connection sends mails one after the other. It begins with TLS, or asks for it; without TLS it
goes on only to this machine. There the certificate is not checked: nobody is in between, and the
mail server of a machine rarely has one that names `localhost`.
"""

import re
from io import BytesIO
from ipaddress import ip_address
from typing import Any, Final, NamedTuple, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.protocol import Factory, connectionDone
from twisted.internet.ssl import CertificateOptions
from twisted.mail.smtp import (
    Address,
    AUTHDeclinedError,
    AuthenticationError,
    AUTHRequiredError,
    EHLORequiredError,
    ESMTPClient,
    LOGINAuthenticator,
    PLAINAuthenticator,
    SMTPProtocolError,
    TLSRequiredError,
)
from twisted.python.failure import Failure

from contentsvc.framework.core.concurrency import Cached
from contentsvc.framework.core.connections import endpoint, reason, trusting
from contentsvc.framework.core.timers import timer
from contentsvc.framework.core.twisted_internals import await_no_reply, sends_mail
from contentsvc.framework.mail.errors import Away, NotTaken, PutOff

CONNECT, GREET, SEND, QUIT = 15.0, 30.0, 90.0, 5.0
"""Most seconds to connect, until the server is ready for a mail, for a mail, and for the end."""
REMEMBERED: Final = 600.0
"""Seconds for which it is known what the server has."""
MOST_LINES: Final = 100
"""Most lines of a reply, each of 16 KiB at most."""
_LOG_IN_FIRST: Final = {530, 534, 535, 538}
"""Replies that ask for a log-in: no mail would be taken."""
_ENHANCED = re.compile(rb"[245]\.[0-9]{1,3}\.[0-9]{1,3}\b")
_TROUBLE = {
    SMTPProtocolError: "its reply is none of SMTP",
    EHLORequiredError: "it does not know EHLO",
    TLSRequiredError: "it offers no STARTTLS, and it is not on this machine",
    AUTHRequiredError: "it offers no log-in with PLAIN or LOGIN",
}
"""What is wrong with a server, by the exception of Twisted's client."""
_SHOWN = 150
"""Most characters of a server's text that are shown."""


class Server(NamedTuple):
    """How to reach a mail server. `user` and `password` go together. `name` is how we greet it. The
    text of it does not show the password."""

    host: str
    port: int
    implicit_tls: bool
    user: str | None
    password: str | None
    name: str

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __repr__(self) -> str:
        return f"Server({self.host!r}, {self.port}, {self.user!r}, ***, {self.name!r})"


class Password(Protocol):
    """A secret of the settings."""

    @property
    def value(self) -> str: ...


class Given(Protocol):
    """What the settings say of the mail server; see contentsvc.config."""

    @property
    def host(self) -> str: ...
    @property
    def port(self) -> int: ...
    @property
    def implicit_tls(self) -> bool: ...
    @property
    def user(self) -> str | None: ...
    @property
    def password(self) -> Password | None: ...
    @property
    def sender(self) -> str: ...


def server_of(given: Given) -> Server:
    """The mail server of the settings. It is greeted with the domain of the sender."""
    return Server(
        host=given.host,
        port=given.port,
        implicit_tls=given.implicit_tls,
        user=given.user,
        password=None if given.password is None else given.password.value,
        name=given.sender.rpartition("@")[2],
    )


class _International(Address):
    """An address with characters beyond ASCII, which Twisted would not take as text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __bytes__(self) -> bytes:
        return self._text.encode()


class SmtpSession(ESMTPClient):
    """A connection to a mail server. `ready` fires when it can take a mail, and fails with Away.
    Then `utf8` says whether it has SMTPUTF8."""

    debug = False  # otherwise the last lines are kept, passwords too
    heloFallback = False

    def __init__(self, reactor: Any, server: Server, context: Any) -> None:
        secret = None if server.password is None else server.password.encode()
        super().__init__(secret, context, server.name.encode("ascii"))
        self._reactor = reactor
        self.requireTransportSecurity = not (server.implicit_tls or server.loopback)
        self.requireAuthentication = secret is not None
        if server.user is not None:
            user = server.user.encode()
            self.registerAuthenticator(PLAINAuthenticator(user))
            self.registerAuthenticator(LOGINAuthenticator(user))
        self.ready: Deferred[None] = Deferred()
        self.utf8 = False
        self.lost = False
        self._gone: Deferred[None] = Deferred()
        self._why: str | None = None
        self._lines = 0
        self._free = False
        self._answer: Deferred[None] | None = None
        self._envelope: tuple[str, str] | None = None
        self._data = b""

    async def send(self, sender: str, recipient: str, message: bytes) -> None:
        """Send a mail. Raises Away, PutOff, NotTaken."""
        if self.lost:
            raise PutOff(self._trouble)
        if not recipient.isascii() and not self.utf8:
            raise NotTaken("no mail can be sent to such an address: the server has no SMTPUTF8")
        self._envelope = sender, recipient
        self._data = re.sub(rb"(?m)^\.", b"..", message)
        answer = self._answer = Deferred()
        with timer(self._reactor, SEND, self.abort, "it has not taken a mail in time"):
            if self._free:
                self._next()
            await answer

    async def quit(self) -> None:
        """End the connection."""
        if self.lost:
            return
        if self._answer is None:
            self._next()
        else:
            self.abort("")
        with timer(self._reactor, QUIT, self.abort, ""):
            await self._gone

    def abort(self, why: str) -> None:
        """End the connection at once."""
        self._why = self._why or why
        transport: Any = self.transport
        if transport is not None:
            transport.abortConnection()

    @property
    def _trouble(self) -> str:
        return f"The mail server cannot be used: {self._why}"

    def _next(self) -> None:
        """Begin with the mail that is to be sent; QUIT if there is none."""
        self._free = False
        super().smtpState_from(250, b"")

    # -- what Twisted's client calls

    def sendLine(self, line: bytes) -> None:
        self._lines = 0
        if line.startswith(b"MAIL FROM:") and not all(to.isascii() for to in self._recipients):
            line += b" SMTPUTF8"
        super().sendLine(line)

    def esmtpState_serverConfig(self, code: int, resp: bytes) -> None:
        # Again after STARTTLS: what was said before does not count.
        words = [line.split()[0].upper() for line in resp.splitlines()[1:] if line.strip()]
        self.utf8 = b"SMTPUTF8" in words
        super().esmtpState_serverConfig(code, resp)

    def lineReceived(self, line: bytes) -> None:
        self._lines += 1
        if self._lines > MOST_LINES:
            self.abort("its reply does not end")
            return
        try:
            super().lineReceived(line)
        except Exception:
            # A stranger's text can raise anything.
            self.abort(_TROUBLE[SMTPProtocolError])

    def lineLengthExceeded(self, line: bytes) -> None:
        self.abort("a line of its reply does not end")

    def esmtpState_starttls(self, code: int, resp: bytes) -> None:
        if self.clearLineBuffer():
            # Somebody in between could put replies before the encrypted ones.
            self.abort("it sent more before TLS began")
            return
        super().esmtpState_starttls(code, resp)

    def smtpState_from(self, code: int, resp: bytes) -> None:
        """The server can take a mail."""
        self._free = True
        await_no_reply(self, lambda code, resp: self.abort(_shown(code, resp)))
        if not self.ready.called:
            self.ready.callback(None)
        elif self._answer is not None:
            self._next()

    def smtpTransferFailed(self, code: int, resp: bytes) -> None:
        if not sends_mail(self):  # it refuses RSET
            self.abort(_shown(code, resp))
        else:
            super().smtpTransferFailed(code, resp)

    def getMailFrom(self) -> str | None:
        return None if self._envelope is None else self._envelope[0]

    @property
    def _recipients(self) -> list[str]:
        return [] if self._envelope is None else [self._envelope[1]]

    def getMailTo(self) -> list[Any]:
        return [to if to.isascii() else _International(to) for to in self._recipients]

    def getMailData(self) -> BytesIO:
        return BytesIO(self._data)

    def transformChunk(self, chunk: bytes) -> bytes:
        """As it is: ends of lines and dots have been seen to."""
        return chunk

    def sentMail(self, code: int, resp: Any, numOk: int, addresses: Any, log: Any) -> None:
        """The mail was taken or refused. `addresses` has the reply to its recipient, unless its
        sender was refused."""
        text = addresses[-1][2] if addresses and not numOk else resp
        if addresses and numOk and 200 <= code < 300:
            self._done(None)
        elif code in _LOG_IN_FIRST:
            self._done(Away(f"The mail server wants a log-in: {_codes(code, text)}"))
        elif code < 500:
            self._done(PutOff(_codes(code, text)))
        elif addresses:
            self._done(NotTaken(_codes(code, text)))
        else:
            self._done(Away(f"The mail server refuses the sender: {_shown(code, text)}"))

    def sendError(self, exc: Any) -> None:
        known = _TROUBLE.get(type(exc))
        if isinstance(exc, AuthenticationError | AUTHDeclinedError) and known is None:
            known = f"it refuses the log-in: {_codes(exc.code, exc.resp)}"
        self.abort(known or _shown(exc.code, exc.resp))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        self.lost = True
        if self._why is None:
            closed = reason.check(ConnectionDone, ConnectionLost)
            self._why = "it closed the connection" if closed else _line(str(reason.value))
        self._done(PutOff(self._trouble))
        if not self.ready.called:
            self.ready.errback(Away(self._trouble))
        self._gone.callback(None)

    def _done(self, error: Exception | None) -> None:
        answer, self._answer, self._envelope = self._answer, None, None
        if answer is not None and error is None:
            answer.callback(None)
        elif answer is not None:
            answer.errback(error)


def _codes(code: int, text: bytes) -> str:
    """A reply without its words, which may name the recipient."""
    enhanced = _ENHANCED.match(text)
    return f"{code} {enhanced[0].decode()}" if enhanced else str(code)


def _shown(code: int, text: bytes) -> str:
    return _line(f"{code} {text.decode('utf-8', 'replace')}")


def _line(text: str) -> str:
    """One line of visible characters."""
    seen = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(seen.split())[:_SHOWN]


class _Factory(Factory):
    """Has one session. Says nothing in the log."""

    noisy = False

    def __init__(self, session: SmtpSession) -> None:
        self._session = session

    def buildProtocol(self, addr: object) -> SmtpSession:
        return self._session


class MailServer:
    """Connects to a mail server. `trust` are the certificates to trust; those of the system by
    default. `address` is where to connect, the server's host by default."""

    def __init__(
        self, reactor: Any, server: Server, *, trust: Any = None, address: str | None = None
    ) -> None:
        self._reactor = reactor
        self._server = server
        self._trust = trust
        self._address = address or server.host
        self._utf8 = Cached(reactor, REMEMBERED, self._ask, default=False)

    async def has_utf8(self) -> bool:
        """Whether the server has SMTPUTF8, by the last connection. Without one of late, this makes
        one, whoever asks at once. Raises Away."""
        return await self._utf8.get()

    async def _ask(self) -> bool:
        session = await self.connect()
        await session.quit()
        return session.utf8

    async def connect(self) -> SmtpSession:
        """A connection that can take a mail. Raises Away."""
        server = self._server
        try:
            context = self._context()
            to: Any = endpoint(self._reactor, self._address, server.port, timeout=CONNECT)
            if server.implicit_tls:
                to, context = wrapClientTLS(context, to), None
            session = SmtpSession(self._reactor, server, context)
            await to.connect(_Factory(session)).addTimeout(CONNECT, self._reactor)
        except Exception as error:
            raise Away(f"The mail server cannot be reached: {_line(reason(error))}") from error
        with timer(self._reactor, GREET, session.abort, f"it is not ready in {GREET:g} s"):
            await session.ready
        self._utf8.put(session.utf8)
        return session

    def _context(self) -> Any:
        if self._server.loopback:
            return CertificateOptions()
        return trusting(self._server.host, self._trust)
