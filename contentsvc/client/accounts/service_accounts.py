"""Service accounts, as admins keep them (studio §2)."""

from contentsvc.client.calls import Calls, quoted, read
from contentsvc.client.reading import Page, Seen
from contentsvc.wire.base import Part
from contentsvc.wire.services import NewServiceSecret, ServiceAccount, ServiceAccountBody


class ServiceAccounts:
    """Service accounts and their secrets."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(self, query: Part | None = None) -> Page[ServiceAccount]:
        """List a part of them, newest first."""
        return await self._calls.page("/service-accounts", ServiceAccount, query)

    async def get(self, account: str, *, seen: Seen | None = None) -> ServiceAccount:
        """Get a service account."""
        return await self._calls.get(_path(account), ServiceAccount, seen=seen)

    async def put(
        self, account: str, body: ServiceAccountBody, *, seen: Seen | None = None
    ) -> None:
        """Make a service account with a GUID of the caller's, or replace what it has. Raises
        ApiError (`name_taken`)."""
        await self._calls.send("PUT", _path(account), body, seen=seen)

    async def delete(self, account: str) -> None:
        """Delete a service account, and end its tokens."""
        await self._calls.send("DELETE", _path(account))

    async def create_secret(self, account: str) -> NewServiceSecret:
        """Make a secret: its value is shown this once. Raises ApiError (`too_many_secrets`)."""
        answer = await self._calls.call("POST", f"/api/v1{_path(account)}/secrets")
        return read(answer, NewServiceSecret)

    async def delete_secret(self, account: str, secret: str) -> None:
        """Delete a secret, and end the tokens that it gave."""
        await self._calls.send("DELETE", f"{_path(account)}/secrets/{quoted(secret)}")


def _path(account: str) -> str:
    return f"/service-accounts/{quoted(account)}"
