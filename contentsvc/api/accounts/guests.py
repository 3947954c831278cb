"""Guests become full accounts (accounts#guests)."""

from msgspec import Struct

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.usernames import NO_NAMES, ReservedNames
from contentsvc.api.call import Call
from contentsvc.api.checks import check_mailable, required
from contentsvc.api.errors import (
    AddressNotMailable,
    EmailTaken,
    MailUnavailable,
    NotAGuest,
    RegistrationClosed,
    TooManyAttempts,
    UsernameTaken,
    account_deleted,
)
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import SELF
from contentsvc.framework.http.route import route
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.push.revocation import Revocation
from contentsvc.store.accounts import addresses, guests, sessions
from contentsvc.store.accounts.mails import Mails, Wanted
from contentsvc.wire.accounts import FullAccount


class FullAccounts(Struct):
    """What makes a guest a full account: a name, an address and a password. Without `mails` no
    address is confirmed."""

    db: Database
    passwords: Passwords
    auth: Authenticator
    revocation: Revocation
    mails: Mails | None
    registration: bool
    reserved: ReservedNames = NO_NAMES

    @route(
        "PUT",
        "/user/<guid:user>/account",
        allow=SELF,
        raises=(
            RegistrationClosed,
            UsernameTaken,
            EmailTaken,
            NotAGuest,
            AddressNotMailable,
            MailUnavailable,
            TooManyAttempts,
        ),
    )
    async def put_account(self, call: Call, user: str, body: FullAccount) -> None:
        """Make a guest a full account, which keeps all that the guest has. The rules are those of a
        registration. The guest's secret and all other log-ins end. A repeat changes nothing: name,
        address and password must then be those of the account. A log-in by a portal code is
        refused, because a link must not make anybody keep a stranger's guest."""
        check_own_log_in(call)
        own = required(await guests.account(self.db, user), account_deleted)
        if own.guest and await self._register(call, own, body):
            return
        await self._repeated(call, user, body)

    async def _register(self, call: Call, own: guests.Account, body: FullAccount) -> bool:
        """Make the guest a full account. False if another request was first."""
        if not self.registration:
            raise RegistrationClosed()
        if body.username in self.reserved:
            raise UsernameTaken("This username is reserved.")
        await check_mailable(self.mails, body.email)
        encoded = await self.passwords.hash(body.password, call.network)
        async with self.db.transaction() as tx:
            await addresses.lock(tx, own.id, body.email)
            if not await guests.is_guest(tx, own.id):
                return False
            await addresses.free(tx, body.email)
            await end_others(tx, self.revocation, call)
            await guests.register(tx, own.id, body.username, body.email, encoded)
            if self.mails is not None and not await self.auth.mail_wait(tx, call):
                await self.mails.ask(tx, own.id, Wanted("confirm", body.email))
        return True

    async def _repeated(self, call: Call, user: str, body: FullAccount) -> None:
        """Raises NotAGuest, unless the account has this name, address and password."""
        own = required(await guests.account(self.db, user), account_deleted)
        same = (own.username, own.email) == (body.username, body.email)
        if not same or await self.auth.by_id(call, user, body.password) is None:
            raise NotAGuest()


def check_own_log_in(call: Call) -> None:
    """Raises Forbidden if the caller's log-in is by a portal code, which another may have sent."""
    if call.in_game:
        raise Forbidden("The game makes a guest a full account, and no page that it has opened.")


async def end_others(tx: Db, revocation: Revocation, call: Call) -> None:
    """End all other log-ins of the caller, who becomes a full account in this transaction: before
    the secret is locked, as by those who renew."""
    revocation.end(tx, await sessions.revoke_all(tx, call.user, call.session))
