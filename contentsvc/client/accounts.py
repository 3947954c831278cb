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
"""The most bytes of an export that are read by default. The service streams exports, so they may be
longer than other answers."""
_ME: Any = UserMe | ServiceMe
_ANYWHERE: Final = PortalCodeBody()


class Accounts(Family):
    """The user's account."""

    async def register(self, body: Registration) -> str:
        """Make an account (accounts#registration). Returns the id of its user. Does not log in."""
        return await self._calls.create("/user", body)

    async def accept_terms(self, body: TermsAcceptance) -> None:
        """Accept the present version of the terms of the service (notices#terms)."""
        await self._calls.send("PUT", f"/user/{self._calls.user}/terms", body)

    async def change_password(self, body: PasswordChange) -> None:
        """Change the user's own password. This ends the user's other sessions."""
        path = f"/user/{self._calls.user}/password"
        await self._calls.send("PUT", path, body, operation="changePassword")

    async def put_account(self, body: FullAccount) -> None:
        """Make the guest who is signed in a full account, which keeps all that the guest has
        (accounts#guests). The guest's secret and other sessions end. Raises ApiError
        (`username_taken`, `email_taken`, `not_a_guest`)."""
        await self._calls.send("PUT", f"/user/{self._calls.user}/account", body)


class Users(Family):
    """Users and their profiles."""

    async def search(self, query: UserSearch) -> UserPage:
        """Find users by name (accounts#search)."""
        return await self._calls.get("/user/search", UserPage, query)

    async def list(self, ids: Iterable[str]) -> list[UserInfo]:
        """Get the public infos of 1 to 100 users, in the order of `ids`. Users who do not exist are
        left out."""
        return await self._calls.get("/user", list[UserInfo], UserIds(ids=",".join(ids)))

    async def get_info(self, user: str) -> UserInfo:
        """Get a user's public info (accounts#user-info)."""
        return await self._calls.get(f"/user/{quoted(user)}/info", UserInfo)

    async def get(self, *, seen: Seen | None = None) -> FullUser:
        """Get the user's own complete record (accounts#full-record)."""
        return await self._calls.get(f"/user/{self._calls.user}", FullUser, seen=seen)

    async def get_me(self) -> UserMe | ServiceMe:
        """Get who is signed in, a user or a service account, and their permissions or scopes
        (accounts#me)."""
        found: UserMe | ServiceMe = await self._calls.get("/me", _ME)
        return found

    async def update(
        self, body: UserUpdate, user: str | None = None, *, seen: Seen | None = None
    ) -> None:
        """Change a user's avatar, emblem and profile (accounts#update). Admins may change any
        user's."""
        await self._calls.send("PUT", f"/user/{quoted(user or self._calls.user)}", body, seen=seen)

    async def set_username(self, username: str, user: str | None = None) -> None:
        """Change a user's name (accounts#names). Moderators may change the name of a player."""
        path = f"/user/{quoted(user or self._calls.user)}/username"
        await self._calls.send("PUT", path, UsernameChange(username=username))


class Emails(Family):
    """The user's address, and the mails that the service sends to it (accounts#mail). The tokens in
    the bodies come from the links in these mails."""

    async def request_password_reset(self, body: PasswordResetRequest) -> None:
        """Ask for a mail with a link to set a new password. The service sends it if an account has
        this address; the answer does not say whether one has."""
        await self._calls.send("POST", "/user/password-reset", body)

    async def reset_password(self, body: PasswordReset) -> None:
        """Set a new password, with the token of a mailed link. This ends all sessions of the
        user."""
        await self._calls.send("PUT", "/user/password-reset", body, operation="resetPassword")

    async def change(self, body: EmailChange | EmailChangeBySubject) -> None:
        """Ask for a new address. The service sends a mail to it, with a link to confirm it; the
        user keeps the old address until then."""
        await self._calls.send(
            "PUT", f"/user/{self._calls.user}/email", body, operation="changeEmail"
        )

    async def request_verification(self) -> None:
        """Send the mail again that confirms the user's address."""
        await self._calls.send("POST", f"/user/{self._calls.user}/email/verification")

    async def verify(self, body: EmailConfirmation) -> None:
        """Confirm an address, with the token of a mailed link."""
        await self._calls.send("PUT", "/user/email/verification", body)


class Identities(Family):
    """The accounts of other services that are linked to the user (accounts#other-services)."""

    async def list_issuers(self) -> list[LogInIssuer]:
        """List the issuers with which a web page can log in."""
        return await self._calls.get("/issuers", list[LogInIssuer])

    async def list(self, query: Part | None = None) -> Page[Identity]:
        """List a part of the linked accounts, newest first."""
        return await self._calls.page(self._path, Identity, query)

    async def link(self, body: LinkByPassword | LinkByToken | GuestLink | SubjectProof) -> None:
        """Link an account of another service to the user. The subject token proves that the account
        is the user's. The body also needs a proof of the user's own (accounts#proofs): the
        password, or, for a user without one, a token of an account that is linked already. To
        repeat a link, the subject token is enough. A guest becomes a full account. Raises ApiError
        (`identity_taken`, `invalid_subject_token`, `wrong_password`)."""
        await self._calls.send("POST", self._path, body, operation="linkIdentity")

    async def unlink(self, identity: str, body: PasswordProof | TokenProof) -> None:
        """Remove a linked account, with a proof (accounts#proofs): the password, or, for a user
        without one, a token of a linked account. Raises ApiError (`last_identity`,
        `wrong_password`)."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(identity)}", body)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/identities"


class Sessions(Family):
    """The user's sessions (accounts#sessions). A session is one log-in with its renewals."""

    async def connect(self, body: ConnectBody, *, repeat: bool | None = None) -> ConnectAnswer:
        """Get the address of the session socket, and a token for it (socket#session-connect).
        `client.notifications.listen` does this, and opens the socket."""
        return await self._calls.ask(
            "/session/connect", body, ConnectAnswer, operation="connectSession", repeat=repeat
        )

    async def list(self) -> list[Session]:
        """List the user's sessions that have not ended."""
        return await self._calls.get(self._path, list[Session])

    async def end(self, session: str) -> None:
        """End a session, which may be the present one."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(session)}")

    async def end_other(self) -> None:
        """End all sessions except the present one."""
        await self._calls.send("DELETE", self._path)

    async def create_portal_code(
        self, body: PortalCodeBody = _ANYWHERE, *, repeat: bool | None = None
    ) -> PortalCode:
        """Get a code that logs the user in to the portal, and the URL that a game's web view opens
        (accounts#portal-codes). The code is good once, for 60 seconds, while the present session
        lasts. `then` of the body is the page that the portal opens; without it, its first page."""
        path = f"/user/{self._calls.user}/portal-codes"
        return await self._calls.ask(
            path, body, PortalCode, operation="createPortalCode", repeat=repeat
        )

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/sessions"


class AccountDeletion(Family):
    """The export and the deletion of the user's account (accounts#deletion)."""

    async def export(self, most: int = MOST_EXPORT) -> Export:
        """Get all that the service stores about the user (accounts#export). Raises ApiError
        `answer_too_large` if this is more than `most` bytes."""
        return await self._calls.get(f"/user/{self._calls.user}/export", Export, most=most)

    async def delete(self, body: PasswordProof | SubjectProof | None = None) -> None:
        """Delete the user's own account, for good. The body is the password, or, for an account
        without one, a token of a linked account of another service. A guest needs no body."""
        await self._calls.send("DELETE", f"/user/{self._calls.user}", body, operation="deleteUser")


class ServiceAccounts(Family):
    """Service accounts and their secrets, for admins (studio#service-accounts)."""

    async def list(self, query: Part | None = None) -> Page[ServiceAccount]:
        """List a part of the service accounts, newest first."""
        return await self._calls.page("/service-accounts", ServiceAccount, query)

    async def get(self, account: str, *, seen: Seen | None = None) -> ServiceAccount:
        """Get a service account."""
        return await self._calls.get(_service_account(account), ServiceAccount, seen=seen)

    async def put(
        self, account: str, body: ServiceAccountBody, *, seen: Seen | None = None
    ) -> None:
        """Make a service account, whose id is a GUID of your choice, or replace its members. Raises
        ApiError (`name_taken`)."""
        await self._calls.send("PUT", _service_account(account), body, seen=seen)

    async def delete(self, account: str) -> None:
        """Delete a service account, and end its tokens."""
        await self._calls.send("DELETE", _service_account(account))

    async def create_secret(self, account: str) -> NewServiceSecret:
        """Make a secret. Only this answer shows its value. Raises ApiError (`too_many_secrets`)."""
        return await self._calls.ask(f"{_service_account(account)}/secrets", None, NewServiceSecret)

    async def delete_secret(self, account: str, secret: str) -> None:
        """Delete a secret, and end the tokens that were got with it."""
        await self._calls.send("DELETE", f"{_service_account(account)}/secrets/{quoted(secret)}")


def _service_account(account: str) -> str:
    return f"/service-accounts/{quoted(account)}"
