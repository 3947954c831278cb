"""Addresses that no mail can be sent to, and those beyond ASCII: accounts#mail."""

from __future__ import annotations

from typing import Any

from tests.spec.accounts.base import LINK, SENDER, AccountsCase
from tests.spec.data import guid, name
from tests.support import daemon
from tests.support.daemon import Daemon
from tests.support.mailserver import MailServer

INTERNATIONAL = ("jürgen{}@example.com", "用户{}@example.com", "zoë.{}@bücher.example")
NEVER = (
    *("ann{}.@example.com", ".ann{}@example.com", "ann..{}@example.com", '"ann{}"@example.com'),
    *("ann{}>@example.com", "ann,{}@example.com", "ann{}@example.com.", "ann{}@exa_.-mple.com"),
    *("ä{}.@example.com", "ä..{}@example.com", "ä\u200b{}@example.com", "ann{}@stra\xdfe.example"),
)
_servers: dict[bool, MailServer] = {}


class AddressCase(AccountsCase):
    utf8 = False

    async def serve(self) -> None:
        if self.utf8 not in _servers:
            _servers[self.utf8] = MailServer(utf8=self.utf8)
            await _servers[self.utf8].start()
        self.mails = _servers[self.utf8]
        self.use(await daemon.shared(f"addresses {self.utf8}", self.make))

    def make(self) -> Daemon:
        mail = {"SMTP": f"smtp://127.0.0.1:{self.mails.port}", "MAIL_FROM": SENDER}
        return Daemon(environ={**mail, "RESET_URL": LINK, "WORKERS": "2"})

    def some(self, *forms: str) -> list[str]:
        """Such addresses, that nobody has."""
        return [form.format(name()) for form in forms]

    async def register(self, email: str, expect: int | None = None) -> Any:
        """A registration with this address."""
        return await self.post("user", self.registration(email), expect=expect)

    async def refused(self, email: str) -> None:  # type: ignore[override]
        """Assert that each operation that takes an address refuses this one, and that nothing has
        changed."""
        user = await self.known()
        path = f"moderation/users/{user.id}/email"
        body = {"email": email, "reason": "lost"}
        for answer in (
            await self.register(email),
            await self.change(user, email),
            await self.put(path, body, by=await self.admin()),
        ):
            self.problem(answer, 422, "address_not_mailable")
        self.assertEqual((user.email, False), await self.address_of(user))


class PlainTests(AddressCase):
    """With a mail server without SMTPUTF8."""

    async def test_refused(self):
        """What no mail can be sent to is 422 `address_not_mailable`."""
        for email in self.some(*NEVER, *INTERNATIONAL):
            await self.refused(email)

    async def test_domain(self):
        """A domain beyond ASCII is mailed to by its A-labels."""
        (email,) = self.some("ann{}@bücher.example")
        await self.register(email, expect=201)
        await self.mail(email.replace("bücher", "xn--bcher-kva"))

    async def test_command(self):
        """The command that adds users refuses them too, in one line."""
        assert self.daemon is not None
        for email in self.some("ann{}.@example.com", "jürgen{}@example.com"):
            with self.assertRaisesRegex(Exception, "no mail can be sent"):
                words = "user", "add", name(), "--email", email
                await self.daemon.command(*words, given=guid())


class Utf8Tests(AddressCase):
    """With one that has SMTPUTF8."""

    utf8 = True

    async def test_registered(self):
        """An address beyond ASCII is taken, and gets its mails, whose link confirms it."""
        for email in self.some(*INTERNATIONAL):
            await self.register(email, expect=201)
            mail = await self.mail(email.replace("bücher", "xn--bcher-kva"))
            self.assertIn(email.partition("@")[0], str(mail.message["To"]))
            await self.confirm(mail.token)

    async def test_changed(self):
        """So is a new one, the user's own and one that an admin gives."""
        user, admin = await self.known(), await self.admin()
        own, given = self.some("jürgen{}@example.com", "用户{}@example.com")
        await self.change(user, own, expect=204)
        await self.confirm((await self.mail(own)).token)
        body = {"email": given, "reason": "lost"}
        await self.put(f"moderation/users/{user.id}/email", body, by=admin, expect=204)
        await self.mail(own, 2)
        await self.confirm((await self.mail(given)).token)
        again = await self.logged_in(given, given, user.password)
        self.assertEqual((given, True), await self.address_of(again))

    async def test_refused(self):
        """What no server takes is 422 `address_not_mailable` here too."""
        for email in self.some(*NEVER):
            await self.refused(email)
