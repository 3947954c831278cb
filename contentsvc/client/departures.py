"""Departures: users take what is theirs with them, and delete their accounts."""

from contentsvc.client.calls import Calls
from contentsvc.wire.accounts import PasswordProof, SubjectProof
from contentsvc.wire.export import Export


class Departures:
    """The end of the user's account."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def export(self) -> Export:
        """All that the service holds of the user."""
        return await self._calls.get(f"/user/{self._calls.user}/export", Export)

    async def leave(self, body: PasswordProof | SubjectProof) -> None:
        """Delete the user's own account, for good. An account without a password takes a token of
        another service, whose account is linked to it."""
        # A second attempt would find no account.
        await self._calls.send("DELETE", f"/user/{self._calls.user}", body, repeat=False)
