"""Subscriptions (library §1)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page, Seen
from contentsvc.wire.content import ClientQuery
from contentsvc.wire.library import Kept, Subscription, SubscriptionBody, SubscriptionsQuery


class Subscriptions:
    """What the user keeps."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def put(
        self, content: str, body: SubscriptionBody | None = None, *, seen: Seen | None = None
    ) -> None:
        """Keep content, and stay with one of its revisions, if `body` names one as `pin`."""
        given = body or SubscriptionBody()
        await self._calls.send("PUT", self._path(content), given, seen=seen)

    async def delete(self, content: str) -> None:
        """Keep content no more."""
        await self._calls.send("DELETE", self._path(content))

    async def get(
        self, content: str, query: ClientQuery | None = None, *, seen: Seen | None = None
    ) -> Subscription:
        """Get one of what the user keeps."""
        return await self._calls.get(self._path(content), Subscription, query, seen=seen)

    async def list(self, query: SubscriptionsQuery | None = None) -> Page[Subscription]:
        """List what the user keeps, newest first."""
        path = f"/user/{self._calls.user}/subscriptions"
        return await self._calls.page(path, Subscription, query)

    async def get_library(self, query: ClientQuery | None = None) -> dict[str, Kept]:
        """Get all that the user keeps, as it was at one moment, by the id of the content. With a
        query, the revisions are those that fit."""
        path = f"/user/{self._calls.user}/subscriptions/state"
        return await self._calls.get(path, dict[str, Kept], query)

    def _path(self, content: str) -> str:
        return f"/user/{self._calls.user}/subscription/{quoted(content)}"
