"""Accounts: registration and passwords."""

from contentsvc.client.calls import Calls
from contentsvc.wire.accounts import PasswordChange, Registration


class Accounts:
    """Making an account, and changing its password."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def register(self, body: Registration) -> str:
        """Make an account; its user's id. This does not log in."""
        return await self._calls.create("/user", body)

    async def change_password(self, body: PasswordChange) -> None:
        """Change one's password, which ends the other sessions."""
        path = f"/user/{self._calls.user}/password"
        # A second attempt would find another password.
        await self._calls.send("PUT", path, body, repeat=False)
