"""A mail server that is away, refuses, or wants TLS and a log-in; and a service without one."""

import os
from pathlib import Path

from twisted.internet.utils import getProcessOutputAndValue

from tests.spec.accounts.mailing import SENDER, URL, MailCase
from tests.spec.data import guid, name
from tests.spec.harness import SpecCase
from tests.support import postgres
from tests.support.certificates import certificate
from tests.support.daemon import Daemon, script, until
from tests.support.mailserver import MailServer

PASSWORD = "a:b@c/d%"


def wrong_text(folder: str) -> str:
    """The folder, with a text that has an unknown placeholder."""
    Path(folder).mkdir()
    (Path(folder) / "reset.txt").write_text("Subject: hi\n\n$name")
    return folder


class ServerTests(MailCase):
    """With a daemon of two workers, and a server with TLS and log-in."""

    async def connect(self) -> None:
        self.own_daemon()
        files = certificate(postgres.new_folder(), "mail.test")
        self.server = MailServer(starttls=files, login=("studio", PASSWORD))
        await self.server.start()
        self.addCleanup(self.server.stop)
        quoted = "a%3Ab%40c%2Fd%25"
        environ = {"SMTP": f"smtp://studio:{quoted}@localhost:{self.server.port}", "WORKERS": "2"}
        options = ("--mail-from", SENDER, "--reset-url", URL)
        service = Daemon(*options, environ=environ)
        await service.start()
        self.addCleanup(service.stop)
        self.use(service)

    async def test_all(self):
        """§8: mails go over TLS, after a log-in. What is asked while the server is away is sent
        when it is back. An address that it refuses, puts off, or that is none, holds up no other.
        The log has neither addresses nor the password."""
        _, mail = await self.newcomer()
        self.assertEqual((mail.secure, mail.user), (True, "studio"))
        self.server.stop()
        away = [await self.registered(name()) for _ in range(5)]
        await until(lambda: "Could not send mail" in self.daemon.output(), 30, "a line in the log")
        await self.server.start()
        for email in away:
            await self.server.arrived(email)
        odd = [f"{guid()}>@example.com", f"\u00e4{guid()}@example.com", f"a,b{guid()}@example.com"]
        refused, late = f"refused{guid()}", f"later{guid()}"
        for local in (refused, late):
            await self.registered(local)
        for email in odd:
            sent = {"username": name(), "email": email, "password": guid()}
            await self.post("user", sent, expect=201)
        await self.newcomer()
        await self.server.arrived(f"{late}@example.com")
        said = self.daemon.output()
        self.assertEqual(1, self.server.tries.count(f"{refused}@example.com"))
        self.assertEqual(2, self.server.tries.count(f"{late}@example.com"))
        self.assertEqual(1, said.count("550 5.1.1"))
        self.assertEqual(3, said.count("no mail can be sent"))
        self.assertEqual([1] * 5, [len(self.server.mails(email)) for email in away])
        for hidden in (PASSWORD, "a%3Ab", refused, late, *odd, *away, "Traceback"):
            self.assertNotIn(hidden, said)

    async def registered(self, local):
        """The address of a new user."""
        email = f"{local}@example.com"
        await self.post(
            "user", {"username": name(), "email": email, "password": guid()}, expect=201
        )
        return email


class NoneTests(SpecCase):
    async def test_unavailable(self):
        """§8: without a mail server, what is asked to send a mail is 503 mail_unavailable, and
        registering goes on."""
        self.own_daemon()
        user = await self.user()
        record = (await self.get(f"user/{user.id}", by=user, expect=200)).json()
        self.assertIs(record["emailVerified"], False)
        body = {"email": f"{guid()}@example.com", "password": user.password}
        for response in (
            await self.post("user/password-reset", {"email": user.email}),
            await self.put(f"user/{user.id}/email", body, by=user),
            await self.post(f"user/{user.id}/email/verification", by=user),
        ):
            self.problem(response, 503, "mail_unavailable")
        for path, more in (("password-reset", {"new": guid()}), ("email/verification", {})):
            response = await self.put(f"user/{path}", {"token": "x" * 5000, **more})
            self.problem(response, 400, "invalid_token")
        response = await self.put(f"user/{user.id}/email", {"email": "x"}, by=user)
        self.invalid(response, "/email")

    async def test_operator(self):
        """Who an operator has added is confirmed."""
        admin = await self.admin()
        record = (await self.get(f"user/{admin.id}", by=admin, expect=200)).json()
        self.assertIs(record["emailVerified"], True)


class ConfigurationTests(SpecCase):
    async def connect(self) -> None:
        self.own_daemon()

    async def refused(self, words, **settings):
        """Assert that a start ends with one line with these words, which shows no password."""
        environ = {k: v for k, v in os.environ.items() if not k.startswith("CONTENTSVC_")}
        environ |= {f"CONTENTSVC_{name}": value for name, value in settings.items()}
        command = ["-n", "--pidfile=", "contentsvc", "--data-dir", self.mktemp()]
        out, err, status = await getProcessOutputAndValue(script("twistd"), command, env=environ)
        self.assertEqual(1, status)
        (line,) = (out + err).decode().strip().splitlines()
        self.assertIn(words, line)
        self.assertNotIn("secret", line)

    async def test_wrong(self):
        """Settings of mail of which a part is missing or wrong stop the start with one line."""
        folder = wrong_text(self.mktemp())
        smtp = {"SMTP": "smtp://ann:secret@mail.example"}
        both = smtp | {"MAIL_FROM": SENDER, "RESET_URL": URL}
        await self.refused("mail_from is required", **smtp, RESET_URL=URL)
        await self.refused("reset_url is required", **smtp, MAIL_FROM=SENDER)
        await self.refused("SMTP must be", SMTP="smtp://ann:secret@x/y")
        await self.refused("$name", **both, MAIL_TEMPLATES=folder)
