"""Who sees content (library §5)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Seen
from contentsvc.wire.content import VisibilityChange


class Visibility:
    """Who sees content."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def set(self, content: str, body: VisibilityChange, *, seen: Seen | None = None) -> None:
        """Say who sees content: everybody, whoever has its id, friends of the author, or nobody but
        its author, testers and members."""
        await self._calls.send("PUT", f"/content/{quoted(content)}/visibility", body, seen=seen)
