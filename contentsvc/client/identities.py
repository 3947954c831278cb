"""Accounts of other services with which the user logs in (extensions §8)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.accounts import SubjectProof
from contentsvc.wire.base import Part
from contentsvc.wire.identities import Identity


class Identities:
    """The accounts of other services that are linked to the user."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def all(self, query: Part | None = None) -> Page[Identity]:
        """List a part of them, newest first."""
        return await self._calls.page(self._path, Identity, query)

    async def link(self, body: SubjectProof) -> None:
        """Link the account that the token proves to the user. Raises ApiError (`identity_taken`,
        `invalid_subject_token`)."""
        await self._calls.send("POST", self._path, body, repeat=True)

    async def unlink(self, identity: str) -> None:
        """Take a link away. Raises ApiError (`last_identity`)."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(identity)}")

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/identities"
