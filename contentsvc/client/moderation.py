"""Moderation: reports, users, bans, what admins did, statistics (moderation#moderation)."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Family, Page, Seen, quoted
from contentsvc.wire.accounts import Ban, BanBody, RoleBody
from contentsvc.wire.base import Part
from contentsvc.wire.moderation import (
    ActionsQuery,
    AuditLogEntry,
    ClearableCounts,
    DayStatistics,
    EmailReplacement,
    IdentityLookup,
    IdentityOwner,
    ModeratedUser,
    QueuedSubject,
    QueueQuery,
    Report,
    ReportBody,
    ReportDecision,
    ReportedKind,
    StaffMember,
    StatisticsQuery,
    UserClearance,
    UserComment,
    UserLookup,
    UserReportBody,
    WarningBody,
)


class Reports(Family):
    """Reports of content, comments, users and collections. The queue is for admins."""

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

    async def list(self, kind: ReportedKind, id: str, query: Part | None = None) -> Page[Report]:
        """List all reports of a subject, newest first."""
        return await self._calls.page(_subject(kind, id), Report, query)

    async def resolve(self, kind: ReportedKind, id: str, body: ReportDecision) -> None:
        """Close the open reports of a subject, up to one of them."""
        await self._calls.send("PUT", _subject(kind, id), body)


def _subject(kind: ReportedKind, id: str) -> str:
    return f"/moderation/reports/{quoted(kind)}/{quoted(id)}"


class ModeratedUsers(Family):
    """Accounts, and what their users have written. All of it is for moderators and admins."""

    async def list_identity_owners(self, query: IdentityLookup) -> list[IdentityOwner]:
        """Find the user to whom an account of another service is linked: one or none."""
        return await self._calls.get("/identities", list[IdentityOwner], query)

    async def list(self, query: UserLookup) -> list[ModeratedUser]:
        """Find the account with an address or a username: one or none."""
        return await self._calls.get("/moderation/users", list[ModeratedUser], query)

    async def get(self, user: str) -> ModeratedUser:
        """Get an account."""
        return await self._calls.get(f"/moderation/users/{quoted(user)}", ModeratedUser)

    async def list_staff(self, query: Part | None = None) -> Page[StaffMember]:
        """List everybody who is no player. Who got their role last comes first."""
        return await self._calls.page("/moderation/staff", StaffMember, query)

    async def set_role(self, user: str, body: RoleBody) -> None:
        """Give a user a role, as an admin. All their log-ins end."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/role", body)

    async def set_email(self, user: str, body: EmailReplacement) -> None:
        """Give a user another address, as an admin. All their log-ins end."""
        await self._calls.send("PUT", f"/moderation/users/{quoted(user)}/email", body)

    async def get_clearance(self, user: str) -> ClearableCounts:
        """Get how much of a user there is that can be taken away at once."""
        return await self._calls.get(f"/moderation/users/{quoted(user)}/clear", ClearableCounts)

    async def clear(self, user: str, body: UserClearance) -> None:
        """Take away content, comments or collections of a user. The service goes on with it."""
        path = f"/moderation/users/{quoted(user)}/clear"
        await self._calls.send("POST", path, body, operation="clearUser")

    async def list_comments(self, user: str, query: Part | None = None) -> Page[UserComment]:
        """List what a user has written, newest first."""
        path = f"/moderation/users/{quoted(user)}/comments"
        return await self._calls.page(path, UserComment, query)


class Bans(Family):
    """Bans of users."""

    async def get(self, user: str, *, seen: Seen | None = None) -> Ban:
        """Get the ban of a user. The code is `ban_not_found` if there is none."""
        return await self._calls.get(f"/user/{quoted(user)}/ban", Ban, seen=seen)

    async def ban(self, user: str, body: BanBody, *, seen: Seen | None = None) -> None:
        """Ban a user, and end the user's sessions. Raises ApiError (`protected_user`)."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/ban", body, seen=seen)

    async def unban(self, user: str) -> None:
        """Lift a ban."""
        await self._calls.send("DELETE", f"/user/{quoted(user)}/ban")


class AuditLog(Family):
    """The memory of what admins did, and warnings. All of it is for admins."""

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


class Statistics(Family):
    """Numbers of each day of UTC (studio#statistics). They are for admins."""

    async def list(self, query: StatisticsQuery | None = None) -> list[DayStatistics]:
        """List the numbers of each day from the first to the last, at most 366."""
        return await self._calls.get("/statistics", list[DayStatistics], query)
