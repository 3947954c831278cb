"""OAuth: log-in, renewal, token exchange and log-out (accounts#tokens; RFC 6749, RFC 7009, RFC
8693)."""

import base64
import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import Struct, structs

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.devices import device_of
from contentsvc.api.accounts.identities import subject_of
from contentsvc.api.accounts.service_log_in import ServiceLogIn
from contentsvc.api.accounts.usernames import NO_NAMES, ReservedNames, guest_names, names
from contentsvc.api.call import Call
from contentsvc.api.checks import required
from contentsvc.api.errors import (
    AccountBanned,
    InvalidClient,
    InvalidGrant,
    InvalidScope,
    InvalidSubjectToken,
    InvalidTarget,
    TooManyAttempts,
    TooManyGuests,
    UnsupportedGrant,
    retry_after,
)
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import InvalidBody, Problem, Unavailable, UnderMaintenance
from contentsvc.framework.http.maintenance import Maintenance
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.framework.identity.subject import Subject
from contentsvc.push.revocation import Revocation
from contentsvc.roles import PLAYER
from contentsvc.store.accounts import guests, identities, service_accounts, sessions
from contentsvc.store.moderation import bans, decisions
from contentsvc.tokens import ACCESS_LIFETIME, InvalidToken, MailTokens, Tokens
from contentsvc.wire.accounts import CLIENT, SessionKind
from contentsvc.wire.oauth import (
    ACCESS_TOKEN,
    CLIENT_CREDENTIALS,
    EXCHANGE,
    GUEST,
    GUEST_SECRET,
    LEAST_DIFFERENT,
    Revoked,
    RevokeForm,
    ServiceToken,
    TokenAnswer,
    TokenForm,
)

REFRESH_LIFETIME = 30 * 24 * 3600
"""Seconds."""
_GRACE = 30
"""Seconds in which a spent refresh token is answered again: two requests at once, or a retry."""


class LogIn(NamedTuple):
    """The answer to a log-in or a renewal, and the seconds for which its refresh token is good."""

    answer: TokenAnswer
    lifetime: int


class OAuth(Struct):
    """Log-in, renewal and log-out, as OAuth has them."""

    db: Database
    auth: Authenticator
    tokens: Tokens
    revocation: Revocation
    mail_tokens: MailTokens
    per_user: int = 0  # the most sessions of a user; 0: any number
    maintenance: Maintenance | None = None
    reserved: ReservedNames = NO_NAMES
    guests_per_address: int | None = None  # 0: any number of new ones; None: there are no guests

    @route(
        "POST",
        "/oauth/token",
        allow=ANYONE,
        raises=(
            UnsupportedGrant,
            InvalidGrant,
            InvalidSubjectToken,
            InvalidTarget,
            TooManyAttempts,
            TooManyGuests,
            AccountBanned,
            InvalidClient,
            InvalidScope,
            UnderMaintenance,
        ),
    )
    async def create_token(self, call: Call, form: TokenForm) -> TokenAnswer | ServiceToken:
        """Log in with a password, or get new tokens for a refresh token (RFC 6749). Log in with a
        token of the studio's own accounts, or of Steam (RFC 8693): the first time, this makes a
        user, but not during maintenance. A log-in beyond the limit of a user ends the one that was
        used longest ago. With the secret of a guest (accounts#guests), this logs in the guest whom
        the secret made the first time. With `client_credentials`, a service account gets an access
        token (studio#service-accounts), and no refresh token."""
        if form.grant_type == CLIENT_CREDENTIALS:
            return await ServiceLogIn(self.db, self.tokens).grant(call, form)
        return (await self.log_in(call, form, CLIENT)).answer

    async def log_in(self, call: Call, form: TokenForm, kind: SessionKind) -> LogIn:
        """The tokens of a user, whose session is of this `kind` if it begins now."""
        if form.grant_type == "password":
            name = needed("username", form.username)
            password = needed("password", form.password)
            return LogIn(await self._log_in(call, name, password, kind), REFRESH_LIFETIME)
        if form.grant_type == "refresh_token":
            refresh = needed("refresh_token", form.refresh_token)
            return await self._renew(call, refresh, kind)
        if form.grant_type == EXCHANGE:
            return LogIn(await self._exchange(call, form, kind), REFRESH_LIFETIME)
        if form.grant_type == GUEST and self.guests_per_address is not None:
            most = self.guests_per_address
            return LogIn(await self._log_in_guest(call, form, most, kind), REFRESH_LIFETIME)
        raise UnsupportedGrant()

    async def _log_in(self, call: Call, name: str, password: str, kind: SessionKind) -> TokenAnswer:
        found = required(await self.auth.by_name(call, name, password), InvalidGrant)
        async with self.db.transaction() as tx:
            # The password may have been changed while it was checked, and the role too.
            role = required(
                await sessions.lock_user(tx, found.id, found.password_hash), InvalidGrant
            )
            return await self._begin(tx, call, found.id, role, kind)

    async def _exchange(self, call: Call, form: TokenForm, kind: SessionKind) -> TokenAnswer:
        token = needed("subject_token", form.subject_token)
        token_type = needed("subject_token_type", form.subject_token_type)
        if form.resource or form.audience:
            raise InvalidTarget()
        if form.actor_token:  # the answer would be a token of the wrong one of the two
            raise InvalidBody("actor_token is not supported.")
        if (form.requested_token_type or ACCESS_TOKEN) != ACCESS_TOKEN:
            raise InvalidBody(f"requested_token_type must be {ACCESS_TOKEN}.")
        subject = await subject_of(self.auth, call, token, token_type)
        for name in names(subject.name, self.reserved):
            try:
                async with self.db.transaction() as tx:
                    answer = await self._admit(tx, call, subject, name, kind)
            except Refused as error:
                # The name is taken, or another exchange has just made the user.
                if error.constraint not in {"users_username", "identities_subject"}:
                    raise
            else:
                return structs.replace(answer, issued_token_type=ACCESS_TOKEN)
        raise Unavailable(cause="lock")

    async def _admit(
        self, tx: Db, call: Call, subject: Subject, name: str, kind: SessionKind
    ) -> TokenAnswer:
        """Begin a session of the user to whom an account elsewhere is linked. If there is none,
        make one of this name. Raises UnderMaintenance, and as `_begin` and identities.join do."""
        account = subject.issuer, subject.subject
        owner = await identities.lock_owner(tx, *account)
        if owner is None:
            if self.maintenance is not None:
                self.maintenance.refuse()
            user = await identities.join(tx, name, *account)
            return await self._begin(tx, call, user, PLAYER, kind)
        return await self._begin(tx, call, owner.user, owner.role, kind)

    async def _log_in_guest(
        self, call: Call, form: TokenForm, most: int, kind: SessionKind
    ) -> TokenAnswer:
        """Log in the guest whom this secret has made, or make one, if the client's address has not
        made as many as `most`."""
        secret = needed("secret", form.secret)
        if not re.match(GUEST_SECRET, secret) or len({*secret}) < LEAST_DIFFERENT:
            raise InvalidBody(
                "secret must be 43 to 128 of A to Z, a to z, 0 to 9, _ and -, at least "
                f"{LEAST_DIFFERENT} different ones."
            )
        for name in guest_names():
            try:
                async with self.db.transaction() as tx:
                    user = await self._guest(tx, call, digest(secret), name, most)
                    answer = await self._begin(tx, call, user, PLAYER, kind, guest=True)
                    await guests.see(tx, user)
            except Refused as error:
                # The name is taken, or another request has just made the guest.
                if error.constraint not in {"users_username", "guest_secrets_hash"}:
                    raise
            else:
                return answer
        raise Unavailable(cause="lock")

    async def _guest(self, tx: Db, call: Call, secret: str, name: str, most: int) -> str:
        """The guest of a secret, who is locked, or a new one of this name. Raises InvalidGrant,
        UnderMaintenance, TooManyGuests, and as guests.make does."""
        known = await guests.lock_known(tx, secret)
        wait = 0
        if known is None:
            if self.maintenance is not None:
                self.maintenance.refuse()
            wait = await self.auth.guest_wait(tx, call, most)
            # Another request may have made it meanwhile: then it is no new one.
            known = await guests.lock_known(tx, secret) if wait else None
        if known is None:
            if wait:
                raise TooManyGuests(headers=retry_after(wait))
            return await guests.make(tx, name, secret)
        if not known.guest:
            raise InvalidGrant("This guest has become a full account: log in to that.")
        return known.user

    async def _begin(
        self, tx: Db, call: Call, user: str, role: str, kind: SessionKind, *, guest: bool = False
    ) -> TokenAnswer:
        """Begin a session of a user who is authenticated, and whose row is locked. Raises
        AccountBanned, Unavailable."""
        refresh = secrets.token_urlsafe(32)
        session = await self.begin(tx, call, user, refresh, REFRESH_LIFETIME, kind)
        if self.per_user:
            ended = await sessions.end_oldest(tx, user, self.per_user, session)
            if ended:
                self.revocation.end(tx, ended)
        return self._answer(user, session, role, refresh, guest=guest)

    async def begin(
        self, tx: Db, call: Call, user: str, refresh: str, lifetime: int, kind: SessionKind
    ) -> str:
        """Begin a session with this refresh token, and give its id. Raises as `_begin`."""
        device = device_of(call.user_agent)
        session = await sessions.begin(tx, user, digest(refresh), lifetime, device, kind)
        if session is None:
            raise await self._banned(tx, user)
        return session

    async def _banned(self, db: Db, user: str) -> Problem:
        """Why a user with the right password cannot log in."""
        ban = await bans.of_user(db, user)
        if ban is None or ban.reason is None:  # it has just ended
            return Unavailable(cause="lock")
        stands = await decisions.standing(db, "user", user, "ban")
        token = None
        if stands is not None and stands.appealable:
            token = self.mail_tokens.appeal(stands.id, user)
        end = ""
        if ban.until is not None:
            end = f" until {datetime.fromtimestamp(ban.until, UTC):%Y-%m-%d %H:%M:%S} UTC"
        return AccountBanned(
            f"The account is banned{end}: {ban.reason}",
            reason=ban.reason,
            until=ban.until,
            decision=None if stands is None else stands.id,
            user=user,
            appealToken=token,
        )

    async def _renew(self, call: Call, refresh: str, kind: SessionKind) -> LogIn:
        old = digest(refresh)
        async with self.db.transaction() as tx:
            token = await sessions.presented(tx, old)
            if token is None or not token.live:
                raise InvalidGrant()
            successor = await self._successor(tx, refresh, token, kind)
            if successor is None:
                # It was used before. One of the two users is a thief, so neither may go on.
                await sessions.revoke(tx, token.session_id)
                self.revocation.end(tx, [token.session_id])
            elif token.guest:
                await guests.see(tx, token.user_id)
        if successor is None:
            call.note("refresh-token-reused")
            raise InvalidGrant(
                "This refresh token was used before. Its session has been ended: log in again."
            )
        return self.admitted(token, successor)

    def admitted(self, token: sessions.Presented, refresh: str) -> LogIn:
        """The tokens of a session that goes on, the refresh token among them."""
        user, session, guest = token.user_id, token.session_id, token.guest
        if token.asked_by is None or token.left is None:
            answer = self._answer(user, session, token.role, refresh, guest=guest)
            return LogIn(answer, REFRESH_LIFETIME)
        access = self.tokens.issue_in_game(user, session, token.asked_by, token.left, guest=guest)
        lifetime = min(ACCESS_LIFETIME, token.left)
        return LogIn(TokenAnswer(access, "Bearer", lifetime, refresh, user), token.left)

    async def _successor(
        self, tx: Db, refresh: str, token: sessions.Presented, kind: SessionKind
    ) -> str | None:
        """The successor of a refresh token, whose row is locked: always the same one.

        None if the token is used again too late, or after its successor.
        """
        if token.spent_for is not None:
            # The salt goes after the grace. The clock may have been set back since.
            if token.salt is None or token.spent_for > _GRACE:
                return None
            successor = _derive(token.salt, refresh)
            return None if await sessions.is_spent(tx, digest(successor)) else successor
        salt = secrets.token_hex(32)
        successor = _derive(salt, refresh)
        spent, lifetime = digest(refresh), REFRESH_LIFETIME if token.asked_by is None else 0
        await sessions.rotate(tx, spent, token.session_id, digest(successor), lifetime, salt, kind)
        return successor

    def _answer(
        self, user: str, session: str, role: str, refresh: str, *, guest: bool
    ) -> TokenAnswer:
        access = self.tokens.issue(user, session, role, guest=guest)
        return TokenAnswer(access, "Bearer", ACCESS_LIFETIME, refresh, user)

    @route("POST", "/oauth/revoke", allow=ANYONE)
    async def revoke_token(self, call: Call, form: RevokeForm) -> Revoked:
        """Log out (RFC 7009). Either token ends the log-in. An unknown token is not an error."""
        await self.end(form.token)
        return Revoked()

    async def end(self, token: str) -> None:
        """End the log-in of a refresh token, or of an access token. An unknown one does nothing."""
        session = await sessions.session_of(self.db, digest(token))
        if session is None:
            try:
                caller = self.tokens.verify(token)
            except InvalidToken:
                return
            session = caller.session
            if caller.service:
                await service_accounts.end_token(self.db, session)
                self.revocation.end(self.db, [session])
                return
        await sessions.revoke(self.db, session)
        self.revocation.end(self.db, [session])


def needed(name: str, value: str | None) -> str:
    """The value of a member of the form. Raises InvalidBody if it is missing or empty."""
    if not value:
        raise InvalidBody(f"{name} is required for this grant_type.")
    return value


def _derive(salt: str, refresh: str) -> str:
    """The successor of a refresh token. Neither the token nor the database alone is enough to
    compute it."""
    code = hmac.digest(bytes.fromhex(salt), refresh.encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(code).decode().rstrip("=")


def digest(token: str) -> str:
    """SHA-256 in hex: the tokens are random, so nothing slower is needed."""
    return hashlib.sha256(token.encode()).hexdigest()
