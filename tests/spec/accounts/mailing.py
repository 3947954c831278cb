"""A service that sends mail, and the server that takes it."""

from __future__ import annotations

from typing import ClassVar

from tests.spec.data import User, guid, name
from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon
from tests.support.mailserver import Mail, MailServer

URL = "https://portal.example/account?lang=en#top"
SENDER = "no-reply@studio.example"


class MailCase(SpecCase):
    """A test with a daemon and a mail server, which the tests of all cases with the same `options`
    share."""

    options: tuple[str, ...] = ()
    _shared: ClassVar[dict[tuple[str, ...], tuple[MailServer, Daemon]]] = {}

    async def connect(self) -> None:
        self.own_daemon()
        if self.options not in self._shared:
            server = MailServer()
            await server.start()
            service = Daemon(
                *("--smtp", f"smtp://127.0.0.1:{server.port}", "--reset-url", URL),
                *("--mail-from", f"The Studio <{SENDER}>"),
                *self.options,
            )
            await service.start()
            self._shared[self.options] = server, service
        self.server, service = self._shared[self.options]
        self.use(service)

    async def newcomer(self, email: str | None = None) -> tuple[User, Mail]:
        """A new user, and the mail that asks to confirm the address."""
        username = name()
        sent = {
            "username": username,
            "email": email or f"{username}@example.com",
            "password": guid(),
        }
        await self.post("user", sent, expect=201)
        return await self.logged_in(**sent), await self.server.arrived(sent["email"])

    async def verified(self, user: User) -> bool:
        """Whether the user's address is confirmed."""
        record = await self.get(f"user/{user.id}", by=user, expect=200)
        return bool(record.json()["emailVerified"])

    async def confirmed(self) -> User:
        """A new user whose address is confirmed."""
        user, mail = await self.newcomer()
        await self.put("user/email/verification", {"token": mail.token}, expect=204)
        return user

    async def asked_reset(self, email: str, number: int) -> Mail:
        """The mail with a link to set a password, which is the address's mail of this number."""
        await self.post("user/password-reset", {"email": email}, expect=204)
        return await self.server.arrived(email, number)
