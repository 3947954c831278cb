"""A mail server that is away, refuses, or wants TLS and a log-in, and a service without one:
accounts#mail."""

import os
from pathlib import Path

from twisted.internet.utils import getProcessOutputAndValue

from tests.spec.accounts.base import LINK, SENDER, AccountsCase
from tests.spec.client import Response
from tests.spec.data import guid, name
from tests.spec.harness import SpecCase
from tests.support import daemon, postgres
from tests.support.certificates import certificate
from tests.support.daemon import Daemon, script, until
from tests.support.issuers import GRANT, ID_TOKEN
from tests.support.mailserver import MailServer

PASSWORD, QUOTED = "a:b@c/d%", "a%3Ab%40c%2Fd%25"
_servers: list[MailServer] = []


def wrong_text(folder: str) -> str:
    """The folder, with a text that has an unknown placeholder."""
    Path(folder).mkdir()
    (Path(folder) / "reset.txt").write_text("Subject: hi\n\n$name")
    return folder


class ServerTests(AccountsCase):
    """With a daemon of two workers, and a server with TLS and log-in."""

    async def serve(self) -> None:
        if not _servers:
            files = certificate(postgres.new_folder(), "mail.test")
            _servers.append(MailServer(starttls=files, login=("studio", PASSWORD)))
            await _servers[0].start()
        (self.mails,) = _servers
        self.use(await daemon.shared("mail with TLS", self.make))

    def make(self) -> Daemon:
        smtp = f"smtp://studio:{QUOTED}@localhost:{self.mails.port}"
        options = ("--mail-from", SENDER, "--reset-url", LINK)
        return Daemon(*options, environ={"SMTP": smtp, "WORKERS": "2"})

    def logged(self) -> str:
        """What the daemon has logged, which never has the password."""
        assert self.daemon is not None
        said = self.daemon.output()
        for hidden in (PASSWORD, QUOTED, "Traceback"):
            self.assertNotIn(hidden, said)
        return said

    async def registered(self, local: str) -> str:
        """The address of a new user."""
        email = f"{local}@example.com"
        await self.post("user", self.registration(email), expect=201)
        return email

    async def test_secure(self):
        """Mails go over TLS, after a log-in."""
        mail = await self.mail((await self.user()).email)
        self.assertEqual((mail.secure, mail.user), (True, "studio"))

    async def test_away(self):
        """What is asked while the server is away is sent once, when it is back."""
        self.mails.stop()
        away = [await self.registered(name()) for _ in range(5)]
        await until(lambda: "Could not send mail" in self.logged(), 30, "a line in the log")
        await self.mails.start()
        for email in away:
            await self.mail(email)
        await self.known()
        self.assertEqual([1] * 5, [len(self.mails.mails(email)) for email in away])
        for email in away:
            self.assertNotIn(email, self.logged())

    async def test_restart(self):
        """So it is where the service was started again meanwhile."""
        self.mails.stop()
        user = await self.user()
        await self.ask_reset(user.email)
        assert self.daemon is not None
        await self.daemon.stop()
        await self.mails.start()
        await self.daemon.start()
        self.use(self.daemon)
        await self.mail(user.email, 2)
        tokens = [mail.token for mail in self.mails.mails(user.email)]
        got = [(await self.reset(token)).status for token in tokens]
        self.assertEqual([204, 400], sorted(got))
        again = await self.logged_in(user.username, user.email, "a new password")
        self.assertEqual((user.email, True), await self.address_of(again))

    async def test_refused(self):
        """An address that the server refuses, or puts off, holds up no other. The log has none of
        them."""
        refused, late = [await self.registered(f"{how}{guid()}") for how in ("refused", "later")]
        await self.known()
        await self.mail(late)
        said = self.logged()
        self.assertEqual(1, self.mails.tries.count(refused))
        self.assertEqual(2, self.mails.tries.count(late))
        self.assertEqual(1, said.count("550 5.1.1"))
        for hidden in (refused, late):
            self.assertNotIn(hidden.partition("@")[0], said)


class NoneTests(SpecCase):
    """The daemon as it is started without options."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared())

    def unavailable(self, response: Response) -> None:
        """Assert 503 mail_unavailable."""
        self.problem(response, 503, "mail_unavailable")

    async def test_registering(self):
        """Registering goes on; the address is not verified."""
        user = await self.user()
        found = (await self.get(f"user/{user.id}", by=user, expect=200)).json()
        self.assertEqual((user.email, False), (found["email"], found["emailVerified"]))

    async def test_reset(self):
        """A reset is 503, for whatever address."""
        for email in ((await self.user()).email, f"{name()}@example.com"):
            self.unavailable(await self.post("user/password-reset", {"email": email}))

    async def test_change(self):
        """So is a change of the address, which changes nothing."""
        user = await self.user()
        body = {"email": f"{name()}@example.com", "password": user.password}
        self.unavailable(await self.put(f"user/{user.id}/email", body, by=user))
        found = (await self.get(f"user/{user.id}", by=user, expect=200)).json()
        self.assertEqual(user.email, found["email"])

    async def test_verification(self):
        """So is another mail."""
        user = await self.user()
        self.unavailable(await self.post(f"user/{user.id}/email/verification", by=user))

    async def test_order(self):
        """What is wrong with the request comes before."""
        user, other = await self.user(), await self.user()
        self.invalid(await self.post("user/password-reset", {"email": "x"}), "/email")
        path = f"user/{user.id}/email"
        self.invalid(await self.put(path, {"email": "x"}, by=user), "/email")
        self.problem(await self.put(path, {"email": "x"}), 401, "unauthorized")
        self.problem(await self.post(f"{path}/verification"), 401, "unauthorized")
        self.problem(await self.post(f"{path}/verification", by=other), 403, "forbidden")

    async def test_tokens(self):
        """Tokens of links are looked at as ever."""
        for token in ("x", "x" * 5000):
            for path, more in (("password-reset", {"new": guid()}), ("email/verification", {})):
                response = await self.put(f"user/{path}", {"token": token, **more})
                self.problem(response, 400, "invalid_token")

    async def test_leaving(self):
        """Leaving needs no mail."""
        user = await self.user()
        body = {"password": user.password}
        await self.delete(f"user/{user.id}", body=body, by=user, expect=204)

    async def test_no_issuers(self):
        """Without issuers, too, every subject token is bad."""
        form = {"grant_type": GRANT, "subject_token": "x", "subject_token_type": ID_TOKEN}
        response = await self.post("/oauth/token", data=form, expect=400)
        self.assertEqual("invalid_request", response.json()["error"])
        user = await self.user()
        body = {"subject_token": "x", "subject_token_type": ID_TOKEN}
        response = await self.post(f"user/{user.id}/identities", body, by=user)
        self.problem(response, 400, "invalid_subject_token")
        response = await self.get(f"user/{user.id}/identities", by=user, expect=200)
        self.assertEqual([], response.json())


class ConfigurationTests(SpecCase):
    """Settings of mail."""

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
        both = smtp | {"MAIL_FROM": SENDER, "RESET_URL": LINK}
        await self.refused("mail_from is required", **smtp, RESET_URL=LINK)
        await self.refused("reset_url is required", **smtp, MAIL_FROM=SENDER)
        await self.refused("SMTP must be", SMTP="smtp://ann:secret@x/y")
        await self.refused("$name", **both, MAIL_TEMPLATES=folder)
