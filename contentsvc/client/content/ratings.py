"""Ratings (spec §4.13, §4.14)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.wire.content import RatingBody


class Ratings:
    """The user's votes."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def put(self, content: str, body: RatingBody) -> None:
        """Rate content (spec §4.13)."""
        await self._calls.send("PUT", self._path(content), body)

    async def delete(self, content: str) -> None:
        """Take a rating back."""
        await self._calls.send("DELETE", self._path(content))

    async def get(self) -> dict[str, str]:
        """Get the user's ratings: "1" or "0" by content id (spec §4.14)."""
        return await self._calls.get(f"/user/{self._calls.user}/ratings", dict[str, str])

    def _path(self, content: str) -> str:
        return f"/user/{self._calls.user}/rating/{quoted(content)}"
