"""Reports, and what admins decide about them (moderation#reports, content#collections)."""

from typing import Literal, get_args

from msgspec import UNSET, Raw, Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_wait, required
from contentsvc.api.errors import (
    CannotReportSelf,
    CollectionNotFound,
    CommentNotFound,
    ContentNotFound,
    MessageNotFound,
    ReportNotFound,
    TooManyRequests,
    UnknownMessage,
    UserNotFound,
)
from contentsvc.api.paging import PART, decoded, encoded, full, key_of, listed, position
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_parameter
from contentsvc.framework.http.guids import is_guid
from contentsvc.framework.http.permissions import SIGNED_IN
from contentsvc.framework.http.reply import Listed
from contentsvc.framework.http.route import route
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.roles import MODERATE
from contentsvc.store.content.found_parts import Cursor
from contentsvc.store.events import events
from contentsvc.store.fragments import LAST
from contentsvc.store.moderation import audit_log, evidence, messages, reports
from contentsvc.store.tasks import ReportsResolved
from contentsvc.wire.events import EventData
from contentsvc.wire.moderation import (
    Act,
    QueuedSubject,
    QueueQuery,
    Report,
    ReportBody,
    ReportDecision,
    ReportedKind,
    ReportedSubject,
    ReportsQuery,
    SenderQuery,
    UserReportBody,
)

_KINDS: tuple[ReportedKind, ...] = get_args(ReportedKind)
_MOST = 2**31 - 1
"""More reports than any subject has."""
_LATEST = 2**53
"""Later than anything is due, in microseconds."""
_START: Cursor = (_MOST, LAST)
_START_DUE: Cursor = (0, 0)
"""The places before the first subject of the queue."""
_ACTS: dict[str, Act] = {"upheld": "report_upheld", "dismissed": "report_dismissed"}
_SUBJECT = "/moderation/reports/<text:kind>/<text:id>"


class Reports(Struct):
    """Reports, and the queue of what is reported. A user may file `per_day` in a day, 0 for any
    number."""

    db: Database
    queue: TaskQueue
    per_day: int
    part: int = PART

    @route(
        "POST",
        "/content/<guid:content>/report",
        allow=SIGNED_IN,
        restricts="report",
        raises=(ContentNotFound, CannotReportSelf, TooManyRequests),
    )
    async def report_content(self, call: Call, content: str, body: ReportBody) -> None:
        """Report a content item. A second report replaces the caller's first one while no admin has
        decided about it."""
        found = await evidence.of_content(self.db, content, call.user, call.viewer.moderate)
        if found is None:
            raise ContentNotFound()
        if found.author == call.user:
            raise CannotReportSelf()
        await self._file(call, "content", content, None, body, found.text)

    @route(
        "POST",
        "/content/<guid:content>/comments/<int:comment>/report",
        allow=SIGNED_IN,
        restricts="report",
        raises=(CommentNotFound, CannotReportSelf, TooManyRequests),
    )
    async def report_comment(
        self, call: Call, content: str, comment: int, body: ReportBody
    ) -> None:
        """Report a comment. A second report replaces the caller's first one while no admin has
        decided about it."""
        caller = call.user, call.viewer.moderate
        found = await evidence.of_comment(self.db, content, comment, *caller)
        if found is None:
            raise CommentNotFound()
        if found.author == call.user:
            raise CannotReportSelf()
        await self._file(call, "comment", str(comment), content, body, found.text)

    @route(
        "POST",
        "/user/<guid:user>/report",
        allow=SIGNED_IN,
        restricts="report",
        raises=(UserNotFound, CannotReportSelf, UnknownMessage, TooManyRequests),
    )
    async def report_user(self, call: Call, user: str, body: UserReportBody) -> None:
        """Report a user, and messages that they have sent to the caller. A second report replaces
        the caller's first one while no admin has decided about it."""
        asked = list(dict.fromkeys(body.messages))
        found = required(await evidence.of_user(self.db, user, call.user, asked), UserNotFound)
        if user == call.user:
            raise CannotReportSelf()
        if found.unknown:
            raise UnknownMessage(messages=found.unknown)
        await self._file(call, "user", user, None, body, found.text, found.messages)

    @route(
        "POST",
        "/collections/<guid:collection>/report",
        allow=SIGNED_IN,
        restricts="report",
        raises=(CollectionNotFound, CannotReportSelf, TooManyRequests),
    )
    async def report_collection(self, call: Call, collection: str, body: ReportBody) -> None:
        """Report a collection. A second report replaces the caller's first one while no admin has
        decided about it."""
        if collection == call.user:
            raise CannotReportSelf()
        found = required(
            await evidence.of_collection(self.db, collection, call.user), CollectionNotFound
        )
        if found.author == call.user:
            raise CannotReportSelf()
        await self._file(call, "collection", collection, None, body, found.text)

    async def _file(
        self,
        call: Call,
        kind: ReportedKind,
        subject: str,
        content: str | None,
        body: ReportBody,
        text: str,
        messages: str | None = None,
    ) -> None:
        if call.restricted and not await reports.is_open(
            self.db, kind, subject, call.user, body.reason, body.text
        ):
            await call.unrestricted(self.db)
        given = kind, subject, content, call.user, body.reason, body.text, text, messages
        wait = await reports.file(self.db, *given, self.per_day)
        check_wait(wait)

    @route("GET", "/moderation/reports", allow=MODERATE)
    async def list_reported_subjects(self, call: Call, query: QueueQuery) -> Listed[QueuedSubject]:
        """List the subjects with open reports (moderation#the-queue). Those with the most reports
        come first; among equals, the last reported. With `sort=due`, the first to be answered comes
        first."""
        by_due = query.sort == "due"
        key = key_of("reports", query.kind, query.reason, *(["due"] if by_due else []))
        place = _START_DUE if by_due else _START
        if query.after is not None:
            place = decoded(key, query.after, len(place))
        most, at = place
        kinds: list[str] = [*_KINDS] if query.kind is None else [query.kind]
        highest = _LATEST if by_due else _MOST
        given = query.reason or "", int(min(max(most, 0), highest)), int(at), query.limit
        read = reports.queue_due if by_due else reports.queue
        rows = await read(self.db, kinds, *given, self.part)
        authors = [row.author for row in rows if row.author is not None]
        more = len(rows) == query.limit or full(authors, self.part)
        if not more:
            return Listed([*map(_queued, rows)], None)
        last = rows[-1].due_place if by_due else rows[-1].place
        return Listed([*map(_queued, rows)], encoded(key, last))

    @route("GET", _SUBJECT, allow=MODERATE, raises=(ReportNotFound, MessageNotFound))
    async def list_reports(
        self, call: Call, kind: str, id: str, query: ReportsQuery
    ) -> Listed[Report]:
        """List all reports of a subject, newest first: of a content item, a comment, a user, a
        collection, a file or a message. The id of a comment is its number, that of a file its
        sha256. Of a message there are notices alone; `user` is who has sent it."""
        subject = id.lower()
        about = kind, subject, _sender(kind, query.user)
        rows = await reports.of_subject(self.db, *about, position(query), query.limit, self.part)
        if not rows and not await reports.known(self.db, *about):
            await self._check_named(kind, subject, query.user)
            raise ReportNotFound()
        cut = sum(len(row.evidence.encode()) for row in rows) >= self.part
        return listed(rows, query, _number, _report, cut=cut)

    async def _check_named(self, kind: str, subject: str, sender: str | None) -> None:
        """Raises MessageNotFound of a message that neither a report nor a notice names."""
        if kind == "message" and not (
            sender is not None
            and is_guid(subject)
            and await messages.named(self.db, sender, subject)
        ):
            raise MessageNotFound()

    @route("PUT", _SUBJECT, allow=MODERATE, heeds=_SUBJECT, raises=(ReportNotFound,))
    async def resolve_reports(
        self, call: Call, kind: str, id: str, body: ReportDecision, query: SenderQuery
    ) -> None:
        """Close the open reports of a subject, up to the one that `upTo` names. Those who have
        filed them are notified. The subject itself stays as it is. If none of these reports is open
        any more, nothing changes."""
        about = kind, id.lower(), _sender(kind, query.user)
        async with self.db.transaction() as tx:
            given = body.up_to, body.outcome, body.note
            await close_reports(tx, self.queue, call, *about, *given)


def _sender(kind: str, user: str | None) -> str | None:
    """Who has sent the message that is asked for, None of all else. Raises InvalidQuery."""
    if kind != "message":
        return None
    if user is None:
        raise at_parameter("user", "A message needs this: who has sent it.")
    return user


async def close_reports(
    tx: Db,
    queue: TaskQueue,
    call: Call,
    kind: str,
    id: str,
    user: str | None,
    up_to: str,
    outcome: Literal["upheld", "dismissed"],
    note: str,
) -> None:
    """Close the open reports of a subject up to the one with the id `up_to`, if there are any. Of a
    message `user` is who has sent it. Raises ReportNotFound, PreconditionFailed."""
    target = await reports.lock(tx, kind, id, user)
    upto = None if target is None else await reports.number_of(tx, target.number, up_to)
    if target is None or upto is None:
        raise ReportNotFound()
    await call.unchanged(tx)
    call.changes(target.id if target.kind == "content" else target.content or "")
    span = target.decided, upto
    if not await reports.decide(tx, target.number, *span, outcome, call.user):
        return
    await audit_log.record(tx, *call.actor, _ACTS[outcome], target.kind, target.id, note)
    resolved = ReportsResolved(
        subject=_subject(target.kind, target.id, target.content, target.user),
        number=target.number,
        after=target.decided,
        upto=upto,
        outcome=outcome,
    )
    await queue.put(tx, resolved)
    sender = UNSET if target.user is None else target.user
    about = target.kind, target.id, EventData(outcome=outcome, sender=sender)
    await events.note(tx, "ReportResolved", call.user, *about, content=target.content)


def _subject(kind: str, id: str, content: str | None, user: str | None) -> ReportedSubject:
    on, by = UNSET if content is None else content, UNSET if user is None else user
    return ReportedSubject(kind, id, on, by)


def _queued(row: reports.Queued) -> QueuedSubject:
    subject = _subject(row.kind, row.id, row.content, row.user)
    counted = row.reports, row.notices, row.reasons, row.first, row.last, row.due, row.up_to
    return QueuedSubject(subject, *counted, row.author, row.excerpt, row.thumbnail)


def _number(row: reports.Filed) -> int:
    return row.number


def _report(row: reports.Filed) -> Report:
    evidence = Raw(row.evidence.encode())
    said = row.reason, row.text, evidence, row.created, row.state
    return Report(row.id, row.reporter, row.notice, *said)
