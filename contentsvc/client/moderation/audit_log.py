"""What admins did, and their warnings (extensions §7)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.moderation import Action, ActionsQuery, WarningBody


class Actions:
    """The memory of what admins did, and warnings. All of it is for admins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def all(self, query: ActionsQuery | None = None) -> Page[Action]:
        """List what admins did, newest first."""
        return await self._calls.page("/moderation/actions", Action, query)

    async def warn(self, user: str, body: WarningBody) -> None:
        """Warn a user. With an `id` in the body, it is repeated if no answer comes."""
        path = f"/user/{quoted(user)}/warning"
        await self._calls.send("POST", path, body, repeat=body.id is not None)
