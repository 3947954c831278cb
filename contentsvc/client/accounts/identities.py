"""Accounts of other services with which the user logs in (extensions §8)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.accounts import (
    Identity,
    LinkByPassword,
    LinkByToken,
    LogInIssuer,
    PasswordProof,
    SubjectProof,
    TokenProof,
)
from contentsvc.wire.base import Part


class Identities:
    """The accounts of other services that are linked to the user."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list_issuers(self) -> list[LogInIssuer]:
        """List the issuers with which a page can log in."""
        return await self._calls.get("/issuers", list[LogInIssuer])

    async def list(self, query: Part | None = None) -> Page[Identity]:
        """List a part of them, newest first."""
        return await self._calls.page(self._path, Identity, query)

    async def link(self, body: LinkByPassword | LinkByToken | SubjectProof) -> None:
        """Link the account that the subject token proves to the user. It takes the password too,
        or where there is none a token of an account that was linked before. If it is linked to the
        user already, the subject token is enough. Raises ApiError (`identity_taken`,
        `invalid_subject_token`, `wrong_password`)."""
        await self._calls.send("POST", self._path, body, operation="linkIdentity")

    async def unlink(self, identity: str, body: PasswordProof | TokenProof) -> None:
        """Take a link away, with the password, or where there is none with a token of an account
        that is linked. Raises ApiError (`last_identity`, `wrong_password`)."""
        await self._calls.send("DELETE", f"{self._path}/{quoted(identity)}", body)

    @property
    def _path(self) -> str:
        return f"/user/{self._calls.user}/identities"
