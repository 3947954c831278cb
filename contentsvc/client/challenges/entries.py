"""The entries of design challenges (extensions §2)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.challenges import EntriesQuery
from contentsvc.wire.content import ContentInfo


class Entries:
    """The content that has entered a design challenge."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def enter(self, challenge: str, content: str) -> None:
        """Enter a content of one's own."""
        await self._calls.send("PUT", _entry(challenge, content))

    async def leave(self, challenge: str, content: str) -> None:
        """Take a content out: one's own while the challenge is open; as an admin, until it is
        closed."""
        await self._calls.send("DELETE", _entry(challenge, content))

    async def list(self, challenge: str, query: EntriesQuery | None = None) -> Page[ContentInfo]:
        """List the entries, the last to enter first, or those with the best votes."""
        path = f"/design-challenges/{quoted(challenge)}/entries"
        return await self._calls.page(path, ContentInfo, query)


def _entry(challenge: str, content: str) -> str:
    return f"/design-challenges/{quoted(challenge)}/entries/{quoted(content)}"
