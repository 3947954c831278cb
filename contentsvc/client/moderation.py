"""Moderation: reports, notices, users, bans, holds, decisions, actions of admins, and statistics
(moderation#moderation)."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.accounts import MOST_EXPORT
from contentsvc.client.calls import Family, Page, Seen, quoted
from contentsvc.wire.accounts import Ban, BanBody, RoleBody
from contentsvc.wire.appeals import Appeal, AppealAnswerBody, AppealBody, AppealsQuery
from contentsvc.wire.base import Part
from contentsvc.wire.decisions import (
    Decision,
    DecisionBody,
    DecisionsQuery,
    ReversalBody,
    UserDecision,
)
from contentsvc.wire.moderation import (
    ActionsQuery,
    AuditLogEntry,
    ClearableCounts,
    DayStatistics,
    EmailReplacement,
    EscalationBody,
    HeldCopy,
    Hold,
    HoldBody,
    HoldKind,
    HoldsQuery,
    IdentityLookup,
    IdentityOwner,
    ModeratedUser,
    QueuedSubject,
    QueueQuery,
    Report,
    ReportBody,
    ReportDecision,
    ReportedKind,
    ReportsQuery,
    SenderQuery,
    StaffMember,
    StatisticsQuery,
    UserClearance,
    UserComment,
    UserLookup,
    UserReportBody,
    WarningBody,
)
from contentsvc.wire.notices import Notice, NoticeBody, NoticeReceipt


class Reports(Family):
    """Reports of content, comments, users and collections (moderation#reports). The queue is for
    admins."""

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
        """Report a user, and messages that this user has sent."""
        await self._calls.send("POST", f"/user/{quoted(user)}/report", body, operation="reportUser")

    async def list_subjects(self, query: QueueQuery | None = None) -> Page[QueuedSubject]:
        """List the subjects with open reports (moderation#the-queue), those with the most reporters
        first, or in the order of the query."""
        return await self._calls.page("/moderation/reports", QueuedSubject, query)

    async def list(
        self, kind: ReportedKind, id: str, query: ReportsQuery | None = None
    ) -> Page[Report]:
        """List all reports of a subject, newest first."""
        return await self._calls.page(_subject(kind, id), Report, query)

    async def resolve(
        self, kind: ReportedKind, id: str, body: ReportDecision, query: SenderQuery | None = None
    ) -> None:
        """Close the open reports of a subject, up to the report that `body` names as `up_to`."""
        await self._calls.send("PUT", _subject(kind, id), body, query=query)

    async def appeal(self, user: str, kind: ReportedKind, id: str, body: AppealBody) -> None:
        """Appeal against the dismissal of the user's newest report of a subject
        (moderation#appeals-of-reporters). The same text again changes nothing. Raises ApiError
        (`not_appealable`, `appeal_exists`, `appeal_closed`)."""
        path = f"/user/{quoted(user)}/reports/{quoted(kind)}/{quoted(id)}/appeal"
        await self._calls.send("POST", path, body, operation="appealReport")


class Notices(Family):
    """Notices of illegal content (notices#notices). Anybody may send them, without a log-in."""

    async def create(self, body: NoticeBody) -> NoticeReceipt:
        """Send a notice. Keep the token of the receipt: `get` needs it."""
        return await self._calls.ask("/notices", body, NoticeReceipt)

    async def get(self, notice: str, *, token: str | None = None) -> Notice:
        """Get the state of a notice, with its token, or as a moderator."""
        return await self._calls.get(f"/notices/{quoted(notice)}", Notice, token=token)

    async def appeal(self, notice: str, body: AppealBody, token: str) -> None:
        """Appeal against the dismissal of a notice, with its token. The same text again changes
        nothing. Raises ApiError (`not_appealable`, `appeal_exists`, `appeal_closed`)."""
        path = f"/notices/{quoted(notice)}/appeal"
        await self._calls.send("POST", path, body, operation="appealNotice", token=token)


def _subject(kind: ReportedKind, id: str) -> str:
    return f"/moderation/reports/{quoted(kind)}/{quoted(id)}"


class ModeratedUsers(Family):
    """Accounts, and what their users have written, for moderators and admins
    (moderation#accounts)."""

    async def list_identity_owners(self, query: IdentityLookup) -> list[IdentityOwner]:
        """Find the user to whom an account of another service is linked. The list has one user or
        none."""
        return await self._calls.get("/identities", list[IdentityOwner], query)

    async def list(self, query: UserLookup) -> list[ModeratedUser]:
        """Find the account with an address or a username. The list has one account or none."""
        return await self._calls.get("/moderation/users", list[ModeratedUser], query)

    async def get(self, user: str) -> ModeratedUser:
        """Get an account."""
        return await self._calls.get(f"/moderation/users/{quoted(user)}", ModeratedUser)

    async def list_staff(self, query: Part | None = None) -> Page[StaffMember]:
        """List all users who are not players, the latest change of a role first (studio#roles)."""
        return await self._calls.page("/moderation/staff", StaffMember, query)

    async def set_role(self, user: str, body: RoleBody) -> None:
        """Give a user a role, as an admin (studio#roles). This ends all sessions of the user."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/role", body)

    async def set_email(self, user: str, body: EmailReplacement) -> None:
        """Give a user another address, as an admin. This ends all sessions of the user."""
        await self._calls.send("PUT", f"/moderation/users/{quoted(user)}/email", body)

    async def get_clearance(self, user: str) -> ClearableCounts:
        """Count the content, comments and collections of a user that `clear` would take away
        (moderation#clearing)."""
        return await self._calls.get(f"/moderation/users/{quoted(user)}/clear", ClearableCounts)

    async def clear(self, user: str, body: UserClearance) -> None:
        """Suspend all content of a user, or delete all comments or collections
        (moderation#clearing). The service finishes this after the answer."""
        path = f"/moderation/users/{quoted(user)}/clear"
        await self._calls.send("POST", path, body, operation="clearUser")

    async def list_comments(self, user: str, query: Part | None = None) -> Page[UserComment]:
        """List the comments of a user, newest first."""
        path = f"/moderation/users/{quoted(user)}/comments"
        return await self._calls.page(path, UserComment, query)


class Bans(Family):
    """Bans of users, for moderators (moderation#bans)."""

    async def get(self, user: str, *, seen: Seen | None = None) -> Ban:
        """Get the ban of a user. Raises ApiError (`ban_not_found`)."""
        return await self._calls.get(f"/user/{quoted(user)}/ban", Ban, seen=seen)

    async def ban(self, user: str, body: BanBody, *, seen: Seen | None = None) -> None:
        """Ban a user, and end the user's sessions. Raises ApiError (`protected_user`)."""
        await self._calls.send("PUT", f"/user/{quoted(user)}/ban", body, seen=seen)

    async def unban(self, user: str) -> None:
        """Lift a ban."""
        await self._calls.send("DELETE", f"/user/{quoted(user)}/ban")


class Holds(Family):
    """Legal holds, for admins (moderation#holds)."""

    async def list(self, query: HoldsQuery | None = None) -> Page[Hold]:
        """List the holds, newest first."""
        return await self._calls.page("/moderation/holds", Hold, query)

    async def get(self, kind: HoldKind, id: str) -> Hold:
        """Get a hold. Raises ApiError (`hold_not_found`)."""
        return await self._calls.get(_hold(kind, id), Hold)

    async def put(self, kind: HoldKind, id: str, body: HoldBody) -> None:
        """Hold a content item, a user, or a file by its sha256; or change the reason and the end of
        a hold."""
        await self._calls.send("PUT", _hold(kind, id), body)

    async def delete(self, kind: HoldKind, id: str) -> None:
        """End a hold, and erase the copy."""
        await self._calls.send("DELETE", _hold(kind, id))

    async def get_copy(self, kind: HoldKind, id: str, most: int = MOST_EXPORT) -> HeldCopy:
        """Get the copy of what is held. Raises ApiError: `hold_copying` until it is complete,
        `answer_too_large` if it has more than `most` bytes."""
        return await self._calls.get(f"{_hold(kind, id)}/copy", HeldCopy, most=most)

    async def put_escalation(
        self, kind: HoldKind, id: str, escalation: str, body: EscalationBody
    ) -> None:
        """Record to whom the copy was given. Another record with the same id replaces it."""
        path = f"{_hold(kind, id)}/escalations/{quoted(escalation)}"
        await self._calls.send("PUT", path, body)


def _hold(kind: HoldKind, id: str) -> str:
    return f"/moderation/holds/{quoted(kind)}/{quoted(id)}"


class Decisions(Family):
    """Decisions of moderators, with their reasons (moderation#decisions). Users may read the
    decisions that concern them, and appeal; all other operations are for moderators."""

    async def create(self, body: DecisionBody) -> None:
        """Make a decision, and carry it out. The same decision again changes nothing. Raises
        ApiError (`decision_exists`, `nothing_changed`, `protected_user`)."""
        await self._calls.send("POST", "/moderation/decisions", body, operation="createDecision")

    async def list(self, query: DecisionsQuery | None = None) -> Page[Decision]:
        """List decisions, newest first."""
        return await self._calls.page("/moderation/decisions", Decision, query)

    async def get(self, decision: str) -> Decision:
        """Get one decision. Raises ApiError (`decision_not_found`)."""
        return await self._calls.get(f"/moderation/decisions/{quoted(decision)}", Decision)

    async def reverse(self, decision: str, body: ReversalBody) -> None:
        """Reverse a decision, and undo its effects that still last (moderation#reversals)."""
        path = f"/moderation/decisions/{quoted(decision)}/reversal"
        await self._calls.send("POST", path, body, operation="reverseDecision")

    async def list_of_user(self, user: str, query: Part | None = None) -> Page[UserDecision]:
        """List the decisions that concern a user, newest first."""
        return await self._calls.page(f"/user/{quoted(user)}/decisions", UserDecision, query)

    async def get_of_user(
        self, user: str, decision: str, *, token: str | None = None
    ) -> UserDecision:
        """Get one decision that concerns a user. A banned user has no log-in: `token` is then the
        appeal token, from the error `account_banned` of the log-in (moderation#appeal-tokens)."""
        path = f"/user/{quoted(user)}/decisions/{quoted(decision)}"
        return await self._calls.get(path, UserDecision, token=token)

    async def appeal(
        self, user: str, decision: str, body: AppealBody, token: str | None = None
    ) -> None:
        """Appeal against a decision that concerns a user (moderation#appeals). Without a log-in,
        `token` is the appeal token (moderation#appeal-tokens). The same text again changes nothing.
        Raises ApiError (`not_appealable`, `appeal_exists`, `appeal_closed`)."""
        path = f"/user/{quoted(user)}/decisions/{quoted(decision)}/appeal"
        await self._calls.send("POST", path, body, operation="appealDecision", token=token)

    async def list_appeals(self, query: AppealsQuery | None = None) -> Page[Appeal]:
        """List appeals, oldest first."""
        return await self._calls.page("/moderation/appeals", Appeal, query)

    async def decide_appeal(self, appeal: str, body: AppealAnswerBody) -> None:
        """Answer an appeal (moderation#answers). The same answer again changes nothing. Raises
        ApiError (`own_decision`, `appeal_decided`, `protected_user`)."""
        await self._calls.send("PUT", f"/moderation/appeals/{quoted(appeal)}", body)


class AuditLog(Family):
    """The actions of admins, and warnings, for admins (moderation#actions)."""

    async def list(self, query: ActionsQuery | None = None) -> Page[AuditLogEntry]:
        """List the actions of admins, newest first."""
        return await self._calls.page("/moderation/actions", AuditLogEntry, query)

    async def warn(self, user: str, body: WarningBody) -> None:
        """Warn a user (moderation#warnings). A body without an id gets one, so that a repeat after
        a lost answer is no second warning."""
        if body.id is None:
            body = structs.replace(body, id=str(uuid4()))
        path = f"/user/{quoted(user)}/warning"
        await self._calls.send("POST", path, body, operation="warnUser")


class Statistics(Family):
    """Statistics of each day of UTC, for admins (studio#statistics)."""

    async def list(self, query: StatisticsQuery | None = None) -> list[DayStatistics]:
        """List the numbers of each day from the first to the last day of the query, at most 366
        days."""
        return await self._calls.get("/statistics", list[DayStatistics], query)
