"""Registration, passwords and e-mail addresses (accounts#registration, accounts#mail).

Much of it is done by mail. The mails are made and sent by contentsvc.jobs.mails.
"""

from typing import Final

from msgspec import Struct

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.reauthentication import form_of, proof_of, proved, unproved
from contentsvc.api.accounts.terms import NO_TERMS, TermsRules
from contentsvc.api.accounts.usernames import NO_NAMES, ReservedNames
from contentsvc.api.call import Call
from contentsvc.api.checks import check_mailable, check_wait, required
from contentsvc.api.errors import (
    AddressNotMailable,
    EmailTaken,
    GuestAccount,
    InvalidMailedToken,
    MailUnavailable,
    RegistrationClosed,
    TooManyAttempts,
    TooManyRequests,
    UnknownVersion,
    UsernameTaken,
    UserNotFound,
    WrongPassword,
    retry_after,
)
from contentsvc.api.guests import NO_GUESTS, GuestRules
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.permissions import ANYONE, SELF
from contentsvc.framework.http.reply import Created
from contentsvc.framework.http.route import route
from contentsvc.framework.identity.passwords import Passwords
from contentsvc.push.revocation import Revocation
from contentsvc.roles import PLAYER
from contentsvc.store import rate_limits
from contentsvc.store.accounts import (
    addresses,
    credentials,
    identities,
    log_in_attempts,
    mails,
    sessions,
    terms,
)
from contentsvc.store.accounts.mails import Link, Mails, Wanted
from contentsvc.store.rate_limits import CONFIRMATIONS
from contentsvc.tokens import EMAIL, RESET, MailTokens
from contentsvc.wire.accounts import (
    EmailChange,
    EmailChangeBySubject,
    EmailConfirmation,
    PasswordChange,
    PasswordReset,
    PasswordResetRequest,
    Registration,
)

_UNSET: Final = 3600
"""Seconds after which to ask a service again that sends no mail: an operator may change that."""


class Accounts(Struct):
    """What an account is found and proved by: its address and its password."""

    db: Database
    passwords: Passwords
    auth: Authenticator
    revocation: Revocation
    tokens: MailTokens
    mails: Mails | None  # None: the service sends none
    registration: bool
    reserved: ReservedNames = NO_NAMES
    guests: GuestRules = NO_GUESTS
    terms: TermsRules = NO_TERMS

    @property
    def _sending(self) -> Mails:
        if self.mails is None:
            raise MailUnavailable(headers=retry_after(_UNSET))
        return self.mails

    @route(
        "POST",
        "/user",
        allow=ANYONE,
        raises=(
            RegistrationClosed,
            UsernameTaken,
            EmailTaken,
            AddressNotMailable,
            UnknownVersion,
            MailUnavailable,
        ),
    )
    async def register_user(self, call: Call, body: Registration) -> Created:
        """Register a user. If the service sends mail, a mail with a link to confirm the address
        goes to it, unless the client's address or the mailbox has asked for too many. The service
        must be able to send mail to the address."""
        if not self.registration:
            raise RegistrationClosed()
        if body.username in self.reserved:
            raise UsernameTaken("This username is reserved.")
        if body.terms is not None:
            self.terms.check_version(body.terms)
        await check_mailable(self.mails, body.email)
        encoded = await self.passwords.hash(body.password, call.network)
        async with self.db.transaction() as tx:
            await addresses.free(tx, body.email)
            user = await credentials.register(tx, body.username, body.email, encoded, PLAYER)
            if body.terms is not None:
                await terms.accept(tx, user, body.terms)
            if self.mails is not None and not await self.auth.mail_wait(tx, call):
                await self.mails.ask(tx, user, Wanted("confirm", body.email))
        return Created(f"/api/v1/user/{user}")

    @route(
        "PUT",
        "/user/<guid:user>/password",
        allow=SELF,
        raises=(GuestAccount, WrongPassword, TooManyAttempts),
    )
    async def change_password(self, call: Call, user: str, body: PasswordChange) -> None:
        """Change the password. This ends all other log-ins, and the links in mails that set a
        password or change the address."""
        await self.guests.check_full(self.db, user)
        found = required(await self.auth.by_id(call, user, body.current), WrongPassword)
        encoded = await self.passwords.hash(body.new, call.network)
        async with self.db.transaction() as tx:
            if not await credentials.set_password(tx, user, found.password_hash, encoded):
                raise await unproved(tx, user)  # another change was first
            await mails.end_links(tx, user)
            others = await sessions.revoke_all(tx, user, call.session)
            self.revocation.end(tx, others)

    @route("POST", "/user/password-reset", allow=ANYONE, raises=(MailUnavailable, TooManyRequests))
    async def request_password_reset(self, call: Call, body: PasswordResetRequest) -> None:
        """Send a mail with a link to set a new password, if an account has this address. The link
        is good once, for an hour. The answer is the same if no account has it."""
        sending = self._sending
        await self.auth.mail(self.db, call)
        await sending.put(self.db, "reset", None, body.email)

    @route("PUT", "/user/password-reset", allow=ANYONE, raises=(InvalidMailedToken,))
    async def reset_password(self, call: Call, body: PasswordReset) -> None:
        """Set a new password, with the token of a mailed link. This ends all log-ins, lifts the
        limit of failed log-ins, and confirms the address. It unlinks the accounts elsewhere that
        were linked since the user last proved to receive mail at this address, or before the first
        such proof; it does not unlink the one that the account was made with."""
        id = self.tokens.read(RESET, body.token)
        # The hash is made only for who has a link: it is expensive.
        link = id and await mails.link(self.db, id, ["reset"])
        if not id or not link:
            raise InvalidMailedToken()
        encoded = await self.passwords.hash(body.new, call.network)
        async with self.db.transaction() as tx:
            user = link.user_id
            account = await mails.lock(tx, user)
            if account is None or not await addresses.reset(tx, user, link.email, encoded):
                raise InvalidMailedToken()
            if not await mails.use(tx, id):
                raise InvalidMailedToken()
            await mails.end_links(tx, user)
            # Somebody else than the owner of the mailbox may have linked them, and must have no
            # way back in.
            unlinked = await identities.unlink_doubtful(tx, user)
            await identities.keep(tx, user, account.confirmed)
            if unlinked and self.mails is not None:
                await self.mails.put(tx, "unlinked", user, link.email, unlinked)
            await log_in_attempts.forget(tx, user)
            self.revocation.end(tx, await sessions.revoke_all(tx, user, None))

    @route(
        "PUT",
        "/user/<guid:user>/email",
        allow=SELF,
        raises=(
            GuestAccount,
            MailUnavailable,
            UserNotFound,
            WrongPassword,
            EmailTaken,
            AddressNotMailable,
            TooManyAttempts,
            TooManyRequests,
        ),
    )
    async def change_email(
        self, call: Call, user: str, body: Either[EmailChange | EmailChangeBySubject]
    ) -> None:
        """Ask for a new address. A mail with a link goes to it; the address changes when that link
        is used. The body has the password. If the account has none, it has a `subject_token` of a
        linked account elsewhere."""
        given = form_of(body, EmailChange, EmailChangeBySubject)
        await self.guests.check_full(self.db, user)
        sending = self._sending
        found = await proved(self.db, self.auth, call, user, proof_of(given))
        await check_mailable(sending, given.email)
        async with self.db.transaction() as tx:
            account = required(await mails.lock(tx, user), UserNotFound)
            if not await found.holds(tx, user, account.password_hash):
                raise WrongPassword()  # it was changed, or unlinked, while it was checked
            if await addresses.taken(tx, user, given.email):
                raise EmailTaken()
            await mails.end_changes(tx, user)
            await self._ask(tx, call, sending, user, Wanted("change", given.email))

    @route(
        "POST",
        "/user/<guid:user>/email/verification",
        allow=SELF,
        raises=(MailUnavailable, UserNotFound, TooManyRequests),
    )
    async def request_email_verification(self, call: Call, user: str) -> None:
        """Send again the mail that confirms the account's address, and the one that confirms a new
        address. If there is nothing to confirm, no mail is sent."""
        sending = self._sending
        async with self.db.transaction() as tx:
            account = required(await mails.lock(tx, user), UserNotFound)
            wanted = await mails.wanted(tx, user)
            unconfirmed = None if account.confirmed else account.email
            if wanted is None and unconfirmed is None:
                return
            asked = [] if wanted is None else [Wanted("change", wanted)]
            asked += [] if unconfirmed is None else [Wanted("confirm", unconfirmed)]
            await self._ask(tx, call, sending, user, *asked)

    @route(
        "PUT",
        "/user/email/verification",
        allow=ANYONE,
        raises=(InvalidMailedToken, EmailTaken),
    )
    async def verify_email(self, call: Call, body: EmailConfirmation) -> None:
        """Confirm an address, with the token of a mailed link. If it is a new address, it becomes
        the account's. To confirm it again changes nothing."""
        id = self.tokens.read(EMAIL, body.token)
        if id is None:
            raise InvalidMailedToken()
        async with self.db.transaction() as tx:
            link = required(await mails.link(tx, id, ["confirm", "change"]), InvalidMailedToken)
            if link.purpose == "change":
                await self._change(tx, id, link)
            else:
                before = await mails.lock(tx, link.user_id)
                if not await addresses.confirm(tx, link.user_id, link.email):
                    raise InvalidMailedToken()
                if before is not None and not before.confirmed:
                    await identities.keep(tx, link.user_id, False)

    async def _change(self, tx: Db, id: str, link: Link) -> None:
        user, email = link.user_id, link.email
        await addresses.lock(tx, user, email)
        # Again, now that nothing changes any more.
        if await mails.link(tx, id, ["change"]) is None:
            raise InvalidMailedToken()
        before = required(await mails.lock(tx, user), InvalidMailedToken)
        if before.confirmed and before.email == email:
            return
        await addresses.free(tx, email)
        await addresses.change(tx, user, email)
        await identities.keep(tx, user, before.confirmed)
        # They were mailed to the address before.
        await mails.end_resets(tx, user)
        if self.mails is None or before.email is None or not before.confirmed:
            return
        if before.email.lower() != email.lower():
            await self.mails.put(tx, "changed", user, before.email)

    async def _ask(self, tx: Db, call: Call, sending: Mails, user: str, *asked: Wanted) -> None:
        """Have mails sent, if the limits of the user, of the client's address and of the mailboxes
        allow it. Raises TooManyRequests."""
        check_wait(await rate_limits.take(tx, CONFIRMATIONS, user, CONFIRMATIONS.most))
        await self.auth.mail(tx, call)
        check_wait(await sending.ask(tx, user, *asked))
