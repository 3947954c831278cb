"""E-mail addresses, and passwords that are lost."""

from contentsvc.client.calls import Calls
from contentsvc.wire.accounts import (
    EmailChange,
    EmailChangeBySubject,
    EmailConfirmation,
    PasswordReset,
    PasswordResetRequest,
)


class Emails:
    """The user's address, and what a mail to it can do. The tokens are those of mailed links."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

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
