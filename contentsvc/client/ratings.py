"""Ratings (spec §4.13, §4.14)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.ratings import RatingBody


class Ratings:
    """One's votes."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def put(self, content: str, body: RatingBody) -> None:
        """Vote (spec §4.13)."""
        await self._calls.send("PUT", self._path(content), body)

    async def delete(self, content: str) -> None:
        """Take the vote back."""
        await self._calls.send("DELETE", self._path(content))

    async def all(self) -> dict[str, str]:
        """One's votes: "1" or "0" by content id (spec §4.14)."""
        return await self._calls.get(f"/user/{self._calls.user}/ratings", dict[str, str])

    def _path(self, content: str) -> str:
        return f"/user/{self._calls.user}/rating/{quoted(content)}"
