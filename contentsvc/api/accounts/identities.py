"""Accounts elsewhere with which a user logs in (accounts#other-services)."""

from msgspec import Struct

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.guests import check_own_log_in, end_others
from contentsvc.api.accounts.reauthentication import (
    Proved,
    Token,
    proof_in,
    proved,
    token_of,
    unproved_body,
)
from contentsvc.api.accounts.usernames import NO_NAMES, ReservedNames, names
from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, required
from contentsvc.api.errors import (
    IdentityTaken,
    InvalidSubjectToken,
    LastIdentity,
    TooManyAttempts,
    TooManyRequests,
    UsernameTaken,
    UserNotFound,
    WrongPassword,
)
from contentsvc.api.paging import numbered, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.decode import Either
from contentsvc.framework.http.errors import Unavailable
from contentsvc.framework.http.permissions import ANYONE, SELF
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.identity import issuer, subject
from contentsvc.framework.identity.subject import Subject
from contentsvc.push.revocation import Revocation
from contentsvc.store import rate_limits
from contentsvc.store.accounts import guests, identities, mails
from contentsvc.store.accounts.mails import Account, Mails, Purpose
from contentsvc.store.rate_limits import LINKS
from contentsvc.wire.accounts import (
    GuestLink,
    Identity,
    LinkByPassword,
    LinkByToken,
    LogInIssuer,
    PasswordProof,
    TokenProof,
)
from contentsvc.wire.base import Part


class Identities(Struct):
    """The accounts elsewhere that are linked to a user. Without `mails` nobody is notified of
    links. A guest who becomes a full account gets none of the `reserved` names."""

    db: Database
    auth: Authenticator
    revocation: Revocation
    mails: Mails | None
    reserved: ReservedNames = NO_NAMES

    @route("GET", "/user/<guid:user>/identities", allow=SELF)
    async def list_identities(self, call: Call, user: str, query: Part) -> Listed[Identity]:
        """List the accounts of other services that are linked to the user, newest first."""
        rows = await identities.of_user(self.db, user, position(query), query.limit)
        return numbered(rows, query)

    @route(
        "POST",
        "/user/<guid:user>/identities",
        allow=SELF,
        raises=(
            UserNotFound,
            InvalidSubjectToken,
            WrongPassword,
            IdentityTaken,
            UsernameTaken,
            TooManyAttempts,
            TooManyRequests,
        ),
    )
    async def link_identity(
        self, call: Call, user: str, body: Either[LinkByPassword | LinkByToken | GuestLink]
    ) -> None:
        """Link an account of another service to the user, who can then log in with it. Its
        `subject_token` proves that it is the user's. The body also has the password. If the user
        has none, it has a `proof_token` of an account that was linked before. A repeat changes
        nothing, and needs no proof. A mail to the confirmed address reports the link.

        A guest needs no proof, and becomes a full account, with this `username` or else one as at a
        first log-in. The guest's secret and all other log-ins end.
        """
        sent = body.decode(GuestLink)
        token = token_of(sent)
        if await guests.is_guest(self.db, user):
            check_own_log_in(call)
            if await self._become_full(call, user, token, sent.username):
                return
        given = proof_in(body)
        subject = await subject_of(self.auth, call, *token)
        if await identities.owner(self.db, subject.issuer, subject.subject) == user:
            return
        if given is None:
            raise unproved_body()
        proof = await proved(self.db, self.auth, call, user, given)
        async with self.db.transaction() as tx:
            account = await self._lock(tx, user)
            await self._still(tx, user, account, proof)
            if await identities.link(tx, user, subject.issuer, subject.subject):
                await self._send_mail(tx, "linked", user, account, subject.issuer)
            elif await identities.owner(tx, subject.issuer, subject.subject) != user:
                raise IdentityTaken()

    async def _become_full(self, call: Call, user: str, token: Token, name: str | None) -> bool:
        """Make a guest a full account with this account elsewhere, and with this name or else one
        as at a first log-in. False if another request was first."""
        if name is not None and name in self.reserved:
            raise UsernameTaken("This username is reserved.")
        subject = await subject_of(self.auth, call, *token)
        account = subject.issuer, subject.subject
        for each in names(subject.name, self.reserved) if name is None else [name]:
            try:
                async with self.db.transaction() as tx:
                    if not await guests.lock(tx, user):
                        return False
                    await end_others(tx, self.revocation, call)
                    if not await guests.join(tx, user, each, *account):
                        raise IdentityTaken()
            except Refused as error:
                if name is not None or error.constraint != "users_username":
                    raise
            else:
                return True
        raise Unavailable(cause="lock")

    @route(
        "DELETE",
        "/user/<guid:user>/identities/<guid:identity>",
        allow=SELF,
        raises=(UserNotFound, WrongPassword, LastIdentity, TooManyAttempts, TooManyRequests),
    )
    async def unlink_identity(
        self, call: Call, user: str, identity: str, body: Either[PasswordProof | TokenProof]
    ) -> None:
        """Unlink an account of another service. The body has the password. If the user has none, it
        has a `proof_token` of a linked account. A mail to the confirmed address reports it. If
        there is no such link, this is not an error, and needs no proof."""
        ways = required(await identities.ways(self.db, user, identity), UserNotFound)
        if not ways.this:
            return
        given = proof_in(body)
        if given is None:
            raise unproved_body()
        try:
            proof = await proved(self.db, self.auth, call, user, given)
        except WrongPassword:
            # Another deletion, which was first, may have taken the account that would be the proof.
            now = await identities.ways(self.db, user, identity)
            if now is not None and not now.this:
                return
            if not ways.last and now is not None and now.last:
                raise LastIdentity() from None
            raise
        async with self.db.transaction() as tx:
            # Two deletions at once must not take the last two, nor a password that is just coming
            # be overlooked.
            account = await self._lock(tx, user)
            still = await identities.ways(tx, user, identity)
            if still is None or not still.this:
                return
            if still.last:
                raise LastIdentity()
            await self._still(tx, user, account, proof)
            issuer = await identities.unlink(tx, user, identity)
            await self._send_mail(tx, "unlinked", user, account, issuer or "")

    async def _lock(self, tx: Db, user: str) -> Account:
        """The user's account, which stays as it is until the transaction ends. Raises
        UserNotFound."""
        return required(await mails.lock(tx, user), UserNotFound)

    async def _still(self, tx: Db, user: str, account: Account, proof: Proved) -> None:
        """Raises WrongPassword if the password was changed, or the account elsewhere unlinked,
        while it was checked."""
        if not await proof.holds(tx, user, account.password_hash):
            raise WrongPassword()

    async def _send_mail(
        self, tx: Db, purpose: Purpose, user: str, account: Account, issuer: str
    ) -> None:
        if self.mails is not None and account.email is not None and account.confirmed:
            # A mail that is not sent would be worse than a link that is not made.
            check_wait(await rate_limits.take(tx, LINKS, user, LINKS.most))
            await self.mails.put(tx, purpose, user, account.email, issuer)


async def subject_of(auth: Authenticator, call: Call, token: str, token_type: str) -> Subject:
    """The account elsewhere that a token proves. Raises InvalidSubjectToken (the problem),
    TooManyAttempts, IdentityUnavailable."""
    try:
        return await auth.subject(call, token, token_type)
    except subject.InvalidSubjectToken as error:
        raise InvalidSubjectToken(str(error)) from None


class Issuers(Struct):
    """Those of the operator's file that have a name and a client id."""

    issuers: issuer.Issuers

    @route("GET", "/issuers", allow=ANYONE)
    async def list_issuers(self, call: Call) -> list[LogInIssuer]:
        """List the issuers with which a page can log in, in the order of the operator's file. The
        endpoints of an issuer that has not answered since the start are null: ask again."""
        return [_shown(one) for one in self.issuers.for_pages]


def _shown(one: issuer.Issuer) -> LogInIssuer:
    settings, endpoints = one.settings, one.endpoints
    return LogInIssuer(
        settings.name or "",
        settings.issuer,
        settings.client_id or "",
        None if endpoints is None else endpoints.authorization,
        None if endpoints is None else endpoints.token,
        endpoints is not None and endpoints.sends_iss,
    )
