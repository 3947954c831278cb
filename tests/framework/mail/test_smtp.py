"""The mail server, line by line: what it says, and what is made of it."""

from __future__ import annotations

import base64
from collections.abc import Awaitable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.mail.errors import Away, NotTaken, PutOff
from contentsvc.framework.mail.smtp import (
    CONNECT,
    GREET,
    MOST_LINES,
    QUIT,
    REMEMBERED,
    SEND,
    MailServer,
    Server,
    SmtpSession,
)

SENDER, ANN, BEN = "no-reply@studio.example", "ann@example.com", "ben@example.com"
MAIL = b"Subject: hi\r\n\r\nhello\r\n.dot\r\n"


class Transport(StringTransport):
    """Loses the connection when it is told to."""

    protocol: Any = None

    def loseConnection(self) -> None:
        if not self.disconnecting:
            super().loseConnection()
            self.protocol.connectionLost(Failure(ConnectionDone()))

    def abortConnection(self) -> None:
        self.loseConnection()


class SmtpCase(SynchronousTestCase):
    host = "127.0.0.1"
    user: str | None = None

    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()
        server = Server(self.host, 25, False, self.user, self.user and "pass", "studio.example")
        # An address, so that nobody looks for a name.
        self.server = MailServer(self.reactor, server, address="127.0.0.1")
        self.transport = Transport()

    def run_(self, act: Awaitable[Any]) -> Deferred[Any]:
        """Begin."""
        return Deferred.fromCoroutine(act)  # type: ignore[arg-type]

    def connecting(self) -> Deferred[SmtpSession]:
        """A connection that the server has accepted."""
        begun = self.run_(self.server.connect())
        self.reactor.advance(0)
        factory = self.reactor.tcpClients[0][2]
        self.transport.protocol = factory.buildProtocol(None)
        self.transport.protocol.makeConnection(self.transport)
        return begun

    def says(self, *lines: str) -> list[str]:
        """What comes from us after the server has said this."""
        self.transport.clear()
        for line in lines:
            self.transport.protocol.dataReceived(line.encode() + b"\r\n")
            while self.transport.producer is not None:  # a mail is written as the other side reads
                self.transport.producer.resumeProducing()
        return self.transport.value().decode().splitlines()

    def connected(self) -> SmtpSession:
        """A session that is ready."""
        begun = self.connecting()
        self.says("220 mail.test", "250 mail.test")
        return self.successResultOf(begun)

    def failed(self, begun: Deferred[Any], kind: type[Exception]) -> str:
        """The words of the failure."""
        return str(self.failureResultOf(begun, kind).value)


class SendTests(SmtpCase):
    def test_several(self) -> None:
        """One connection takes one mail after the other, and is ended politely."""
        session = self.connected()
        for recipient in (ANN, BEN):
            self.transport.clear()
            begun = self.run_(session.send(SENDER, recipient, MAIL))
            if recipient == BEN:  # the server has been asked to forget the first
                self.assertEqual(self.says("250 forgotten"), [f"MAIL FROM:<{SENDER}>"])
            self.assertEqual(self.says("250 ok"), [f"RCPT TO:<{recipient}>"])
            self.assertEqual(self.says("250 ok"), ["DATA"])
            sent = self.says("354 go on")
            self.assertEqual(sent, ["Subject: hi", "", "hello", "..dot", "."])
            self.assertNoResult(begun)
            self.assertEqual(self.says("250 taken"), ["RSET"])
            self.successResultOf(begun)
        self.transport.clear()
        ended = self.run_(session.quit())
        self.assertEqual(self.transport.value(), b"QUIT\r\n")
        self.says("250 forgotten", "221 bye")
        self.successResultOf(ended)
        self.assertTrue(session.lost)

    def refused(self, *replies: str) -> Deferred[Any]:
        """A mail to which the server says this, the last of it a refusal."""
        begun = self.run_(self.connected().send(SENDER, ANN, MAIL))
        self.says(*replies)
        return begun

    def test_refused(self) -> None:
        """A 5xx for the recipient or the mail is for good. Its words, which may have the address,
        are not repeated."""
        for replies, codes in (
            (("250 ok", f"550 5.1.1 <{ANN}> unknown"), "550 5.1.1"),
            (("250 ok", f"553 {ANN}"), "553"),
            (("250 ok", "250 ok", "554 no"), "554"),
            (("250 ok", "250 ok", "354 go on", f"554 5.6.0 {ANN} is spam"), "554 5.6.0"),
        ):
            self.setUp()
            self.assertEqual(self.failed(self.refused(*replies), NotTaken), codes)

    def test_put_off(self) -> None:
        """A 4xx is for now."""
        for replies in (("451 4.3.0 x",), ("250 ok", "451 4.3.0 x"), ("250 ok", "250 ok", "451")):
            self.setUp()
            self.assertIn("451", self.failed(self.refused(*replies), PutOff))

    def test_sender(self) -> None:
        """A sender that is refused, and a log-in that is wanted, are no fault of the mail."""
        for replies in (("553 not yours",), ("530 5.7.0 log in",), ("250 ok", "530 5.7.0 log in")):
            self.setUp()
            self.failed(self.refused(*replies), Away)

    def test_after_refusal(self) -> None:
        """The next mail goes over the same connection."""
        session = self.connected()
        begun = self.run_(session.send(SENDER, ANN, MAIL))
        self.assertEqual(self.says("250 ok", "550 no")[-1], "RSET")
        self.failed(begun, NotTaken)
        begun = self.run_(session.send(SENDER, BEN, MAIL))
        self.says("250 forgotten", "250 ok", "250 ok", "354 go on", "250 taken")
        self.successResultOf(begun)

    def test_lost(self) -> None:
        """A connection that is lost puts the mail off, and takes no other."""
        session = self.connected()
        begun = self.run_(session.send(SENDER, ANN, MAIL))
        self.transport.loseConnection()
        self.failed(begun, PutOff)
        self.failed(self.run_(session.send(SENDER, BEN, MAIL)), PutOff)
        self.successResultOf(self.run_(session.quit()))

    def test_silent(self) -> None:
        """A server that does not answer has its time."""
        session = self.connected()
        begun = self.run_(session.send(SENDER, ANN, MAIL))
        self.says("250 ok")
        self.reactor.advance(SEND - 1)
        self.assertNoResult(begun)
        self.reactor.advance(1)
        self.assertIn("in time", self.failed(begun, PutOff))
        self.assertTrue(session.lost)

    def test_never_forgets(self) -> None:
        """A server that refuses to forget a mail gets no more, and is not asked again and again."""
        session = self.connected()
        self.run_(session.send(SENDER, ANN, MAIL)).addErrback(lambda failure: None)
        self.assertEqual(self.says("250 ok", "550 no", "502 what?")[-1], "RSET")
        self.assertTrue(session.lost)

    def test_quits_slowly(self) -> None:
        """The end of a connection is not waited for."""
        ended = self.run_(self.connected().quit())
        self.reactor.advance(QUIT)
        self.successResultOf(ended)

    def test_unasked(self) -> None:
        """A server that speaks unasked is left."""
        session = self.connected()
        self.says("421 shutting down")
        self.assertTrue(session.lost)


class ConnectTests(SmtpCase):
    def test_unreachable(self) -> None:
        """A server that does not accept in time is away."""
        begun = self.run_(self.server.connect())
        self.reactor.advance(CONNECT)
        self.assertIn("cannot be reached", self.failed(begun, Away))

    def test_silent(self) -> None:
        """Nor is one of use that does not greet in time."""
        begun = self.connecting()
        self.reactor.advance(GREET)
        self.assertIn("not ready in 30 s", self.failed(begun, Away))

    def test_bad(self) -> None:
        """What is no SMTP, or does not end, ends the connection at once."""
        endless = ["220-more"] * (MOST_LINES + 1)
        for lines in (
            ["HTTP/1.1 400 Bad Request"],
            ["554 go away"],
            endless,
            ["000 still there"] * (MOST_LINES + 1),
            ["220 " + "x" * 20_000],
            ["220 hi", "500 what?"],
            ["220 hi", "250-", "250 "],
            ["\x00\xff"],
        ):
            self.setUp()
            begun = self.connecting()
            self.says(*lines)
            self.failed(begun, Away)
            self.assertTrue(self.transport.disconnecting)

    def test_endless(self) -> None:
        """A line that does not end is not collected."""
        begun = self.connecting()
        for _ in range(20):
            if not self.transport.disconnecting:
                self.transport.protocol.dataReceived(b"220 " + b"x" * 1000)
        self.assertIn("does not end", self.failed(begun, Away))

    def test_hello(self) -> None:
        """We say who we are."""
        self.connecting()
        self.assertEqual(self.says("220 hi"), ["EHLO studio.example"])


class LogInTests(SmtpCase):
    user = "ünal"
    PLAIN = base64.b64encode("ünal\0ünal\0pass".encode()).decode()

    def test_plain(self) -> None:
        """The log-in is AUTH PLAIN, where it is offered."""
        begun = self.connecting()
        said = self.says("220 hi", "250-hi", "250 AUTH LOGIN PLAIN")
        self.assertEqual(said[-1], f"AUTH PLAIN {self.PLAIN}")
        self.says("235 good")
        self.successResultOf(begun)

    def test_login(self) -> None:
        """Else it is AUTH LOGIN."""
        begun = self.connecting()
        said = self.says("220 hi", "250-hi", "250 AUTH LOGIN")
        self.assertEqual(said[-1], "AUTH LOGIN")
        for asked, answer in (("Username:", "ünal"), ("Password:", "pass")):
            said = self.says("334 " + base64.b64encode(asked.encode()).decode())
            self.assertEqual(said, [base64.b64encode(answer.encode()).decode()])
        self.says("235 good")
        self.successResultOf(begun)

    def test_wrong(self) -> None:
        """Of a log-in that is refused, only the code is told."""
        begun = self.connecting()
        wrong = f"535 5.7.8 not {self.PLAIN}"
        self.says("220 hi", "250-hi", "250 AUTH PLAIN", wrong, wrong)
        said = self.failed(begun, Away)
        self.assertIn("refuses the log-in: 535 5.7.8", said)
        self.assertNotIn(self.PLAIN, said)

    def test_none(self) -> None:
        """Without a log-in that we know, nothing is sent."""
        begun = self.connecting()
        self.says("220 hi", "250-hi", "250 AUTH GSSAPI")
        self.assertIn("no log-in", self.failed(begun, Away))


class ClearTests(SmtpCase):
    host = "mail.example"
    user = "ann"

    def test_no_starttls(self) -> None:
        """Beyond this machine, nothing is sent in clear text, and no password."""
        begun = self.connecting()
        self.assertEqual(self.says("220 hi", "250-hi", "250 AUTH PLAIN"), ["EHLO studio.example"])
        self.assertIn("STARTTLS", self.failed(begun, Away))

    def test_refused(self) -> None:
        """Nor if STARTTLS is refused."""
        begun = self.connecting()
        self.assertEqual(self.says("220 hi", "250 STARTTLS")[-1], "STARTTLS")
        self.assertEqual(self.says("454 not now"), [])
        self.failed(begun, Away)

    def test_injected(self) -> None:
        """What comes in clear text after the reply to STARTTLS ends the connection."""
        begun = self.connecting()
        self.says("220 hi", "250 STARTTLS")
        self.transport.protocol.dataReceived(b"220 go on\r\n250 AUTH PLAIN\r\n")
        self.assertIn("before TLS", self.failed(begun, Away))


class ServerTests(SynchronousTestCase):
    def test_loopback(self) -> None:
        """Which hosts are this machine."""
        for host in ("localhost", "mail.localhost", "127.0.0.1", "127.8.8.8", "::1"):
            self.assertTrue(Server(host, 25, False, None, None, "x").loopback, host)
        for host in ("mail.example", "10.0.0.1", "localhost.example", "::2"):
            self.assertFalse(Server(host, 25, False, None, None, "x").loopback, host)

    def test_text(self) -> None:
        """The text of the settings does not show the password."""
        server = Server("mail.example", 587, False, "ann", "open sesame", "studio.example")
        self.assertNotIn("sesame", f"{server} {server!r}")


class Utf8Tests(SmtpCase):
    """Addresses with characters beyond ASCII (RFC 6531)."""

    def test_sent(self) -> None:
        """To a server with SMTPUTF8 they go as they are, and the mail says so; to others nothing is
        said of it."""
        begun = self.connecting()
        self.says("220 mail.test", "250-mail.test", "250-8BITMIME", "250 SMTPUTF8")
        session = self.successResultOf(begun)
        for recipient, line in (
            ("jürgen@example.com", f"MAIL FROM:<{SENDER}> SMTPUTF8"),
            (ANN, f"MAIL FROM:<{SENDER}>"),
        ):
            self.transport.clear()
            done = self.run_(session.send(SENDER, recipient, MAIL))
            self.assertEqual(self.transport.value().decode().splitlines(), [line])
            self.assertEqual(self.says("250 ok"), [f"RCPT TO:<{recipient}>"])
            self.says("250 ok", "354 go on", "250 taken")
            self.successResultOf(done)
            self.says("250 reset")

    def test_without(self) -> None:
        """A server without SMTPUTF8 is not asked, and takes other mails."""
        session = self.connected()
        self.failed(self.run_(session.send(SENDER, "jürgen@example.com", MAIL)), NotTaken)
        self.transport.clear()
        self.run_(session.send(SENDER, ANN, MAIL))
        self.assertIn(b"MAIL FROM", self.transport.value())

    def test_asked(self) -> None:
        """What the server has is known from the last connection; without one it is asked once, by
        however many, and again when that is long ago."""
        asked = [self.run_(self.server.has_utf8()) for _ in range(3)]
        self.reactor.advance(0)
        self.assertEqual(len(self.reactor.tcpClients), 1)
        self.transport.protocol = self.reactor.tcpClients[0][2].buildProtocol(None)
        self.transport.protocol.makeConnection(self.transport)
        self.assertEqual(self.says("220 mail.test", "250-mail.test", "250 smtputf8")[-1], "QUIT")
        self.transport.protocol.connectionLost(Failure(ConnectionDone()))
        self.assertEqual([self.successResultOf(each) for each in asked], [True] * 3)
        self.assertTrue(self.successResultOf(self.run_(self.server.has_utf8())))
        self.reactor.advance(REMEMBERED)
        self.run_(self.server.has_utf8())
        self.reactor.advance(0)
        self.assertEqual(len(self.reactor.tcpClients), 2)

    def test_other_words(self) -> None:
        """A name that is like the word is not the word."""
        begun = self.connecting()
        self.says("220 mail.test", "250-SMTPUTF8", "250-XSMTPUTF8", "250 AUTH SMTPUTF8")
        self.assertFalse(self.successResultOf(begun).utf8)
