"""Accounts: registration, and the password (spec §5)."""

from msgspec import Struct

from contentsvc.api.accounts.credentials import Guard
from contentsvc.api.accounts.reauthentication import unproved
from contentsvc.api.checks import required
from contentsvc.api.errors import (
    EmailTaken,
    RegistrationClosed,
    TooManyAttempts,
    UsernameTaken,
    WrongPassword,
)
from contentsvc.db.database import Database
from contentsvc.passwords import Passwords
from contentsvc.push.revocation import Revocation
from contentsvc.store.accounts import accounts, addresses, mails, sessions
from contentsvc.store.accounts.mails import Mails, Wanted
from contentsvc.web.call import Call
from contentsvc.web.permissions import ANYONE, SELF
from contentsvc.web.reply import Created
from contentsvc.web.route import route
from contentsvc.wire.accounts import PasswordChange, Registration


class Accounts(Struct):
    """Registration, and changing the password."""

    db: Database
    passwords: Passwords
    guard: Guard
    revocation: Revocation
    mails: Mails | None  # None: the service sends none
    registration: bool

    @route("POST", "/user", allow=ANYONE, raises=(RegistrationClosed, UsernameTaken, EmailTaken))
    async def register_user(self, call: Call, body: Registration) -> Created:
        """Register a user. A mail with a link to confirm the address goes there, if the service
        sends mail. If too many were asked for from the client's address, or for the mailbox, none
        is sent."""
        if not self.registration:
            raise RegistrationClosed()
        encoded = await self.passwords.hash(body.password, call.network)
        async with self.db.transaction() as tx:
            await addresses.free(tx, body.email)
            user = await accounts.register(tx, body.username, body.email, encoded, False)
            if self.mails is not None and not await self.guard.mail_wait(tx, call):
                await self.mails.ask(tx, user, Wanted("confirm", body.email))
        return Created(f"/api/v1/user/{user}")

    @route("PUT", "/user/<guid:user>/password", allow=SELF, raises=(WrongPassword, TooManyAttempts))
    async def change_password(self, call: Call, user: str, body: PasswordChange) -> None:
        """Change the password, and end all other log-ins, and the links in mails that set a
        password or change the address."""
        found = required(await self.guard.by_id(call, user, body.current), WrongPassword)
        encoded = await self.passwords.hash(body.new, call.network)
        async with self.db.transaction() as tx:
            if not await accounts.set_password(tx, user, found.password_hash, encoded):
                raise await unproved(tx, user)  # another change was first
            await mails.end_links(tx, user)
            others = await sessions.revoke_all(tx, user, call.session)
            self.revocation.end(tx, others)
