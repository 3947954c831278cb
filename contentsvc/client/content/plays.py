"""Plays of content, and what was played on each day (library §4)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.plays import ContentDay, ContentStatisticsQuery, PlayBody


class Plays:
    """What users have played."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def report(self, body: PlayBody, user: str | None = None) -> None:
        """Report a play that is over: the user's, or as a service account that of a `user`."""
        path = f"/user/{quoted(user or self._calls.user)}/plays"
        await self._calls.send("POST", path, body, operation="reportPlay")

    async def list_statistics(
        self, content: str, query: ContentStatisticsQuery
    ) -> list[ContentDay]:
        """List how the counts of content of yours changed on each day."""
        path = f"/content/{quoted(content)}/statistics"
        return await self._calls.get(path, list[ContentDay], query=query)
