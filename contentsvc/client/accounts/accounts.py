"""Accounts: registration and passwords."""

from contentsvc.client.calls import Calls
from contentsvc.wire.accounts import PasswordChange, Registration


class Accounts:
    """The user's account."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def register(self, body: Registration) -> str:
        """Make an account. Returns the id of its user. Does not log in."""
        return await self._calls.create("/user", body)

    async def change_password(self, body: PasswordChange) -> None:
        """Change the user's own password. This ends the user's other sessions."""
        path = f"/user/{self._calls.user}/password"
        await self._calls.send("PUT", path, body, operation="changePassword")
