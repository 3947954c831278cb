"""What admins did, and their warnings (extensions §7)."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.moderation import ActionsQuery, AuditLogEntry, WarningBody


class AuditLog:
    """The memory of what admins did, and warnings. All of it is for admins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def list(self, query: ActionsQuery | None = None) -> Page[AuditLogEntry]:
        """List what admins did, newest first."""
        return await self._calls.page("/moderation/actions", AuditLogEntry, query)

    async def warn(self, user: str, body: WarningBody) -> None:
        """Warn a user. A body without an id gets one, so that a repeat after a lost answer is no
        second warning."""
        if body.id is None:
            body = structs.replace(body, id=str(uuid4()))
        path = f"/user/{quoted(user)}/warning"
        await self._calls.send("POST", path, body, operation="warnUser")
