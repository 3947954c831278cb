"""Accounts: users, their passwords, addresses, sessions and linked accounts; service accounts."""

from collections.abc import Iterable
from typing import Any, Final

from contentsvc.client.calls import Family, Page, Seen, quoted
from contentsvc.wire.accounts import (
    ConnectAnswer,
    ConnectBody,
    EmailChange,
    EmailChangeBySubject,
    EmailConfirmation,
    Export,
    FullAccount,
    FullUser,
    GuestLink,
    Identity,
    LinkByPassword,
    LinkByToken,
    LogInIssuer,
    NewServiceSecret,
    PasswordChange,
    PasswordProof,
    PasswordReset,
    PasswordResetRequest,
    PortalCode,
    PortalCodeBody,
    Registration,
    ServiceAccount,
    ServiceAccountBody,
    ServiceMe,
    Session,
    SubjectProof,
    TokenProof,
    UserIds,
    UserInfo,
    UserMe,
    UsernameChange,
    UserPage,
    UserSearch,
    UserUpdate,
)
from contentsvc.wire.base import Part
from contentsvc.wire.legal import TermsAcceptance

MOST_EXPORT: Final = 1024**3
"""Bytes of an export that are read, if nothing else is said. The service streams it, so that it may
be longer than other answers."""
_ME: Any = UserMe | ServiceMe
_ANYWHERE: Final = PortalCodeBody()


class Accounts(Family):
    """The user's account."""

    async def register(self, body: Registration) -> str:
        """Make an account. Returns the id of its user. Does not log in."""
        return await self._calls.create("/user", body)

    async def accept_terms(self, body: TermsAcceptance) -> None:
        """Accept the present version of the terms of the service."""
        await self._calls.send("PUT", f"/user/{self._calls.user}/terms", body)

    async def change_password(self, body: PasswordChange) -> None:
        """Change the user's own password. This ends the user's other sessions."""
        path = f"/user/{self._calls.user}/password"
        await self._calls.send("PUT", path, body, operation="changePassword")

    async def put_account(self, body: FullAccount) -> None:
        """Make a full account of the guest who is signed in. It keeps all that it has. Its secret
        and its other sessions end. Raises ApiError (`username_taken`, `email_taken`,
        `not_a_guest`)."""
        await self._calls.send("PUT", f"/user/{self._calls.user}/account", body)


class Users(Family):
    """Users and their profiles."""

    async def search(self, query: UserSearch) -> UserPage:
        """Find users by name (accounts#search)."""
        return await self._calls.get("/user/search", UserPage, query)

    async def list(self, ids: Iterable[str]) -> list[UserInfo]:
        """Get the public infos of 1 to 100 users, in this order, without those that do not
        exist."""
        return await self._calls.get("/user", list[UserInfo], UserIds(ids=",".join(ids)))

    async def get_info(self, user: str) -> UserInfo:
        """Get a user's public info (accounts#user-info)."""
        return await self._calls.get(f"/user/{quoted(user)}/info", UserInfo)

    async def get(self, *, seen: Seen | None = None) -> FullUser:
        """Get the user's own complete record (accounts#full-record)."""
        return await self._calls.get(f"/user/{self._calls.user}", FullUser, seen=seen)

    async def get_me(self) -> UserMe | ServiceMe:
        """Get who is signed in, a user or a service account, and what they may do."""
        found: UserMe | ServiceMe = await self._calls.get("/me", _ME)
        return found

    async def update(
        self, body: UserUpdate, user: str | None = None, *, seen: Seen | None = None
    ) -> None:
        """Change a user's avatar, emblem and profile (accounts#update). Admins may change any
        user's."""
        await self._calls.send("PUT", f"/user/{quoted(user or self._calls.user)}", body, seen=seen)

    async def set_username(self, username: str, user: str | None = None) -> None:
        """Change a user's name. Moderators may change that of a player."""
        path = f"/user/{quoted(user or self._calls.user)}/username"
        await self._calls.send("PUT", path, UsernameChange(username=username))


class Emails(Family):
    """The user's address, and what a mail to it can do. The tokens are those of mailed links."""

    async def request_password_reset(self, body: PasswordResetRequest) -> None:
        """Have a mail sent to the account with this address, if there is one, with a link to set a
        new password."""
        await self._calls.send("POST", "/user/password-reset", body)

    async def reset_password(self, body: PasswordReset) -> None:
        """Set a new password. This ends all sessions of the user."""
        await self._calls.send("PUT", "/user/password-reset", body, operation="resetPassword")

    async def change(self, body: EmailChange | EmailChangeBySubject) -> None:
        """Have a mail sent to the user's new address, with a link to confirm it."""
        await self._calls.send(
            "PUT", f"/user/{self._calls.user}/email", body, operation="changeEmail"
        )

    async def request_verification(self) -> None:
        """Send the mail again that confirms the user's address."""
        await self._calls.send("POST", f"/user/{self._calls.user}/email/verification")

    async def verify(self, body: EmailConfirmation) -> None:
        """Confirm an address."""
        await self._calls.send("PUT", "/user/email/verification", body)


class Identities(Family):
    """The accounts of other services that are linked to the user (accounts#accounts)."""

    async def list_issuers(self) -> list[LogInIssuer]:
        """List the issuers with which a page can log in."""
        return await self._calls.get("/issuers", list[LogInIssuer])

    async def list(self, query: Part | None = None) -> Page[Identity]:
        """List a part of them, newest first."""
        return await self._calls.page(self._path, Identity, query)

    async def link(self, body: LinkByPassword | LinkByToken | GuestLink | SubjectProof) -> None:
        """Link the account that the subject token proves to the user. It takes the password too,
        or where there is none a token of an account that was linked before. If it is linked to the
        user already, the subject token is enough. A guest becomes a full account with it. Raises
        ApiError (`identity_taken`, `invalid_subject_token`, `wrong_password`)."""
        await self._calls.send("POST", self._path, body, operation="linkIdentity")

    async def unlink(self, identity: str, body: PasswordProof | TokenProof) -> None:
        """Take a link away, with the password, or where there is none with a token of an account
        that is linked. Raises ApiError (`last_identity`, `wrong_password`)."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(identity)}", body)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/identities"


class Sessions(Family):
    """The user's sessions. A session is one log-in with its renewals."""

    async def connect(self, body: ConnectBody, *, repeat: bool | None = None) -> ConnectAnswer:
        """Get the address of the session socket, and a token for it (socket#session-connect).
        `client.notifications.listen` does this, and opens it."""
        return await self._calls.ask(
            "/session/connect", body, ConnectAnswer, operation="connectSession", repeat=repeat
        )

    async def list(self) -> list[Session]:
        """List the user's sessions that have not ended."""
        return await self._calls.get(self._path, list[Session])

    async def end(self, session: str) -> None:
        """End a session. It may be the present one."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(session)}")

    async def end_other(self) -> None:
        """End all sessions except the present one."""
        await self._calls.send("DELETE", self._path)

    async def create_portal_code(
        self, body: PortalCodeBody = _ANYWHERE, *, repeat: bool | None = None
    ) -> PortalCode:
        """Get a code with which the portal logs the user in, and the URL with which a game's web
        view opens it: once, within a minute, while the present session goes on. Without `then` the
        portal leads to its first page."""
        path = f"/user/{self._calls.user}/portal-codes"
        return await self._calls.ask(
            path, body, PortalCode, operation="createPortalCode", repeat=repeat
        )

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/sessions"


class AccountDeletion(Family):
    """The end of the user's account."""

    async def export(self, most: int = MOST_EXPORT) -> Export:
        """All that the service holds of the user. Raises ApiError `answer_too_large` if it has more
        than `most` bytes."""
        return await self._calls.get(f"/user/{self._calls.user}/export", Export, most=most)

    async def delete(self, body: PasswordProof | SubjectProof | None = None) -> None:
        """Delete the user's own account, for good. An account without a password takes a token of
        another service, whose account is linked to it, and a guest neither."""
        await self._calls.send("DELETE", f"/user/{self._calls.user}", body, operation="deleteUser")


class ServiceAccounts(Family):
    """Service accounts and their secrets, as admins keep them (studio#service-accounts)."""

    async def list(self, query: Part | None = None) -> Page[ServiceAccount]:
        """List a part of them, newest first."""
        return await self._calls.page("/service-accounts", ServiceAccount, query)

    async def get(self, account: str, *, seen: Seen | None = None) -> ServiceAccount:
        """Get a service account."""
        return await self._calls.get(_service_account(account), ServiceAccount, seen=seen)

    async def put(
        self, account: str, body: ServiceAccountBody, *, seen: Seen | None = None
    ) -> None:
        """Make a service account with a GUID of the caller's, or replace what it has. Raises
        ApiError (`name_taken`)."""
        await self._calls.send("PUT", _service_account(account), body, seen=seen)

    async def delete(self, account: str) -> None:
        """Delete a service account, and end its tokens."""
        await self._calls.send("DELETE", _service_account(account))

    async def create_secret(self, account: str) -> NewServiceSecret:
        """Make a secret: its value is shown this once. Raises ApiError (`too_many_secrets`)."""
        return await self._calls.ask(f"{_service_account(account)}/secrets", None, NewServiceSecret)

    async def delete_secret(self, account: str, secret: str) -> None:
        """Delete a secret, and end the tokens that it gave."""
        await self._calls.send("DELETE", f"{_service_account(account)}/secrets/{quoted(secret)}")


def _service_account(account: str) -> str:
    return f"/service-accounts/{quoted(account)}"
