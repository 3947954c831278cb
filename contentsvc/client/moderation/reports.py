"""Reports, and what admins decide about them (extensions §7)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page
from contentsvc.wire.base import Part
from contentsvc.wire.moderation import (
    Kind,
    QueuedSubject,
    QueueQuery,
    Report,
    ReportBody,
    ReportDecision,
    UserReportBody,
)


class Reports:
    """Reports of content, comments, users and collections. The queue is for admins."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    # The same report again replaces the first, and has no other effect.

    async def report_content(self, content: str, body: ReportBody) -> None:
        """Report a content item."""
        await self._calls.send(
            "POST", f"/content/{quoted(content)}/report", body, operation="reportContent"
        )

    async def report_comment(self, content: str, comment: int, body: ReportBody) -> None:
        """Report a comment."""
        path = f"/content/{quoted(content)}/comments/{quoted(comment)}/report"
        await self._calls.send("POST", path, body, operation="reportComment")

    async def report_collection(self, collection: str, body: ReportBody) -> None:
        """Report a collection."""
        path = f"/collections/{quoted(collection)}/report"
        await self._calls.send("POST", path, body, operation="reportCollection")

    async def report_user(self, user: str, body: UserReportBody) -> None:
        """Report a user, and messages that they have sent."""
        await self._calls.send("POST", f"/user/{quoted(user)}/report", body, operation="reportUser")

    async def list_subjects(self, query: QueueQuery | None = None) -> Page[QueuedSubject]:
        """List what has open reports. What most users have reported comes first."""
        return await self._calls.page("/moderation/reports", QueuedSubject, query)

    async def list(self, kind: Kind, id: str, query: Part | None = None) -> Page[Report]:
        """List all reports of a subject, newest first."""
        return await self._calls.page(_subject(kind, id), Report, query)

    async def resolve(self, kind: Kind, id: str, body: ReportDecision) -> None:
        """Close the open reports of a subject, up to one of them."""
        await self._calls.send("PUT", _subject(kind, id), body)


def _subject(kind: Kind, id: str) -> str:
    return f"/moderation/reports/{quoted(kind)}/{quoted(id)}"
