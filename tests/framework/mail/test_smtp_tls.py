"""TLS and log-in, with a real mail server."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from OpenSSL import crypto
from twisted.internet import reactor
from twisted.internet.ssl import Certificate, trustRootFromCertificates
from twisted.trial.unittest import TestCase

from contentsvc.framework.mail.errors import Away
from contentsvc.framework.mail.smtp import MailServer, Server
from tests.support import mailserver, postgres
from tests.support.certificates import certificate
from tests.support.names import Names

SENDER, ANN = "no-reply@studio.example", "ann@example.com"
MAIL = b"Subject: hi\r\n\r\nhello\r\n"
HOST, USER, PASSWORD = "mail.test", "ann", "a:b@c/d"


class TlsCase(TestCase):
    timeout = 60.0
    how: ClassVar[str] = "starttls"
    _servers: ClassVar[dict[str, tuple[mailserver.MailServer, Path]]] = {}

    async def setUp(self) -> None:
        if self.how not in self._servers:
            files = certificate(postgres.new_folder(), HOST)
            options: dict[str, Any] = {self.how: files, "login": (USER, PASSWORD)}
            self._servers[self.how] = mailserver.MailServer(**options), files[0]
            await self._servers[self.how][0].start()
        self.real, self.trusted = self._servers[self.how]

    def server(
        self,
        host: str = HOST,
        password: str = PASSWORD,
        trusted: Path | None = None,
    ) -> MailServer:
        """The client of it."""
        pem = (trusted or self.trusted).read_bytes()
        known = Certificate(crypto.load_certificate(crypto.FILETYPE_PEM, pem))
        named = Server(host, self.real.port, self.how == "tls", USER, password, "studio.example")
        trust = trustRootFromCertificates([known])
        return MailServer(reactor, named, trust=trust, address="127.0.0.1")

    async def send(self, **options: Any) -> None:
        """Send a mail."""
        session = await self.server(**options).connect()
        await session.send(SENDER, ANN, MAIL)
        await session.quit()

    async def refused(self, words: str, **options: Any) -> None:
        """Assert that nothing is sent, for this reason."""
        before = len(self.real.mails())
        try:
            await self.send(**options)
        except Away as error:
            self.assertIn(words, str(error))
            self.assertNotIn(PASSWORD, str(error))
        else:
            self.fail("it was sent")
        self.assertEqual(len(self.real.mails()), before)


class StarttlsTests(TlsCase):
    async def test_sent(self) -> None:
        """A mail goes over TLS, after the log-in."""
        before = len(self.real.mails())
        await self.send()
        (mail,) = self.real.mails()[before:]
        self.assertEqual((mail.secure, mail.user), (True, USER))
        self.assertEqual((mail.sender, mail.recipients), (SENDER, [ANN]))
        self.assertEqual(mail.message["Subject"], "hi")

    async def test_unknown_signer(self) -> None:
        """A certificate that is not trusted is refused."""
        other, _ = certificate(postgres.new_folder(), HOST)
        await self.refused("certificate verify failed", trusted=other)

    async def test_other_host(self) -> None:
        """So is that of another host."""
        await self.refused("", host="other.test")

    async def test_wrong_password(self) -> None:
        """A wrong password is the settings' fault."""
        await self.refused("refuses the log-in: 535", password="wrong")

    async def test_this_machine(self) -> None:
        """On this machine no certificate is checked, and TLS used where it is offered."""
        other, _ = certificate(postgres.new_folder(), HOST)
        await self.send(host="127.0.0.1", trusted=other)
        self.assertTrue(self.real.mails()[-1].secure)


class ImplicitTests(StarttlsTests):
    how = "tls"


class NameTests(TestCase):
    """Mail servers with names that IDNA refuses, or with none."""

    timeout = 60.0
    host = "mail_1.studio--x.example"

    async def sent(self, how: str) -> None:
        """Send a mail to such a server."""
        files = certificate(postgres.new_folder(), self.host)
        options: dict[str, Any] = {how: files}
        real = mailserver.MailServer(**options)
        await real.start()
        self.addCleanup(real.stop)
        known = Certificate(crypto.load_certificate(crypto.FILETYPE_PEM, files[0].read_bytes()))
        server = Server(self.host, real.port, how == "tls", None, None, "studio.example")
        names = Names()
        client = MailServer(names, server, trust=trustRootFromCertificates([known]))
        session = await client.connect()
        await session.send(SENDER, ANN, MAIL)
        await session.quit()
        ((mail),) = real.mails()
        self.assertEqual((mail.secure, names.asked), (True, [self.host]))

    async def test_odd(self) -> None:
        """The name is looked up, and the certificate is that of it, with either kind of TLS."""
        for how in ("starttls", "tls"):
            await self.sent(how)

    async def test_none(self) -> None:
        """What can be no name, is not resolved, or has nobody who listens, is an error that says
        so."""
        for host, addresses, words in (
            ("a..b", [], "'a..b' is not the name of a host"),
            (self.host, [], f"no results for hostname lookup: {self.host}"),
            (self.host, ["127.0.0.1"], "Connection was refused"),
        ):
            for implicit in (True, False):
                server = Server(host, 1, implicit, None, None, "studio.example")
                with self.assertRaises(Away) as raised:
                    await MailServer(Names(addresses), server).connect()
                self.assertIn("The mail server cannot be reached: ", str(raised.exception))
                self.assertIn(words, str(raised.exception))
