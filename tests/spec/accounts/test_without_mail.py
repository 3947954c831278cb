"""Without a mail server, and without issuers: extensions §8."""

from tests.spec.accounts.base import EXCHANGE, ID_TOKEN, LINK, SENDER
from tests.spec.client import Response
from tests.spec.data import User, name
from tests.spec.harness import SpecCase
from tests.support import daemon
from tests.support.daemon import Daemon
from tests.support.mailserver import MailServer


class UnavailableTests(SpecCase):
    """The daemon as it is started without options."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared())

    def unavailable(self, response: Response) -> None:
        """Assert 503 mail_unavailable."""
        self.problem(response, 503, "mail_unavailable")

    async def test_registering(self):
        """§8: registering goes on, and sends none; the address is not verified."""
        user = await self.user()
        found = (await self.get(f"user/{user.id}", by=user, expect=200)).json()
        self.assertEqual((user.email, False), (found["email"], found["emailVerified"]))

    async def test_reset(self):
        """§8: a reset is 503, for whatever address."""
        for email in ((await self.user()).email, f"{name()}@example.com"):
            self.unavailable(await self.post("user/password-reset", {"email": email}))

    async def test_change(self):
        """§8: so is a change of the address, which changes nothing."""
        user = await self.user()
        body = {"email": f"{name()}@example.com", "password": user.password}
        self.unavailable(await self.put(f"user/{user.id}/email", body, by=user))
        found = (await self.get(f"user/{user.id}", by=user, expect=200)).json()
        self.assertEqual(user.email, found["email"])

    async def test_verification(self):
        """§8: so is another mail."""
        user = await self.user()
        self.unavailable(await self.post(f"user/{user.id}/email/verification", by=user))

    async def test_order(self):
        """choices: what is wrong with the request comes before."""
        user = await self.user()
        self.invalid(await self.post("user/password-reset", {"email": "x"}), "/email")
        path = f"user/{user.id}/email"
        self.problem(await self.put(path, {"email": "x"}), 401, "unauthorized")
        self.problem(await self.post(f"{path}/verification"), 401, "unauthorized")
        other = await self.user()
        self.problem(await self.post(f"{path}/verification", by=other), 403, "forbidden")

    async def test_tokens(self):
        """§8: tokens are looked at as ever."""
        body = {"token": "x", "new": "a new password"}
        response = await self.put("user/password-reset", body)
        self.problem(response, 400, "invalid_token")
        response = await self.put("user/email/verification", {"token": "x"})
        self.problem(response, 400, "invalid_token")

    async def test_leaving(self):
        """§8: leaving needs no mail."""
        user = await self.user()
        body = {"password": user.password}
        await self.delete(f"user/{user.id}", body=body, by=user, expect=204)

    async def test_no_issuers(self):
        """§8: without issuers every subject token is bad."""
        form = {"grant_type": EXCHANGE, "subject_token": "x", "subject_token_type": ID_TOKEN}
        response = await self.post("/oauth/token", data=form, expect=400)
        self.assertEqual("invalid_request", response.json()["error"])
        user = await self.user()
        body = {"subject_token": "x", "subject_token_type": ID_TOKEN}
        response = await self.post(f"user/{user.id}/identities", body, by=user)
        self.problem(response, 400, "invalid_subject_token")
        response = await self.get(f"user/{user.id}/identities", by=user, expect=200)
        self.assertEqual([], response.json())


class AwayTests(SpecCase):
    """A mail server that is away for a while."""

    async def connect(self) -> None:
        self.own_daemon()
        self.mails = MailServer()
        await self.mails.start()
        self.addCleanup(self.mails.stop)
        self.mails.stop()
        smtp = ("--smtp", f"smtp://127.0.0.1:{self.mails.port}")
        service = Daemon(*smtp, "--mail-from", SENDER, "--reset-url", LINK)
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)

    async def test_away(self):
        """§8: requests are answered as ever, and the mails come when it is back, also
        after the daemon was started again."""
        user: User = await self.user()
        await self.post("user/password-reset", {"email": user.email}, expect=204)
        assert self.daemon is not None
        await self.daemon.stop()
        await self.mails.start()
        await self.daemon.start()
        self.use(self.daemon)
        await self.mails.arrived(user.email, 2)
        tokens = sorted(mail.token for mail in self.mails.mails(user.email))
        got = []
        for token in tokens:
            body = {"token": token, "new": "a new password"}
            got.append((await self.put("user/password-reset", body)).status)
        self.assertEqual([204, 400], sorted(got))
        again = await self.logged_in(user.username, user.email, "a new password")
        found = (await self.get(f"user/{again.id}", by=again, expect=200)).json()
        self.assertIs(True, found["emailVerified"])
