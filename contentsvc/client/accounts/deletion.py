"""Users take what is theirs with them, and delete their accounts."""

from typing import Final

from contentsvc.client.calls import Calls
from contentsvc.wire.accounts import Export, PasswordProof, SubjectProof

MOST_EXPORT: Final = 1024**3
"""Bytes of an export that are read, if nothing else is said. The service streams it, so that it may
be longer than other answers."""


class AccountDeletion:
    """The end of the user's account."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def export(self, most: int = MOST_EXPORT) -> Export:
        """All that the service holds of the user. Raises ApiError `answer_too_large` if it has more
        than `most` bytes."""
        return await self._calls.get(f"/user/{self._calls.user}/export", Export, most=most)

    async def delete(self, body: PasswordProof | SubjectProof) -> None:
        """Delete the user's own account, for good. An account without a password takes a token of
        another service, whose account is linked to it."""
        await self._calls.send("DELETE", f"/user/{self._calls.user}", body, operation="deleteUser")
